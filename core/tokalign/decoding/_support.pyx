"""Rows of support of a batch, found while the decoder holds each pair."""

from libc.stdlib cimport free, malloc

import numpy as np

from tokalign.features.pair cimport PairState
from tokalign.decoding.support_rows cimport *


cdef class SupportRows:
    """What each pair's source says for the words of its target.

    Parameters
    ----------
    n_tokens : sequence of int
        Of each pair's target.

    Attributes
    ----------
    values : float32 array, shape (n_tokens of all targets, n_columns)
        Columns as COLUMNS of tokalign.decoding.support_rows names them; zeros until the batch is decided,
        and of a pair that failed.
    offsets : int64 array, shape (n_pairs + 1,)
        Pair k has the rows from ``offsets[k]`` to before ``offsets[k + 1]``.
    """

    def __cinit__(self, n_tokens):
        self.offsets = np.concatenate([[0], np.cumsum(n_tokens)]).astype(np.int64)
        self.values = np.zeros((sum(n_tokens), <int>SupportColumn.N_COLUMNS), np.float32)
        self._values = self.values
        self._offsets = self.offsets

    def __dealloc__(self):
        free(self._room)

    cdef int reserve(self, Py_ssize_t n_target) except -1:
        """Make room for pairs whose targets have at most so many tokens."""
        free(self._room)
        self._room = <char *>malloc(column_bytes(n_target) + 1)
        if self._room == NULL:
            raise MemoryError("support of a pair")
        return 0

    cdef void find(
        self, Py_ssize_t number, const PairState *pair, const double *s2t_posterior,
        const double *t2s_posterior,
    ) noexcept nogil:
        """Fill the rows of the pair that is decoded."""
        find_columns(
            pair, s2t_posterior, t2s_posterior, self._room,
            &self._values[self._offsets[number], 0],
        )
