from libc.stdint cimport int32_t, uint32_t, uint64_t

cdef enum:
    MAX_CHARS = 64       # longer words are compared by their first 64 characters
    PLAIN = 256          # code points below are looked up in a table

cdef struct Characters:
    # A word prepared for comparison; its arrays are in memory that the caller gave.
    int32_t n
    bint is_plain                # whether all code points are in 1..PLAIN - 1
    uint64_t letters             # bit (code point mod 64) set for every character
    const uint64_t *bigram       # sorted; n - 1 of them, or the character itself if n == 1
    const uint64_t *trigram      # [n] sorted; of the word padded with one boundary on each side
    const uint32_t *code         # [n]

cdef size_t characters_bytes(Py_ssize_t length) noexcept nogil
cdef int fill_characters(str word, Characters *out, void *memory) except -1
cdef void similarities(const Characters *a, const Characters *b, float *out) noexcept nogil
cdef int common_prefix(const Characters *a, const Characters *b) noexcept nogil
