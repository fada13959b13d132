"""Learning of the choice among decisions on groups of cells, and which pairs teach it."""

from __future__ import annotations

import numpy as np
from tokalign.types import GoldPair, Sentence

from lab.recipes.group_choice import chosen, groups_of, learned
from lab.recipes.held_out import HeldOutPair
from lab.recipes.second_pass import STYLE, cross_fitted


def rivals(number: int, style: str = STYLE) -> HeldOutPair:
    """Return a pair of one source token with two partners, both less likely than not; the likelier
    one is gold's."""
    words = [Sentence.from_tokens([f"{side}{number}"] * n) for side, n in (("a", 1), ("b", 2))]
    means = np.array([[0.45, 0.4]], dtype=np.float32)
    return HeldOutPair(
        gold=GoldPair(str(number), *words, frozenset({(0, 0)}) if style else frozenset()),
        style=style, fold=number % 2, is_piece=False, means={STYLE: means},
        unlike=np.ones((1, 2), dtype=bool), impossible=np.full((1, 2), not style),
        inputs=np.zeros(1),
    )  # fmt: skip


def test_the_decision_that_gold_takes_is_learned():
    pairs = [rivals(k) for k in range(100)]
    found = cross_fitted(pairs, [groups_of(pair) for pair in pairs], learned, chosen)
    assert {pair.links[STYLE] for pair in found} == {frozenset({(0, 0)})}
    assert [pair.gold.id for pair in found] == [pair.gold.id for pair in pairs]


def test_unrelated_pairs_teach_to_leave_and_other_styles_teach_nothing():
    pairs = [rivals(k, style="") for k in range(100)] + [rivals(k, "edits") for k in range(300)]
    trees = learned(pairs, [groups_of(pair) for pair in pairs])
    pair = rivals(0)
    assert chosen(pair, groups_of(pair), trees).links[STYLE] == frozenset()


def test_groups_that_may_hold_links_of_unrelated_pairs_teach_nothing():
    unknown = [rivals(k, style="") for k in range(300)]
    for pair in unknown:
        pair.impossible[0, 1] = False
    pairs = [rivals(k) for k in range(100)] + unknown
    trees = learned(pairs, [groups_of(pair) for pair in pairs])
    pair = rivals(0)
    assert chosen(pair, groups_of(pair), trees).links[STYLE] == frozenset({(0, 0)})
