"""Features of the two words' places in their dependency trees; silent unless both have trees."""

from tokalign.features._pair cimport *
from tokalign.features._templates cimport *

cdef enum:
    N_STRENGTH_EDGES = 4
    N_HEAD_STATES = 7        # five bins of strength, both roots, one root
    N_GROUPS = 16
    MAX_CHILDREN = 3
    MATCHED_SAME = 0         # kinds of matched children
    MATCHED_GROUP = 1
    MATCHED_OTHER = 2

cdef float[4] STRENGTH_EDGES = [0.1, 0.4, 0.7, 0.9]
cdef float MATCHED = 0.69
cdef float FREE_STRENGTH = 0.4


cdef int _head_state(const Pair *pair, Py_ssize_t head_a, Py_ssize_t head_b) noexcept nogil:
    """Return the bin of the heads' strength, or which of the words are roots."""
    if head_a < 0 and head_b < 0:
        return N_STRENGTH_EDGES + 1
    if head_a < 0 or head_b < 0:
        return N_STRENGTH_EDGES + 2
    return bin_of(strength_at(pair, head_a, head_b), STRENGTH_EDGES, N_STRENGTH_EDGES)


cdef int _agreement(const Pair *pair, Py_ssize_t i, Py_ssize_t j) noexcept nogil:
    """Return 0 for the same relation, 1 for the same group of relations, 2 otherwise."""
    if pair.source.relation[i] == pair.target.relation[j]:
        return 0
    return 1 if pair.source.group[i] == pair.target.group[j] else 2


cdef void _children(
    const Pair *pair, Py_ssize_t i, Py_ssize_t j, int *counts
) noexcept nogil:
    """Count the children of i that match a child of j, by how their relations agree."""
    cdef int32_t a = pair.source.first_child[i]
    cdef int32_t b
    cdef int agreement, best
    while a >= 0:
        b = pair.target.first_child[j]
        best = MATCHED_OTHER + 1
        while b >= 0:
            if strength_at(pair, a, b) >= MATCHED:
                agreement = _agreement(pair, a, b)
                best = min(best, agreement)
            b = pair.target.next_sibling[b]
        if best <= MATCHED_OTHER:
            if pair.source.word[a].kind == CONTENT:
                counts[best] += 1
            else:
                counts[3] += 1
        a = pair.source.next_sibling[a]


cdef void dependency_features(
    const Pair *pair, Py_ssize_t i, Py_ssize_t j, Sink *sink
) noexcept nogil:
    """Emit the dependency features of one cell."""
    if not (pair.source.has_tree and pair.target.has_tree):
        return
    cdef Py_ssize_t head_a = pair.source.head[i]
    cdef Py_ssize_t head_b = pair.target.head[j]
    cdef const Lexeme *a = pair.source.word[i]
    cdef const Lexeme *b = pair.target.word[j]
    cdef float strength = pair.strength[i * pair.target.n + j]
    cdef int group = kinds_of(a, b) * N_STRENGTHS + strength_class(strength)
    cdef int width = N_KINDS * N_KINDS * N_STRENGTHS
    cdef int state = _head_state(pair, head_a, head_b)
    cdef int agreement = _agreement(pair, i, j)
    cdef int[4] counts = [0, 0, 0, 0]
    cdef int k, matched
    emit(sink, HEAD, (state * 3 + agreement) * width + group, 1.0)
    if head_a >= 0 and head_b >= 0 and strength_at(pair, head_a, head_b) >= MATCHED:
        emit(sink, HEAD_RELATION,
             (pair.source.group[i] * N_GROUPS + pair.target.group[j]) * N_STRENGTHS
             + strength_class(strength), 1.0)
    _children(pair, i, j, counts)
    matched = 0
    for k in range(4):
        matched += counts[k]
        emit(sink, CHILDREN, (k * (MAX_CHILDREN + 1) + min(counts[k], MAX_CHILDREN)) * N_STRENGTHS
             + strength_class(strength), 1.0)
    # a head on one side matches this word on the other: phrases turned inside out
    if head_a >= 0 and strength_at(pair, head_a, j) >= MATCHED:
        emit(sink, CROSSED_HEAD, group, 1.0)
    if head_b >= 0 and strength_at(pair, i, head_b) >= MATCHED:
        emit(sink, CROSSED_HEAD, width + group, 1.0)
    if (pair.source.best[i] < FREE_STRENGTH and pair.target.best[j] < FREE_STRENGTH
            and a.kind == CONTENT and b.kind == CONTENT):
        emit(sink, RESIDUAL_HEAD,
             ((state * 3 + agreement) * 3 + min(matched, 2)) * 2 + (a.coarse == b.coarse), 1.0)
