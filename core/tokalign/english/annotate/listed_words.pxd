# The words of tokalign.english.annotate.abbreviations, for kernels.

cdef enum:
    N_LOOKED_AT = 24    # LONGEST_WORD; compared with it where the lists are read
    N_WORD = 12         # bytes of a listed word and its end

    # What a listed word is.
    NEVER = 1
    DIGITS = 2
    SELDOM = 4
    FIRST = 8
    LOWER = 16

cdef int lists_of(const char *spelling) noexcept nogil
