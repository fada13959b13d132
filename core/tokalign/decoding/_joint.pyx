"""Decisions that take the posteriors of both directions together.

    confidence[i, j] = (s2t[i, j + 1] + t2s[j, i + 1]) / 2

A link is taken where that mean reaches a threshold, so a token may have several links or none.
Of all sets of links, those of a threshold are the ones of highest expected F measure when
confidences are independent probabilities (Jansche 2007, ACL).
"""

from libc.stdint cimport int32_t

import numpy as np

from tokalign.errors import ShapeError


cdef int check_posteriors(
    const double[:, ::1] s2t_posterior, const double[:, ::1] t2s_posterior
) except -1:
    if (
        s2t_posterior.shape[1] != t2s_posterior.shape[0] + 1
        or t2s_posterior.shape[1] != s2t_posterior.shape[0] + 1
    ):
        raise ShapeError(
            f"posteriors have shapes {(s2t_posterior.shape[0], s2t_posterior.shape[1])} and "
            f"{(t2s_posterior.shape[0], t2s_posterior.shape[1])}; wanted (n_source, n_target + 1) "
            "and (n_target, n_source + 1)"
        )
    return 0


cdef Py_ssize_t select_links(
    const double *s2t_posterior, const double *t2s_posterior, Py_ssize_t n_source,
    Py_ssize_t n_target, double threshold, int32_t *source, int32_t *target, double *confidence,
) noexcept nogil:
    """Write the links whose mean posterior is at least the threshold; return how many."""
    cdef Py_ssize_t n_links = 0
    cdef Py_ssize_t i, j
    cdef double mean
    for i in range(n_source):
        for j in range(n_target):
            mean = mean_posterior(s2t_posterior, t2s_posterior, n_source, n_target, i, j)
            if mean >= threshold:
                source[n_links] = <int32_t>i
                target[n_links] = <int32_t>j
                confidence[n_links] = mean
                n_links += 1
    return n_links


def joint_links(
    const double[:, ::1] s2t_posterior, const double[:, ::1] t2s_posterior, double threshold
):
    """Return the links whose mean posterior is at least the threshold.

    Parameters
    ----------
    s2t_posterior : float64 array, shape (n_source, n_target + 1)
        Probability of each source token's labels; column 0 is NULL. In [0, 1].
    t2s_posterior : float64 array, shape (n_target, n_source + 1)
    threshold : float
        In (0, 1].

    Returns
    -------
    links : list of (source, target, confidence)
        Sorted by source, then target.

    Raises
    ------
    ShapeError
        If the shapes do not belong to one pair.

    Examples
    --------
    >>> import numpy as np
    >>> joint_links(np.array([[0.0, 1.0]]), np.array([[0.5, 0.5]]), 0.35)
    [(0, 0, 0.75)]
    """
    check_posteriors(s2t_posterior, t2s_posterior)
    cdef Py_ssize_t n_source = s2t_posterior.shape[0]
    cdef Py_ssize_t n_target = t2s_posterior.shape[0]
    if not n_source or not n_target:
        return []
    cdef int32_t[::1] source = np.empty(n_source * n_target, dtype=np.int32)
    cdef int32_t[::1] target = np.empty(n_source * n_target, dtype=np.int32)
    cdef double[::1] confidence = np.empty(n_source * n_target)
    cdef Py_ssize_t n_links = select_links(
        &s2t_posterior[0, 0], &t2s_posterior[0, 0], n_source, n_target, threshold,
        &source[0], &target[0], &confidence[0],
    )
    return [(source[k], target[k], confidence[k]) for k in range(n_links)]
