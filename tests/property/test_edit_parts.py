"""The parts that decide edits do what their slow twins do."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from reference import edit_cuts
from reference import edits as slow
from reference.edit_cuts import SideWords
from tokalign.edits.cuts import Stretch
from tokalign.edits.segments import SEGMENT_INPUTS
from tokalign.errors import ShapeError

from lab.kernels.edit_doors import edit_pair, kept_tokens

GRADES = st.sampled_from([0.0, 0.25, 0.5, 1.0])  # whose sums are exact


@st.composite
def grids(draw, most=4):
    """Return which words are the same, what each is worth, and the links."""
    shape = draw(st.tuples(st.integers(1, most), st.integers(1, most)))
    cells = [[draw(st.integers(0, 1)) for _ in range(shape[1])] for _ in range(shape[0])]
    links = [[draw(GRADES) for _ in range(shape[1])] for _ in range(shape[0])]
    worth = draw(st.lists(st.sampled_from([0.125, 1.0]), min_size=shape[0], max_size=shape[0]))
    return np.array(cells, np.uint8), np.array(worth), np.array(links, np.float32)


@given(grids())
def test_kept_tokens_are_worth_most_of_all_matchings(grid) -> None:
    same, worth, links = grid
    partner = kept_tokens(same, worth, links).tolist()
    kept = [(i, j) for i, j in enumerate(partner) if j >= 0]
    columns = [j for _, j in kept]
    assert columns == sorted(set(columns))
    assert all(same[pair] for pair in kept)
    most = max(slow.worth_of(each, worth, links.tolist()) for each in slow.matchings(same.tolist()))
    assert slow.worth_of(kept, worth, links.tolist()) == most


def test_kept_tokens_of_nothing_are_none() -> None:
    nothing = np.zeros((2, 0), np.uint8), np.ones(2), np.zeros((2, 0), np.float32)
    assert kept_tokens(*nothing).tolist() == [-1, -1]


@pytest.mark.parametrize("shape", [(2, 4), (3, 3)])
def test_kept_tokens_need_columns_of_one_shape(shape) -> None:
    with pytest.raises(ShapeError):
        kept_tokens(np.zeros((2, 3), np.uint8), np.ones(2), np.zeros(shape, np.float32))


@st.composite
def blocks(draw):
    """Return a pair with its kept tokens, blocks and what may have moved in them."""
    same, worth, links = draw(grids(5))
    partner = kept_tokens(same, worth, links)
    sides = tuple(draw(words(length)) for length in same.shape)
    pair, found = edit_pair(sides, unlike(*same.shape), same, links, partner)
    rows = [i for i0, i1, _, _ in found.tolist() for i in range(i0, i1)]
    columns = [j for _, _, j0, j1 in found.tolist() for j in range(j0, j1)]
    moves = []
    if rows and columns and draw(st.booleans()):
        i, j = draw(st.sampled_from(rows)), draw(st.sampled_from(columns))
        moves.append(Stretch(i, i + 1, j, j + 1))
    return pair, sides, links, partner, found, moves, same


def unlike(n_source, n_target):
    """Return numbers of tokens that are not equal."""
    return np.arange(n_source, dtype=np.int32), np.arange(n_target, dtype=np.int32) + 99


@st.composite
def words(draw, n_tokens):
    def column(values):
        return draw(st.lists(values, min_size=n_tokens, max_size=n_tokens))

    return SideWords(
        np.array(column(st.sampled_from([0, 12, 1, 2, 7])), np.int32),
        np.array(column(GRADES), np.float32),
        np.array(column(st.integers(0, 2)), np.int32),
    )


def cuts(case):
    """Return how a pair's blocks can be cut, and the same by the slow twin."""
    pair, sides, links, _, found, moves, _ = case
    kinds = sides[0].kinds, sides[1].kinds
    stretches = [Stretch(*each) for each in found.tolist()]
    twin = edit_cuts.cuts_of(stretches, kinds, links, moves)
    return pair.cuts(moves), twin


@given(blocks())
def test_segments_are_those_of_the_twin(case) -> None:
    found, twin = cuts(case)
    assert found.segments.tolist() == list(map(list, twin.segments))


def test_no_segment_that_joins_blocks_has_equal_sides() -> None:
    words = SideWords(np.ones(2, np.int32), np.ones(2, np.float32), np.ones(2, np.int32))
    links = np.zeros((2, 2), np.float32)
    partner = np.array([-1, 0], np.int32)  # "a b" becomes "b a", "a a" itself
    for tokens, n_joined in (([0, 1], 1), ([0, 0], 0)):
        numbers = np.array(tokens, np.int32)
        numbers = numbers, numbers[::-1].copy()
        pair, blocks = edit_pair((words, words), numbers, np.ones((2, 2), np.uint8), links, partner)
        assert blocks.tolist() == [[0, 1, 0, 0], [2, 2, 1, 2]]
        segments = pair.cuts([]).segments
        assert sum(first < last for *_, first, last in segments.tolist()) == n_joined


@given(blocks())
def test_moved_runs_are_those_of_the_twin(case) -> None:
    pair, sides, links, partner, found, _, same = case
    stretches = [Stretch(*each) for each in found.tolist()]
    assert edit_cuts.blocks_of(partner.tolist(), same.shape[1]) == stretches
    candidates = pair.move_candidates()
    assert candidates == edit_cuts.move_candidates(same, stretches)
    if candidates:
        expected = edit_cuts.move_inputs(candidates, stretches, sides, links, same)
        rows = pair.move_inputs(candidates)
        np.testing.assert_allclose(rows, expected, rtol=1e-6)


@given(blocks())
def test_inputs_of_segments_are_those_of_the_twin(case) -> None:
    pair, sides, links, partner, found, *_ = case
    found_cuts, _ = cuts(case)
    segments = found_cuts.segments
    rows = pair.segment_inputs(found_cuts)
    twin = slow.Inputs(*sides, links.tolist(), partner.tolist(), found.tolist())
    for segment, row in zip(segments.tolist(), rows, strict=True):
        expected = twin.of(segment)
        assert set(expected) == set(SEGMENT_INPUTS)
        np.testing.assert_allclose(row, [expected[name] for name in SEGMENT_INPUTS], rtol=1e-5)


@given(blocks(), st.data())
def test_the_best_tiling_is_the_best_of_all(case, data) -> None:
    fast, found = cuts(case)
    scores = data.draw(
        st.lists(
            st.sampled_from([-0.25, 0.0, 0.5]),
            min_size=len(found.segments),
            max_size=len(found.segments),
        )
    )
    known = dict(zip(found.segments, scores, strict=True))
    chosen = fast.best(np.array(scores))
    assert chosen == edit_cuts.best_tiling(found, scores)
    ways = [way for _, way in zip(range(3000), slow.ways(found), strict=False)]
    best = max((sum(known[each] for each in way) for way in ways), default=0.0)
    total = sum(known[each] for each in chosen)
    assert total == best if len(ways) < 3000 else total >= best
    assert not ways or len(ways) == 3000 or chosen in ways


@given(blocks())
def test_no_segment_holds_what_moved(case) -> None:
    moves = case[5]
    for i0, i1, j0, j1, _, _ in cuts(case)[0].segments.tolist():
        for move in moves:
            assert not i0 <= move.source_start < i1
            assert not j0 <= move.target_start < j1
