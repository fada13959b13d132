"""Features of nearness: of two words' vectors, of their company, and in lists of paraphrases.

A cosine says little by itself (antonyms and sisters are near too), so it is read beside what the
rest of the pair offers: a word whose twin stands elsewhere is taken, and among the free words only
each other's nearest are likely partners.
"""

from tokalign.features._pair cimport *
from tokalign.features._templates cimport *

cdef enum:
    N_COSINE_EDGES = 8
    N_ARC_EDGES = 5

cdef float[8] COSINE_EDGES = [0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7]
cdef float[5] ARC_EDGES = [0.01, 0.2, 0.4, 0.6, 0.8]
cdef float FREE_STRENGTH = 0.4   # a word whose best strength is lower has no partner yet
cdef float ALIKE = 0.69          # words this strong need no vectors


cdef inline bint _has_cosine(const Pair *pair, Py_ssize_t i, Py_ssize_t j) noexcept nogil:
    return pair.source.word[i].vector >= 0 and pair.target.word[j].vector >= 0


cdef void prepare_nearness(Pair *pair) noexcept nogil:
    """Fill `nearest` of both sides; -1 where nothing is free."""
    cdef Py_ssize_t i, j
    cdef float near
    for i in range(pair.source.n):
        pair.source.nearest[i] = -1.0
    for j in range(pair.target.n):
        pair.target.nearest[j] = -1.0
    for i in range(pair.source.n):
        if pair.source.best[i] >= FREE_STRENGTH or pair.source.word[i].vector < 0:
            continue
        for j in range(pair.target.n):
            if pair.target.best[j] < FREE_STRENGTH and pair.target.word[j].vector >= 0:
                near = pair.lexical[i * pair.target.n + j].cosine
                pair.source.nearest[i] = max(pair.source.nearest[i], near)
                pair.target.nearest[j] = max(pair.target.nearest[j], near)


cdef void nearness_features(
    const Pair *pair, Py_ssize_t i, Py_ssize_t j, Sink *sink
) noexcept nogil:
    """Emit the nearness features of one cell."""
    cdef const Lexeme *a = pair.source.word[i]
    cdef const Lexeme *b = pair.target.word[j]
    cdef Py_ssize_t cell = i * pair.target.n + j
    cdef int agreement, at, free
    cdef float near
    if pair.has_arcs:
        near = pair.distributional[cell]
        at = strength_class(pair.strength[cell])
        if near > 0.0:
            emit(sink, DISTRIBUTIONAL, at, near)
        emit(sink, DISTRIBUTIONAL_BIN,
             (bin_of(near, ARC_EDGES, N_ARC_EDGES) * N_KINDS * N_KINDS + kinds_of(a, b))
             * N_STRENGTHS + at, 1.0)
    agreement = 0 if a.tag == b.tag else 1 if a.coarse == b.coarse else 2
    if pair.lexical[cell].are_paraphrases and a.lower_form != b.lower_form:
        emit(sink, PARAPHRASE, agreement, 1.0)
    if not _has_cosine(pair, i, j) or pair.strength[cell] >= ALIKE:
        return
    near = pair.lexical[cell].cosine
    at = bin_of(near, COSINE_EDGES, N_COSINE_EDGES)
    free = (pair.source.best[i] < FREE_STRENGTH) + (pair.target.best[j] < FREE_STRENGTH)
    emit(sink, COSINE, (at * 3 + agreement) * 3 + 2 - free, 1.0)
    if free == 2:
        emit(sink, NEAREST,
             (at * 4 + 2 * (near < pair.source.nearest[i]) + (near < pair.target.nearest[j])) * 3
             + agreement, 1.0)
