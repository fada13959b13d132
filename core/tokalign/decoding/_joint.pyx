"""Decisions that take the posteriors of both directions together.

    confidence[i, j] = (s2t[i, j + 1] + t2s[j, i + 1]) / 2

A link is taken where that mean reaches a threshold, so a token may have several links or none.
Of all sets of links, those of a threshold are the ones of highest expected F measure when
confidences are independent probabilities (Jansche 2007, ACL).
"""

from libc.stdint cimport int32_t

import numpy as np

from tokalign.errors import ShapeError


cdef int _check(
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
            mean = _mean(s2t_posterior, t2s_posterior, n_source, n_target, i, j)
            if mean >= threshold:
                source[n_links] = <int32_t>i
                target[n_links] = <int32_t>j
                confidence[n_links] = mean
                n_links += 1
    return n_links


cdef void cover(
    const double *s2t_posterior, const double *t2s_posterior, Py_ssize_t n_source,
    Py_ssize_t n_target, double *covered,
) noexcept nogil:
    """Write how far each target token has a partner that both directions support."""
    cdef Py_ssize_t i, j
    cdef double total
    for j in range(n_target):
        total = 0.0
        for i in range(n_source):
            total += min(
                s2t_posterior[i * (n_target + 1) + j + 1], t2s_posterior[j * (n_source + 1) + i + 1]
            )
        covered[j] = min(total, 1.0)


cdef double share(
    const double *s2t_posterior, const double *t2s_posterior, Py_ssize_t n_source,
    Py_ssize_t n_target, const double *source_weights, const double *target_weights,
) noexcept nogil:
    """Return the weighted share of tokens with a partner, of the side that has less of them."""
    cdef Py_ssize_t i, j
    cdef double expected
    cdef double[2] total = [0.0, 0.0]
    cdef double[2] shared = [0.0, 0.0]
    cdef double[2] plain = [0.0, 0.0]
    for i in range(n_source):
        expected = 0.0
        for j in range(n_target):
            expected += _mean(s2t_posterior, t2s_posterior, n_source, n_target, i, j)
        expected = min(expected, 1.0)
        total[0] += source_weights[i]
        shared[0] += source_weights[i] * expected
        plain[0] += expected
    for j in range(n_target):
        expected = 0.0
        for i in range(n_source):
            expected += _mean(s2t_posterior, t2s_posterior, n_source, n_target, i, j)
        expected = min(expected, 1.0)
        total[1] += target_weights[j]
        shared[1] += target_weights[j] * expected
        plain[1] += expected
    cdef double of_source = shared[0] / total[0] if total[0] > 0 else plain[0] / n_source
    cdef double of_target = shared[1] / total[1] if total[1] > 0 else plain[1] / n_target
    return min(of_source, of_target, 1.0)


cdef inline double _mean(
    const double *s2t_posterior, const double *t2s_posterior, Py_ssize_t n_source,
    Py_ssize_t n_target, Py_ssize_t i, Py_ssize_t j,
) noexcept nogil:
    return (
        s2t_posterior[i * (n_target + 1) + j + 1] + t2s_posterior[j * (n_source + 1) + i + 1]
    ) / 2


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
    _check(s2t_posterior, t2s_posterior)
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


def coverage(const double[:, ::1] s2t_posterior, const double[:, ::1] t2s_posterior):
    """Return how far each target token has a partner that both directions support.

    Parameters
    ----------
    s2t_posterior : float64 array, shape (n_source, n_target + 1)
    t2s_posterior : float64 array, shape (n_target, n_source + 1)

    Returns
    -------
    covered : list of float, length n_target
        Sum over the source of the smaller posterior of the two directions, at most 1.

    Raises
    ------
    ShapeError
        If the shapes do not belong to one pair.
    """
    _check(s2t_posterior, t2s_posterior)
    cdef Py_ssize_t n_target = t2s_posterior.shape[0]
    if not n_target:
        return []
    cdef double[::1] covered = np.zeros(n_target)
    if s2t_posterior.shape[0]:
        cover(
            &s2t_posterior[0, 0], &t2s_posterior[0, 0], s2t_posterior.shape[0], n_target,
            &covered[0],
        )
    return [covered[j] for j in range(n_target)]


def smaller_share(
    const double[:, ::1] s2t_posterior, const double[:, ::1] t2s_posterior,
    list source_weights, list target_weights,
):
    """Return the weighted share of tokens with a partner, of the side that has less of them.

    Parameters
    ----------
    s2t_posterior : float64 array, shape (n_source, n_target + 1)
    t2s_posterior : float64 array, shape (n_target, n_source + 1)
    source_weights : list of float, length n_source
        At least 0; all alike where none is more.
    target_weights : list of float, length n_target

    Returns
    -------
    share : float
        In [0, 1]; a token has a partner as far as its mean posteriors sum to, at most 1.

    Raises
    ------
    ShapeError
        If the shapes do not belong to one pair, a side is empty, or there is not one weight a
        token.
    """
    _check(s2t_posterior, t2s_posterior)
    cdef Py_ssize_t n_source = s2t_posterior.shape[0]
    cdef Py_ssize_t n_target = t2s_posterior.shape[0]
    if (len(source_weights), len(target_weights)) != (n_source, n_target):
        raise ShapeError(
            f"{len(source_weights)} and {len(target_weights)} weights; wanted one a token, "
            f"{n_source} and {n_target}"
        )
    if not n_source or not n_target:
        raise ShapeError(f"{n_source} and {n_target} tokens; wanted some on both sides")
    cdef double[::1] of_source = np.array(source_weights, dtype=np.float64)
    cdef double[::1] of_target = np.array(target_weights, dtype=np.float64)
    return share(
        &s2t_posterior[0, 0], &t2s_posterior[0, 0], n_source, n_target,
        &of_source[0], &of_target[0],
    )
