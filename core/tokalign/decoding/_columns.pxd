# What is decided of a batch, in arrays that grow.

from libc.stdint cimport int32_t, int64_t

from tokalign.relations.clashes cimport Clash

cdef struct LinkColumns:
    # The links of a batch. Owned.
    int64_t *offset              # [n_pairs + 1]
    int32_t *source              # [n_room], of which offset[n_pairs] are written
    int32_t *target
    double *confidence
    float *relation              # [n_room, N_RELATIONS]; NULL unless asked for
    Py_ssize_t n_room
    bint relates                 # whether it is

cdef struct ConflictColumns:
    # The conflicts of a batch. Owned.
    int64_t *offset              # [n_pairs + 1]
    Clash *clash
    Py_ssize_t n_room

cdef bint open_columns(
    LinkColumns *links, ConflictColumns *conflicts, Py_ssize_t n_pairs, bint relates
) noexcept nogil
cdef void close_columns(LinkColumns *links, ConflictColumns *conflicts) noexcept nogil
cdef bint has_room(LinkColumns *links, Py_ssize_t n_wanted) noexcept nogil
cdef Py_ssize_t keep_confident(
    LinkColumns *links, int64_t first, Py_ssize_t n_links, double least
) noexcept nogil
cdef bint add_clashes(
    ConflictColumns *conflicts, Py_ssize_t pair, const Clash *clash, Py_ssize_t n_clashes
) noexcept nogil
cdef array_of(const void *values, Py_ssize_t n_bytes, dtype)
cdef matrix_of(const double *values, Py_ssize_t n_rows, Py_ssize_t n_columns)
