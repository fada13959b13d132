"""Features of the words around the two words.

    C1(i, j) = sum over d in -3..3 without 0 of V(i + d, j + d) / |d|, times 0.3 where either
               word there is no content word
    C2(i, j) = sum over target words jj within 3 of j, jj != j, of the largest V(ii, jj) of
               content words ii within 3 of i

A run is a maximal diagonal stretch of cells with V >= 0.69 (MATCHED_STRENGTH).
"""

from libc.stdint cimport uint8_t
from libc.string cimport memset

from tokalign.features._emit cimport *
from tokalign.features.pair cimport *

cdef enum:
    REACH = 3   # as _window_row and _bag_row are written out for

cdef float NON_CONTENT_FACTOR = 0.3


cdef Py_ssize_t context_scratch(Py_ssize_t n_source, Py_ssize_t n_target) noexcept nogil:
    """Return how many floats prepare_context needs: two arrays with a margin of zeros."""
    return 2 * (n_source + 2 * REACH) * (n_target + 2 * REACH)


cdef void prepare_context(PairState *pair) noexcept nogil:
    """Fill window, bag, run and content_run from strength."""
    cdef Py_ssize_t n_source = pair.source.n
    cdef Py_ssize_t n_target = pair.target.n
    # Zeros around the cells stand for what lies outside, so that no loop asks where it is.
    cdef Py_ssize_t width = n_target + 2 * REACH
    cdef Py_ssize_t n_padded = (n_source + 2 * REACH) * width
    cdef float *weighted = pair.scratch + REACH * width + REACH
    cdef float *content = weighted + n_padded
    cdef const float *strength = pair.strength
    cdef float value
    cdef bint both
    cdef Py_ssize_t i, j
    _prepare_seen(pair)
    memset(pair.scratch, 0, 2 * n_padded * sizeof(float))
    for i in range(n_source):
        for j in range(n_target):
            value = strength[i * n_target + j]
            both = pair.source.kind[i] == KIND_CONTENT and pair.target.kind[j] == KIND_CONTENT
            weighted[i * width + j] = value if both else value * NON_CONTENT_FACTOR
            content[i * width + j] = value if both else 0.0
    for i in range(n_source):
        _window_row(weighted + i * width, width, n_target, pair.window + i * n_target)
    _prepare_runs(pair)
    for i in range(n_source):  # the best of each column within reach; the margin stays zero
        _best_row(content + i * width, width, n_target, weighted + i * width)
    for i in range(n_source):
        _bag_row(weighted + i * width, n_target, pair.bag + i * n_target)


cdef void _prepare_seen(PairState *pair) noexcept nogil:
    """Fill seen from strength."""
    cdef const Lexeme *a
    cdef const Lexeme *b
    cdef float strength
    cdef uint8_t *row
    cdef Py_ssize_t i, j
    memset(pair.seen, 0, (pair.source.n + 2 * MARGIN) * seen_width(pair))
    for i in range(pair.source.n):
        a = pair.source.word[i]
        row = <uint8_t *>seen_at(pair, i, 0)
        for j in range(pair.target.n):
            b = pair.target.word[j]
            strength = pair.strength[i * pair.target.n + j]
            row[j] = <uint8_t>(
                bin_strength_level(strength) | SEEN_MATCHED * (strength >= MATCHED_STRENGTH)
                | SEEN_IDENTICAL * (a.lower_form == b.lower_form)
                | SEEN_LEMMA * (a.lemma == b.lemma) | SEEN_TAG * (a.tag == b.tag)
            )


cdef void _window_row(
    const float *weighted, Py_ssize_t width, Py_ssize_t n_target, float *window
) noexcept nogil:
    """Sum up the diagonal neighbours of a row of cells."""
    cdef const float *up = weighted - width - 1
    cdef const float *down = weighted + width + 1
    cdef Py_ssize_t step = width + 1
    cdef Py_ssize_t j
    for j in range(n_target):
        window[j] = (
            (up[j] + down[j])
            + (up[j - step] + down[j + step]) / <float>2.0
            + (up[j - 2 * step] + down[j + 2 * step]) / <float>3.0
        )


cdef void _best_row(
    const float *content, Py_ssize_t width, Py_ssize_t n_target, float *best
) noexcept nogil:
    """Take the largest of the 2 * REACH + 1 cells of each column around a row."""
    cdef const float *row
    cdef Py_ssize_t d, j
    for j in range(n_target):
        best[j] = 0.0
    for d in range(-REACH, REACH + 1):
        row = content + d * width
        for j in range(n_target):
            best[j] = row[j] if row[j] > best[j] else best[j]


cdef void _bag_row(const float *best, Py_ssize_t n_target, float *bag) noexcept nogil:
    """Sum up the cells of a row within reach of each, without itself."""
    cdef Py_ssize_t j
    for j in range(n_target):
        bag[j] = best[j - 3] + best[j - 2] + best[j - 1] + best[j + 1] + best[j + 2] + best[j + 3]


cdef void _prepare_runs(PairState *pair) noexcept nogil:
    """Fill run and content_run: walk each diagonal and write the length back over the run."""
    cdef Py_ssize_t n_source = pair.source.n
    cdef Py_ssize_t n_target = pair.target.n
    cdef Py_ssize_t i, j, cell, k, length
    cdef int content
    for i in range(n_source):
        for j in range(n_target):
            cell = i * n_target + j
            if pair.strength[cell] < MATCHED_STRENGTH:
                pair.run[cell] = pair.content_run[cell] = 0
                continue
            if i > 0 and j > 0 and pair.strength[cell - n_target - 1] >= MATCHED_STRENGTH:
                continue  # written from the start of its run
            length = content = 0
            while (i + length < n_source and j + length < n_target
                   and pair.strength[cell + length * (n_target + 1)] >= MATCHED_STRENGTH):
                content += pair.source.word[i + length].kind == KIND_CONTENT
                length += 1
            for k in range(length):
                pair.run[cell + k * (n_target + 1)] = <uint8_t>(1 + count_run(length))
                pair.content_run[cell + k * (n_target + 1)] = <uint8_t>count_content_run(content)


cdef void _content_neighbour(
    const PairState *pair, Py_ssize_t i, Py_ssize_t j, int side, int strength, AnySink *sink
) noexcept nogil:
    """Emit how well the nearest content words on one side match, and how far they are."""
    cdef Py_ssize_t a = (
        pair.source.previous_content[i] if side == SIDE_LEFT else pair.source.next_content[i]
    )
    cdef Py_ssize_t b = (
        pair.target.previous_content[j] if side == SIDE_LEFT else pair.target.next_content[j]
    )
    cdef Py_ssize_t distance_a, distance_b
    cdef int match = CONTENT_MATCH_EDGE
    cdef int reach = REACH_EQUALLY_FAR
    if a >= 0 and b >= 0:
        match = seen_at(pair, a, b)[0] & SEEN_LEVEL
        distance_a = a - i if a > i else i - a
        distance_b = b - j if b > j else j - b
        if distance_a > REACH or distance_b > REACH:
            reach = REACH_BEYOND_3
        elif distance_a != distance_b:
            reach = REACH_UNEQUALLY_FAR
    emit_content_neighbour(sink, side, match, reach, strength)


cdef void context_features(
    const PairState *pair, Py_ssize_t i, Py_ssize_t j, AnySink *sink
) noexcept nogil:
    """Emit the context features of one cell."""
    cdef Py_ssize_t cell = i * pair.target.n + j
    cdef int strength = strength_class(pair.strength[cell])
    cdef int kinds = kinds_of(pair.source.word[i], pair.target.word[j])
    if pair.window[cell] > 0.0:
        emit_window(sink, strength, pair.window[cell])
    emit_window_bin(sink, bin_window(pair.window[cell]), kinds, strength)
    if pair.bag[cell] > 0.0:
        emit_bag(sink, strength, pair.bag[cell])
    emit_bag_bin(sink, bin_bag(pair.bag[cell]), kinds, strength)
    if pair.run[cell]:
        emit_run(sink, pair.run[cell] - 1, kinds)
        emit_content_run(sink, pair.content_run[cell], kinds)
    emit_adjacent(
        sink, SIDE_LEFT, seen_at(pair, i - 1, j - 1)[0] & SEEN_LEVEL, kinds, strength
    )
    emit_adjacent(
        sink, SIDE_RIGHT, seen_at(pair, i + 1, j + 1)[0] & SEEN_LEVEL, kinds, strength
    )
    _content_neighbour(pair, i, j, SIDE_LEFT, strength, sink)
    _content_neighbour(pair, i, j, SIDE_RIGHT, strength, sink)
    # one word is skipped: before or after the cell, in the source or in the target
    if seen_at(pair, i - 1, j - 2)[0] & SEEN_MATCHED:
        emit_skip(sink, SKIP_LEFT_TARGET, strength)
    if seen_at(pair, i + 1, j + 2)[0] & SEEN_MATCHED:
        emit_skip(sink, SKIP_RIGHT_TARGET, strength)
    if seen_at(pair, i - 2, j - 1)[0] & SEEN_MATCHED:
        emit_skip(sink, SKIP_LEFT_SOURCE, strength)
    if seen_at(pair, i + 2, j + 1)[0] & SEEN_MATCHED:
        emit_skip(sink, SKIP_RIGHT_SOURCE, strength)
