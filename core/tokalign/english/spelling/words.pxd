from tokalign.english.spelling.letters cimport Letters

cdef bint typo(const Letters *a, const Letters *b) noexcept nogil
cdef bint lengthened(const Letters *a, const Letters *b) noexcept nogil
cdef bint variant(const Letters *a, const Letters *b) noexcept nogil
