"""Features of what surrounds the two words.

    C1(i, j) = sum over d in -3..3 without 0 of V(i + d, j + d) / |d|, times 0.3 where either
               word there is no content word
    C2(i, j) = sum over target words jj within 3 of j, jj != j, of the largest V(ii, jj) of
               content words ii within 3 of i

A run is a maximal diagonal stretch of cells with V >= 0.69.
"""

from libc.stdint cimport uint8_t

from tokalign.features._pair cimport *
from tokalign.features._templates cimport *

cdef enum:
    REACH = 3
    N_WINDOW_EDGES = 6
    N_BAG_EDGES = 4
    N_STRENGTH_EDGES = 4
    MAX_RUN = 6
    MAX_CONTENT_RUN = 4

cdef float RUN_STRENGTH = 0.69
cdef float NON_CONTENT_FACTOR = 0.3
cdef float[6] WINDOW_EDGES = [0.1, 0.3, 0.6, 1.0, 1.5, 2.2]
cdef float[4] BAG_EDGES = [0.3, 0.7, 1.5, 2.5]
cdef float[4] STRENGTH_EDGES = [0.1, 0.4, 0.7, 0.9]


cdef void prepare_context(Pair *pair) noexcept nogil:
    """Fill window, bag, run and content_run from strength."""
    cdef Py_ssize_t n_source = pair.source.n
    cdef Py_ssize_t n_target = pair.target.n
    cdef Py_ssize_t i, j, ii, jj, d
    cdef float value, total, sign
    cdef float *weighted = pair.scratch
    for i in range(n_source):
        for j in range(n_target):
            value = pair.strength[i * n_target + j]
            if pair.source.word[i].kind != CONTENT or pair.target.word[j].kind != CONTENT:
                value *= NON_CONTENT_FACTOR
            weighted[i * n_target + j] = value
    for i in range(n_source):
        for j in range(n_target):
            total = 0.0
            for d in range(1, REACH + 1):
                value = 0.0
                if i >= d and j >= d:
                    value += weighted[(i - d) * n_target + j - d]
                if i + d < n_source and j + d < n_target:
                    value += weighted[(i + d) * n_target + j + d]
                total += value / d
            pair.window[i * n_target + j] = total
    _prepare_runs(pair)
    # best content strength of each target word within reach of each source word
    for i in range(n_source):
        for j in range(n_target):
            value = 0.0
            if pair.target.word[j].kind == CONTENT:
                for ii in range(max(0, i - REACH), min(n_source, i + REACH + 1)):
                    if pair.source.word[ii].kind == CONTENT:
                        value = max(value, pair.strength[ii * n_target + j])
            weighted[i * n_target + j] = value
    for i in range(n_source):
        for j in range(n_target):
            total = 0.0
            for jj in range(max(0, j - REACH), min(n_target, j + REACH + 1)):
                if jj != j:
                    total += weighted[i * n_target + jj]
            pair.bag[i * n_target + j] = total


cdef void _prepare_runs(Pair *pair) noexcept nogil:
    """Fill run and content_run: walk each diagonal and write the length back over the run."""
    cdef Py_ssize_t n_source = pair.source.n
    cdef Py_ssize_t n_target = pair.target.n
    cdef Py_ssize_t i, j, cell, k, length
    cdef int content
    for i in range(n_source):
        for j in range(n_target):
            cell = i * n_target + j
            if pair.strength[cell] < RUN_STRENGTH:
                pair.run[cell] = pair.content_run[cell] = 0
                continue
            if i > 0 and j > 0 and pair.strength[cell - n_target - 1] >= RUN_STRENGTH:
                continue  # written from the start of its run
            length = content = 0
            while (i + length < n_source and j + length < n_target
                   and pair.strength[cell + length * (n_target + 1)] >= RUN_STRENGTH):
                content += pair.source.word[i + length].kind == CONTENT
                length += 1
            for k in range(length):
                pair.run[cell + k * (n_target + 1)] = <uint8_t>min(length, MAX_RUN)
                pair.content_run[cell + k * (n_target + 1)] = <uint8_t>min(content, MAX_CONTENT_RUN)


cdef void _content_neighbour(
    const Pair *pair, Py_ssize_t i, Py_ssize_t j, int side, int strength, Sink *sink
) noexcept nogil:
    """Emit how well the nearest content words on one side match, and how far they are."""
    cdef Py_ssize_t a = pair.source.next_content[i] if side else pair.source.previous_content[i]
    cdef Py_ssize_t b = pair.target.next_content[j] if side else pair.target.previous_content[j]
    cdef Py_ssize_t distance_a, distance_b
    cdef int match
    cdef int distance = 0
    if a < 0 or b < 0:
        match = N_STRENGTH_EDGES + 1
    else:
        match = bin_of(strength_at(pair, a, b), STRENGTH_EDGES, N_STRENGTH_EDGES)
        distance_a = a - i if a > i else i - a
        distance_b = b - j if b > j else j - b
        distance = 0 if distance_a == distance_b else 1
        if distance_a > 3 or distance_b > 3:
            distance = 2
    emit(sink, CONTENT_NEIGHBOUR,
         ((side * (N_STRENGTH_EDGES + 2) + match) * 3 + distance) * N_STRENGTHS + strength, 1.0)


cdef void context_features(
    const Pair *pair, Py_ssize_t i, Py_ssize_t j, Sink *sink
) noexcept nogil:
    """Emit the context features of one cell."""
    cdef Py_ssize_t cell = i * pair.target.n + j
    cdef int strength = strength_class(pair.strength[cell])
    cdef int group = kinds_of(pair.source.word[i], pair.target.word[j]) * N_STRENGTHS + strength
    cdef int width = N_KINDS * N_KINDS * N_STRENGTHS
    cdef int skip
    if pair.window[cell] > 0.0:
        emit(sink, WINDOW, strength, pair.window[cell])
    emit(sink, WINDOW_BIN,
         bin_of(pair.window[cell], WINDOW_EDGES, N_WINDOW_EDGES) * width + group, 1.0)
    if pair.bag[cell] > 0.0:
        emit(sink, BAG, strength, pair.bag[cell])
    emit(sink, BAG_BIN, bin_of(pair.bag[cell], BAG_EDGES, N_BAG_EDGES) * width + group, 1.0)
    if pair.run[cell]:
        emit(sink, RUN, (pair.run[cell] - 1) * N_KINDS * N_KINDS + group // N_STRENGTHS, 1.0)
        emit(sink, CONTENT_RUN,
             pair.content_run[cell] * N_KINDS * N_KINDS + group // N_STRENGTHS, 1.0)
    emit(sink, ADJACENT,
         bin_of(strength_at(pair, i - 1, j - 1), STRENGTH_EDGES, N_STRENGTH_EDGES) * width + group,
         1.0)
    emit(sink, ADJACENT,
         (N_STRENGTH_EDGES + 1
          + bin_of(strength_at(pair, i + 1, j + 1), STRENGTH_EDGES, N_STRENGTH_EDGES)) * width
         + group, 1.0)
    _content_neighbour(pair, i, j, 0, strength, sink)
    _content_neighbour(pair, i, j, 1, strength, sink)
    for skip in range(4):
        # one word is skipped: before or after the cell, in the source or in the target
        if strength_at(
            pair,
            i + (1 if skip & 1 else -1) * (2 if skip & 2 else 1),
            j + (1 if skip & 1 else -1) * (1 if skip & 2 else 2),
        ) >= RUN_STRENGTH:
            emit(sink, SKIP, skip * N_STRENGTHS + strength, 1.0)
