from libc.stdint cimport int64_t

from tokalign.features.pair cimport PairState

cdef class SupportRows:
    cdef readonly object values      # [n_tokens, N_COLUMNS]
    cdef readonly object offsets     # [n_pairs + 1]
    cdef float[:, ::1] _values
    cdef const int64_t[::1] _offsets
    cdef char *_room
    cdef int reserve(self, Py_ssize_t n_target) except -1
    cdef void find(
        self, Py_ssize_t number, const PairState *pair, const double *s2t_posterior,
        const double *t2s_posterior,
    ) noexcept nogil
