"""Matching of the sentences of two texts: sentences that share words, and the best chain of blocks.

Sentences that share words are found without comparing every sentence with every other. An index
lists the sentences that hold a stem. Only sentences that share a stem are scored, and frequent
stems are left out of the index: a sentence of n stems costs at most n times the length of the
longest list, however long the texts are.

The chain of blocks has the highest total gain among those that keep the order of both texts. A block
covers neighbouring sentences of the old text and of the new one. In a chain, a later block begins
after an earlier one ends, in both texts. From the last sentence to the first::

    best[k] = gain[k] + max(0, best[m])

over all blocks m that begin at or after both ends of k. A Fenwick tree (1994, Software: Practice
and Experience 24(3)) over the new text's sentences holds the best of those whose old sentences are
late enough, so that n blocks take O(n log n) time and O(n) memory.

Gains are integers (millionths), so that sums are exact and ties are real ones. Ties go to the chain
whose first block has the lower number, then whose second one has, and so on.
"""

from libc.math cimport sqrt
from libc.stdint cimport int32_t, int64_t

import numpy as np

from tokalign.errors import ShapeError
from tokalign.texts.text_words import total_weights

UNITS: int = 1_000_000       # of a gain of 1

cdef enum:
    NONE = -1


cdef int64_t _first_from(
    const int32_t[::1] index, int64_t low, int64_t high, int32_t first
) noexcept nogil:
    """Return the place of the first sentence from `first` on, in a rising part of the index."""
    cdef int64_t middle
    while low < high:
        middle = (low + high) // 2
        if index[middle] < first:
            low = middle + 1
        else:
            high = middle
    return low


cdef int32_t _collect(
    const int32_t[::1] stems, const double[::1] weights, const int64_t[::1] index_offsets,
    const int32_t[::1] index, int32_t first, int32_t end, int32_t most, double[::1] shared,
    int32_t[::1] touched,
) noexcept nogil:
    """Sum the shared weights of a sentence and each of some others; return how many share any."""
    cdef int32_t n_touched = 0, j
    cdef Py_ssize_t s
    cdef int64_t at, start, stop
    for s in range(stems.shape[0]):
        start = _first_from(index, index_offsets[stems[s]], index_offsets[stems[s] + 1], first)
        stop = index_offsets[stems[s] + 1]
        if stop > start + most:
            # More hold it, but perhaps few in the range.
            stop = start + most + 1
            if index[stop - 1] < end:
                continue
        for at in range(start, stop):
            j = index[at]
            if j >= end:
                break
            if shared[j] == 0.0:
                touched[n_touched] = j
                n_touched += 1
            shared[j] += weights[stems[s]]
    return n_touched


cdef void _keep(int32_t[::1] partners, double[::1] scores, int32_t j, double score) noexcept nogil:
    """Insert a sentence into the best ones, sorted by falling score, then by number."""
    cdef Py_ssize_t k = partners.shape[0] - 1
    if partners[k] != NONE and (score < scores[k] or (score == scores[k] and j > partners[k])):
        return
    while k > 0 and (
        partners[k - 1] == NONE or score > scores[k - 1]
        or (score == scores[k - 1] and j < partners[k - 1])
    ):
        partners[k] = partners[k - 1]
        scores[k] = scores[k - 1]
        k -= 1
    partners[k] = j
    scores[k] = score


def best_partners(
    side: TextWords, other: TextWords, weights: NDArray[np.float64], ranges: NDArray[np.int32],
    int most, int n_best
) -> tuple[NDArray[np.int32], NDArray[np.float64]]:
    """Return the best partners of each sentence of a text, by shared words.

    Parameters
    ----------
    side, other : TextWords
    weights : float64 array, shape (n_stems,)
        Above 0.
    ranges : int32 array, shape (n_sentences, 2), C-contiguous
        Half-open range of the other text's sentences to search, for each sentence.
    most : int
        Stems in more of these are not looked up.
    n_best : int
        At least 1.

    Returns
    -------
    partners : int32 array, shape (n_sentences, n_best)
        By falling score; ties go to the earlier sentence. -1 if there are no more.
    scores : float64 array, shape (n_sentences, n_best)
        In [0, 1]: the weight of the shared stems that were looked up, over the geometric mean of
        the weights of both sentences.
    """
    sentence_of = np.repeat(
        np.arange(len(other.offsets) - 1, dtype=np.int32), np.diff(other.offsets)
    )
    held = np.bincount(other.stems, minlength=len(weights))
    cdef const int32_t[::1] index = sentence_of[np.argsort(other.stems, kind="stable")]
    cdef const int64_t[::1] index_offsets = np.append(0, np.cumsum(held))
    cdef const int64_t[::1] offsets = side.offsets
    cdef const int32_t[::1] stems = side.stems
    cdef const int32_t[:, ::1] range_of = ranges
    cdef const double[::1] weights_view = weights
    cdef const double[::1] total = total_weights(side, weights)
    cdef const double[::1] other_total = total_weights(other, weights)
    cdef Py_ssize_t n = offsets.shape[0] - 1
    cdef Py_ssize_t n_other = other_total.shape[0]
    cdef double[::1] shared = np.zeros(n_other)
    cdef int32_t[::1] touched = np.zeros(n_other, np.int32)
    cdef int32_t[:, ::1] partners = np.full((n, n_best), NONE, np.int32)
    cdef double[:, ::1] scores = np.zeros((n, n_best))
    cdef Py_ssize_t i
    cdef int32_t k, n_touched, j
    with nogil:
        for i in range(n):
            n_touched = _collect(
                stems[offsets[i] : offsets[i + 1]], weights_view, index_offsets, index,
                range_of[i, 0], range_of[i, 1], most, shared, touched,
            )
            for k in range(n_touched):
                j = touched[k]
                _keep(partners[i], scores[i], j, shared[j] / sqrt(total[i] * other_total[j]))
                shared[j] = 0.0
    return np.asarray(partners), np.asarray(scores)


def shared_beyond(
    side: TextWords, other: TextWords, weights: NDArray[np.float64], triples: NDArray[np.int32]
) -> NDArray[np.float64]:
    """Return the weight that sentences share with a second sentence but not with a first one.

    `triples`, int32 of shape (n, 3), are a sentence of `side`, and the first and the second one of
    `other`. Returned is float64 of shape (n,): the sum of the weights of the stems that the
    sentence and the second one hold, but not the first.
    """
    cdef const int32_t[:, ::1] rows = triples
    cdef const int64_t[::1] offsets = side.offsets
    cdef const int32_t[::1] stems = side.stems
    cdef const int64_t[::1] other_offsets = other.offsets
    cdef const int32_t[::1] other_stems = other.stems
    cdef const double[::1] weights_view = weights
    cdef double[::1] found = np.zeros(rows.shape[0])
    cdef Py_ssize_t row
    cdef int64_t a, b, c, a_end, b_end, c_end
    cdef int32_t stem
    if rows.shape[1] != 3:
        raise ShapeError(f"triples have shape {triples.shape}; wanted (n, 3)")
    with nogil:
        for row in range(rows.shape[0]):
            a, a_end = offsets[rows[row, 0]], offsets[rows[row, 0] + 1]
            b, b_end = other_offsets[rows[row, 1]], other_offsets[rows[row, 1] + 1]
            c, c_end = other_offsets[rows[row, 2]], other_offsets[rows[row, 2] + 1]
            while a < a_end:
                stem = stems[a]
                while b < b_end and other_stems[b] < stem:
                    b += 1
                while c < c_end and other_stems[c] < stem:
                    c += 1
                if (c < c_end and other_stems[c] == stem) and not (
                    b < b_end and other_stems[b] == stem
                ):
                    found[row] += weights_view[stem]
                a += 1
    return np.asarray(found)


cdef inline bint _is_better(int64_t gain, int32_t k, int64_t best, int32_t m) noexcept nogil:
    """Whether block k, with this gain, is a better next block than m."""
    return gain > best or (gain == best and k != NONE and (m == NONE or k < m))


cdef void _insert(
    int64_t[::1] tree_gain, int32_t[::1] tree_block, int32_t first, int64_t gain, int32_t k
) noexcept nogil:
    """Insert a block that begins at a sentence of the new text into the tree."""
    cdef Py_ssize_t node = first + 1
    while node > 0:
        if _is_better(gain, k, tree_gain[node], tree_block[node]):
            tree_gain[node] = gain
            tree_block[node] = k
        node -= node & -node


cdef void _find(
    const int64_t[::1] tree_gain, const int32_t[::1] tree_block, int32_t first, int64_t* gain,
    int32_t* k,
) noexcept nogil:
    """Find the best block of the tree that begins at a sentence of the new text or after it."""
    cdef Py_ssize_t node = first + 1
    gain[0] = 0
    k[0] = NONE
    while node < tree_gain.shape[0]:
        if _is_better(tree_gain[node], tree_block[node], gain[0], k[0]):
            gain[0] = tree_gain[node]
            k[0] = tree_block[node]
        node += node & -node


cdef void _fill_chain(
    const int32_t[:, ::1] blocks, const int64_t[::1] gains, const int32_t[::1] by_end,
    int64_t[::1] best, int32_t[::1] after, int64_t[::1] tree_gain,
    int32_t[::1] tree_block,
) noexcept nogil:
    """Fill the best total from each block on, and the block after it; `by_end` are the blocks by
    falling end of their old sentences."""
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
            _insert(tree_gain, tree_block, blocks[pending, 2], best[pending], <int32_t>pending)
            pending -= 1
        _find(tree_gain, tree_block, new_end, &gain, &m)
        best[k] = gains[k] + gain
        after[k] = m


def best_chain(blocks: NDArray[np.int32], gains: NDArray[np.int64]) -> NDArray[np.int32]:
    """Return the numbers of the blocks of the chain of the highest total gain, in order.

    `blocks` (int32 array, shape (n_blocks, 4), C-contiguous): first sentence of the old text,
    number of its sentences, first of the new text, and their number; sorted by the first of the old
    text. Numbers are at least 1. `gains` (int64 array, shape (n_blocks,)): above 0; their sum must
    fit into 62 bits.

    The result is an int32 array, shape (n_chosen,). ShapeError is raised if the shapes disagree, or
    the blocks are not sorted.

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
        _fill_chain(blocks_view, gains_view, by_end, best, after, tree_gain, tree_block)
    totals = np.asarray(best)
    cdef list chosen = []
    cdef int32_t k = totals.argmax()    # the first of equal ones
    while k != NONE:
        chosen.append(k)
        k = after[k]
    return np.array(chosen, np.int32)
