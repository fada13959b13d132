"""Rewritten pairs: links go with the words, and rules see what was rewritten."""

from __future__ import annotations

import random

import pytest
from tokalign.formats import read_gold
from tokalign.model.training import TrainingData
from tokalign.types import GoldPair, Sentence

from lab.recipes import rewriters as recipe
from lab.recipes.rewriters import REWRITERS
from lab.recipes.rewritten import RuleFinder, origin_of, rewritten, with_rewritten


@pytest.fixture
def gold(sample_dir) -> list[GoldPair]:
    return read_gold(sample_dir / "sample.jsonl")


@pytest.mark.parametrize(
    ("rewriter", "text", "wanted"),
    [
        (recipe.varied, "colour", {(1, "color")}),
        (recipe.varied, "realized", {(1, "realised")}),
        (recipe.counted, "five", {(1, "5")}),
        (recipe.counted, "3,000", {(1, "3000"), (1, "3k")}),
        (recipe.scaled, "$ 3 billion", {(3, "$3bn"), (3, "$3b"), (3, "$3B")}),
        (recipe.paid, "$ 3 million", {(3, "3 million dollars"), (3, "3 million USD")}),
        (recipe.paid, "20 euros", {(2, "€20"), (2, "EUR 20")}),
        (recipe.measured, "5 per cent", {(3, "5%"), (3, "5 %"), (3, "5 pct"), (3, "5  pct")}),
        (recipe.dated, "Monday", {(1, "Mon")}),
        (
            recipe.dated,
            "April 5 , 2004",
            {(4, "2004-04-05"), (4, "5 April 2004"), (4, "4/5/2004"), (4, "Apr 5 2004")},
        ),
        (
            recipe.initialled,
            "Bank of New Zealand said",
            {(4, "BNZ"), (4, "bnz"), (4, "B.N.Z.")},
        ),
        (recipe.joined, "long-term", {(1, "longterm"), (1, "long term")}),
        (recipe.shortened, "as soon as possible", {(4, "asap")}),
    ],
)
def test_a_rewriter_writes_what_users_write(rewriter, text, wanted):
    rng = random.Random(1)
    found = {rewriter(text.split(), 0, rng) for _ in range(60)}
    assert found <= wanted
    assert len(found) >= min(2, len(wanted))


@pytest.mark.parametrize("rewriter", REWRITERS)
def test_a_rewriter_leaves_marks_and_function_words_alone(rewriter):
    rng = random.Random(1)
    for token in (".", ",", "than"):
        assert rewriter([token], 0, rng) is None


def test_links_go_with_the_words(gold):
    found = rewritten(gold, 1.0)
    assert len(found) > len(gold) / 2
    by_id = {pair.id: pair for pair in gold}
    for pair in found:
        origin = by_id[origin_of(pair.id)]
        kept = [
            pair.source.tokens == origin.source.tokens,
            pair.target.tokens == origin.target.tokens,
        ]
        assert sum(kept) == 1
        assert all(i < len(pair.source) and j < len(pair.target) for i, j in pair.sure)
        # Every linked token of the other side keeps a partner, but for that of a mark that went.
        if kept[0]:
            lost = {i for i, _ in origin.sure} - {i for i, _ in pair.sure}
            assert {origin.source.tokens[i] for i in lost} <= {".", "?", "!"}
        else:
            lost = {j for _, j in origin.sure} - {j for _, j in pair.sure}
            assert {origin.target.tokens[j] for j in lost} <= {".", "?", "!"}


def test_the_same_seed_gives_the_same_pairs(gold):
    assert rewritten(gold) == rewritten(gold)
    assert rewritten(gold) != rewritten(gold, seed=2)


def test_a_rule_is_found_where_there_is_one():
    rules = RuleFinder()
    assert rules.cells(["He", "paid", "$", "5"], ["five", "dollars"]) == {(2, 1)}
    assert rules.cells(["a", "dog"], ["a", "cat"]) == set()


def test_unrelated_pairs_are_rewritten_without_links():
    earned = "The company earned $ 5 million in September"
    played = "Fifteen children played in the garden on Monday"
    sides = Sentence.from_tokens(earned.split()), Sentence.from_tokens(played.split())
    pairs = [GoldPair(str(k), *sides, frozenset()) for k in range(20)]
    aligned = GoldPair("one", sides[0], sides[0], frozenset({(0, 0)}))
    data = with_rewritten(TrainingData({"a": [aligned]}, unrelated=pairs))
    new = data.unrelated[len(pairs) :]
    assert new
    assert not any(pair.sure or pair.possible for pair in new)
    assert {origin_of(pair.id) for pair in new} <= {pair.id for pair in pairs}
