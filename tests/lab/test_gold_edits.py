"""Edits by the links of people, made edits, and chunks by trees are those written by hand."""

from __future__ import annotations

import pytest
from tokalign import Sentence

from lab.recipes.gold_edits import gold_edits
from lab.recipes.made_edits import EditMaker
from lab.recipes.tree_chunks import chunks_of, with_trees

SAME = "The cat sat on the mat ."


def edits(source: str, target: str, links: str) -> set[tuple[str, str]]:
    """Return edits as texts; links are "0-0 1-2"."""
    sides = [Sentence.from_tokens(side.split()) for side in (source, target)]
    found = gold_edits(*sides, {tuple(map(int, link.split("-"))) for link in links.split()})
    return {
        tuple(
            " ".join(side.tokens[slice(*run)]) if run else ""
            for side, run in zip(sides, edit, strict=True)
        )
        for edit in found
    }


@pytest.mark.parametrize(
    ("source", "target", "links", "wanted"),
    [
        (SAME, SAME, "0-0 1-1 2-2 3-3 4-4 5-5 6-6", set()),
        ("The cat sat .", "The old cat sat .", "0-0 1-2 2-3 3-4", {("", "old")}),
        ("The cat sat .", "The cat rested .", "0-0 1-1 2-2 3-3", {("sat", "rested")}),
        ("He ran out of milk .", "He lacked milk .", "0-0 1-1 2-1 3-1 4-2 5-3",
         {("ran out of", "lacked")}),
        ("Today he left .", "He left today .", "0-2 1-0 2-1 3-3", set()),
        ("he often left .", "he left often .", "0-0 1-2 2-1 3-3", set()),
        ("He left in some haste yesterday .", "He left because it was late .", "0-0 1-1 6-6",
         {("in some haste yesterday", ""), ("", "because it was late")}),
    ],
)  # fmt: skip
def test_edits_by_links(source, target, links, wanted) -> None:
    assert edits(source, target, links) == wanted


def test_made_edits_turn_the_source_into_the_target() -> None:
    texts = (
        "The small red car that we saw yesterday stopped near the old bridge .",
        "In the morning , our neighbours quickly repaired the broken fence with new boards .",
        "She read a long letter from her sister ( who lives in Rome ) and answered it .",
    )
    sentences = with_trees([Sentence.from_tokens(text.split()) for text in texts])
    made = [pair for seed in range(5) for pair in EditMaker(sentences, seed).make(3)]
    assert len(made) > 8
    assert EditMaker(sentences, 0).make(3) == EditMaker(sentences, 0).make(3)
    for source, target, found in made:
        assert found
        kept = [
            [
                token
                for at, token in enumerate(tokens)
                if not any(e[side] and e[side][0] <= at < e[side][1] for e in found)
            ]
            for side, tokens in enumerate((source, target))
        ]
        assert kept[0] == kept[1]


def test_chunks_of_a_tree() -> None:
    sentence = Sentence.from_tokens(
        ["The", "dog", "is", "running", "in", "the", "park"],
        tags=["DT", "NN", "VBZ", "VBG", "IN", "DT", "NN"],
        heads=[1, 3, 3, -1, 6, 6, 3],
        relations=["det", "nsubj", "aux", "root", "case", "det", "obl"],
    )
    assert chunks_of(sentence) == [(0, 1), (2, 3), (4, 5, 6)]
