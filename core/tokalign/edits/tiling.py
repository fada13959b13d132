"""The best way to cut blocks into edits: a semi-Markov chain over points, decoded exactly."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from tokalign.edits.blocks import Cuts, Point, Segment


def best_tiling(cuts: Cuts, scores: Sequence[float]) -> list[Segment]:
    """Return the segments that cover all blocks once and have the highest sum, in order.

    Parameters
    ----------
    cuts : Cuts
    scores : sequence of float
        Of each segment.

    Notes
    -----
    O(n_segments) time. Of equal sums, the one whose last segment stands first in `segments`.
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
    """Return the segments on the best way to the last point."""
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
