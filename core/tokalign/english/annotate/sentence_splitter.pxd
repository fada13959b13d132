from libc.stdint cimport int64_t

cdef struct Scan:
    int kind            # how the text is stored: bytes of a character
    const void* data
    Py_ssize_t n
    int64_t n_steps     # characters read so far
    bint is_open        # whether the end of the text was read for the last sentence

cdef Scan scan_of(int kind, const void* data, Py_ssize_t n) noexcept nogil

cdef Py_ssize_t skip_space(Scan* scan, Py_ssize_t i, bint* is_blank) noexcept nogil

cdef bint next_sentence(
    Scan* scan,
    Py_ssize_t* start,      # of the sentence, written
    Py_ssize_t* end,        # end of the previous sentence, or the start; then this one's, written
) noexcept nogil
