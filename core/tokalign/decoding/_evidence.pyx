"""Evidence for the candidates of a batch, found while the decoder holds each pair."""

from libc.stdlib cimport free, malloc

import numpy as np

from tokalign.decoding.joint cimport mean_posterior
from tokalign.features.pair cimport PairState
from tokalign.english.lexicon.lexical_tables cimport VectorTable
from tokalign.decoding.answer_evidence cimport *


cdef class EvidenceRows:
    """Evidence that each pair's source answers its target.

    Parameters
    ----------
    expected : sequence of Expected
        What each pair's target asks for.

    Attributes
    ----------
    values : float64 array, shape (n_pairs, n_evidence)
        Columns as EVIDENCE of tokalign.decoding.answer_evidence names them; zeros until the batch is
        decided, and of a pair that failed.
    """

    def __cinit__(self, expected):
        cdef Py_ssize_t k
        self.values = np.zeros((len(expected), <int>EvidencePiece.N_EVIDENCE))
        self._values = self.values
        self._wanted = <Wanted *>malloc(len(expected) * sizeof(Wanted) + 1)
        if self._wanted == NULL:
            raise MemoryError("what the pairs of a batch ask for")
        for k in range(len(expected)):
            self._wanted[k] = wanted_of(expected[k])

    def __dealloc__(self):
        free(self._wanted)
        free(self._mean)
        free(self._room)

    cdef int reserve(
        self, Py_ssize_t n_source, Py_ssize_t n_target, const VectorTable *vectors
    ) except -1:
        """Make room for pairs of at most so many tokens."""
        free(self._mean)
        free(self._room)
        self._room = NULL
        self._mean = <double *>malloc(n_source * n_target * sizeof(double))
        self._room = <char *>malloc(evidence_bytes(n_source, n_target, vectors))
        if self._mean == NULL or self._room == NULL:
            raise MemoryError("evidence of a pair")
        return 0

    cdef void find(
        self, Py_ssize_t number, const PairState *pair, const VectorTable *vectors,
        const double *s2t_posterior, const double *t2s_posterior, double score, double agreement,
    ) noexcept nogil:
        """Fill the row of the pair that is decoded."""
        cdef Py_ssize_t n_source = pair.source.n
        cdef Py_ssize_t n_target = pair.target.n
        cdef EvidenceRoom room
        cdef Py_ssize_t i, j
        carve_evidence(&room, self._room, n_source, n_target, vectors)
        for i in range(n_source):
            for j in range(n_target):
                self._mean[i * n_target + j] = mean_posterior(
                    s2t_posterior, t2s_posterior, n_source, n_target, i, j
                )
        find_evidence(
            pair, vectors, self._mean, &self._wanted[number], &room, score, agreement,
            &self._values[number, 0],
        )
