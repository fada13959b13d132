"""A text as the sentence splitter reads it, from left to right."""

from libc.stdint cimport int64_t

from tokalign.english.annotate.characters cimport *

cdef struct Scan:
    int kind            # how the text is stored: bytes of a character
    const void* data
    Py_ssize_t n
    int64_t n_steps     # characters read so far
    bint is_open        # whether the end of the text was read, of the last sentence
    Py_ssize_t line     # the first sign of the last line whose beginning was read
    Py_ssize_t body     # where its text begins, behind the signs of a block; 0 if there are none
    bint begins         # whether it begins a block
    bint is_alone       # whether it is a heading or a fence
    int number          # of the last item, and what is written about it
    int number_kind
    Py_ssize_t closed_at    # brackets are open up to here
    Py_ssize_t unclosed_to  # and none that opened is closed up to here


cdef inline Py_UCS4 at(Scan* scan, Py_ssize_t i) noexcept nogil:
    """Return a character, or 0 outside the text."""
    scan.n_steps += 1
    if i >= scan.n:
        scan.is_open = True
        return 0
    return PyUnicode_READ(scan.kind, scan.data, i) if i >= 0 else 0


cdef inline bint is_space(Scan* scan, Py_ssize_t i) noexcept nogil:
    return Py_UNICODE_ISSPACE(at(scan, i)) and i < scan.n


cdef inline Py_ssize_t skip_space(Scan* scan, Py_ssize_t i, int* n_breaks) noexcept nogil:
    """Return the end of the white space at i, and how many line breaks it holds; 2 are many."""
    cdef Py_UCS4 letter
    n_breaks[0] = 0
    while is_space(scan, i):
        letter = at(scan, i)
        if letter == u"\n" or letter == 0x2028:
            n_breaks[0] += 1
        elif letter == u"\r":
            n_breaks[0] += at(scan, i + 1) != u"\n"
        elif letter == 0x2029:
            n_breaks[0] += 2
        i += 1
    return i
