from libc.stdint cimport uint8_t

cdef enum:
    # Bits of a position; the position after the last character counts too.
    BREAK = 1           # a token starts or ends before this character
    EARLY = 2           # with BREAK: the script breaks here before it looks at apostrophes
    OPENING = 4         # this quotation mark becomes ``
    CLOSING = 8         # this quotation mark becomes ''
    DASH = 16           # written --
    ELLIPSIS = 32       # written ...
    NOT = 64            # this nt is written n't
    REWRITTEN = OPENING | CLOSING | DASH | ELLIPSIS | NOT

cdef Py_UCS4 straightened(Py_UCS4 letter) noexcept nogil

# letters [n] are straightened, and white space becomes spaces; bits [n + 1] are written.
cdef void mark_tokens(Py_UCS4* letters, uint8_t* bits, Py_ssize_t n) noexcept nogil
# start is where to look from; then the token's, as end.
cdef bint next_token(
    const Py_UCS4* letters, const uint8_t* bits, Py_ssize_t n, Py_ssize_t* start, Py_ssize_t* end
) noexcept nogil
