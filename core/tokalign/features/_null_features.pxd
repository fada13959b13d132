"""Features of a token that has no partner: of its words, the encoder, and anchoring.

Kernels for extract.pyx alone, as those of cells (_cell_features.pxd).
"""

from libc.stdint cimport int32_t

from tokalign.features._cell_features cimport LEAST_LOG
from tokalign.features._emit cimport *
from tokalign.features.pair cimport *


cdef inline void _neural_null_features(
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


cdef inline void _anchoring_null_features(
    const PairState *pair, bint of_source, Py_ssize_t at, AnySink *sink
) noexcept nogil:
    """Emit the anchoring features of one token being labelled NULL."""
    cdef const Side *side = &pair.source if of_source else &pair.target
    cdef const Side *other = &pair.target if of_source else &pair.source
    emit_null_anchored(sink, side.share, other.share, side.word[at].kind, bin_best(side.best[at]))


cdef inline int _adjacent_best(const Side *side, Py_ssize_t at) noexcept nogil:
    """Return the bin of a token's best strength, or that of the sentence's edge."""
    return bin_best(side.best[at]) if 0 <= at < side.n else ADJACENT_BEST_EDGE


cdef inline void _unaligned_features(
    const PairState *pair, bint of_source, Py_ssize_t at, AnySink *sink
) noexcept nogil:
    """Emit the features of one token being labelled NULL."""
    cdef const Side *side = &pair.source if of_source else &pair.target
    cdef const Side *other = &pair.target if of_source else &pair.source
    cdef const Lexeme *word = side.word[at]
    cdef int match = MATCH_MATCHED if is_matched(side, at) else MATCH_UNMATCHED
    cdef int head_best = HEAD_BEST_ROOT, n_matched = 0
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


cdef inline void null_features(
    const PairState *pair, bint of_source, Py_ssize_t at, AnySink *sink
) noexcept nogil:
    """Emit the features of a token that has no partner."""
    _unaligned_features(pair, of_source, at, sink)
    _neural_null_features(pair, of_source, at, sink)
    _anchoring_null_features(pair, of_source, at, sink)
