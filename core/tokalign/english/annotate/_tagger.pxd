from libc.stdint cimport int16_t, int32_t, uint8_t, uint32_t

from tokalign.english.annotate.forms cimport Form

cdef enum:
    WIDTH = 64          # weights per row, as in _rows.h

cdef struct Lexicon:
    const uint32_t* keys
    const uint32_t* values
    uint32_t mask

cdef Lexicon open_lexicon(const uint32_t[::1] keys, const uint32_t[::1] values) except *

# ShapeError unless all of an integer array are from 0 to below n.
cdef int check_range(str name, values, Py_ssize_t n) except -1

cdef int check_width(Py_ssize_t width, int n_tags) except -1

cdef void score_form(
    const Form* form,
    const int16_t* weights,      # [2**(64 - shift), WIDTH]
    int shift,
    int32_t* scores,             # [WIDTH], written
) noexcept nogil

cdef void tag_sentence(
    const Form* forms,           # [n]
    const int32_t* const* form_scores,   # [n] of each form, as score_form gives them, or NULL
    uint32_t* classes,           # [n], scratch
    Py_ssize_t n,
    Lexicon lexicon,
    const int16_t* weights,      # [2**(64 - shift), WIDTH]
    int n_tags,
    int shift,
    uint32_t[2] quotes,
    uint8_t* tags,               # [n], written
) noexcept nogil
