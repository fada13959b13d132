"""Slow, obvious twins of what decides edits: kept tokens, inputs of segments, tilings."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations, pairwise

from tokalign.edits.cuts import Segment, Stretch
from tokalign.edits.segments import COMMA, LINKED, PUNCTUATION, RUN
from tokalign.types.edits import EditKind

from reference.edit_cuts import Cuts, SideWords

Matrix = Sequence[Sequence[float]]


def matchings(same: Matrix) -> Iterator[tuple[tuple[int, int], ...]]:
    """Yield every matching of the same words that rises on both sides."""
    cells = [(i, j) for i, row in enumerate(same) for j, cell in enumerate(row) if cell]
    for size in range(min(len(same), len(same[0])) + 1):
        for chosen in combinations(cells, size):
            if all(a[0] < b[0] and a[1] < b[1] for a, b in pairwise(chosen)):
                yield chosen


def worth_of(matching: Sequence[tuple[int, int]], worth: Sequence[float], links: Matrix) -> float:
    """Return what keeping the pairs of a matching is worth."""
    pairs = set(matching)
    return sum(worth[i] + LINKED * links[i][j] + RUN * ((i - 1, j - 1) in pairs) for i, j in pairs)


def ways(cuts: Cuts) -> Iterator[list[Segment]]:
    """Yield every way to cover all blocks with segments, from their first points to their last."""
    yield from _ways_from(cuts, 0, cuts.points[0][0] if cuts.points else (0, 0))


def _ways_from(cuts: Cuts, block: int, point: tuple[int, int]) -> Iterator[list[Segment]]:
    if block == len(cuts.points):
        yield []
        return
    if point == cuts.points[block][-1]:
        following = cuts.points[block + 1][0] if block + 1 < len(cuts.points) else (0, 0)
        yield from _ways_from(cuts, block + 1, following)
        return
    for steps, is_edit in ((cuts.segments, True), (cuts.free, False)):
        for step in steps:
            i0, i1, j0, j1, first, last = step
            if (first, i0, j0) == (block, *point):
                for rest in _ways_from(cuts, last, (i1, j1)):
                    yield [step, *rest] if is_edit else rest


class Inputs:
    """The inputs of segments by their names, one by one."""

    def __init__(
        self,
        source: SideWords,
        target: SideWords,
        links: Matrix,
        partner: Sequence[int],
        blocks: Sequence[Sequence[int]],
    ) -> None:
        self.sides = source, target
        self.links = links
        self.partner = partner
        self.blocks = blocks

    def of(self, segment: Sequence[int]) -> dict[str, float]:
        i0, i1, j0, j1, first, last = segment
        rows, columns = range(i0, i1), range(j0, j1)
        begin, end = self.blocks[first], self.blocks[last]
        kept = [i for i in rows if self.partner[i] >= 0]
        weights, kinds = self.sides[0].weights, self.sides[0].kinds
        n_tokens = len(self.sides[0].kinds) + len(self.sides[1].kinds)
        return {
            "n-source": len(rows),
            "n-target": len(columns),
            "n-least": min(len(rows), len(columns)),
            "n-difference": abs(len(rows) - len(columns)),
            "n-joined": last - first,
            "source-before": i0 - begin[0],
            "target-before": j0 - begin[2],
            "source-after": end[1] - i1,
            "target-after": end[3] - j1,
            "first-source": begin[1] - begin[0],
            "first-target": begin[3] - begin[2],
            "last-source": end[1] - end[0],
            "last-target": end[3] - end[2],
            "kept": len(kept),
            "kept-weight": sum(float(weights[i]) for i in kept),
            "kept-punctuation": sum(kinds[i] in (PUNCTUATION, COMMA) for i in kept),
            **self._related(rows, columns),
            **self._ends("source", 0, rows),
            **self._ends("target", 1, columns),
            "n-blocks": len(self.blocks),
            "changed-share": sum(b[1] - b[0] + b[3] - b[2] for b in self.blocks) / n_tokens,
            "gap-before": begin[0] - self.blocks[first - 1][1] if first else 99,
            "gap-after": (self.blocks[last + 1][0] - end[1] if last + 1 < len(self.blocks) else 99),
        }

    def _related(self, rows: range, columns: range) -> Mapping[str, float]:
        source, target = self.sides
        links = [self.links[i][j] for i in rows for j in columns]
        of_row = [min(sum(self.links[i][j] for j in columns), 1.0) for i in rows]
        of_column = [min(sum(self.links[i][j] for i in rows), 1.0) for j in columns]
        is_pair = bool(rows and columns)
        lemmas = {int(source.lemmas[i]) for i in rows} & {int(target.lemmas[j]) for j in columns}
        return {
            "link-sum": sum(links),
            "link-most": max(links, default=0.0),
            "n-links": sum(link > 0 for link in links),
            "source-linked": sum(of_row) / len(rows) if is_pair else 0.0,
            "target-linked": sum(of_column) / len(columns) if is_pair else 0.0,
            "source-weight-linked": self._weighed(0, rows, of_row) if is_pair else 0.0,
            "target-weight-linked": self._weighed(1, columns, of_column) if is_pair else 0.0,
            "same-lemmas": len(lemmas),
            "same-first-kind": is_pair and source.kinds[rows[0]] == target.kinds[columns[0]],
            "same-last-kind": is_pair and source.kinds[rows[-1]] == target.kinds[columns[-1]],
        }

    def _weighed(self, side: int, run: range, shares: Sequence[float]) -> float:
        weights = [float(self.sides[side].weights[k]) for k in run]
        total = sum(weight * share for weight, share in zip(weights, shares, strict=True))
        return total / (sum(weights) + 0.01)

    def _ends(self, name: str, side: int, run: range) -> Mapping[str, float]:
        kinds = self.sides[side].kinds.tolist()
        whole = self.links if side == 0 else list(zip(*self.links, strict=True))
        anywhere = [min(sum(whole[k]), 1.0) for k in run]
        before, after = run.start - 1, run.stop
        return {
            f"{name}-weight": sum(float(self.sides[side].weights[k]) for k in run),
            f"{name}-linked-anywhere": self._weighed(side, run, anywhere),
            f"{name}-first-kind": kinds[run[0]] if run else -1,
            f"{name}-last-kind": kinds[run[-1]] if run else -1,
            f"kind-before-{name}": kinds[before] if before >= 0 else -1,
            f"kind-after-{name}": kinds[after] if after < len(kinds) else -1,
        }


def in_order(runs: Sequence[tuple[EditKind, Stretch]]) -> list[tuple[EditKind, Stretch]]:
    """Return runs in target order. A deletion follows the unmoved run before it in the source;
    neighbouring deletions, or insertions, are joined."""
    placed = []
    end = 0
    for kind, run in sorted(runs, key=lambda each: each[1]):
        if kind is EditKind.DELETE:
            run = run._replace(target_start=end, target_end=end)
        elif kind in (EditKind.EQUAL, EditKind.SUBSTITUTE):
            end = run.target_end
        placed.append((kind, run))
    placed.sort(key=lambda each: (each[1].target_start, each[1].target_end, each[1].source_start))
    found: list[tuple[EditKind, Stretch]] = []
    for kind, run in placed:
        if found and kind in (EditKind.DELETE, EditKind.INSERT) and found[-1][0] is kind:
            last = found[-1][1]
            is_next = last.source_end == run.source_start or kind is EditKind.INSERT
            if is_next and last.target_end == run.target_start:
                found.pop()
                start = last.source_start if kind is EditKind.DELETE else run.source_start
                run = Stretch(start, run.source_end, last.target_start, run.target_end)
        found.append((kind, run))
    return found
