"""Decisions that take the posteriors of both directions together.

    confidence[i, j] = (s2t[i, j + 1] + t2s[j, i + 1]) / 2

A link is taken where that mean reaches a threshold, so a token may have several links or none. Of
all sets of links, those of a threshold are the ones of highest expected F measure when confidences
are independent probabilities (Jansche 2007, ACL). But links of phrases come in blocks: one that
lies beside a link that is taken, of the same token and of the next one, needs a lower mean. In a
style that has a second pass (tokalign.decoding.second_pass) its probabilities take the means' place,
and groups of uncertain cells are decided upon together (tokalign.decoding.group_choice).
"""

from libc.stdint cimport int32_t, uint8_t

import numpy as np

from tokalign.errors import ShapeError

cdef enum:
    # What becomes of a cell.
    LEFT = 0
    LIKELY = 1       # enough beside a link
    TAKEN = 2


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


cdef inline bint _is_beside_link(
    const uint8_t *fate, Py_ssize_t n_source, Py_ssize_t n_target, Py_ssize_t i, Py_ssize_t j
) noexcept nogil:
    cdef const uint8_t *cell = fate + i * n_target + j
    return (
        (i > 0 and cell[-n_target] == TAKEN)
        or (i + 1 < n_source and cell[n_target] == TAKEN)
        or (j > 0 and cell[-1] == TAKEN)
        or (j + 1 < n_target and cell[1] == TAKEN)
    )


cdef void _take_blocks(uint8_t *fate, Py_ssize_t n_source, Py_ssize_t n_target) noexcept nogil:
    """Take likely cells beside links until there are no more."""
    cdef bint has_grown = True
    cdef Py_ssize_t i, j
    while has_grown:
        has_grown = False
        for i in range(n_source):
            for j in range(n_target):
                if fate[i * n_target + j] == LIKELY and _is_beside_link(
                    fate, n_source, n_target, i, j
                ):
                    fate[i * n_target + j] = TAKEN
                    has_grown = True


cdef void fill_means(
    const double *s2t_posterior, const double *t2s_posterior, Py_ssize_t n_source,
    Py_ssize_t n_target, double *mean,
) noexcept nogil:
    """Write the mean posterior of each link."""
    cdef Py_ssize_t i, j
    for i in range(n_source):
        for j in range(n_target):
            mean[i * n_target + j] = mean_posterior(
                s2t_posterior, t2s_posterior, n_source, n_target, i, j
            )


cdef void take_cells(
    const double *posterior, Py_ssize_t n_source, Py_ssize_t n_target, double threshold,
    double beside, uint8_t *taken,
) noexcept nogil:
    """Write 1 for the cells whose posterior is at least the threshold, or at least `beside` beside
    another one that is taken, and 0 for others."""
    cdef uint8_t *fate = taken
    cdef Py_ssize_t n_likely = 0
    cdef Py_ssize_t cell
    for cell in range(n_source * n_target):
        fate[cell] = (
            TAKEN if posterior[cell] >= threshold else LIKELY if posterior[cell] >= beside else LEFT
        )
        n_likely += fate[cell] == LIKELY
    if n_likely:
        _take_blocks(fate, n_source, n_target)
    for cell in range(n_source * n_target):
        taken[cell] = fate[cell] == TAKEN


cdef Py_ssize_t write_links(
    const double *posterior, const uint8_t *taken, Py_ssize_t n_source, Py_ssize_t n_target,
    int32_t *source, int32_t *target, double *confidence,
) noexcept nogil:
    """Write the links that are taken, with their posteriors; return how many."""
    cdef Py_ssize_t n_links = 0
    cdef Py_ssize_t i, j
    for i in range(n_source):
        for j in range(n_target):
            if taken[i * n_target + j]:
                source[n_links] = <int32_t>i
                target[n_links] = <int32_t>j
                confidence[n_links] = posterior[i * n_target + j]
                n_links += 1
    return n_links


def joint_links(
    const double[:, ::1] s2t_posterior, const double[:, ::1] t2s_posterior, double threshold,
    double beside=1.0,
):
    """Return the links whose mean posterior is at least the threshold, or enough beside another.

    Parameters
    ----------
    s2t_posterior : float64 array, shape (n_source, n_target + 1)
        Probability of each source token's labels; column 0 is NULL. In [0, 1].
    t2s_posterior : float64 array, shape (n_target, n_source + 1)
    threshold : float
        In (0, 1].
    beside : float
        Enough beside a link, of one token of it and a neighbour of the other. In (0, 1]; what is
        not below the threshold changes nothing.

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
    cdef uint8_t[::1] taken = np.empty(n_source * n_target, dtype=np.uint8)
    cdef int32_t[::1] source = np.empty(n_source * n_target, dtype=np.int32)
    cdef int32_t[::1] target = np.empty(n_source * n_target, dtype=np.int32)
    cdef double[::1] confidence = np.empty(n_source * n_target)
    cdef double[::1] mean = np.empty(n_source * n_target)
    fill_means(&s2t_posterior[0, 0], &t2s_posterior[0, 0], n_source, n_target, &mean[0])
    take_cells(&mean[0], n_source, n_target, threshold, beside, &taken[0])
    cdef Py_ssize_t n_links = write_links(
        &mean[0], &taken[0], n_source, n_target, &source[0], &target[0], &confidence[0]
    )
    return [(source[k], target[k], confidence[k]) for k in range(n_links)]
