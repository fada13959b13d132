"""Features of NULL: how likely a word is to have no partner at all."""

from tokalign.features._pair cimport *
from tokalign.features._templates cimport *

cdef enum:
    N_BEST_EDGES = 5
    N_LENGTH_EDGES = 5
    N_COARSE = 12
    N_GROUPS = 16
    MAX_MATCHES = 3
    MAX_CHILDREN = 3

cdef float[5] BEST_EDGES = [0.1, 0.4, 0.65, 0.85, 0.97]
cdef float[5] LENGTH_EDGES = [0.4, 0.7, 1.1, 1.8, 3.0]
cdef float MATCHED = 0.69


cdef int _best_bin(const Side *side, Py_ssize_t at) noexcept nogil:
    """Return the bin of a token's best strength, or one more outside the sentence."""
    if at < 0 or at >= side.n:
        return N_BEST_EDGES + 1
    return bin_of(side.best[at], BEST_EDGES, N_BEST_EDGES)


cdef void null_features(
    const Pair *pair, bint of_source, Py_ssize_t at, Sink *sink
) noexcept nogil:
    """Emit the features of one token being labelled NULL."""
    cdef const Side *side = &pair.source if of_source else &pair.target
    cdef const Side *other = &pair.target if of_source else &pair.source
    cdef const Lexeme *word = side.word[at]
    cdef int best = _best_bin(side, at)
    cdef int matched = 0
    cdef int32_t child
    emit(sink, NULL_BIAS, 0, 1.0)
    emit(sink, NULL_TAG, word.tag, 1.0)
    emit(sink, NULL_BEST, (best * N_KINDS + word.kind) * N_COARSE + word.coarse, 1.0)
    emit(sink, NULL_MATCHES, min(side.ties[at], MAX_MATCHES) * N_KINDS + word.kind, 1.0)
    if word.function_word >= 0:
        emit(sink, NULL_WORD, word.function_word * 2 + (side.best[at] >= MATCHED), 1.0)
    emit(sink, NULL_NEIGHBOURS,
         ((_best_bin(side, at - 1) * (N_BEST_EDGES + 2) + _best_bin(side, at + 1)) * 2
          + (side.best[at] >= MATCHED)) * N_KINDS + word.kind, 1.0)
    emit(sink, NULL_LENGTH,
         (bin_of(<float>side.n / other.n, LENGTH_EDGES, N_LENGTH_EDGES) * N_KINDS + word.kind) * 2
         + (side.best[at] >= MATCHED), 1.0)
    if not side.has_tree:
        return
    emit(sink, NULL_RELATION,
         (side.group[at] * 2 + (side.best[at] >= MATCHED)) * N_KINDS + word.kind, 1.0)
    emit(sink, NULL_HEAD,
         ((_best_bin(side, side.head[at]) * N_GROUPS + side.group[at]) * 2
          + (side.best[at] >= MATCHED)), 1.0)
    child = side.first_child[at]
    while child >= 0:
        matched += side.best[child] >= MATCHED and side.word[child].kind == CONTENT
        child = side.next_sibling[child]
    emit(sink, NULL_CHILDREN,
         (min(matched, MAX_CHILDREN) * N_KINDS + word.kind) * 2 + (side.best[at] >= MATCHED), 1.0)
