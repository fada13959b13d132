"""Texts of several pairs, and what is taught of them."""

import random

import numpy as np
import pytest

from lab.recipes.neural.joining import (
    IMPOSSIBLE,
    MOST,
    MOST_REPEATED,
    N_ALONE,
    N_JOINED,
    drawn,
    joined,
    lengthened,
)  # fmt: skip
from lab.recipes.neural.teaching import TaughtPair


def pair(number: int, n_source: int, n_target: int) -> TaughtPair:
    """Return a pair of words that say where they are from, and random probabilities."""
    rng = np.random.default_rng(number)
    said = tuple(
        np.log(rng.dirichlet(np.ones(n_other + 1), n_own)).astype(np.float32)
        for n_own, n_other in ((n_source, n_target), (n_target, n_source))
    )
    source, target = (
        tuple(f"{side}{number}.{k}" for k in range(n))
        for side, n in (("s", n_source), ("t", n_target))
    )
    return TaughtPair(source, target, said, is_usual=False)


PAIRS = [pair(k, 1 + k % 3, 1 + k % 4) for k in range(MOST)]


def expected(text: TaughtPair, which: int) -> np.ndarray:
    """Cell by cell: the probability that the pair of both words gives, else none."""
    own, other = (text.source, text.target)[:: 1 if which == 0 else -1]
    rows = np.full((len(own), 1 + len(other)), IMPOSSIBLE)
    for i, word in enumerate(own):
        number, place = map(int, word[1:].split("."))
        alone = not any(each[1:].split(".")[0] == str(number) for each in other)
        rows[i, 0] = 0.0 if alone else PAIRS[number].said[which][place, 0]
        for j, partner in enumerate(other):
            its_number, its_place = map(int, partner[1:].split("."))
            if its_number == number:
                rows[i, 1 + j] = PAIRS[number].said[which][place, 1 + its_place]
    return rows


@pytest.mark.parametrize(
    ("sources", "targets"),
    [([0, 1], [0, 1]), ([0, 1, 2], [2, 0, 1]), ([3, 4], [3]), ([5], [6, 5, 7]), ([1], [2])],
)
def test_each_word_has_what_its_pair_says_and_no_partner_elsewhere(sources, targets):
    text = joined(PAIRS, sources, targets)
    assert text.source == tuple(word for k in sources for word in PAIRS[k].source)
    assert text.target == tuple(word for k in targets for word in PAIRS[k].target)
    for which in (0, 1):
        np.testing.assert_allclose(text.said[which], expected(text, which), rtol=1e-6)
        np.testing.assert_allclose(np.exp(text.said[which]).sum(axis=1), 1, rtol=1e-5)


def test_a_repeated_pair_is_linked_with_its_own_copy():
    text = joined([PAIRS[2]] * 3, range(3), range(3))
    own = PAIRS[2].said[0]
    n = len(PAIRS[2].target)
    for k in range(3):
        rows = text.said[0][k * len(own) : (k + 1) * len(own)]
        np.testing.assert_array_equal(rows[:, 1 + k * n : 1 + (k + 1) * n], own[:, 1:])
        assert (np.delete(rows[:, 1:], np.s_[k * n : (k + 1) * n], axis=1) == IMPOSSIBLE).all()


def test_texts_are_of_several_pairs_and_the_same_each_time():
    chooser = random.Random(3)
    n_pairs = [
        len({word.partition(".")[0] for word in drawn(PAIRS, chooser).source}) for _ in range(300)
    ]
    assert {1, 2, MOST} <= set(n_pairs) and max(n_pairs) == MOST
    first, again = lengthened([PAIRS * 300, PAIRS]), lengthened([PAIRS * 300, PAIRS])
    assert len(first) == N_JOINED + N_ALONE
    assert [each.source for each in first] == [each.source for each in again]
    assert max(len(each.source) for each in first) <= 3 * max(MOST, MOST_REPEATED)
