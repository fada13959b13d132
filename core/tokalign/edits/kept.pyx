"""Tokens that were kept: the best matching of the same words in the same order.

Of two sentences of n and m tokens, w the worth of keeping a pair of tokens:

    kept[i, j] = w(i, j) + max(best[i - 1, j - 1], kept[i - 1, j - 1] + RUN)
    best[i, j] = max(kept[i, j], best[i - 1, j], best[i, j - 1])

kept[i, j] is the best sum of the first i and j tokens whose last ones are kept, and best[i, j] the
best at all. Longest common subsequences (Wagner and Fischer 1974) are the case of w = 1, RUN = 0.
O(n * m) time and bytes.
"""

from libc.math cimport INFINITY
from libc.stdint cimport int32_t, uint8_t
from libc.stdlib cimport free, malloc

import numpy as np

from tokalign.errors import ShapeError

RUN = 0.5
"""What a pair gains where the pair of tokens before it is kept as well."""
LINKED = 1.0
"""What a pair gains if it is linked, times the confidence of the link."""

cdef double RUN_GAIN = RUN
cdef double LINK_GAIN = LINKED

cdef enum:
    UP = 0       # the source token is not kept
    LEFT = 1     # the target token is not
    KEEP = 2     # both are, as a pair
    FOLLOWS = 4  # where the pair is kept, so is the one before


cdef void _fill(
    const uint8_t[:, ::1] same, const double[::1] worth, const float[:, ::1] links,
    double *best, double *kept, uint8_t *choice,
) noexcept nogil:
    """Fill the choices [n_source, n_target]; best and kept hold a row each, [n_target + 1]."""
    cdef Py_ssize_t n_source = same.shape[0]
    cdef Py_ssize_t n_target = same.shape[1]
    cdef Py_ssize_t i, j
    cdef double up_left, kept_up_left, up, most, value
    cdef uint8_t chosen
    for j in range(n_target + 1):
        best[j] = 0.0
        kept[j] = -INFINITY
    for i in range(n_source):
        up_left = 0.0
        kept_up_left = -INFINITY
        for j in range(n_target):
            up = best[j + 1]
            chosen = UP if up >= best[j] else LEFT
            most = max(up, best[j])
            value = -INFINITY
            if same[i, j]:
                value = worth[i] + LINK_GAIN * links[i, j]
                if kept_up_left + RUN_GAIN >= up_left:
                    value += kept_up_left + RUN_GAIN
                    chosen |= FOLLOWS
                else:
                    value += up_left
                if value >= most:
                    most = value
                    chosen = (chosen & FOLLOWS) | KEEP
            choice[i * n_target + j] = chosen
            up_left = up
            kept_up_left = kept[j + 1]
            best[j + 1] = most
            kept[j + 1] = value


cdef void _trace(
    const uint8_t *choice, Py_ssize_t n_source, Py_ssize_t n_target, int32_t *partner
) noexcept nogil:
    """Write the target token that each source token is kept as; others stay as they are."""
    cdef Py_ssize_t i = n_source - 1
    cdef Py_ssize_t j = n_target - 1
    cdef bint follows = False
    cdef uint8_t chosen
    while i >= 0 and j >= 0:
        chosen = choice[i * n_target + j]
        if follows or chosen & KEEP:
            partner[i] = <int32_t>j
            follows = chosen & FOLLOWS
            i -= 1
            j -= 1
        elif chosen & LEFT:
            j -= 1
        else:
            i -= 1


def kept_tokens(
    const uint8_t[:, ::1] same, const double[::1] worth, const float[:, ::1] links
):
    """Return the target token that each source token is kept as.

    Parameters
    ----------
    same : uint8 array, shape (n_source, n_target)
        1 where two tokens are the same word, else 0.
    worth : float64 array, shape (n_source,)
        What keeping each source token is worth, above 0.
    links : float32 array, shape (n_source, n_target)
        Confidence of each link, 0 where there is none.

    Returns
    -------
    partner : int32 array, shape (n_source,)
        -1 where the token is not kept; the others rise. Of equally good matchings one that keeps
        later tokens.

    Raises
    ------
    ShapeError
        If the shapes disagree.
    """
    cdef Py_ssize_t n_source = same.shape[0]
    cdef Py_ssize_t n_target = same.shape[1]
    if (
        worth.shape[0] != n_source
        or links.shape[0] != n_source or links.shape[1] != n_target
    ):
        raise ShapeError("worth and links do not have the shape of the pair")
    found = np.full(n_source, -1, np.int32)
    cdef int32_t[::1] partner = found
    if not n_source or not n_target:
        return found
    cdef double *rows = <double *>malloc(2 * (n_target + 1) * sizeof(double))
    cdef uint8_t *choice = <uint8_t *>malloc(n_source * n_target)
    if rows == NULL or choice == NULL:
        free(rows)
        free(choice)
        raise MemoryError("kept tokens")
    with nogil:
        _fill(same, worth, links, rows, rows + n_target + 1, choice)
        _trace(choice, n_source, n_target, &partner[0])
    free(rows)
    free(choice)
    return found
