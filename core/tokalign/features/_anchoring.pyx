"""Features of the share that the whole pair has in common.

    share(side) = sum over content words with V >= 0.9 of idf / sum over content words of idf

Weak evidence for a link counts only where the pair is anchored: of sentences that share next to
nothing, two words of related meaning are no more than that.
"""

from tokalign.features._emit cimport *
from tokalign.features.pair cimport *


cdef float _share(const Side *side) noexcept nogil:
    """Return the idf share of a side's content words that have a twin; 0 without content."""
    cdef float total = 0.0
    cdef float shared = 0.0
    cdef Py_ssize_t k
    for k in range(side.n):
        if side.word[k].kind == KIND_CONTENT:
            total += side.word[k].idf
            if side.best[k] >= SAME_STRENGTH:
                shared += side.word[k].idf
    return shared / total if total > 0.0 else <float>0.0


cdef void prepare_anchoring(PairState *pair) noexcept nogil:
    """Fill the shares of both sides; needs `best`."""
    pair.source.share = bin_share(_share(&pair.source))
    pair.target.share = bin_share(_share(&pair.target))


cdef void anchoring_features(
    const PairState *pair, Py_ssize_t i, Py_ssize_t j, AnySink *sink
) noexcept nogil:
    """Emit the anchoring features of one cell."""
    if (
        sink.base[<int>ANCHORED] < 0 and sink.base[<int>ANCHORED_CLASS] < 0
        and sink.base[<int>ANCHORED_COSINE] < 0
    ):
        return  # as of most models
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


cdef void anchoring_null_features(
    const PairState *pair, bint of_source, Py_ssize_t at, AnySink *sink
) noexcept nogil:
    """Emit the anchoring features of one token being labelled NULL."""
    cdef const Side *side = &pair.source if of_source else &pair.target
    cdef const Side *other = &pair.target if of_source else &pair.source
    emit_null_anchored(sink, side.share, other.share, side.word[at].kind, bin_best(side.best[at]))
