"""Chunks: found, aligned, related and written."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tokalign import Aligner, FormatError, InputError
from tokalign.formats.ists import split_chunks, wa_block
from tokalign.types import Sentence
from tokalign.types.relations import ChunkedPair, ChunkLink


def pair_of(*links: ChunkLink) -> ChunkedPair:
    source = Sentence.from_tokens(["Saudis", "to", "permit", "women", ",", "finally"])
    target = Sentence.from_tokens(["Saudi", "women", "are", "let", "in", "."])
    return ChunkedPair("1", source, target, links)


PAIR = pair_of(
    ChunkLink((1, 2), (2, 3, 4), "EQUI", 5.0),
    ChunkLink((3,), (1,), "SPE2_FACT", 3.5),
    ChunkLink((0, 5), (), "NOALI", None),
    ChunkLink((), (0,), "NOALI", 0.0),
)


def test_chunks_in_brackets_are_read_and_written():
    tokens, chunks = split_chunks("[ Saudis ] [ to permit ] women [ in Olympics ]")
    assert tokens == ["Saudis", "to", "permit", "women", "in", "Olympics"]
    assert chunks == [(0,), (1, 2), (3,), (4, 5)]
    assert split_chunks("[ in [ a path ]") == (["in", "a", "path"], [(0,), (1, 2)])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[ a ] ]", "closes that did not open"),
        ("[ a", "does not close"),
        ("[ ]", "without tokens"),
        ("", "no tokens"),
    ],
)
def test_bad_brackets_say_what_is_wrong(text, message):
    with pytest.raises(InputError, match=message):
        split_chunks(text)


def test_a_pair_is_written_as_a_block():
    assert "2 3 <==> 3 4 5 // EQUI // 5 // to permit <==> are let in" in wa_block(PAIR)
    assert "1 6 <==> 0 // NOALI // NIL // Saudis finally <==> -not aligned-" in wa_block(PAIR)


def test_a_token_with_white_space_cannot_be_written():
    bad = replace(PAIR, source=Sentence.from_tokens(["a b"]), links=())
    with pytest.raises(FormatError, match="white space"):
        wa_block(bad)


def test_given_chunks_are_aligned_and_the_others_are_left_alone(aligner):
    found = aligner.align_chunks(
        "He bought a dog .", "He purchased an animal .",
        source_chunks=[[0], [1], [2, 3]], target_chunks=[[0], [1], [2, 3]],
    )  # fmt: skip
    types = {(link.source, link.target): link.type for link in found.links}
    assert types == {((0,), (0,)): "EQUI", ((1,), (1,)): "EQUI", ((2, 3), (2, 3)): "SPE1"}
    for link in found.links:
        assert 0 <= link.score <= 5 and 0 <= link.probability <= 1 and link.relation is not None
        assert (link.type == "EQUI") == (link.score == 5)


def test_own_chunks_hold_every_token_once(aligner):
    source, target = "Saudis to permit women to compete.", "It rained in the old town all day."
    found = aligner.align_chunks(source, target)
    for side, sentence in (("source", found.source), ("target", found.target)):
        tokens = sorted(k for link in found.links for k in getattr(link, side))
        assert tokens == list(range(len(sentence)))
    assert {link.type for link in found.links} == {"NOALI"}


@pytest.mark.parametrize(
    ("chunks", "message"),
    [([], "no chunks"), ([[]], "rising tokens"), ([[1, 0]], "rising"), ([[9]], "below 3"),
     ([[0], [0, 1]], "in two chunks")],
)  # fmt: skip
def test_bad_chunks_say_what_is_wrong(aligner, chunks, message):
    with pytest.raises(InputError, match=message) as caught:
        aligner.align_chunks("a b c", "a b c", target_chunks=chunks)
    assert caught.value.field == "target_chunks"


def test_systems_align_no_chunks():
    with pytest.raises(InputError, match="knows no relations"):
        Aligner.load("lemma").align_chunks("a", "b")
