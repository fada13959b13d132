"""The chain of blocks of the highest total gain that keeps the order of both texts.

A block covers neighbouring sentences of the old text and of the new one. Of two blocks of a chain,
the later one begins after the earlier one ends, in both texts. From the last sentence to the first::

    best[k] = gain[k] + max(0, best[m])

over all blocks m that begin at or after both ends of k. A Fenwick tree (1994, Software: Practice and
Experience 24(3)) over the new text's sentences holds the best of those whose old sentences come late
enough, so that n blocks take O(n log n) time and O(n) memory.

Gains are whole numbers (millionths), so that sums are exact and ties are real ones. Of chains with equal totals
the one is taken whose first block has the lower number, then whose second one has, and so on.
"""

from libc.stdint cimport int32_t, int64_t

import numpy as np

from tokalign.errors import ShapeError

UNITS = 1_000_000       # of a gain of 1

cdef enum:
    NONE = -1


cdef inline bint is_better(int64_t gain, int32_t k, int64_t best, int32_t m) noexcept nogil:
    """Whether block k after a block, for so much gain, is to be taken rather than m."""
    return gain > best or (gain == best and k != NONE and (m == NONE or k < m))


cdef void insert(
    int64_t[::1] tree_gain, int32_t[::1] tree_block, int32_t first, int64_t gain, int32_t k
) noexcept nogil:
    """Put a block that begins at a sentence of the new text into the tree."""
    cdef Py_ssize_t node = first + 1
    while node > 0:
        if is_better(gain, k, tree_gain[node], tree_block[node]):
            tree_gain[node] = gain
            tree_block[node] = k
        node -= node & -node


cdef void find(
    const int64_t[::1] tree_gain, const int32_t[::1] tree_block, int32_t first, int64_t* gain,
    int32_t* k,
) noexcept nogil:
    """Find the best block of the tree that begins at a sentence of the new text or after it."""
    cdef Py_ssize_t node = first + 1
    gain[0] = 0
    k[0] = NONE
    while node < tree_gain.shape[0]:
        if is_better(tree_gain[node], tree_block[node], gain[0], k[0]):
            gain[0] = tree_gain[node]
            k[0] = tree_block[node]
        node += node & -node


cdef void fill(
    const int32_t[:, ::1] blocks, const int64_t[::1] gains, const int32_t[::1] by_end,
    int64_t[::1] best, int32_t[::1] after, int64_t[::1] tree_gain,
    int32_t[::1] tree_block,
) noexcept nogil:
    """Fill in the best total from each block on, and the block after it.

    Parameters
    ----------
    blocks : shape (n, 4)
        First old sentence, number of old ones, first new one, number of new ones; sorted by the
        first old one.
    by_end : shape (n,)
        Blocks by falling end of their old sentences.
    """
    cdef Py_ssize_t n = blocks.shape[0]
    cdef Py_ssize_t pending = n - 1     # the last block that is not in the tree
    cdef Py_ssize_t step
    cdef int32_t k, m, old_end, new_end
    cdef int64_t gain
    for step in range(n):
        k = by_end[step]
        old_end = blocks[k, 0] + blocks[k, 1]
        new_end = blocks[k, 2] + blocks[k, 3]
        while pending >= 0 and blocks[pending, 0] >= old_end:
            insert(tree_gain, tree_block, blocks[pending, 2], best[pending], <int32_t>pending)
            pending -= 1
        find(tree_gain, tree_block, new_end, &gain, &m)
        best[k] = gains[k] + gain
        after[k] = m


def best_chain(blocks, gains):
    """Return the numbers of the blocks of the chain of the highest total gain, in order.

    Parameters
    ----------
    blocks : int32 array, shape (n_blocks, 4), C-contiguous
        First sentence of the old text, number of its sentences, first of the new text, and their
        number; sorted by the first of the old text. Numbers are at least 1.
    gains : int64 array, shape (n_blocks,)
        Above 0, of which all together fit into 62 bits.

    Returns
    -------
    numbers : int32 array, shape (n_chosen,)

    Raises
    ------
    ShapeError
        If the shapes disagree, or the blocks are not sorted.

    Examples
    --------
    >>> blocks = np.array([[0, 1, 1, 1], [1, 1, 0, 1], [2, 1, 2, 1]], np.int32)
    >>> best_chain(blocks, np.array([5, 4, 2])).tolist()
    [0, 2]
    """
    cdef const int32_t[:, ::1] blocks_view = blocks
    cdef const int64_t[::1] gains_view = gains
    cdef Py_ssize_t n = blocks_view.shape[0]
    if blocks_view.shape[1] != 4 or gains_view.shape[0] != n:
        raise ShapeError(
            f"blocks have shape {blocks.shape} and gains {gains.shape}; wanted (n, 4) and (n,)"
        )
    if n == 0:
        return np.zeros(0, np.int32)
    if (np.diff(blocks[:, 0]) < 0).any():
        raise ShapeError("blocks are not sorted by where they begin in the old text")
    cdef const int32_t[::1] by_end = np.argsort(
        -(blocks[:, 0] + blocks[:, 1]), kind="stable"
    ).astype(np.int32)
    cdef int64_t[::1] best = np.zeros(n, np.int64)
    cdef int32_t[::1] after = np.zeros(n, np.int32)
    n_new = int((blocks[:, 2] + blocks[:, 3]).max())
    cdef int64_t[::1] tree_gain = np.zeros(n_new + 1, np.int64)
    cdef int32_t[::1] tree_block = np.full(n_new + 1, NONE, np.int32)
    with nogil:
        fill(blocks_view, gains_view, by_end, best, after, tree_gain, tree_block)
    totals = np.asarray(best)
    cdef list chosen = []
    cdef int32_t k = totals.argmax()    # the first of equal ones
    while k != NONE:
        chosen.append(k)
        k = after[k]
    return np.array(chosen, np.int32)
