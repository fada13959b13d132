"""Candidates for edits: the segments of changed blocks, runs that may have moved, and their choice.

Kept tokens make a path through the grid of source and target tokens. Between two kept pairs lies a
changed block. A segment of a block is a candidate for an edit: it begins and ends at points of the
block. A few segments join neighbouring blocks and the kept tokens between them. A run of equal
words that are not kept on either side may have moved.

tests/reference/edits.py does the same with sets of points.
"""

from libc.math cimport fabs
from libc.stdlib cimport calloc, free, malloc
from libc.string cimport memcpy, memset

from typing import NamedTuple

import numpy as np

from tokalign.english.annotate.growing cimport has_room

from tokalign.edits import segments

cdef enum:
    MOST_POINTS = 32    # of a block; if links give more, only corners and punctuation are points
    SMALL = 3           # tokens per side of a block in which every position is a point
    MOST_JOINED = 3     # blocks that may join the one before them
    GAP = 2             # kept tokens, on average, between blocks that join
    OF_CANDIDATE = 1    # of an edge that segments begin or end at: a point's, or a moved run's
    OF_MOVE = 2
    LEAST_ROOM = 64
    BEGINS = -1         # instead of the last step to a point: a block begins there
    UNREACHED = -2
    N_MOVE_INPUTS = 23

LONGEST_GAP: int = GAP
"""Most kept tokens, on average, between blocks that join."""

cdef int PUNCTUATION = segments.PUNCTUATION
cdef int COMMA = segments.COMMA


class Stretch(NamedTuple):
    """A run of tokens on each side, half-open; in a move neither is empty, else one may be."""

    source_start: int
    source_end: int
    target_start: int
    target_end: int


class Segment(NamedTuple):
    """A candidate for an edit: a run of tokens on each side, and the blocks it is part of."""

    source_start: int
    source_end: int
    target_start: int
    target_end: int
    first_block: int
    last_block: int


cdef void find_blocks(EditGrid *pair) noexcept nogil:
    """Fill the blocks between kept tokens."""
    cdef Py_ssize_t row, column, i = 0, j = 0
    cdef int32_t *block
    pair.n_blocks = 0
    for row in range(pair.source.n + 1):
        column = pair.target.n if row == pair.source.n else pair.partner[row]
        if column < 0:
            continue
        if row > i or column > j:
            block = pair.block[pair.n_blocks]
            block[0], block[1], block[2], block[3] = i, row, j, column
            pair.n_blocks += 1
        i, j = row + 1, column + 1


cdef inline void _mark(BlockPoints *grid, Py_ssize_t i, Py_ssize_t j) noexcept nogil:
    cdef uint8_t *mark = grid.mark + i * grid.width + j
    grid.n_points += not mark[0]
    mark[0] = 1
    grid.row[i] |= OF_CANDIDATE
    grid.column[j] |= OF_CANDIDATE


cdef void _clear(BlockPoints *grid, const int32_t *block) noexcept nogil:
    cdef Py_ssize_t i
    for i in range(block[0], block[1] + 1):
        memset(grid.mark + i * grid.width + block[2], 0, block[3] - block[2] + 1)
    memset(grid.row + block[0], 0, block[1] - block[0] + 1)
    memset(grid.column + block[2], 0, block[3] - block[2] + 1)
    grid.n_points = 0


cdef inline bint _is_stop(int32_t kind) noexcept nogil:
    return kind == PUNCTUATION or kind == COMMA


cdef void _mark_plain(BlockPoints *grid, const int32_t *block, const EditGrid *pair) noexcept nogil:
    """Mark the corners of a block, and the ends of punctuation at its edges."""
    cdef int32_t i0 = block[0], i1 = block[1], j0 = block[2], j1 = block[3]
    _clear(grid, block)
    _mark(grid, i0, j0)
    _mark(grid, i1, j0)
    _mark(grid, i1, j1)
    if _is_stop(pair.source.kind[i0]):
        _mark(grid, i0 + 1, j0)
    if _is_stop(pair.source.kind[i1 - 1]):
        _mark(grid, i1 - 1, j1)
    if _is_stop(pair.target.kind[j0]):
        _mark(grid, i0, j0 + 1)
    if _is_stop(pair.target.kind[j1 - 1]):
        _mark(grid, i1, j1 - 1)


cdef bint _cross(BlockPoints *grid, const int32_t *block) noexcept nogil:
    """Mark the crossings of all points' rows and columns, or those with the block's edges; return
    whether there are few enough."""
    cdef Py_ssize_t i, j
    cdef int n_rows = 0, n_columns = 0
    cdef bint all_cross
    for i in range(block[0], block[1] + 1):
        n_rows += grid.row[i]
    for j in range(block[2], block[3] + 1):
        n_columns += grid.column[j]
    all_cross = n_rows * n_columns <= MOST_POINTS
    for i in range(block[0], block[1] + 1):
        for j in range(block[2], block[3] + 1):
            if grid.row[i] and grid.column[j] and (
                all_cross or i == block[0] or i == block[1] or j == block[2] or j == block[3]
            ):
                _mark(grid, i, j)
    return grid.n_points <= MOST_POINTS


cdef void _mark_block(BlockPoints *grid, const int32_t *block, const EditGrid *pair) noexcept nogil:
    """Mark the points of a block: all positions of a small one, else its corners and the ends of
    links and punctuation."""
    cdef Py_ssize_t i, j
    cdef bint is_small = block[1] - block[0] <= SMALL and block[3] - block[2] <= SMALL
    if block[0] == block[1] or block[2] == block[3]:
        _mark(grid, block[0], block[2])
        _mark(grid, block[1], block[3])
        return
    if not is_small:
        _mark_plain(grid, block, pair)
    for i in range(block[0], block[1] + is_small):
        for j in range(block[2], block[3] + is_small):
            if is_small:
                _mark(grid, i, j)
            elif pair.links[i * pair.target.n + j] != 0.0:
                _mark(grid, i, j)
                _mark(grid, i + 1, j + 1)
    if is_small or _cross(grid, block):
        return
    _mark_plain(grid, block, pair)
    if not _cross(grid, block):
        _mark_plain(grid, block, pair)


cdef class Cuts:
    """How blocks can be cut; made by `cuts_of`."""

    def __dealloc__(self):
        free(self._point)
        free(self._first)
        free(self.step)

    cdef int _add_points(self, const BlockPoints *grid, const int32_t *block) except -1:
        """Add the marked points of a block, in rising order."""
        cdef Py_ssize_t i, j
        if not has_room(
            <void **>&self._point, &self._point_room, self._n_points + grid.n_points, LEAST_ROOM,
            2 * sizeof(int32_t),
        ):
            raise MemoryError("points of blocks")
        for i in range(block[0], block[1] + 1):
            for j in range(block[2], block[3] + 1):
                if grid.row[i] and grid.column[j] and grid.mark[i * grid.width + j]:
                    self._point[2 * self._n_points] = <int32_t>i
                    self._point[2 * self._n_points + 1] = <int32_t>j
                    self._n_points += 1
        return 0

    cdef int _add(
        self, Py_ssize_t start, Py_ssize_t end, Py_ssize_t first, Py_ssize_t last
    ) except -1:
        """Add a step from one point to another, of one block or of two."""
        cdef CutStep *step
        if not has_room(
            <void **>&self.step, &self._step_room, self._n_steps + 1, LEAST_ROOM, sizeof(CutStep)
        ):
            raise MemoryError("segments of blocks")
        step = self.step + self._n_steps
        step.segment[0] = self._point[2 * start]
        step.segment[1] = self._point[2 * end]
        step.segment[2] = self._point[2 * start + 1]
        step.segment[3] = self._point[2 * end + 1]
        step.segment[4], step.segment[5] = first, last
        step.start, step.end = start, end
        self._n_steps += 1
        return 0

    @property
    def segments(self) -> NDArray[np.int32]:
        """The candidates for edits, each as a Segment, int32 of shape (n_segments, 6)."""
        found = np.empty((self.n_segments, 6), np.int32)
        cdef int32_t[:, ::1] segment = found
        cdef Py_ssize_t k
        for k in range(self.n_segments):
            memcpy(&segment[k, 0], self.step[k].segment, 6 * sizeof(int32_t))
        return found

    def best(self, const double[::1] scores) -> list[Segment]:
        """Return the segments that cover all blocks once with the highest sum of scores, in order.

        This is a semi-Markov chain over points, decoded exactly in O(n_segments) time. Ties go to
        the tiling whose last segment comes first in `segments`.
        """
        cdef Py_ssize_t n = self._n_points
        cdef double *total
        cdef int32_t *last      # step to each point
        cdef int32_t *begin     # in `by_end`, for each point
        cdef int32_t *by_end
        if scores.shape[0] != self.n_segments:
            raise ValueError(f"{scores.shape[0]} scores of {self.n_segments} segments")
        total = <double *>calloc(n + 1, sizeof(double) + 4 * sizeof(int32_t))
        by_end = <int32_t *>malloc((self._n_steps + 1) * sizeof(int32_t))
        try:
            if total == NULL or by_end == NULL:
                raise MemoryError("tilings of blocks")
            last = <int32_t *>(total + n + 1)
            begin = last + n + 1
            self._sort_by_end(begin, by_end)
            self._sum(scores, total, last, begin, by_end)
            return self._traced(last)
        finally:
            free(total)
            free(by_end)

    cdef void _sort_by_end(self, int32_t *begin, int32_t *by_end) noexcept:
        """Number steps by the point where they end, those of one point in order."""
        cdef Py_ssize_t k
        for k in range(self._n_steps):
            begin[self.step[k].end + 2] += 1
        for k in range(self._n_points):
            begin[k + 1] += begin[k]
        for k in range(self._n_steps):
            by_end[begin[self.step[k].end + 1]] = <int32_t>k
            begin[self.step[k].end + 1] += 1

    cdef void _sum(
        self, const double[::1] scores, double *total, int32_t *last, const int32_t *begin,
        const int32_t *by_end,
    ) noexcept:
        """Fill the best sum and the last step to each point."""
        cdef Py_ssize_t block, at, k
        cdef const CutStep *step
        cdef double before = 0.0
        cdef double score
        for block in range(self._n_blocks):
            total[self._first[block]] = before
            last[self._first[block]] = BEGINS
            for at in range(self._first[block] + 1, self._first[block + 1]):
                last[at] = UNREACHED
                for k in range(begin[at], begin[at + 1]):
                    step = self.step + by_end[k]
                    if last[step.start] == UNREACHED:
                        continue
                    score = scores[by_end[k]] if by_end[k] < self.n_segments else 0.0
                    score += total[step.start]
                    if last[at] == UNREACHED or score > total[at]:
                        total[at] = score
                        last[at] = by_end[k]
            before = total[self._first[block + 1] - 1]

    cdef list _traced(self, const int32_t *last):
        """Return the segments on the best path to the last point."""
        cdef list found = []
        cdef Py_ssize_t block = self._n_blocks - 1
        cdef Py_ssize_t at
        cdef CutStep *step
        while block >= 0:
            at = self._first[block + 1] - 1
            while last[at] >= 0:
                step = self.step + last[at]
                if last[at] < self.n_segments:
                    found.append(Segment(*step.segment))
                at = step.start
                block = step.segment[4]
            block -= 1
        return found[::-1]


cdef Cuts cuts_of(const EditGrid *pair, const Stretch4 *moved, Py_ssize_t n_moved):
    """Return how the blocks of a pair can be cut.

    No segment that joins blocks has equal sides, and none contains a run that moved.
    """
    cdef Py_ssize_t n_source = pair.source.n, n_target = pair.target.n
    cdef Cuts cuts = Cuts.__new__(Cuts)
    cdef BlockPoints grid
    cdef uint8_t *room = <uint8_t *>calloc(
        (n_source + 1) * (n_target + 1) + 2 * (n_source + n_target + 2), 1
    )
    cuts._n_blocks = pair.n_blocks
    cuts._first = <int32_t *>calloc(pair.n_blocks + 1, sizeof(int32_t))
    try:
        if room == NULL or cuts._first == NULL:
            raise MemoryError("points of a pair")
        grid.width = n_target + 1
        grid.mark = room
        grid.row = grid.mark + (n_source + 1) * grid.width
        grid.column = grid.row + n_source + 1
        _add_cuts(cuts, pair, &grid, moved, n_moved, grid.column + n_target + 1)
    finally:
        free(room)
    return cuts


cdef int _add_cuts(
    Cuts cuts, const EditGrid *pair, BlockPoints *grid, const Stretch4 *moved, Py_ssize_t n_moved,
    uint8_t *source_gone,
) except -1:
    """Add all points and steps; `source_gone` [n_source + n_target + 1] holds zeros."""
    cdef uint8_t *target_gone = source_gone + pair.source.n + 1
    cdef const Stretch4 *blocks = pair.block
    cdef Py_ssize_t block, last, k
    cdef int gap
    for k in range(n_moved):
        memset(source_gone + moved[k][0], 1, moved[k][1] - moved[k][0])
        memset(target_gone + moved[k][2], 1, moved[k][3] - moved[k][2])
    for block in range(pair.n_blocks):
        grid.n_points = 0
        _mark_block(grid, blocks[block], pair)
        _mark_moves(grid, blocks[block], moved, n_moved)
        cuts._add_points(grid, blocks[block])
        cuts._first[block + 1] = <int32_t>cuts._n_points
        _clear(grid, blocks[block])
        _add_segments(cuts, block, source_gone, target_gone)
    for block in range(pair.n_blocks):
        gap = 0
        for last in range(block + 1, min(block + MOST_JOINED + 1, pair.n_blocks)):
            gap += blocks[last][0] - blocks[last - 1][1]
            if gap > GAP * (last - block):
                break
            if not (
                _any(source_gone, blocks[block][0], blocks[last][1])
                or _any(target_gone, blocks[block][2], blocks[last][3])
                or _are_equal(pair, blocks[block], blocks[last])
            ):
                cuts._add(cuts._first[block], cuts._first[last + 1] - 1, block, last)
    cuts.n_segments = cuts._n_steps
    return _add_free(cuts, moved, n_moved)


cdef void _mark_moves(
    BlockPoints *grid, const int32_t *block, const Stretch4 *moved, Py_ssize_t n_moved
) noexcept nogil:
    """Mark the ends of the runs of a block that moved, too."""
    cdef Py_ssize_t i, j, k
    cdef bint any_moved = False
    for k in range(n_moved):
        if block[0] <= moved[k][0] < block[1]:
            grid.row[moved[k][0]] |= OF_MOVE
            grid.row[moved[k][1]] |= OF_MOVE
            any_moved = True
        if block[2] <= moved[k][2] < block[3]:
            grid.column[moved[k][2]] |= OF_MOVE
            grid.column[moved[k][3]] |= OF_MOVE
            any_moved = True
    if not any_moved:
        return
    grid.row[block[0]] |= OF_MOVE
    grid.row[block[1]] |= OF_MOVE
    grid.column[block[2]] |= OF_MOVE
    grid.column[block[3]] |= OF_MOVE
    for i in range(block[0], block[1] + 1):
        for j in range(block[2], block[3] + 1):
            if (grid.row[i] & OF_MOVE and grid.column[j]) or (
                grid.row[i] & OF_CANDIDATE and grid.column[j] & OF_MOVE
            ):
                grid.n_points += not grid.mark[i * grid.width + j]
                grid.mark[i * grid.width + j] = 1


cdef inline bint _any(const uint8_t *flags, Py_ssize_t start, Py_ssize_t end) noexcept nogil:
    cdef Py_ssize_t k
    for k in range(start, end):
        if flags[k]:
            return True
    return False


cdef bint _are_equal(
    const EditGrid *pair, const int32_t *first, const int32_t *last
) noexcept nogil:
    """Whether both sides of the segment that joins blocks are the same tokens."""
    cdef Py_ssize_t n = last[1] - first[0]
    cdef Py_ssize_t k
    if last[3] - first[2] != n:
        return False
    for k in range(n):
        if pair.source.token[first[0] + k] != pair.target.token[first[2] + k]:
            return False
    return True


cdef int _add_segments(
    Cuts cuts, Py_ssize_t block, const uint8_t *source_gone, const uint8_t *target_gone
) except -1:
    """Add the segments of a block that hold no word that moved."""
    cdef Py_ssize_t start, end
    cdef const int32_t *a
    cdef const int32_t *b
    for start in range(cuts._first[block], cuts._first[block + 1]):
        for end in range(start + 1, cuts._first[block + 1]):
            a = cuts._point + 2 * start
            b = cuts._point + 2 * end
            if a[1] <= b[1] and not (
                _any(source_gone, a[0], b[0]) or _any(target_gone, a[1], b[1])
            ):
                cuts._add(start, end, block, block)
    return 0


cdef int _add_free(Cuts cuts, const Stretch4 *moved, Py_ssize_t n_moved) except -1:
    """Add the steps over runs that moved, from each point where such a run begins."""
    cdef Py_ssize_t block, k, start, end, side
    cdef const int32_t *a
    cdef const int32_t *b
    for block in range(cuts._n_blocks):
        for k in range(2 * n_moved):
            side = k % 2
            for start in range(cuts._first[block], cuts._first[block + 1]):
                a = cuts._point + 2 * start
                if a[side] != moved[k // 2][2 * side]:
                    continue
                for end in range(start + 1, cuts._first[block + 1]):
                    b = cuts._point + 2 * end
                    if b[side] == moved[k // 2][2 * side + 1] and b[1 - side] == a[1 - side]:
                        cuts._add(start, end, block, block)
    return 0


MOVE_INPUTS: tuple[str, ...] = (
    "n-tokens", "weight", "link-sum", "link-most", "link-mean", "n-links", "same-block",
    "blocks-between", "source-before", "source-after", "target-before", "target-after",
    "source-block-target", "target-block-source", "source-block", "target-block", "distance",
    "n-blocks", "changed-share", "first-kind", "last-kind", "source-count", "target-count",
)
"""Inputs of a run that may have moved."""
assert len(MOVE_INPUTS) == N_MOVE_INPUTS


cdef list move_candidates(const EditGrid *pair, const int32_t *here, const int32_t *there):
    """Return the longest runs of equal words in two places of blocks, in order, as Stretches.

    `here` [n_source], `there` [n_target]: the block of each token, see `number_blocks`.
    """
    cdef list found = []
    cdef Py_ssize_t i, j, n
    for i in range(pair.source.n):
        for j in range(pair.target.n if here[i] >= 0 else 0):
            if not _may_move(pair, here, there, i, j) or (
                i and j and _may_move(pair, here, there, i - 1, j - 1)
            ):
                continue
            n = 1
            while (
                i + n < pair.source.n and j + n < pair.target.n
                and _may_move(pair, here, there, i + n, j + n)
            ):
                n += 1
            found.append(Stretch(i, i + n, j, j + n))
    return found


cdef inline bint _may_move(
    const EditGrid *pair, const int32_t *here, const int32_t *there, Py_ssize_t i, Py_ssize_t j
) noexcept nogil:
    return pair.same[i * pair.target.n + j] and here[i] >= 0 and there[j] >= 0


cdef void number_blocks(const EditGrid *pair, int32_t *here, int32_t *there) noexcept nogil:
    """Fill the block of each token, -1 where it is kept."""
    cdef Py_ssize_t k, at
    memset(here, 0xff, pair.source.n * sizeof(int32_t))
    memset(there, 0xff, pair.target.n * sizeof(int32_t))
    for k in range(pair.n_blocks):
        for at in range(pair.block[k][0], pair.block[k][1]):
            here[at] = <int32_t>k
        for at in range(pair.block[k][2], pair.block[k][3]):
            there[at] = <int32_t>k


cdef move_inputs(candidates, const EditGrid *pair, const int32_t *here, const int32_t *there):
    """Return the inputs of runs that may have moved, float32 of shape (n_candidates, n_inputs)."""
    cdef const int32_t[:, ::1] run = np.array(candidates, np.int32).reshape(-1, 4)
    cdef double n_source = pair.source.n, n_target = pair.target.n
    cdef Py_ssize_t width = pair.target.n
    cdef int n_changed = 0
    cdef Py_ssize_t k, i, j
    cdef const int32_t *source
    cdef const int32_t *target
    cdef float of_row, n_tokens
    cdef int n_same
    found = np.zeros((run.shape[0], N_MOVE_INPUTS), np.float32)
    cdef float[:, ::1] out = found
    for k in range(pair.n_blocks):
        n_changed += pair.block[k][1] - pair.block[k][0] + pair.block[k][3] - pair.block[k][2]
    for k in range(run.shape[0]):
        source = pair.block[here[run[k, 0]]]
        target = pair.block[there[run[k, 2]]]
        n_tokens = out[k, 0] = run[k, 1] - run[k, 0]
        for i in range(run[k, 0], run[k, 1]):
            out[k, 1] += pair.source.weight[i]
            of_row = 0.0
            for j in range(run[k, 2], run[k, 3]):
                of_row += pair.links[i * width + j]
                out[k, 3] = max(out[k, 3], pair.links[i * width + j])
                out[k, 5] += pair.links[i * width + j] != 0.0
            out[k, 2] += of_row
        out[k, 4] = out[k, 2] / n_tokens
        out[k, 6] = source == target
        out[k, 7] = here[run[k, 0]] - there[run[k, 2]]
        out[k, 8], out[k, 9] = run[k, 0] - source[0], source[1] - run[k, 1]
        out[k, 10], out[k, 11] = run[k, 2] - target[2], target[3] - run[k, 3]
        out[k, 12], out[k, 13] = source[3] - source[2], target[1] - target[0]
        out[k, 14], out[k, 15] = source[1] - source[0], target[3] - target[2]
        out[k, 16] = <float>fabs(run[k, 0] / n_source - run[k, 2] / n_target)
        out[k, 17] = pair.n_blocks
        out[k, 18] = <float>(n_changed / (n_source + n_target))
        out[k, 19] = pair.source.kind[run[k, 0]]
        out[k, 20] = pair.source.kind[run[k, 1] - 1]
        n_same = 0
        for i in range(pair.source.n):
            for j in range(run[k, 2], run[k, 3]):
                n_same += pair.same[i * width + j]
        out[k, 21] = <float>(n_same / <double>n_tokens)
        n_same = 0
        for i in range(run[k, 0], run[k, 1]):
            for j in range(width):
                n_same += pair.same[i * width + j]
        out[k, 22] = <float>(n_same / <double>n_tokens)
    return found
