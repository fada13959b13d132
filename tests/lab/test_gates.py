"""The gain of an encoder, how it counts, and from which gain on a pair is read."""

from __future__ import annotations

import numpy as np
import pytest
from tokalign.types import GoldPair, Sentence

from lab.recipes.gates import (
    EXACT,
    Read,
    _expected,
    _importance,
    figures,
    shares_read,
    thresholds_of,
    weights_of,
)  # fmt: skip

NO_ROW = np.zeros(1, np.float32)


def test_links_are_worth_the_f1_and_exact_match_that_posteriors_expect():
    mean = np.array([[0.8, 0.1], [0.0, 0.5]])
    assert _expected(frozenset({(0, 0)}), mean) == pytest.approx(
        2 * 0.8 / (1 + 1.4) + EXACT * 0.8 * 0.9 * 0.5
    )
    assert _expected(frozenset(), np.zeros((2, 2))) == 1 + EXACT


def test_pairs_with_few_links_count_little():
    mean = np.array([[0.4, 0.1, 0.0], [0.0, 0.1, 0.2]])
    assert _importance(mean) == pytest.approx(0.8)
    assert _importance(np.ones((2, 2))) == 1.0
    assert _importance(np.zeros((2, 2))) == 0.0


def test_shares_that_efforts_read_are_of_gains_above_their_thresholds():
    reads = [
        Read(np.array([gain], np.float32), frozenset({(0, 0)}), frozenset(full), 0.0)
        for gain, full in ((0.2, {(0, 0)}), (0.5, {(1, 1)}), (0.9, {(0, 0)}), (0.4, set()))
    ]
    (row,) = shares_read({"x": reads}, lambda rows: rows[:, 0], lambda effort: 1 - effort)
    assert (row["pairs"], row["changed"]) == (4, 0.5)
    assert (row["0.1"], row["0.4"], row["0.6"]) == (0.25, 0.25, 0.75)


def test_a_gain_counts_the_more_the_less_there_is_to_gain():
    parts = {
        "strict": [Read(NO_ROW, frozenset(), frozenset(), gain) for gain in (0.0, 0.08)],
        "edits": [Read(NO_ROW, frozenset(), frozenset(), 0.01)],
        "free": [Read(NO_ROW, frozenset(), frozenset(), -0.5)],
    }
    weights = weights_of(parts)
    known = [weights[style] for style in ("strict", "edits", "free")]
    assert known == pytest.approx([5.0, 10.0, 1000**0.5])
    assert weights["paraphrase"] == pytest.approx(sum(known) / 3)


def test_thresholds_are_of_shares_of_an_even_mix():
    large, small = np.linspace(0, 1, 1000), np.linspace(2, 3, 10)
    thresholds = thresholds_of([large, small])
    efforts = np.linspace(0, 1, len(thresholds))
    for effort, threshold in zip(efforts[1:-1], thresholds[1:-1], strict=True):
        read = (np.mean(large >= threshold) + np.mean(small >= threshold)) / 2
        assert read == pytest.approx(effort, abs=0.06)


def test_figures_take_the_links_of_what_reads_a_pair():
    sentence = Sentence.from_tokens(["a", "b"])
    gold = [GoldPair("x", sentence, sentence, frozenset({(0, 0)}))]
    reads = [Read(NO_ROW, frozenset({(1, 1)}), frozenset({(0, 0)}), 0.0)]
    assert figures(gold, reads, np.array([True]), "strict") == "100.0 / 100.0"
    assert figures(gold, reads, np.array([False]), "strict") == "0.0 / 0.0"
