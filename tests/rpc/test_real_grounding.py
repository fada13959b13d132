"""Grounding by `tokalign serve` with a shipped model: what is served is what the library finds."""

import json
from dataclasses import fields, replace
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from support.blocking_client import Blocking
from support.server_process import started
from tokalign.aligner import Aligner
from tokalign.cli.main import main
from tokalign.client import Client, InvalidInputError
from tokalign.types.options import OffsetUnit

PASSAGES = [
    ("bridge", "The caf\u00e9 \N{DOG} bridge was opened on 30 June 1894. It is in London."),
    ("size", "Engineers measured it: it is 244 metres long.\n\nThe towers are 65 metres high."),
    ("other", ""),
]
ANSWER = (
    "\N{DOG}\N{DOG} The bridge opened in 1895. It is 244 m long, and blue.\n\n- Its towers are low."
)
SAMPLE = Path(__file__).parents[1] / "data" / "grounding.jsonl"
UNITS = list(OffsetUnit)


@pytest.fixture(scope="module")
def server():
    with started("--model", "en", "--model", "lemma", fake=False) as server:
        yield server
        assert server.stop() == 0


@pytest.fixture(scope="module")
def aligner():
    return Aligner.load()


def single(value):
    """Return a value with its floats as the contract holds them."""
    if isinstance(value, float):
        return float(np.float32(value))
    if isinstance(value, tuple):
        return tuple(map(single, value))
    if hasattr(value, "__dataclass_fields__"):
        return replace(
            value, **{each.name: single(getattr(value, each.name)) for each in fields(value)}
        )
    return value


@pytest.mark.parametrize("kind", [Client, Blocking])
@pytest.mark.parametrize("unit", UNITS)
def test_served_evidence_is_that_of_the_library(server, aligner, kind, unit):
    local = aligner.ground(ANSWER, PASSAGES, offsets=unit, explain=True)
    assert len(local.sentences) == 3 and local.sentences[1].citations
    with kind(server.address) as client:
        assert client.ground(ANSWER, PASSAGES, offsets=unit, explain=True) == single(local)
        streamed = client.ground_stream(list(ANSWER), PASSAGES, offsets=unit, explain=True)
        assert tuple(streamed) == single(local.sentences)


@pytest.mark.parametrize("changes", [{"threshold": 0.0}, {"threshold": 1.0}, {"candidates": 1}])
def test_options_act_as_in_the_library(server, aligner, changes):
    with Client(server.address) as client:
        served = client.ground(ANSWER, PASSAGES, **changes)
    assert served == single(aligner.ground(ANSWER, PASSAGES, **changes))


def test_sample_is_grounded_alike(server, aligner):
    with Client(server.address) as client:
        for line in SAMPLE.read_text().splitlines():
            item = json.loads(line)
            passages = [(each["id"], each["text"]) for each in item["passages"]]
            served = client.ground(item["answer"], passages)
            assert served == single(aligner.ground(item["answer"], passages))


def test_system_is_refused_as_by_the_library(server):
    with Client(server.address) as client:
        with pytest.raises(InvalidInputError, match="lemma") as caught:
            client.ground(ANSWER, PASSAGES, model="lemma")
        assert [each.field for each in caught.value.violations] == ["options.model"]
        with pytest.raises(InvalidInputError, match="lemma"):
            list(client.ground_stream([ANSWER], PASSAGES, model="lemma"))


def test_passages_of_too_many_sentences_are_refused_and_named(server):
    with Client(server.address) as client, pytest.raises(InvalidInputError) as caught:
        client.ground(ANSWER, [("a", "It rains. " * 20_001)])
    assert [each.field for each in caught.value.violations] == ["passages[0].text"]


def test_the_command_line_grounds_at_a_server(server, tmp_path):
    answer = tmp_path / "answer.txt"
    answer.write_text(ANSWER)
    passages = []
    for name, text in PASSAGES[:2]:
        passages.append(tmp_path / f"{name}.txt")
        passages[-1].write_text(text)
    command = ["ground", str(answer), *map(str, passages), "--json"]
    here, there = (
        CliRunner().invoke(main, [*command, *more], catch_exceptions=False).stdout
        for more in ([], ["--server", server.address])
    )
    assert _rounded(here)["sentences"]
    assert _rounded(here) == _rounded(there)


def _rounded(line):
    return json.loads(line, parse_float=lambda digits: round(float(digits), 4))
