from tokalign.features.pair cimport AnySink, Lexeme, PairState, uint8_t

cdef uint8_t word_rule(const Lexeme *a, const Lexeme *b, int lexical_class) noexcept nogil
cdef void mark_rules(PairState *pair) noexcept nogil
cdef void rule_features(
    const PairState *pair, Py_ssize_t i, Py_ssize_t j, AnySink *sink
) noexcept nogil
cdef void compare_values(PairState *pair) noexcept nogil
