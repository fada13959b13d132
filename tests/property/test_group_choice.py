"""The choice among decisions on groups of cells against its twin."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from reference import group_choice as reference
from tokalign.decoding.link_decision import GROUP_INPUTS
from tokalign.errors import ShapeError

from lab.kernels.doors import group_candidates

shares = st.sampled_from([0.0, 0.003, 0.01, 0.05, 0.06, 0.2, 0.35, 0.5, 0.65, 0.94, 0.97, 1.0])
posteriors = st.tuples(st.integers(1, 7), st.integers(1, 7)).flatmap(
    lambda shape: arrays.arrays(np.float64, shape, elements=shares | st.floats(0, 1))
)


def links_of(linked):
    return frozenset(zip(*map(np.ndarray.tolist, np.nonzero(linked)), strict=True))


@settings(max_examples=150)
@given(posteriors, st.sampled_from([0.3, 0.5]))
def test_groups_decisions_and_inputs_are_those_of_the_twin(posterior, threshold):
    links = links_of(posterior >= threshold)
    found = group_candidates(posterior, posterior >= threshold)
    assert [[tuple(cell) for cell in cells.tolist()] for cells, _, _ in found] == (
        reference.groups(posterior, links)
    )
    for places, decisions, inputs in found:
        cells = [tuple(cell) for cell in places.tolist()]
        expected = reference.candidates(posterior, links, cells)
        assert decisions.tolist() == [[cell in each for cell in cells] for each in expected]
        for row, decided in zip(inputs.tolist(), expected, strict=True):
            wanted = map(float, reference.inputs(posterior, decided, links, cells))
            assert dict(zip(GROUP_INPUTS, row, strict=True)) == pytest.approx(
                dict(zip(GROUP_INPUTS, wanted, strict=True)), rel=1e-5, abs=1e-5
            )


def test_two_rivals_and_a_corner_are_groups_of_their_own():
    posterior = np.zeros((4, 4))
    posterior[0, :2] = 0.45, 0.4
    posterior[2, 2:] = posterior[3, 2] = 1.0
    posterior[3, 3] = 0.01
    rivals, corner = group_candidates(posterior, posterior >= 0.5)
    assert rivals[0].tolist() == [[0, 0], [0, 1]]
    assert rivals[1].tolist() == [[False, False], [True, False], [False, True], [True, True]]
    assert corner[0].tolist() == [[3, 3]]
    squares = corner[2][:, GROUP_INPUTS.index("squares that lack a link")]
    assert squares.tolist() == [1.0, 0.0]


def test_a_group_has_a_bounded_number_of_decisions_and_a_huge_one_none():
    ((cells, decisions, _),) = group_candidates(np.full((10, 10), 0.4), np.zeros((10, 10)))
    assert len(cells) == 100
    assert len(decisions) == 93
    assert decisions.sum(axis=1).max() == 3
    assert not group_candidates(np.full((10, 11), 0.4), np.zeros((10, 11)))


@pytest.mark.parametrize("shape", [(2, 3), (3, 2), (0, 0)])
def test_links_of_another_shape_are_refused(shape):
    with pytest.raises(ShapeError, match="wanted one shape"):
        group_candidates(np.zeros((2, 2)), np.zeros(shape))
