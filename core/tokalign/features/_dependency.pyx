"""Features of the two words' places in their dependency trees; silent unless both have trees."""

from tokalign.features._emit cimport *
from tokalign.features.pair cimport *

cdef int _heads(const PairState *pair, Py_ssize_t head_a, Py_ssize_t head_b) noexcept nogil:
    """Return the bin of the heads' strength, or which of the words are roots."""
    if head_a < 0 and head_b < 0:
        return HEADS_BOTH_ROOTS
    if head_a < 0 or head_b < 0:
        return HEADS_ONE_ROOT
    return bin_strength_level(strength_at(pair, head_a, head_b))


cdef int _agreement(const PairState *pair, Py_ssize_t i, Py_ssize_t j) noexcept nogil:
    """Return how well the relations of two words to their heads match."""
    if pair.source.relation[i] == pair.target.relation[j]:
        return AGREEMENT_SAME_RELATION
    if pair.source.group[i] == pair.target.group[j]:
        return AGREEMENT_SAME_GROUP
    return AGREEMENT_OTHER_RELATION


cdef void _children(
    const PairState *pair, Py_ssize_t i, Py_ssize_t j, int *counts
) noexcept nogil:
    """Count the children of i that match a child of j, by CHILD: how their relations agree."""
    cdef int32_t a = pair.source.first_child[i]
    cdef int32_t b
    cdef int best
    while a >= 0:
        b = pair.target.first_child[j]
        best = N_AGREEMENT
        while b >= 0:
            if strength_at(pair, a, b) >= MATCHED_STRENGTH:
                best = min(best, _agreement(pair, a, b))
            b = pair.target.next_sibling[b]
        if best < N_AGREEMENT:
            # content children are numbered as agreements are
            counts[best if pair.source.word[a].kind == KIND_CONTENT else CHILD_FUNCTION] += 1
        a = pair.source.next_sibling[a]


cdef void dependency_features(
    const PairState *pair, Py_ssize_t i, Py_ssize_t j, AnySink *sink
) noexcept nogil:
    """Emit the dependency features of one cell; both sentences have trees."""
    cdef Py_ssize_t head_a = pair.source.head[i]
    cdef Py_ssize_t head_b = pair.target.head[j]
    cdef const Lexeme *a = pair.source.word[i]
    cdef const Lexeme *b = pair.target.word[j]
    cdef int kinds = kinds_of(a, b)
    cdef int strength = strength_class(pair.strength[i * pair.target.n + j])
    cdef int heads = _heads(pair, head_a, head_b)
    cdef int agreement = _agreement(pair, i, j)
    cdef int[<int>N_CHILD] counts = [0, 0, 0, 0]
    cdef int child
    cdef int matched = 0
    emit_head(sink, heads, agreement, kinds, strength)
    if head_a >= 0 and head_b >= 0 and strength_at(pair, head_a, head_b) >= MATCHED_STRENGTH:
        emit_head_relation(
            sink, pair_relation_groups(pair.source.group[i], pair.target.group[j]), strength
        )
    _children(pair, i, j, counts)
    for child in range(N_CHILD):
        matched += counts[child]
        emit_children(sink, child, count_children(counts[child]), strength)
    # a head on one side matches this word on the other: phrases turned inside out
    if head_a >= 0 and strength_at(pair, head_a, j) >= MATCHED_STRENGTH:
        emit_crossed_head(sink, CROSSED_SOURCE_HEAD, kinds, strength)
    if head_b >= 0 and strength_at(pair, i, head_b) >= MATCHED_STRENGTH:
        emit_crossed_head(sink, CROSSED_TARGET_HEAD, kinds, strength)
    if (is_free(&pair.source, i) and is_free(&pair.target, j)
            and a.kind == KIND_CONTENT and b.kind == KIND_CONTENT):
        emit_residual_head(
            sink, heads, agreement, count_matched_children(matched),
            COARSE_MATCH_SAME_CLASS if a.coarse == b.coarse else COARSE_MATCH_OTHER_CLASS,
        )
