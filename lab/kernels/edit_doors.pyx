# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Doors to the kernels of edits."""

from libc.stdint cimport int32_t, uint8_t

import numpy as np

from tokalign.edits.cuts cimport find_blocks
from tokalign.edits.pair_edits cimport EditPair
from tokalign.edits.segments cimport EditSide, fill_numbers, fill_same, keep_tokens

from tokalign.errors import ShapeError


def same_words(source, target):
    """Return 1 where two tokens are the same word, uint8 of shape (n_source, n_target).

    Tokens are the same if they are identical, or if they differ only in case and exactly one of
    them begins a sentence.
    """
    numbers = {}
    cdef Py_ssize_t n_source = len(source.tokens)
    cdef Py_ssize_t n_target = len(target.tokens)
    found = np.empty((n_source, n_target), np.uint8)
    cdef int32_t[::1] number = np.empty(n_source + n_target + 1, np.int32)
    cdef uint8_t[:, ::1] same = found
    fill_numbers(&number[0], source.tokens, numbers)
    fill_numbers(&number[n_source], target.tokens, numbers)
    if found.size:
        fill_same(&same[0, 0], source.tokens, target.tokens, &number[0], &number[n_source])
    return found


def kept_tokens(
    const uint8_t[:, ::1] same, const double[::1] worth, const float[:, ::1] links
):
    """Return the target token that each source token is kept as.

    `same` [n_source, n_target]: 1 where two tokens are the same word, else 0. `worth` [n_source]: of
    keeping each source token, above 0. `links` [n_source, n_target]: confidence of each link, 0
    without a link.

    The result is an int32 array, shape (n_source,), with -1 where the token is not kept; the others
    rise. Ties go to a matching that keeps later tokens. ShapeError is raised if the shapes
    disagree.
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
    cdef double[:, ::1] rows = np.empty((2, n_target + 1))
    cdef uint8_t[::1] choice = np.empty(n_source * n_target, np.uint8)
    if n_source and n_target:
        keep_tokens(
            &same[0, 0], &worth[0], &links[0, 0], n_source, n_target, &rows[0, 0], &choice[0],
            &partner[0],
        )
    return found


cdef int _set_side(EditSide *side, words, const int32_t[::1] tokens) except -1:
    cdef const int32_t[::1] kinds = words.kinds
    cdef const int32_t[::1] lemmas = words.lemmas
    cdef const float[::1] weights = words.weights
    cdef Py_ssize_t k
    for k in range(side.n):
        side.token[k], side.kind[k] = tokens[k], kinds[k]
        side.lemma[k], side.weight[k] = lemmas[k], weights[k]
    return 0


def edit_pair(
    sides, tokens, const uint8_t[:, ::1] same, const float[:, ::1] links,
    const int32_t[::1] partner,
):
    """Return an EditPair of words, numbered tokens, which of them are the same, links, and kept
    tokens, with its blocks, int32 of shape (n_blocks, 4)."""
    cdef EditPair pair = EditPair.__new__(EditPair)
    cdef Py_ssize_t i, j, k
    pair.open(links.shape[0], links.shape[1])
    _set_side(&pair.grid.source, sides[0], tokens[0])
    _set_side(&pair.grid.target, sides[1], tokens[1])
    for i in range(links.shape[0]):
        pair.grid.partner[i] = partner[i]
        for j in range(links.shape[1]):
            pair.grid.same[i * links.shape[1] + j] = same[i, j]
            pair.grid.links[i * links.shape[1] + j] = links[i, j]
    find_blocks(&pair.grid)
    blocks = [[pair.grid.block[k][i] for i in range(4)] for k in range(pair.grid.n_blocks)]
    return pair, np.array(blocks, np.int32).reshape(-1, 4)
