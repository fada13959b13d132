"""Features of nearness: of the vectors of two words, and of the words they occur with.

A cosine says little by itself (antonyms and sisters are near too), so it is read beside what the
rest of the pair offers: a word whose twin stands elsewhere is taken, and among the free words only
each other's nearest are likely partners.
"""

from tokalign.features._emit cimport *
from tokalign.features.pair cimport *

cdef void prepare_nearness(PairState *pair) noexcept nogil:
    """Fill `nearest` of both sides; -1 where nothing is free."""
    cdef Py_ssize_t i, j
    cdef float near
    for i in range(pair.source.n):
        pair.source.nearest[i] = -1.0
    for j in range(pair.target.n):
        pair.target.nearest[j] = -1.0
    for i in range(pair.source.n):
        if not is_free(&pair.source, i) or pair.source.word[i].vector < 0:
            continue
        for j in range(pair.target.n):
            if is_free(&pair.target, j) and pair.target.word[j].vector >= 0:
                near = pair.cosine[i * pair.target.n + j]
                pair.source.nearest[i] = max(pair.source.nearest[i], near)
                pair.target.nearest[j] = max(pair.target.nearest[j], near)


cdef void nearness_features(
    const PairState *pair, Py_ssize_t i, Py_ssize_t j, AnySink *sink
) noexcept nogil:
    """Emit the nearness features of one cell."""
    cdef const Lexeme *a = pair.source.word[i]
    cdef const Lexeme *b = pair.target.word[j]
    cdef Py_ssize_t cell = i * pair.target.n + j
    cdef int pos = pos_of(a, b)
    cdef int strength, cosine, n_free
    cdef float near
    if pair.has_arcs:
        near = pair.distributional[cell]
        strength = strength_class(pair.strength[cell])
        if near > 0.0:
            emit_distributional(sink, strength, near)
        emit_distributional_bin(sink, bin_company(near), kinds_of(a, b), strength)
    if not have_cosine(a, b) or pair.strength[cell] >= MATCHED_STRENGTH:
        return  # words that match need no vectors
    near = pair.cosine[cell]
    cosine = bin_cosine(near)
    n_free = is_free(&pair.source, i) + is_free(&pair.target, j)
    emit_cosine(
        sink, cosine, pos,
        FREEDOM_BOTH_FREE if n_free == 2 else FREEDOM_ONE_FREE if n_free == 1 else FREEDOM_TAKEN,
    )
    if n_free == 2:
        emit_nearest(
            sink, cosine,
            _nearest(near >= pair.source.nearest[i], near >= pair.target.nearest[j]), pos,
        )


cdef inline int _nearest(bint in_row, bint in_column) noexcept nogil:
    if in_row:
        return NEAREST_BOTH if in_column else NEAREST_ROW
    return NEAREST_COLUMN if in_column else NEAREST_NEITHER
