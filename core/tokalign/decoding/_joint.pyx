"""Decisions that take the posteriors of both directions together.

    confidence[i, j] = (s2t[i, j + 1] + t2s[j, i + 1]) / 2

A link is taken where that mean reaches a threshold, so a token may have several links or none.
Of all sets of links, those of a threshold are the ones of highest expected F measure when
confidences are independent probabilities (Jansche 2007, ACL).
"""

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


cdef inline double _mean(
    const double[:, ::1] s2t_posterior, const double[:, ::1] t2s_posterior,
    Py_ssize_t i, Py_ssize_t j,
) noexcept nogil:
    return (s2t_posterior[i, j + 1] + t2s_posterior[j, i + 1]) / 2


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
    cdef Py_ssize_t i, j
    cdef double confidence
    cdef list links = []
    for i in range(s2t_posterior.shape[0]):
        for j in range(t2s_posterior.shape[0]):
            confidence = _mean(s2t_posterior, t2s_posterior, i, j)
            if confidence >= threshold:
                links.append((i, j, confidence))
    return links


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
    cdef Py_ssize_t i, j
    cdef double covered
    cdef list result = []
    for j in range(t2s_posterior.shape[0]):
        covered = 0.0
        for i in range(s2t_posterior.shape[0]):
            covered += min(s2t_posterior[i, j + 1], t2s_posterior[j, i + 1])
        result.append(min(covered, 1.0))
    return result


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
        If the shapes do not belong to one pair, or there is not one weight a token.
    """
    _check(s2t_posterior, t2s_posterior)
    cdef Py_ssize_t n_source = s2t_posterior.shape[0]
    cdef Py_ssize_t n_target = t2s_posterior.shape[0]
    if (len(source_weights), len(target_weights)) != (n_source, n_target):
        raise ShapeError(
            f"{len(source_weights)} and {len(target_weights)} weights; wanted one a token, "
            f"{n_source} and {n_target}"
        )
    cdef Py_ssize_t i, j
    cdef double expected, weight
    cdef double[2] total = [0.0, 0.0]
    cdef double[2] shared = [0.0, 0.0]
    cdef double[2] plain = [0.0, 0.0]
    for i in range(n_source):
        expected = 0.0
        for j in range(n_target):
            expected += _mean(s2t_posterior, t2s_posterior, i, j)
        expected = min(expected, 1.0)
        weight = source_weights[i]
        total[0] += weight
        shared[0] += weight * expected
        plain[0] += expected
    for j in range(n_target):
        expected = 0.0
        for i in range(n_source):
            expected += _mean(s2t_posterior, t2s_posterior, i, j)
        expected = min(expected, 1.0)
        weight = target_weights[j]
        total[1] += weight
        shared[1] += weight * expected
        plain[1] += expected
    cdef double of_source = shared[0] / total[0] if total[0] > 0 else plain[0] / n_source
    cdef double of_target = shared[1] / total[1] if total[1] > 0 else plain[1] / n_target
    return min(of_source, of_target, 1.0)
