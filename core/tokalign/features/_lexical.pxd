from tokalign.features._pair cimport AnySink, Lexeme, LexicalPair, Pair

cdef void mark_acronyms(Pair *pair) noexcept nogil
cdef void word_features(
    const Lexeme *a, const Lexeme *b, const LexicalPair *lexical, AnySink *sink
) noexcept nogil
cdef void place_features(const Pair *pair, Py_ssize_t i, Py_ssize_t j, AnySink *sink) noexcept nogil
