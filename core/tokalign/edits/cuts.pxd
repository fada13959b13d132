from libc.stdint cimport int32_t, uint8_t

from tokalign.edits.segments cimport EditGrid, Stretch4

cdef struct CutStep:
    int32_t[6] segment
    int32_t start            # numbers of the points where it begins and ends
    int32_t end

cdef struct BlockPoints:
    # The points of the current block.
    Py_ssize_t width         # target tokens + 1
    uint8_t *mark            # [n_source + 1, width] whether a position is a point
    uint8_t *row             # [n_source + 1] what it is an edge of
    uint8_t *column          # [width]
    int n_points

cdef class Cuts:
    cdef CutStep *step       # segments, then steps over words that moved, which are no edits
    cdef Py_ssize_t n_segments
    cdef int32_t *_point     # [n_points, 2] of all blocks, each block's in rising order
    cdef int32_t *_first     # [n_blocks + 1] number of each block's first point
    cdef Py_ssize_t _n_blocks, _n_points, _n_steps, _point_room, _step_room
    cdef int _add_points(self, const BlockPoints *grid, const int32_t *block) except -1
    cdef int _add(
        self, Py_ssize_t start, Py_ssize_t end, Py_ssize_t first, Py_ssize_t last
    ) except -1
    cdef void _sort_by_end(self, int32_t *begin, int32_t *by_end) noexcept
    cdef void _sum(
        self, const double[::1] scores, double *total, int32_t *last, const int32_t *begin,
        const int32_t *by_end,
    ) noexcept
    cdef list _traced(self, const int32_t *last)

cdef void find_blocks(EditGrid *pair) noexcept nogil
cdef Cuts cuts_of(const EditGrid *pair, const Stretch4 *moved, Py_ssize_t n_moved)
cdef list move_candidates(const EditGrid *pair, const int32_t *here, const int32_t *there)
cdef void number_blocks(const EditGrid *pair, int32_t *here, int32_t *there) noexcept nogil
cdef move_inputs(candidates, const EditGrid *pair, const int32_t *here, const int32_t *there)
