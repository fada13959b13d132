"""Slow, obvious twins of the candidates for edits and of their choice; see tokalign.edits.cuts."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray
from tokalign.edits.cuts import LONGEST_GAP, MOVE_INPUTS, Segment, Stretch
from tokalign.edits.segments import COMMA, PUNCTUATION

MOST_POINTS = 32
SMALL = 3
MOST_JOINED = 3


class SideWords(NamedTuple):
    """The words of one sentence, as EditSide has them."""

    kinds: NDArray[np.int32]
    weights: NDArray[np.float32]
    lemmas: NDArray[np.int32]


Point: TypeAlias = tuple[int, int]
"""Numbers of source and target tokens before a point."""


def blocks_of(partner: Sequence[int], n_target: int) -> list[Stretch]:
    """Return the blocks between kept tokens.

    Parameters
    ----------
    partner : sequence of int, length n_source
        The target token that each source token is kept as, -1 where it is not.
    n_target : int
    """
    found = []
    i = j = 0
    kept = [(row, column) for row, column in enumerate(partner) if column >= 0]
    for row, column in [*kept, (len(partner), n_target)]:
        if row > i or column > j:
            found.append(Stretch(i, row, j, column))
        i, j = row + 1, column + 1
    return found


@dataclass(slots=True)
class Cuts:
    """How blocks can be cut.

    Attributes
    ----------
    points : list of list of Point
        Of each block, in rising order; its first and last corner among them.
    segments : list of Segment
    free : list of Segment
        Steps over words that moved; they are not edits.
    """

    points: list[list[Point]] = field(default_factory=list)
    segments: list[Segment] = field(default_factory=list)
    free: list[Segment] = field(default_factory=list)


def cuts_of(
    blocks: Sequence[Stretch],
    kinds: tuple[NDArray[np.int32], NDArray[np.int32]],
    links: NDArray[np.float32],
    moves: Sequence[Stretch],
) -> Cuts:
    """Return how blocks can be cut.

    Parameters
    ----------
    blocks : sequence of Stretch
    kinds : (int32 array, int32 array)
        Kinds of the words of both sides.
    links : float32 array, shape (n_source, n_target)
    moves : sequence of Stretch
        Runs that moved; no segment contains them.
    """
    cuts = Cuts()
    gone = (
        {i for move in moves for i in range(move.source_start, move.source_end)},
        {j for move in moves for j in range(move.target_start, move.target_end)},
    )
    for number, block in enumerate(blocks):
        steps = [*_steps(block, moves)]
        points = _points(block, kinds, links)
        if steps:
            points = _with_steps(points, block, steps)
        cuts.points.append(sorted(points))
        cuts.free += _free(cuts.points[-1], steps, number)
        for start in cuts.points[-1]:
            for end in cuts.points[-1]:
                if start != end and start[0] <= end[0] and start[1] <= end[1]:
                    segment = Segment(start[0], end[0], start[1], end[1], number, number)
                    if not steps or not _touches(segment, gone):
                        cuts.segments.append(segment)
    cuts.segments += [each for each in _joined(blocks) if not _touches(each, gone)]
    return cuts


def _points(
    block: Stretch,
    kinds: tuple[NDArray[np.int32], NDArray[np.int32]],
    links: NDArray[np.float32],
) -> set[Point]:
    """Return the points of a block: all positions of a small one, else its corners and the ends of
    links and punctuation."""
    i0, i1, j0, j1 = block
    if i0 == i1 or j0 == j1:
        return {(i0, j0), (i1, j1)}
    if i1 - i0 <= SMALL and j1 - j0 <= SMALL:
        return {(i, j) for i in range(i0, i1 + 1) for j in range(j0, j1 + 1)}
    stops = (PUNCTUATION, COMMA)
    plain = {(i0, j0), (i1, j0), (i1, j1)}
    plain |= {(i0 + 1, j0)} if kinds[0][i0] in stops else set()
    plain |= {(i1 - 1, j1)} if kinds[0][i1 - 1] in stops else set()
    plain |= {(i0, j0 + 1)} if kinds[1][j0] in stops else set()
    plain |= {(i1, j1 - 1)} if kinds[1][j1 - 1] in stops else set()
    linked = set(plain)
    for i, j in np.argwhere(links[i0:i1, j0:j1]).tolist():
        linked |= {(i0 + i, j0 + j), (i0 + i + 1, j0 + j + 1)}
    for points in (linked, plain):
        rows, columns = {i for i, _ in points}, {j for _, j in points}
        crossed = {(i, j) for i in rows for j in columns}
        if len(crossed) <= MOST_POINTS:
            return crossed
        edges = {point for i in rows for point in ((i, j0), (i, j1))}
        edges |= {point for j in columns for point in ((i0, j), (i1, j))}
        if len(points | edges) <= MOST_POINTS:
            return points | edges
    return plain


def _steps(block: Stretch, moves: Iterable[Stretch]) -> Iterator[tuple[int, int, int]]:
    """Yield the side, the start and the end of each run of a block that moved."""
    for move in moves:
        if block.source_start <= move.source_start < block.source_end:
            yield 0, move.source_start, move.source_end
        if block.target_start <= move.target_start < block.target_end:
            yield 1, move.target_start, move.target_end


def _with_steps(
    points: set[Point], block: Stretch, steps: Sequence[tuple[int, int, int]]
) -> set[Point]:
    """Return the points, and the ends of runs that moved."""
    rows, columns = {i for i, _ in points}, {j for _, j in points}
    more_rows = {block.source_start, block.source_end}
    more_rows |= {edge for side, *edges in steps if side == 0 for edge in edges}
    more_columns = {block.target_start, block.target_end}
    more_columns |= {edge for side, *edges in steps if side == 1 for edge in edges}
    added = {(i, j) for i in more_rows for j in more_columns | columns}
    return points | added | {(i, j) for i in rows for j in more_columns}


def _free(
    points: Sequence[Point], steps: Iterable[tuple[int, int, int]], number: int
) -> Iterator[Segment]:
    """Yield the steps over runs that moved, from each point where such a run begins."""
    known = set(points)
    for side, start, end in steps:
        for i, j in points:
            if side == 0 and i == start and (end, j) in known:
                yield Segment(start, end, j, j, number, number)
            if side == 1 and j == start and (i, end) in known:
                yield Segment(i, i, start, end, number, number)


def _touches(segment: Segment, gone: tuple[set[int], set[int]]) -> bool:
    return any(i in gone[0] for i in range(segment.source_start, segment.source_end)) or any(
        j in gone[1] for j in range(segment.target_start, segment.target_end)
    )


def _joined(blocks: Sequence[Stretch]) -> Iterator[Segment]:
    """Yield the segments that join neighbouring blocks."""
    for first, begin in enumerate(blocks):
        gap = 0
        for last in range(first + 1, min(first + MOST_JOINED + 1, len(blocks))):
            end = blocks[last]
            gap += end.source_start - blocks[last - 1].source_end
            if gap > LONGEST_GAP * (last - first):
                break
            yield Segment(
                begin.source_start, end.source_end, begin.target_start, end.target_end, first, last
            )


def best_tiling(cuts: Cuts, scores: Sequence[float]) -> list[Segment]:
    """Return the segments that cover all blocks once with the highest sum of scores, in order.

    This is a semi-Markov chain over points, decoded exactly.

    Parameters
    ----------
    cuts : Cuts
    scores : sequence of float
        Of each segment.

    Notes
    -----
    O(n_segments) time. Ties go to the tiling whose last segment comes first in `segments`.
    """
    arriving: defaultdict[tuple[int, Point], list[tuple[Segment, float, bool]]] = defaultdict(list)
    for segment, score in zip(cuts.segments, scores, strict=True):
        arriving[_end(segment)].append((segment, score, True))
    for segment in cuts.free:
        arriving[_end(segment)].append((segment, 0.0, False))
    sums: dict[tuple[int, Point], float] = {}
    steps: dict[tuple[int, Point], tuple[Segment, bool]] = {}
    total = 0.0
    for number, points in enumerate(cuts.points):
        sums[number, points[0]] = total
        for point in points[1:]:
            at = number, point
            for segment, score, is_edit in arriving[at]:
                before = sums.get(_start(segment))
                if before is not None and (at not in sums or before + score > sums[at]):
                    sums[at] = before + score
                    steps[at] = segment, is_edit
        total = sums[number, points[-1]]
    return _traced(cuts, steps)


def _start(segment: Segment) -> tuple[int, Point]:
    return segment.first_block, (segment.source_start, segment.target_start)


def _end(segment: Segment) -> tuple[int, Point]:
    return segment.last_block, (segment.source_end, segment.target_end)


def _traced(cuts: Cuts, steps: dict[tuple[int, Point], tuple[Segment, bool]]) -> list[Segment]:
    """Return the segments on the best path to the last point."""
    found = []
    number = len(cuts.points) - 1
    while number >= 0:
        at = number, cuts.points[number][-1]
        while at in steps:
            segment, is_edit = steps[at]
            if is_edit:
                found.append(segment)
            at = _start(segment)
        number = at[0] - 1
    return found[::-1]


def move_candidates(same: NDArray[np.uint8], blocks: Sequence[Stretch]) -> list[Stretch]:
    """Return the longest runs of equal words in two places of blocks, in order.

    Parameters
    ----------
    same : uint8 array, shape (n_source, n_target)
    blocks : sequence of Stretch
    """
    rows = [i for block in blocks for i in range(block.source_start, block.source_end)]
    columns = [j for block in blocks for j in range(block.target_start, block.target_end)]
    if not rows or not columns:
        return []
    cells = np.argwhere(same[np.ix_(rows, columns)])
    alike = {(rows[i], columns[j]) for i, j in cells.tolist()}
    found = []
    for i, j in sorted(alike):
        if (i - 1, j - 1) in alike:
            continue
        n_tokens = 1
        while (i + n_tokens, j + n_tokens) in alike:
            n_tokens += 1
        found.append(Stretch(i, i + n_tokens, j, j + n_tokens))
    return found


def move_inputs(
    candidates: Sequence[Stretch],
    blocks: Sequence[Stretch],
    sides: tuple[SideWords, SideWords],
    links: NDArray[np.float32],
    same: NDArray[np.uint8],
) -> NDArray[np.float32]:
    """Return the inputs of runs that may have moved, shape (n_candidates, n_inputs)."""
    n_source, n_target = links.shape
    of_source = {
        i: k for k, block in enumerate(blocks) for i in range(block.source_start, block.source_end)
    }
    of_target = {
        j: k for k, block in enumerate(blocks) for j in range(block.target_start, block.target_end)
    }
    changed = (len(of_source) + len(of_target)) / (n_source + n_target)
    rows = []
    for i0, i1, j0, j1 in candidates:
        here, there = of_source[i0], of_target[j0]
        inside = links[i0:i1, j0:j1]
        n_tokens = i1 - i0
        source, target = blocks[here], blocks[there]
        rows.append(
            (
                n_tokens,
                sides[0].weights[i0:i1].sum(),
                inside.sum(),
                inside.max(),
                inside.sum() / n_tokens,
                np.count_nonzero(inside),
                here == there,
                here - there,
                i0 - source.source_start,
                source.source_end - i1,
                j0 - target.target_start,
                target.target_end - j1,
                source.target_end - source.target_start,
                target.source_end - target.source_start,
                source.source_end - source.source_start,
                target.target_end - target.target_start,
                abs(i0 / n_source - j0 / n_target),
                len(blocks),
                changed,
                sides[0].kinds[i0],
                sides[0].kinds[i1 - 1],
                same[:, j0:j1].sum() / n_tokens,
                same[i0:i1].sum() / n_tokens,
            )
        )
    return np.array(rows, np.float32).reshape(-1, len(MOVE_INPUTS))
