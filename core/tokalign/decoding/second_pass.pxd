from libc.stdint cimport int32_t, uint8_t

from tokalign.features.pair cimport PairState
from tokalign.relations.related_units cimport Forest

cdef enum:
    N_CELL_INPUTS = 40
    N_GROUP_INPUTS = 14
    MOST_CELLS = 100        # of a group to decide
    MOST_CHANGED = 8        # cells of a group that may change
    MOST_AT_ONCE = 3        # of these, changed in one decision

cdef struct FirstPass:
    # A pair with the results of the first pass and the encoder.
    const PairState *pair
    const double *s2t_posterior    # [n_source, n_target + 1]
    const double *t2s_posterior    # [n_target, n_source + 1]
    const double *mean             # [n_source, n_target] of both

cdef struct GroupRoom:
    # Scratch of a pair.
    int32_t *open           # [n_source * n_target] open cells, sorted
    int32_t *group          # [n_source * n_target] cells of one group
    int32_t *changed        # [n_source * n_target] cells to change, of all groups
    int32_t *mark           # [n_source * n_target]
    int32_t *visit          # [n_source + n_target]
    int32_t *row_group      # [n_source] number of the row's group, 0 without one
    int32_t *column_group   # [n_target]

cdef struct DecidedCells:
    # A pair, decided cell by cell.
    const double *posterior
    uint8_t *taken
    Py_ssize_t n_source
    Py_ssize_t n_target
    Py_ssize_t n_open
    GroupRoom *room
    int32_t n_marks              # times that all marks were reset
    int32_t n_visits             # likewise

cdef struct CellGroup:
    int32_t number               # from 1
    Py_ssize_t n
    const int32_t *cell
    int n_free
    int32_t[<int>MOST_CHANGED] free    # cells that may change, the least sure first
    double log_likelihood        # of the cell-by-cell decision

cdef bint is_likely(const FirstPass *first, Py_ssize_t i, Py_ssize_t j) noexcept nogil

cdef void cell_inputs(
    const FirstPass *first, Py_ssize_t i, Py_ssize_t j,
    float *inputs                  # [N_CELL_INPUTS]
) noexcept nogil

cdef size_t group_bytes(Py_ssize_t n_source, Py_ssize_t n_target) noexcept nogil
cdef void carve_groups(
    GroupRoom *room,
    int32_t *memory,               # of group_bytes
    Py_ssize_t n_source, Py_ssize_t n_target,
) noexcept nogil

cdef void find_open(DecidedCells *cells) noexcept nogil
cdef int32_t number_groups(DecidedCells *cells) noexcept nogil
cdef void fill_group(const DecidedCells *cells, int32_t number, CellGroup *group) noexcept nogil
cdef void change(DecidedCells *cells, const CellGroup *group, int changed) noexcept nogil
cdef void group_inputs(DecidedCells *cells, const CellGroup *group, float *inputs) noexcept nogil

cdef class SecondPass:
    cdef Forest _cells
    cdef Forest _groups
    cdef void revise(
        self, const FirstPass *first,
        double *revised            # [n_source, n_target]
    ) noexcept nogil
    cdef void choose(
        self, const double *revised, Py_ssize_t n_source, Py_ssize_t n_target,
        uint8_t *taken,            # [n_source, n_target] 1 of a link; changed
        GroupRoom *room
    ) noexcept nogil
