from libc.stdint cimport int32_t, uint8_t

from tokalign.relations.forest cimport Forest

cdef enum:
    N_GROUP_INPUTS = 14
    MOST_CELLS = 100        # of a group that is decided upon
    MOST_CHANGED = 8        # cells of a group that may change
    MOST_AT_ONCE = 3        # of these, in one decision

cdef struct GroupRoom:
    # Scratch of a pair.
    int32_t *open           # [n_source * n_target] open cells, sorted
    int32_t *group          # [n_source * n_target] those of one group
    int32_t *changed        # [n_source * n_target] those of all groups that are to change
    int32_t *mark           # [n_source * n_target]
    int32_t *visit          # [n_source + n_target]
    int32_t *row_group      # [n_source] number of the row's group, 0 of none
    int32_t *column_group   # [n_target]

cdef size_t group_bytes(Py_ssize_t n_source, Py_ssize_t n_target) noexcept nogil
cdef void carve_groups(
    GroupRoom *room,
    int32_t *memory,               # of group_bytes
    Py_ssize_t n_source, Py_ssize_t n_target,
) noexcept nogil
cdef void choose_groups(
    Forest forest,
    const double *posterior,       # [n_source, n_target]
    uint8_t *taken,                # [n_source, n_target] 1 of a link; changed
    Py_ssize_t n_source, Py_ssize_t n_target, GroupRoom *room,
) noexcept nogil
