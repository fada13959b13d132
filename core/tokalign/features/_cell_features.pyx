"""Features of a cell (a possible link) besides those of its words; and of a word without a link.

They are read from arrays of the pair (_cell_arrays.pyx).

place
    Position and neighbours, from Yao et al. (2013), section 3.3. Each is defined on the state (the
    target token); NULL has other features.
context
    The words around the two words.

    C1(i, j) = sum over d in -3..3 without 0 of V(i + d, j + d) / |d|, times 0.3 where either
               word there is no content word
    C2(i, j) = sum over target words jj within 3 of j, jj != j, of the largest V(ii, jj) of
               content words ii within 3 of i

    A run is a maximal diagonal stretch of cells with V >= 0.69 (MATCHED_STRENGTH).
competition
    Comparison of a cell with the others of its row and column. A word with a strong partner
    elsewhere is a poor candidate here, however similar the two words are.

    T(i, j) = 3 V + C1 + C2 / 2 - 0.3 |i / n_source - j / n_target|, and -1 where V < 0.1

    where V, C1 and C2 are the strength, window and bag of the cell.
nearness
    Word vectors of the two words and their neighbours. A cosine says little by itself (antonyms and
    co-hyponyms are near too), so it is compared with the rest of the pair: a word whose twin stands
    elsewhere is taken, and of the free words only mutual nearest neighbours are likely partners.
encoder
    Log-probabilities of every partner, in each direction. The encoder reads both sentences, so its
    probabilities need no context here; the chain adds consistency of neighbours, and trust by kind
    of word and lexical strength.
anchoring
    The share that the whole pair has in common. Weak evidence for a link only counts if the pair is
    anchored: between sentences that share almost nothing, words of related meaning are not
    counterparts.

    share(side) = sum over content words with V >= 0.9 of idf / sum over content words of idf
"""

from libc.math cimport fabsf
from libc.stdint cimport uint8_t

from tokalign.features._cell_arrays cimport NO_TENSION, REACH, competes
from tokalign.features._emit cimport *
from tokalign.features._sentence_features cimport dependency_features
from tokalign.features.pair cimport *

# Larger than an indicator's 1, so that the L2 penalty lets few, but clear, examples count.
cdef float NAME_VALUE = 10.0

cdef extern from *:
    """
    #define LEAST_LOG -8.0f
    """
    const float LEAST_LOG    # lower log-probabilities count as this


cdef inline void _place_features(
    const PairState *pair, Py_ssize_t i, Py_ssize_t j, Py_ssize_t cell, int strength,
    AnySink *sink,
) noexcept nogil:
    """Emit the features of two words' positions."""
    cdef bint last_source = i == pair.source.n - 1
    cdef bint last_target = j == pair.target.n - 1
    emit_position(sink, fabsf(pair.source.relative[i] - pair.target.relative[j]))
    emit_position_bin(sink, pair.near_bin[cell], strength)
    if i == 0 and j == 0:
        emit_edges(sink, PLACE_BOTH_FIRST, strength)
    if last_source and last_target:
        emit_edges(sink, PLACE_BOTH_LAST, strength)
    elif last_source or last_target:
        emit_edges(sink, PLACE_ONE_LAST, strength)
    _neighbour_features(seen_at(pair, i - 1, j - 1)[0], SIDE_LEFT, sink)
    _neighbour_features(seen_at(pair, i + 1, j + 1)[0], SIDE_RIGHT, sink)
    if pair.acronym[cell]:
        emit_acronym(sink)


cdef inline void _neighbour_features(uint8_t seen, int side, AnySink *sink) noexcept nogil:
    """Yao's contextual features: do the neighbours match?"""
    if seen & SEEN_IDENTICAL:
        emit_neighbour(sink, side, NEIGHBOUR_IDENTICAL)
    if seen & SEEN_LEMMA:
        emit_neighbour(sink, side, NEIGHBOUR_SAME_LEMMA)
    if seen & SEEN_TAG:
        emit_neighbour(sink, side, NEIGHBOUR_SAME_TAG)


cdef inline void _content_neighbour(
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


cdef inline void _context_features(
    const PairState *pair, Py_ssize_t i, Py_ssize_t j, Py_ssize_t cell, int kinds, int strength,
    AnySink *sink,
) noexcept nogil:
    """Emit the context features of one cell."""
    if pair.window[cell] > 0.0:
        emit_window(sink, strength, pair.window[cell])
    emit_window_bin(sink, pair.window_bin[cell], kinds, strength)
    if pair.bag[cell] > 0.0:
        emit_bag(sink, strength, pair.bag[cell])
    emit_bag_bin(sink, pair.bag_bin[cell], kinds, strength)
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


cdef inline int _tension_rank(const float *top, float value, int cap) noexcept nogil:
    """Return the number of larger values in the row or column, at most cap; see SLACK."""
    cdef int rank = 0
    while rank < cap and top[rank] > value + SLACK:
        rank += 1
    return rank


cdef float _tension_margin(const float *top, float value) noexcept nogil:
    """Return the value minus the largest of the others."""
    cdef float rival = top[1] if value >= top[0] else top[0]
    return value - max(rival, NO_TENSION)


cdef inline void _competition_features(
    const PairState *pair, Py_ssize_t i, Py_ssize_t j, Py_ssize_t cell, int kinds, int level,
    AnySink *sink,
) noexcept nogil:
    """Emit the competition features of one cell."""
    cdef const Lexeme *a = pair.source.word[i]
    cdef const Lexeme *b = pair.target.word[j]
    cdef float tension = pair.tension[cell]
    cdef float strength = pair.strength[cell]
    cdef const float *row = pair.source.top + i * N_TOP
    cdef const float *column = pair.target.top + j * N_TOP
    cdef int own
    emit_row_gap(sink, pair.row_gap[cell], kinds, level)
    emit_column_gap(sink, pair.column_gap[cell], kinds, level)
    if competes(strength):
        own = strength >= SAME_STRENGTH
        emit_rank(
            sink, _tension_rank(row, tension, N_ROW_RANK - 1), _tension_rank(column, tension, N_COLUMN_RANK - 1),
            kinds, level,
        )
        emit_row_ties(sink, count_row_ties(pair.source.ties[i] - own), kinds, level)
        emit_column_ties(sink, count_column_ties(pair.target.ties[j] - own), kinds, level)
        emit_row_margin(sink, bin_margin(_tension_margin(row, tension)), kinds, level)
        emit_column_margin(sink, bin_margin(_tension_margin(column, tension)), kinds, level)
    if (is_free(&pair.source, i) and is_free(&pair.target, j)
            and a.kind != KIND_MARK and b.kind != KIND_MARK):
        emit_residual(sink, pair_coarses(a.coarse, b.coarse))
        emit_residual_context(
            sink, bin_residual_window(pair.window[cell]), bin_residual_bag(pair.bag[cell]),
            pos_of(a, b),
        )


cdef inline void _nearness_features(
    const PairState *pair, Py_ssize_t i, Py_ssize_t j, Py_ssize_t cell, int kinds, int strength,
    AnySink *sink,
) noexcept nogil:
    """Emit the nearness features of one cell."""
    cdef const Lexeme *a = pair.source.word[i]
    cdef const Lexeme *b = pair.target.word[j]
    cdef int pos, cosine, n_free
    cdef float near
    if pair.has_arcs:
        near = pair.distributional[cell]
        if near > 0.0:
            emit_distributional(sink, strength, near)
        emit_distributional_bin(sink, bin_company(near), kinds, strength)
    if not have_cosine(a, b) or pair.strength[cell] >= MATCHED_STRENGTH:
        return  # words that match need no vectors
    near = pair.cosine[cell]
    cosine = bin_cosine(near)
    pos = pos_of(a, b)
    n_free = is_free(&pair.source, i) + is_free(&pair.target, j)
    emit_cosine(
        sink, cosine, pos,
        FREEDOM_BOTH_FREE if n_free == 2 else FREEDOM_ONE_FREE if n_free == 1 else FREEDOM_TAKEN,
    )
    if n_free == 2:
        emit_nearest(
            sink, cosine,
            _nearest_of(near >= pair.source.nearest[i], near >= pair.target.nearest[j]), pos,
        )


cdef inline int _nearest_of(bint in_row, bint in_column) noexcept nogil:
    if in_row:
        return NEAREST_BOTH if in_column else NEAREST_ROW
    return NEAREST_COLUMN if in_column else NEAREST_NEITHER


cdef inline int _likely_rank(const Side *side, Py_ssize_t at, float value) noexcept nogil:
    """Return the number of likelier partners, including NULL, at most 2."""
    return (
        (side.likeliest[2 * at] > value + SLACK)
        + (side.likeliest[2 * at + 1] > value + SLACK)
    )


cdef inline int _likely_margin(const Side *side, Py_ssize_t at, float value) noexcept nogil:
    """Return the bin of a log-probability minus that of the likeliest other partner."""
    cdef float rival = side.likeliest[2 * at]
    if value >= rival:
        rival = side.likeliest[2 * at + 1]
    return bin_likely_margin(max(value, LEAST_LOG) - max(rival, LEAST_LOG))


cdef inline void _neural_features(
    const PairState *pair, Py_ssize_t i, Py_ssize_t j, AnySink *sink
) noexcept nogil:
    """Emit the encoder's features of one cell; there is an encoder."""
    cdef float s2t = pair.source.encoded[i * (pair.target.n + 1) + j + 1]
    cdef float t2s = pair.target.encoded[j * (pair.source.n + 1) + i + 1]
    cdef int kinds = kinds_of(pair.source.word[i], pair.target.word[j])
    cdef int strength = strength_class(pair.strength[i * pair.target.n + j])
    emit_neural(sink, DIRECTION_S2T, strength, max(s2t, LEAST_LOG))
    emit_neural(sink, DIRECTION_T2S, strength, max(t2s, LEAST_LOG))
    emit_neural_bin(sink, DIRECTION_S2T, bin_likely(s2t), kinds, strength)
    emit_neural_bin(sink, DIRECTION_T2S, bin_likely(t2s), kinds, strength)
    emit_neural_both(sink, bin_coarsely(s2t), bin_coarsely(t2s), kinds, strength)
    emit_neural_rank(
        sink, _likely_rank(&pair.source, i, s2t), _likely_rank(&pair.target, j, t2s), kinds, strength
    )
    emit_neural_margin(sink, DIRECTION_S2T, _likely_margin(&pair.source, i, s2t), kinds, strength)
    emit_neural_margin(sink, DIRECTION_T2S, _likely_margin(&pair.target, j, t2s), kinds, strength)


cdef void _neural_null_features(
    const PairState *pair, bint of_source, Py_ssize_t at, AnySink *sink
) noexcept nogil:
    """Emit the encoder's features of one token being labelled NULL."""
    cdef const Side *side = &pair.source if of_source else &pair.target
    cdef const Side *other = &pair.target if of_source else &pair.source
    if side.encoded == NULL:
        return
    cdef float value = side.encoded[at * (other.n + 1)]
    cdef int strength = strength_class(side.best[at])
    emit_neural_null(sink, strength, max(value, LEAST_LOG))
    emit_neural_null_bin(sink, bin_likely(value), side.word[at].kind, strength)


cdef inline void _anchoring_features(
    const PairState *pair, Py_ssize_t i, Py_ssize_t j, AnySink *sink
) noexcept nogil:
    """Emit the anchoring features of one cell."""
    if (
        sink.base[<int>ANCHORED] < 0 and sink.base[<int>ANCHORED_CLASS] < 0
        and sink.base[<int>ANCHORED_COSINE] < 0
    ):
        return  # as in most models
    cdef const Lexeme *a = pair.source.word[i]
    cdef const Lexeme *b = pair.target.word[j]
    cdef Py_ssize_t cell = i * pair.target.n + j
    cdef int strength = strength_class(pair.strength[cell])
    cdef int larger = max(pair.source.share, pair.target.share)
    emit_anchored(sink, pair.source.share, pair.target.share, kinds_of(a, b), strength)
    if a.kind != KIND_CONTENT or b.kind != KIND_CONTENT or strength == STRENGTH_SAME:
        return
    emit_anchored_class(
        sink, larger, bin_residual_bag(pair.bag[cell]), pair.lexical_class[cell]
    )
    if have_cosine(a, b) and pair.strength[cell] < MATCHED_STRENGTH:
        emit_anchored_cosine(
            sink, larger, bin_anchored_closeness(pair.cosine[cell]), pos_of(a, b)
        )


cdef void _anchoring_null_features(
    const PairState *pair, bint of_source, Py_ssize_t at, AnySink *sink
) noexcept nogil:
    """Emit the anchoring features of one token being labelled NULL."""
    cdef const Side *side = &pair.source if of_source else &pair.target
    cdef const Side *other = &pair.target if of_source else &pair.source
    emit_null_anchored(sink, side.share, other.share, side.word[at].kind, bin_best(side.best[at]))


cdef int _adjacent_best(const Side *side, Py_ssize_t at) noexcept nogil:
    """Return the bin of a token's best strength, or that of the sentence's edge."""
    return bin_best(side.best[at]) if 0 <= at < side.n else ADJACENT_BEST_EDGE


cdef void _unaligned_features(
    const PairState *pair, bint of_source, Py_ssize_t at, AnySink *sink
) noexcept nogil:
    """Emit the features of one token being labelled NULL."""
    cdef const Side *side = &pair.source if of_source else &pair.target
    cdef const Side *other = &pair.target if of_source else &pair.source
    cdef const Lexeme *word = side.word[at]
    cdef int match = MATCH_MATCHED if is_matched(side, at) else MATCH_UNMATCHED
    cdef int head_best = HEAD_BEST_ROOT
    cdef int n_matched = 0
    cdef int32_t child
    emit_null_bias(sink)
    emit_null_tag(sink, word.tag)
    emit_null_best(sink, bin_best(side.best[at]), word.kind, word.coarse)
    emit_null_matches(sink, count_matches(side.ties[at]), word.kind)
    if word.function_word >= 0:
        emit_null_word(sink, word.function_word, match)
    emit_null_neighbours(
        sink, _adjacent_best(side, at - 1), _adjacent_best(side, at + 1), match, word.kind
    )
    emit_null_length(sink, bin_length_ratio(<float>side.n / other.n), word.kind, match)
    if not side.has_tree:
        return
    emit_null_relation(sink, side.group[at], match, word.kind)
    if side.head[at] >= 0:
        head_best = bin_best(side.best[side.head[at]])
    emit_null_head(sink, head_best, side.group[at], match)
    child = side.first_child[at]
    while child >= 0:
        n_matched += is_matched(side, child) and side.word[child].kind == KIND_CONTENT
        child = side.next_sibling[child]
    emit_null_children(sink, count_content_children(n_matched), word.kind, match)


cdef inline void _early_features(
    const PairState *pair, Py_ssize_t i, Py_ssize_t j, Py_ssize_t cell, int kinds, int strength,
    AnySink *sink,
) noexcept nogil:
    _place_features(pair, i, j, cell, strength, sink)
    if pair.name_part[cell]:
        emit(sink, NAME_PART, pair.name_part[cell] - 1, NAME_VALUE)
    if pair.rule[cell]:
        emit_rule(sink, pair.rule[cell] - 1, kinds)
    _context_features(pair, i, j, cell, kinds, strength, sink)
    _competition_features(pair, i, j, cell, kinds, strength, sink)


cdef inline void _late_features(
    const PairState *pair, Py_ssize_t i, Py_ssize_t j, Py_ssize_t cell, int kinds, int strength,
    AnySink *sink,
) noexcept nogil:
    _nearness_features(pair, i, j, cell, kinds, strength, sink)
    if pair.source.encoded != NULL:
        _neural_features(pair, i, j, sink)
    _anchoring_features(pair, i, j, sink)


cdef void cell_features(
    const PairState *pair, Py_ssize_t i, Py_ssize_t j, AnySink *sink
) noexcept nogil:
    """Emit the features of the link (i, j), except those of its words alone."""
    cdef Py_ssize_t cell = i * pair.target.n + j
    cdef int kinds = pair_kinds(pair.source.kind[i], pair.target.kind[j])
    cdef int strength = strength_class(pair.strength[cell])
    cdef bint has_trees = pair.source.has_tree and pair.target.has_tree
    cdef Score score
    if AnySink is Score:
        # Sums of its own stay in registers.
        score = sink[0]
        _early_features(pair, i, j, cell, kinds, strength, &score)
        if has_trees:
            sink[0] = score
            dependency_features(pair, i, j, sink)
            score = sink[0]
        _late_features(pair, i, j, cell, kinds, strength, &score)
        sink[0] = score
    else:
        _early_features(pair, i, j, cell, kinds, strength, sink)
        if has_trees:
            dependency_features(pair, i, j, sink)
        _late_features(pair, i, j, cell, kinds, strength, sink)


cdef void null_features(
    const PairState *pair, bint of_source, Py_ssize_t at, AnySink *sink
) noexcept nogil:
    """Emit the features of a token that has no partner."""
    _unaligned_features(pair, of_source, at, sink)
    _neural_null_features(pair, of_source, at, sink)
    _anchoring_null_features(pair, of_source, at, sink)
