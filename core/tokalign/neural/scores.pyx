"""Scores of a pair's cells out of an encoder's states, and the log-probabilities of partners.

A token is the mean of its word pieces. A source and a target token score by the inner product of
two projections, each token by a third one against having no partner.
"""

from libc.stdint cimport int64_t

import numpy as np

cdef extern from "_scores.h" nogil:
    int padded(int n)
    void mean_states(const float *states, const int64_t *starts, int n, int width, float *means)
    void multiply_rows(
        const float *rows, int n_rows, int stride, const float *matrix, int n_in, int n_out,
        float *out,
    )
    void log_shares(float *rows, int n_rows, int n, float *scratch)


cdef class PairScorer:
    """Scores tokens by projections of their states.

    Parameters
    ----------
    projection : float32 array, shape (2 * n + 2, width)
        n rows of a source token's vector, n of a target token's, and one of NULL's of each side.
    scale : float
        Of inner products.
    null_bias : float32 array, shape (2,)
        Added to scores against having no partner, of source and of target tokens.
    """

    cdef float[:, ::1] of_source, of_target   # [width][padded(n + 1)], the last column NULL's
    cdef object null_bias
    cdef int n

    def __init__(self, projection, scale, null_bias):
        n = self.n = (len(projection) - 2) // 2
        self.null_bias = null_bias
        turned = np.zeros((2, projection.shape[1], padded(n + 1)), dtype=np.float32)
        for side in (0, 1):
            turned[side, :, :n] = projection[side * n : (side + 1) * n].T
            turned[side, :, n] = projection[2 * n + side]
        turned[0, :, :n] *= scale
        self.of_source, self.of_target = turned

    def score(
        self, const float[:, ::1] states, const int64_t[::1] source, const int64_t[::1] target
    ):
        """Return the scores of a pair's cells, and of NULL for source and for target tokens.

        Parameters
        ----------
        states : float32 array, shape (n_pieces, width)
        source, target : int64 array, shape (n_tokens + 1,)
            First piece of each token, then the end of the last, within the states.

        Returns
        -------
        float32 arrays, shapes (n_source, n_target), (n_source,), (n_target,)
        """
        vectors = self._vectors(states, source, self.of_source)
        others = self._vectors(states, target, self.of_target)
        n_source, n_target = len(source) - 1, len(target) - 1
        cdef float[:, ::1] turned = np.zeros((self.n, padded(n_target)), dtype=np.float32)
        np.asarray(turned)[:, :n_target] = others[:, : self.n].T
        cells = np.empty((n_source, turned.shape[1]), dtype=np.float32)
        cdef float[:, ::1] rows = vectors, found = cells
        multiply_rows(
            &rows[0, 0], n_source, rows.shape[1], &turned[0, 0], self.n, turned.shape[1],
            &found[0, 0],
        )
        return (
            cells[:, :n_target],
            vectors[:, self.n] + self.null_bias[0],
            others[:, self.n] + self.null_bias[1],
        )

    cdef object _vectors(
        self, const float[:, ::1] states, const int64_t[::1] starts, float[:, ::1] projection
    ):
        """Return each token's projections."""
        cdef int n = starts.shape[0] - 1, width = projection.shape[0], k
        if states.shape[1] != width or starts[0] < 0 or starts[n] > states.shape[0]:
            raise ValueError(f"tokens of {n} starts in states of {states.shape[0]} pieces")
        for k in range(n):
            if starts[k] >= starts[k + 1]:
                raise ValueError(f"token {k} has no word piece")
        cdef float[:, ::1] means = np.empty((n, width), dtype=np.float32)
        vectors = np.empty((n, projection.shape[1]), dtype=np.float32)
        cdef float[:, ::1] out = vectors
        mean_states(&states[0, 0], &starts[0], n, width, &means[0, 0])
        multiply_rows(
            &means[0, 0], n, width, &projection[0, 0], width, projection.shape[1], &out[0, 0]
        )
        return vectors


def log_probabilities(cells, of_source, of_target):
    """Return the log-probabilities of each token's partner, NULL first; rows sum to one.

    Parameters
    ----------
    cells : float32 array, shape (n_source, n_target)
    of_source, of_target : float32 array, shape (n_source,) or (n_target,)
        Scores of NULL.

    Returns
    -------
    float32 arrays, shapes (n_source, n_target + 1) and (n_target, n_source + 1)
    """
    return _side(cells, of_source), _side(cells.T, of_target)


cdef object _side(cells, nulls):
    found = np.empty((cells.shape[0], cells.shape[1] + 1), dtype=np.float32)
    found[:, 0], found[:, 1:] = nulls, cells
    cdef float[:, ::1] rows = found
    cdef float[::1] scratch = np.empty(padded(rows.shape[1]), dtype=np.float32)
    log_shares(&rows[0, 0], rows.shape[0], rows.shape[1], &scratch[0])
    return found
