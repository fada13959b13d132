"""`tokalign serve` with systems of the literature beside a model, and the client that asks them."""

import json
from pathlib import Path

import pytest
from support.server_process import started
from tokalign.aligner import Aligner
from tokalign.client import Client, InvalidInputError
from tokalign.systems import SYSTEMS
from tokalign.types.options import Symmetrization

DATA = Path(__file__).parents[1] / "data"
SAMPLE = [json.loads(line) for line in (DATA / "sample.jsonl").read_text().splitlines()]
PAIRS = [(pair["source"]["text"], pair["target"]["text"]) for pair in SAMPLE]


@pytest.fixture(scope="module")
def client():
    models = [part for name in ("en", *SYSTEMS) for part in ("--model", name)]
    with started(*models, fake=False) as server:
        with Client(server.address, timeout_s=60) as client:
            yield client
        assert server.stop() == 0


@pytest.mark.parametrize("system", SYSTEMS)
def test_served_alignments_equal_local_ones(client, system):
    local = list(Aligner.load(system).pipe(PAIRS, explain=True, min_confidence=0.3))
    served = client.batch_align(PAIRS, model=system, explain=True, min_confidence=0.3)
    assert any(each.links for each in local)
    for mine, theirs in zip(local, (result.unwrap() for result in served), strict=True):
        assert (theirs.model, theirs.to_pharaoh()) == (system, mine.to_pharaoh())
        assert theirs.distance == mine.distance
        assert theirs.similarity == pytest.approx(mine.similarity, abs=1e-6)
        assert [each.features[0].name for each in theirs.explanations] == [
            each.features[0].name for each in mine.explanations
        ]


def test_they_are_listed_as_what_they_are(client):
    first, *others = client.list_models().models
    assert (first.name, first.is_system) == ("en", False)
    assert first.symmetrizations == tuple(Symmetrization)
    assert [model.name for model in others] == list(SYSTEMS)
    for model in others:
        assert (model.is_system, model.symmetrizations) == (True, (Symmetrization.JOINT,))
        assert model.description


@pytest.mark.parametrize("system", SYSTEMS)
@pytest.mark.parametrize(
    ("options", "field"),
    [
        ({"posteriors": True}, "options.posteriors"),
        ({"symmetrization": "union"}, "options.symmetrization"),
        ({"style": "free"}, "options.style"),
    ],
)
def test_options_of_models_are_refused_by_name(client, system, options, field):
    with pytest.raises(InvalidInputError, match=system) as raised:
        client.align(*PAIRS[0], model=system, **options)
    assert [each.field for each in raised.value.violations] == [field]


@pytest.mark.parametrize("system", SYSTEMS)
def test_served_ranking_is_the_local_one(client, system):
    asked = json.loads((DATA / "rank.jsonl").read_text().splitlines()[0])
    local = Aligner.load(system).rank(asked["question"], asked["candidates"])
    served = client.rank(asked["question"], asked["candidates"], model=system)
    assert [each.index for each in served] == [each.index for each in local]
