"""The joint decision against its NumPy twin, and the law that its links maximise expected F1."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from reference import decisions as reference
from tokalign.decoding.link_decision import covered_shares
from tokalign.errors import ShapeError

from lab.kernels.doors import joint_links

Posteriors = tuple[NDArray[np.float64], NDArray[np.float64]]


@st.composite
def posteriors(draw: st.DrawFn, max_tokens: int = 6) -> Posteriors:
    """Rows that sum to one, sharp or flat; some rows are certain, so that ties are common."""
    n_source = draw(st.integers(1, max_tokens))
    n_target = draw(st.integers(1, max_tokens))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    concentration = draw(st.sampled_from((0.05, 0.3, 1.0)))
    sides = []
    for n_rows, n_states in ((n_source, n_target + 1), (n_target, n_source + 1)):
        rows = rng.dirichlet(np.full(n_states, concentration), size=n_rows)
        certain = rng.random(n_rows) < 0.2
        rows[certain] = np.eye(n_states)[rng.integers(0, n_states, certain.sum())]
        sides.append(rows)
    return sides[0], sides[1]


@given(posteriors(), st.sampled_from((0.05, 0.35, 0.5, 1.0)), st.sampled_from((0.01, 0.2, 0.35)))
def test_links_equal_their_twin(both: Posteriors, threshold: float, beside: float) -> None:
    found = joint_links(*both, threshold, beside)
    assert found == reference.joint_links(*both, threshold, min(beside, threshold))
    assert joint_links(*both, threshold) == reference.joint_links(*both, threshold, threshold)


@given(posteriors(), st.data())
def test_figures_equal_their_twins(both: Posteriors, data: st.DataObject) -> None:
    n_source, n_target = len(both[0]), len(both[1])
    weight = st.sampled_from((0.0, 0.1, 0.7, 2.0))
    source = data.draw(st.lists(weight, min_size=n_source, max_size=n_source))
    target = data.draw(st.lists(weight, min_size=n_target, max_size=n_target))
    of_score = data.draw(
        st.lists(st.sampled_from((0.1, 1.0)), min_size=n_target, max_size=n_target)
    )
    cells = st.lists(
        st.sampled_from((0.0, 0.5, 0.7, 1.0)),
        min_size=n_source * n_target,
        max_size=n_source * n_target,
    )
    strength = np.array(data.draw(cells)).reshape(n_source, n_target)
    weights = np.array(source), np.array(target)
    score, linked = covered_shares(*both, of_score, source, target)
    assert score == pytest.approx(reference.score(*both, of_score))
    assert linked == pytest.approx(reference.share_of_both(*both, *weights))
    assert 0 <= score <= 1 + 1e-12
    _, covered = covered_shares(*both, of_score, source, target, strength)
    assert covered == pytest.approx(reference.share_of_both(*both, *weights, strength))
    assert 0 <= covered <= linked <= 1
    _, mirrored = covered_shares(*both[::-1], [1.0] * n_source, target, source, strength.T)
    assert covered == pytest.approx(mirrored)


@given(posteriors())
def test_swapped_sides_give_mirrored_links(both: Posteriors) -> None:
    mirrored = {(j, i, p) for i, j, p in joint_links(both[1], both[0], 0.35)}
    assert mirrored == set(joint_links(*both, 0.35))


@given(posteriors(max_tokens=3))
def test_some_threshold_is_best_for_expected_f1(both: Posteriors) -> None:
    """2 * expected right links / (links + expected gold links), over every set of links."""
    every = joint_links(*both, 1e-12)
    n_gold = sum(p for _, _, p in every)

    def expected_f1(links: list[tuple[int, int, float]]) -> float:
        return 2 * sum(p for _, _, p in links) / (len(links) + n_gold) if links else 0.0

    subsets = itertools.chain.from_iterable(
        itertools.combinations(every, size) for size in range(len(every) + 1)
    )
    best = max(expected_f1(list(links)) for links in subsets)
    by_threshold = max(expected_f1(joint_links(*both, p)) for _, _, p in every or [(0, 0, 1.0)])
    assert by_threshold == pytest.approx(best)


def test_one_token_may_have_several_links_or_none() -> None:
    s2t = np.array([[0.0, 0.5, 0.5], [0.9, 0.1, 0.0]])
    t2s = np.array([[0.1, 0.9, 0.0], [0.2, 0.8, 0.0]])
    assert [(i, j) for i, j, _ in joint_links(s2t, t2s, 0.35)] == [(0, 0), (0, 1)]


@pytest.mark.parametrize(
    "function", [lambda a, b: joint_links(a, b, 0.5), lambda a, b: covered_shares(a, b, [], [], [])]
)
def test_posteriors_of_different_pairs_are_refused(function) -> None:
    with pytest.raises(ShapeError, match=r"shapes \(2, 4\) and \(2, 3\); wanted \(n_source"):
        function(np.zeros((2, 4)), np.zeros((2, 3)))
