"""Laws of the heuristics, and a literal transcription of the published pseudocode as judge."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokalign.decoding.symmetrize import symmetrize
from tokalign.types.options import Symmetrization

N = 6
GROWN = (
    Symmetrization.GROW_DIAG,
    Symmetrization.GROW_DIAG_FINAL,
    Symmetrization.GROW_DIAG_FINAL_AND,
)
LABELS = st.lists(st.integers(-1, N - 1), min_size=N, max_size=N)
S2T = LABELS.map(lambda row: {(i, j) for i, j in enumerate(row) if j >= 0})
T2S = LABELS.map(lambda row: {(i, j) for j, i in enumerate(row) if i >= 0})
ANY = st.sets(st.tuples(st.integers(0, N - 1), st.integers(0, N - 1)))


def judge(s2t, t2s, symmetrization):
    """Koehn et al. (2005), figure 1, word for word: e is the target, f the source."""
    alignment = {(j, i) for i, j in s2t & t2s}
    union = {(j, i) for i, j in s2t | t2s}
    neighbouring = [(-1, 0), (0, -1), (1, 0), (0, 1), (-1, -1), (-1, 1), (1, -1), (1, 1)]

    def e_is_aligned(e):
        return any(point[0] == e for point in alignment)

    def f_is_aligned(f):
        return any(point[1] == f for point in alignment)

    while True:
        before = len(alignment)
        for e, f in itertools.product(range(N), range(N)):
            if (e, f) not in alignment:
                continue
            for d_e, d_f in neighbouring:
                new = (e + d_e, f + d_f)
                if new in union and (not e_is_aligned(new[0]) or not f_is_aligned(new[1])):
                    alignment.add(new)
        if len(alignment) == before:
            break
    if symmetrization != Symmetrization.GROW_DIAG:
        combine = all if symmetrization == Symmetrization.GROW_DIAG_FINAL_AND else any
        for one in (t2s, s2t):
            for e, f in itertools.product(range(N), range(N)):
                if (f, e) in one and combine((not e_is_aligned(e), not f_is_aligned(f))):
                    alignment.add((e, f))
    return {(f, e) for e, f in alignment}


@pytest.mark.parametrize("symmetrization", GROWN)
@given(s2t=S2T | ANY, t2s=T2S | ANY)
def test_heuristics_equal_the_pseudocode(symmetrization, s2t, t2s):
    assert symmetrize(s2t, t2s, symmetrization) == judge(s2t, t2s, symmetrization)


@pytest.mark.parametrize(
    "symmetrization", [*GROWN, Symmetrization.INTERSECTION, Symmetrization.UNION]
)
@given(s2t=ANY, t2s=ANY)
def test_every_heuristic_lies_between_intersection_and_union(symmetrization, s2t, t2s):
    assert s2t & t2s <= symmetrize(s2t, t2s, symmetrization) <= s2t | t2s


@given(s2t=ANY, t2s=ANY)
def test_heuristics_are_nested(s2t, t2s):
    grown, final, final_and = (symmetrize(s2t, t2s, symmetrization) for symmetrization in GROWN)
    assert grown <= final_and
    assert grown <= final


@given(s2t=S2T | ANY, t2s=T2S | ANY)
def test_grow_diag_final_covers_every_word_that_the_union_covers(s2t, t2s):
    links = symmetrize(s2t, t2s, Symmetrization.GROW_DIAG_FINAL)
    for side in (0, 1):
        assert {link[side] for link in links} == {link[side] for link in s2t | t2s}


@pytest.mark.parametrize("symmetrization", [*GROWN, "s2t", "t2s", "intersection", "union"])
@given(links=ANY)
def test_agreeing_directions_are_kept_as_they_are(symmetrization, links):
    assert symmetrize(links, set(links), symmetrization) == links


# s2t: 0-0 1-1 2-1 4-4    t2s: 0-0 1-1 1-2 5-4 3-5 (written source-target)
S2T_EXAMPLE = {(0, 0), (1, 1), (2, 1), (4, 4)}
T2S_EXAMPLE = {(0, 0), (1, 1), (1, 2), (5, 4), (3, 5)}


@pytest.mark.parametrize(
    ("symmetrization", "extra"),
    [
        (Symmetrization.INTERSECTION, set()),
        # 2-1 and 1-2 touch 1-1 and each links a new word.
        (Symmetrization.GROW_DIAG, {(2, 1), (1, 2)}),
        # t2s first: 5-4 and 3-5 link new words; then s2t: 4-4 links the new source word 4.
        (Symmetrization.GROW_DIAG_FINAL, {(2, 1), (1, 2), (5, 4), (3, 5), (4, 4)}),
        # 4-4 comes after 5-4, which has taken target word 4.
        (Symmetrization.GROW_DIAG_FINAL_AND, {(2, 1), (1, 2), (5, 4), (3, 5)}),
        (Symmetrization.UNION, {(2, 1), (1, 2), (5, 4), (3, 5), (4, 4)}),
    ],
)
def test_hand_example(symmetrization, extra):
    assert symmetrize(S2T_EXAMPLE, T2S_EXAMPLE, symmetrization) == {(0, 0), (1, 1)} | extra


def test_one_direction_is_returned_as_it_is():
    assert symmetrize(S2T_EXAMPLE, T2S_EXAMPLE, Symmetrization.SOURCE_TO_TARGET) == S2T_EXAMPLE
    assert symmetrize(S2T_EXAMPLE, T2S_EXAMPLE, Symmetrization.TARGET_TO_SOURCE) == T2S_EXAMPLE


def test_the_joint_decision_is_not_made_from_labels():
    with pytest.raises(KeyError):
        symmetrize(S2T_EXAMPLE, T2S_EXAMPLE, Symmetrization.JOINT)
