"""Units of the corpus and their relations are those written by hand."""

from __future__ import annotations

import pytest
from tokalign import Aligner, Sentence
from tokalign.types import GoldPair
from tokalign.types.relations import RELATION_KINDS, ChunkedPair, ChunkLink, RelationKind

from lab.recipes.corpora import OwnPair
from lab.recipes.task_examples import ChunkedText, add_task
from lab.recipes.unit_examples import (
    STYLES,
    UNKNOWN,
    Examples,
    MarkedUnit,
    blocks_of,
    chunk_kind,
    chunk_links,
    linked_units,
)


def test_links_that_share_tokens_are_one_unit() -> None:
    assert blocks_of([(3, 3), (0, 0), (1, 2), (1, 1), (2, 2)]) == [
        ((0,), (0,)),
        ((1, 2), (1, 2)),
        ((3,), (3,)),
    ]


def test_units_have_the_kind_of_their_links() -> None:
    sides = Sentence.from_tokens(["a", "dog", "ran", "off"]), Sentence.from_tokens(["an", "animal"])
    gold = GoldPair("x", *sides, frozenset({(0, 0), (1, 1)}), frozenset({(2, 1), (3, 1)}))
    marks = {"relations": [[1, 1, "narrower"], [2, 1, "related"], [3, 1, "related"]]}
    assert linked_units(OwnPair(gold, marks)) == [
        MarkedUnit(((0,), (0,)), RelationKind.SAME),
        MarkedUnit(((1,), (1,)), RelationKind.NARROWER),
        MarkedUnit(((2, 3), (1,)), RelationKind.RELATED),
    ]


@pytest.mark.parametrize(
    ("source", "target", "relations", "wanted"),
    [
        ("a dog", "the dog", {}, "same"),
        ("brown dog", "the dog", {}, "narrower"),
        ("the dog", "brown dog", {}, "wider"),
        ("brown dog", "black dog", {}, "similar"),
        ("the dog", "the animal", {(1, 1): "narrower"}, "narrower"),
        ("big dog", "the animal", {(1, 1): "wider"}, "similar"),
        ("is safe", "not safe", {}, "opposite"),
        ("in 2018", "in 2019", {(1, 1): "different-value"}, "different-value"),
    ],
)
def test_chunks_are_related_by_their_words(source, target, relations, wanted) -> None:
    pair = Sentence.from_tokens(source.split()), Sentence.from_tokens(target.split())
    assert chunk_kind(pair, ((0, 1), (0, 1)), {(1, 1)}, relations) == wanted


def test_chunks_are_linked_by_content_words() -> None:
    pair = Sentence.from_tokens(["in", "the", "house"]), Sentence.from_tokens(["in", "a", "park"])
    sides = [(0, 1, 2)], [(0,), (1, 2)]
    assert chunk_links(pair, {(0, 0), (1, 1)}, *sides) == {(0, 0)}
    assert chunk_links(pair, {(2, 2)}, *sides) == {(0, 1)}


def test_punctuation_belongs_to_nothing() -> None:
    pair = Sentence.from_tokens(["Yes", "."]), Sentence.from_tokens(["No", "."])
    assert chunk_links(pair, {(1, 1)}, [(0,), (1,)], [(0,), (1,)]) == set()


def test_chunks_of_the_task_are_examples_from_either_side() -> None:
    source, target = (
        Sentence.from_tokens(text.split()) for text in ("A man walks a dog", "He has 3 dogs")
    )
    links = (
        ChunkLink((0, 1), (0,), "SIMI", 3.0),
        ChunkLink((3, 4), (2, 3), "SPE2", 4.0),
        ChunkLink((2,), (), "NOALI", None),
    )
    chunks = [(0, 1), (2,), (3, 4)], [(0,), (1,), (2, 3)]
    text = ChunkedText(ChunkedPair("1", source, target, links), *chunks, "images")
    examples = Examples()
    add_task(examples, Aligner.load("en"), [text])
    assert examples.linked == [1, 1, *[0] * 7] * 2 * len(STYLES)
    kinds = [RELATION_KINDS[kind] for kind in examples.kinds if kind != UNKNOWN]
    assert kinds == ["similar", "wider", "similar", "narrower"] * len(STYLES)
    assert [score for score in examples.scores if score == score] == [3.0, 4.0] * 2 * len(STYLES)
    assert set(examples.groups) == {"A man walks a dog"}
