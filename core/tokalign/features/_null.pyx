"""Features of NULL: how likely a word is to have no partner at all."""

from tokalign.features._emit cimport *
from tokalign.features.pair cimport *

cdef int _adjacent_best(const Side *side, Py_ssize_t at) noexcept nogil:
    """Return the bin of a token's best strength, or that of the sentence's edge."""
    return bin_best(side.best[at]) if 0 <= at < side.n else ADJACENT_BEST_EDGE


cdef void null_features(
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
