"""The columns that a batch writes what it decides to, one pair behind the other."""

from libc.stdint cimport int32_t, int64_t
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy

import numpy as np

from tokalign.english.annotate.growing cimport grow, more_room
from tokalign.relations.clashes cimport Clash
from tokalign.relations.model cimport N_RELATIONS

cdef extern from "Python.h":
    object PyByteArray_FromStringAndSize(const char *values, Py_ssize_t n_bytes)

cdef enum:
    LEAST_ROOM = 64


cdef bint open_columns(
    LinkColumns *links, ConflictColumns *conflicts, Py_ssize_t n_pairs, bint relates
) noexcept nogil:
    """Begin the columns of a batch, which are all zeros; return whether there is memory."""
    links.relates = relates
    links.offset = <int64_t *>malloc((n_pairs + 1) * sizeof(int64_t))
    conflicts.offset = <int64_t *>malloc((n_pairs + 1) * sizeof(int64_t))
    if links.offset == NULL or conflicts.offset == NULL:
        return False
    links.offset[0] = conflicts.offset[0] = 0
    return True


cdef void close_columns(LinkColumns *links, ConflictColumns *conflicts) noexcept nogil:
    """Free what the columns own."""
    free(links.offset)
    free(links.source)
    free(links.target)
    free(links.confidence)
    free(links.relation)
    free(conflicts.offset)
    free(conflicts.clash)


cdef bint has_room(LinkColumns *links, Py_ssize_t n_wanted) noexcept nogil:
    """Make room for so many links in all; return whether there is."""
    cdef Py_ssize_t n_room
    if n_wanted <= links.n_room:
        return True
    n_room = more_room(links.n_room, n_wanted, LEAST_ROOM)
    if not (
        grow(<void **>&links.source, n_room, sizeof(int32_t))
        and grow(<void **>&links.target, n_room, sizeof(int32_t))
        and grow(<void **>&links.confidence, n_room, sizeof(double))
    ):
        return False
    if links.relates and not grow(
        <void **>&links.relation, n_room, N_RELATIONS * sizeof(float)
    ):
        return False
    links.n_room = n_room
    return True


cdef Py_ssize_t keep_confident(
    LinkColumns *links, int64_t first, Py_ssize_t n_links, double least
) noexcept nogil:
    """Leave out the links of less confidence from `first` on; return how many there are left."""
    cdef Py_ssize_t n_kept = 0
    cdef int64_t k
    for k in range(first, first + n_links):
        if links.confidence[k] >= least:
            links.source[first + n_kept] = links.source[k]
            links.target[first + n_kept] = links.target[k]
            links.confidence[first + n_kept] = links.confidence[k]
            n_kept += 1
    return n_kept


cdef bint add_clashes(
    ConflictColumns *conflicts, Py_ssize_t pair, const Clash *clash, Py_ssize_t n_clashes
) noexcept nogil:
    """Add the conflicts of the next pair; return whether there is memory."""
    cdef int64_t first = conflicts.offset[pair]
    cdef Py_ssize_t n_room
    conflicts.offset[pair + 1] = first + n_clashes
    if first + n_clashes > conflicts.n_room:
        n_room = more_room(conflicts.n_room, first + n_clashes, LEAST_ROOM)
        if not grow(<void **>&conflicts.clash, n_room, sizeof(Clash)):
            conflicts.offset[pair + 1] = first
            return False
        conflicts.n_room = n_room
    if n_clashes:
        memcpy(conflicts.clash + first, clash, n_clashes * sizeof(Clash))
    return True


cdef array_of(const void *values, Py_ssize_t n_bytes, dtype):
    """Return an array with a copy of values."""
    return np.frombuffer(PyByteArray_FromStringAndSize(<const char *>values, n_bytes), dtype)


cdef matrix_of(const double *values, Py_ssize_t n_rows, Py_ssize_t n_columns):
    """Return an array with a copy of a matrix."""
    return array_of(values, n_rows * n_columns * sizeof(double), np.float64).reshape(
        n_rows, n_columns
    )
