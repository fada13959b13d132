"""The search for near-duplicates against twins that compare all pairs."""

from __future__ import annotations

import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from reference import duplicates as reference
from tokalign.comparison import near_duplicates
from tokalign.comparison.near_duplicates import (
    Signatures,
    candidate_pairs,
    estimated_overlap,
    groups_of,
    weighed_lemmas,
)
from tokalign.errors import ResourceError
from tokalign.types import Sentence

pytest.importorskip("rensa", reason="needs the extra dedupe")

PAIRS = st.lists(st.tuples(st.integers(0, 12), st.integers(0, 12)).filter(lambda p: p[0] != p[1]))


def made_sets(n_sets: int, seed: int) -> list[list[str]]:
    """Return sets of which each second one is the one before it with some members changed."""
    generator = random.Random(seed)

    def members(n):
        return [f"w{generator.randrange(5000)}" for _ in range(n)]

    sets: list[list[str]] = []
    for _ in range(n_sets // 2):
        first = members(generator.randrange(4, 30))
        kept = [each for each in first if generator.random() < 0.8] or first
        sets += [first, kept + members(generator.randrange(5))]
    return sets


def signatures_of(sets) -> Signatures:
    signatures = Signatures()
    for start in range(0, len(sets), 7):
        signatures.add(sets[start : start + 7])
    return signatures


@given(PAIRS)
def test_groups_equal_their_twin(pairs):
    assert groups_of(pairs) == reference.groups(pairs)


@pytest.mark.parametrize("seed", range(3))
def test_pairs_that_overlap_enough_are_found_and_others_are_not(seed):
    sets = made_sets(300, seed)
    truth = reference.overlaps(sets)
    found = [tuple(pair) for pair in candidate_pairs(signatures_of(sets), 0.4).tolist()]
    assert found == sorted(set(found))
    # The estimate errs by 0.04.
    assert all(truth[pair] > 0.2 for pair in found)
    wanted = [pair for pair, overlap in truth.items() if overlap >= 0.6]
    assert wanted and sum(pair in set(found) for pair in wanted) >= 0.97 * len(wanted)


def test_sketches_estimate_the_overlap():
    sets = made_sets(200, 9)
    sketches = signatures_of(sets).sketches()
    pairs = np.array(list(reference.overlaps(sets)))
    truth = np.array(list(reference.overlaps(sets).values()))
    errors = estimated_overlap(sketches, pairs[:, 0], pairs[:, 1]) - truth
    assert abs(errors.mean()) < 0.005 and np.abs(errors).max() < 0.25


def test_order_and_batches_do_not_change_a_signature():
    sets = made_sets(40, 4)
    turned = [list(reversed(each)) for each in sets]
    one = Signatures()
    one.add(turned)
    assert (one.bands() == signatures_of(sets).bands()).all()
    assert (one.sketches() == signatures_of(sets).sketches()).all()


def test_equal_sets_beyond_the_neighbours_are_linked_through_others(monkeypatch):
    monkeypatch.setattr(near_duplicates, "MOST_NEIGHBOURS", 3)
    found = candidate_pairs(signatures_of([["a", "b"]] * 20), 0.9)
    assert len(found) == 3 * 17 + 3
    assert groups_of(found.tolist()) == [[*range(20)]]


def test_nothing_and_one_have_no_pairs():
    assert candidate_pairs(Signatures(), 0.3).shape == (0, 2)
    assert candidate_pairs(signatures_of([["a"]]), 0.3).shape == (0, 2)


def test_rare_lemmas_count_more():
    idf = {"the": 0.1, "of": 0.1, "dog": 0.5, "axolotl": 1.0}.__getitem__
    words = ["The", "axolotl", "of", "the", "Dog", "."]
    sentence = Sentence.from_tokens(words, lemmas=[word.lower() for word in words])
    assert sorted(weighed_lemmas(sentence, idf)) == [
        "axolotl", "axolotl#1", "axolotl#2", "dog", "dog#1",
    ]  # fmt: skip
    marks = Sentence.from_tokens(["of", "the"], lemmas=["of", "the"])
    assert weighed_lemmas(marks, idf) == ["of", "the"]


def test_a_missing_package_is_named_with_what_to_run(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "rensa", None)
    with pytest.raises(ResourceError, match=r"pip install '\.\[dedupe\]'"):
        Signatures()
