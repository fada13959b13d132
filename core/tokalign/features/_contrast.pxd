from libc.stdint cimport uint8_t, uint32_t

from tokalign.features.pair cimport Lexeme

cdef uint8_t contrast(
    const Lexeme *a, const Lexeme *b, uint32_t relations, int lexical_class, float likeness
) noexcept nogil
