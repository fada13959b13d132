from libc.stdint cimport int32_t, uint32_t, uint64_t

cdef enum:
    MAX_CHARS = 64       # longer words are compared by their first 64 characters
    PLAIN = 256          # code points below are looked up in a table

cdef struct Characters:
    # A word prepared for comparison. Owned by whoever called prepare.
    int32_t n
    uint64_t letters                 # bit (code point mod 64) set for every character
    bint is_plain                    # whether all code points are in 1..PLAIN - 1
    uint32_t code[MAX_CHARS]
    uint64_t bigram[MAX_CHARS]       # sorted; n - 1 of them, or the character itself if n == 1
    uint64_t trigram[MAX_CHARS + 2]  # sorted; of the word padded with one boundary on each side

cdef void prepare(Characters *word) noexcept nogil
cdef void similarities(const Characters *a, const Characters *b, float *out) noexcept nogil
cdef int common_prefix(const Characters *a, const Characters *b) noexcept nogil
cdef void fill_characters(str word, Characters *out)
