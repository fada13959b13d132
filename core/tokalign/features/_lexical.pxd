from tokalign.features.pair cimport AnySink, Lexeme, LexicalPair, PairState

cdef void mark_acronyms(PairState *pair) noexcept nogil
cdef void word_features(
    const Lexeme *a, const Lexeme *b, const LexicalPair *lexical, AnySink *sink
) noexcept nogil
cdef void place_features(
    const PairState *pair, Py_ssize_t i, Py_ssize_t j, AnySink *sink
) noexcept nogil
