"""Answers through a real server and client equal the library's."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace

import numpy as np
import pytest
from click.testing import CliRunner
from support.server_process import started
from tokalign import Aligner, Sentence
from tokalign.cli.main import main
from tokalign.client import AsyncClient, Client, InvalidInputError, NotFoundError
from tokalign.formats import read_gold
from tokalign.types.options import Symmetrization


@pytest.fixture(scope="module")
def address(small_model):
    with started("--model", str(small_model), fake=False) as server:
        yield server.address


@pytest.fixture
def client(address):
    with Client(address, timeout_s=60) as client:
        client.wait_ready()
        yield client


@pytest.fixture(scope="module")
def aligner(small_model):
    return Aligner.load(small_model)


@pytest.fixture(scope="module")
def pairs(sample_dir):
    gold = read_gold(sample_dir / "sample.jsonl")
    return [(pair.source.text, pair.target.text) for pair in gold]


def assert_same(got, expected):
    """Compare alignments; floats go over the wire in 32 bits, but for scores of explanations."""
    assert got.source == expected.source
    assert got.target == expected.target
    assert got.to_pharaoh() == expected.to_pharaoh()
    np.testing.assert_allclose(
        [link.confidence for link in got.links],
        [link.confidence for link in expected.links],
        rtol=1e-5,
    )
    assert got.score == pytest.approx(expected.score, rel=1e-5)
    assert (got.model, got.version) == (expected.model, expected.version)
    assert got.symmetrization is expected.symmetrization
    if expected.posteriors is None:
        assert got.posteriors is None
    else:
        np.testing.assert_array_equal(got.posteriors, expected.posteriors)
    assert len(got.explanations) == len(expected.explanations)
    for mine, theirs in zip(got.explanations, expected.explanations, strict=True):
        assert (mine.source, mine.target, mine.direction, mine.runner_up) == (
            theirs.source,
            theirs.target,
            theirs.direction,
            theirs.runner_up,
        )
        assert mine.score == pytest.approx(theirs.score)
        assert mine.margin == pytest.approx(theirs.margin)
        names = [feature.name for feature in theirs.features]
        assert [feature.name for feature in mine.features] == names


@pytest.mark.parametrize("symmetrization", Symmetrization)
def test_batch_is_what_the_library_gives(client, aligner, pairs, symmetrization):
    results = client.batch_align(pairs, symmetrization=symmetrization)
    expected = aligner.pipe(pairs, symmetrization=symmetrization)
    for result, alignment in zip(results, expected, strict=True):
        assert_same(result.unwrap(), alignment)


def test_options_are_followed(client, aligner, pairs):
    options = {"min_confidence": 0.3, "posteriors": True, "explain": True}
    got = client.align(*pairs[0], **options)
    assert got.explanations and got.posteriors is not None
    assert_same(got, aligner.align(*pairs[0], **options))


def test_stream_is_what_the_library_gives(client, aligner, pairs):
    results = client.align_stream(iter(pairs), chunk_size=5)
    for result, alignment in zip(results, aligner.pipe(pairs), strict=True):
        assert_same(result.unwrap(), alignment)


def test_ranking_is_what_the_library_gives(client, aligner, sample_dir):
    for line in (sample_dir / "rank.jsonl").read_text().splitlines():
        asked = json.loads(line)
        got = client.rank(asked["question"], asked["candidates"])
        expected = aligner.rank(asked["question"], asked["candidates"])
        assert [each.index for each in got] == [each.index for each in expected]
        for mine, theirs in zip(got, expected, strict=True):
            assert_same(mine.unwrap(), theirs.alignment)


def test_async_client_gives_the_same(address, aligner, pairs):
    async def ask():
        async with AsyncClient(address, timeout_s=60) as client:
            return await asyncio.gather(*(client.align(*pair) for pair in pairs[:10]))

    for got, alignment in zip(asyncio.run(ask()), aligner.pipe(pairs[:10]), strict=True):
        assert_same(got, alignment)


def test_annotation_can_be_sent_and_changes_nothing(client, aligner, pairs):
    source, target = aligner.annotate(pairs[0])
    assert_same(client.align(source, target), aligner.align(source, target))


def test_rewritten_quotes_survive_the_round_trip(client, aligner):
    source, target = aligner.annotate(['He said "no" twice.', 'She said "no" once.'])
    assert "``" in source.tokens
    got = client.align(source, target)
    assert got.source == source
    assert got.to_pharaoh() == aligner.align(source, target).to_pharaoh()


@pytest.mark.parametrize(
    ("source", "target", "field"),
    [
        ("", "It rained.", "pair.source.text"),
        ("It rained.", " ", "pair.target.text"),
        ("word " * 600, "It rained.", "pair.source"),
        (Sentence("a b", ("a", "b"), (0, 2), (1, 3), tags=("DT",)), "a", "pair.source.tags"),
    ],
)
def test_unusable_sentences_name_their_field(client, source, target, field):
    with pytest.raises(InvalidInputError) as caught:
        client.align(source, target)
    (violation,) = caught.value.violations
    assert violation.field.startswith(field)


def test_unknown_model_is_not_found(client):
    with pytest.raises(NotFoundError, match="no model 'nope'"):
        client.align("a", "a", model="nope")


def test_server_lists_the_model(client, aligner):
    (model,) = client.list_models().models
    assert (model.name, model.digest) == (aligner.header.name, aligner.header.digest)
    assert set(model.symmetrizations) == set(Symmetrization)


PASSAGES = (
    "The town has a mill. It rains there often.",
    "A bakery stands on Mill Lane \N{DOG}. Marta founded the bakery in 1997. It sells bread.",
    " ",
)


@pytest.mark.parametrize("offsets", ["code-points", "utf-16"])
def test_passages_are_ranked_as_by_the_library(client, aligner, offsets):
    question = "Who founded the bakery?"
    options = {"passages": True, "offsets": offsets, "explain": True}
    got = client.rank(question, PASSAGES, **options)
    expected = aligner.rank(question, PASSAGES, **options)
    assert [(each.index, each.sentence) for each in got] == [
        (each.index, each.sentence) for each in expected
    ]
    assert got[-1].error is not None and got[-1].error.violations[0].field == "passage"
    for mine, theirs in zip(got[:-1], expected, strict=False):
        assert_same(mine.alignment, theirs.alignment)
        assert mine.judgement.score == pytest.approx(theirs.judgement.score, rel=1e-5)


@pytest.mark.parametrize("offsets", ["code-points", "utf-8", "utf-16"])
@pytest.mark.parametrize("passages", [False, True])
def test_highlights_are_those_of_the_library(client, aligner, offsets, passages):
    candidates = [
        "\u00e9\N{DOG} barks. Bread is sold. Marta founded the old bakery.",
        "",
        "It rains.",
    ]
    asked = {"passages": passages, "highlights": True, "offsets": offsets}
    got = client.rank("Who founded the bakery?", candidates, detail="scores", **asked)
    expected = aligner.rank("Who founded the bakery?", candidates, **asked)
    for one, other in zip(got, expected, strict=True):
        spans = [(span.start, span.end) for span in other.highlights]
        assert one.index == other.index
        assert [(span.start, span.end) for span in one.highlights] == spans
        assert [span.confidence for span in one.highlights] == pytest.approx(
            [span.confidence for span in other.highlights], abs=1e-6
        )
    assert got[0].highlights and not got[-1].highlights


async def test_the_asyncio_client_ranks_passages(address):
    async with AsyncClient(address, timeout_s=60) as client:
        best = (await client.rank("Who founded the bakery?", PASSAGES, passages=True))[0]
    assert (best.index, best.sentence.index) == (1, 1)


def test_long_sentences_are_cut_as_by_the_library(client, aligner):
    long = "Marta founded the bakery, " + "word " * 600
    for pair in ((long, "Who did?"), ("Who did?", long), (long.split(), "Who did?")):
        got = client.align(*pair, truncate=True)
        expected = aligner.align(*pair, truncate=True)
        if isinstance(pair[0], list):  # the tokens that are cut off are nowhere in the answer
            text = got.source.text
            assert expected.source.text.startswith(f"{text} word")
            expected = replace(expected, source=expected.source.replace(text=text))
        assert_same(got, expected)
        cut = (got.source_truncated, got.target_truncated)
        assert cut == (expected.source_truncated, expected.target_truncated)
        assert cut == (pair[0] != "Who did?", pair[1] != "Who did?")
        with pytest.raises(InvalidInputError, match=r"more than 512|at most 512"):
            client.align(*pair)


def test_text_of_too_many_characters_is_cut(client):
    words = "\N{DOG}" * 50 + " "
    with pytest.raises(InvalidInputError, match="characters"):
        client.align(words * 500, "A dog.")
    alignment = client.align(words * 500, "A dog.", truncate=True)
    assert alignment.source_truncated and not alignment.target_truncated
    assert alignment.source.text == words * 392


def test_the_command_ranks_passages_alike_here_and_at_a_server(address, small_model):
    text = "\n".join([*PASSAGES[:2], "word " * 600])
    command = ["rank", "Who founded the bakery?", "--passages", "--truncate"]
    here, there = (
        CliRunner().invoke(main, [*command, *where], input=text)
        for where in (["--model", str(small_model)], ["--server", address, "--timeout", "60"])
    )
    assert (there.exit_code, there.stdout) == (here.exit_code, here.stdout)
    assert there.exit_code == 0
    rows = [line.split("\t")[1:] for line in there.stdout.splitlines()]
    assert ["2", "2", "Marta founded the bakery in 1997."] in rows
    assert sorted(row[0] for row in rows) == ["1", "2", "3"]
    assert "1 candidates, or their questions, were cut" in there.stderr


def test_sentences_that_were_not_looked_at_are_said(small_model):
    filler = " ".join(f"It rained on day {number}." for number in range(60))
    passages = [*[filler] * 4, f"{filler} Marta founded the bakery in 1997."]
    question, command = "Who founded the bakery?", ["rank", "--passages", "--truncate"]
    flags = ("--model", str(small_model), "--max-pairs", "100", "--queue-pairs", "200")
    with started(*flags, fake=False) as server:
        with Client(server.address, timeout_s=60) as client:
            ranking = client.rank(question, passages, passages=True, truncate=True, top_k=1)
            assert client.rank(question, passages[-1:], passages=True).n_sentences_left_out == 0
        assert ranking.n_sentences_left_out == 301 - 100
        (best,) = ranking
        assert (best.index, best.sentence.index, best.sentence.n_sentences) == (4, 60, 61)
        there, here = (
            CliRunner().invoke(main, [*command, question, *where], input="\n".join(passages))
            for where in (["--server", server.address], ["--model", str(small_model)])
        )
    assert there.stdout.splitlines()[0] == here.stdout.splitlines()[0]
    assert "201 sentences of passages were not looked at" in there.stderr
    assert here.stderr == ""  # the library reads all of them
