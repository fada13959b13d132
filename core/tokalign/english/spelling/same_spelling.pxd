from libc.stdint cimport int32_t, uint32_t

cdef enum:
    MAX_LETTERS = 40    # longer words are never equal to others

cdef struct Letters:
    # A word in lower case.
    const uint32_t *code    # [n] code points, owned by the caller
    int32_t n
    bint is_function        # whether it may be left out of an acronym

ctypedef const Letters *Borrowed

cdef bint typo(const Letters *a, const Letters *b) noexcept nogil
cdef bint lengthened(const Letters *a, const Letters *b) noexcept nogil
cdef bint variant(const Letters *a, const Letters *b) noexcept nogil
cdef bint joined(const Letters *word, const Letters **run, int n_run) noexcept nogil
cdef bint initials(const Letters *word, const Letters **run, int n_run) noexcept nogil

cdef class SpelledWord:
    cdef Letters letters
    cdef uint32_t[MAX_LETTERS] _code
