from tokalign.features.pair cimport Lexeme, PairState, uint8_t

cdef uint8_t word_rule(const Lexeme *a, const Lexeme *b, int lexical_class) noexcept nogil
cdef void mark_acronyms(PairState *pair) noexcept nogil
cdef void mark_names(PairState *pair) noexcept nogil
cdef void compare_values(PairState *pair) noexcept nogil
cdef void mark_rules(PairState *pair) noexcept nogil
