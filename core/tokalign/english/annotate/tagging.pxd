from libc.stdint cimport int16_t, int32_t, uint8_t, uint32_t

from tokalign.english.annotate.forms cimport Form


cdef enum:
    QUOTE_OPEN = 1
    QUOTE_CLOSE = 2
    HAS_LOWER = 1
    HAS_UPPER = 2


cdef class Forms:
    cdef Form* items            # [n_tokens], owned
    cdef int32_t* offsets       # [n_sentences + 1], owned
    cdef readonly Py_ssize_t n_tokens
    cdef readonly Py_ssize_t n_sentences


cdef inline uint32_t lexicon_value(
    const uint32_t* keys, const uint32_t* values, uint32_t mask, uint32_t key
) noexcept nogil:
    """Return the value stored for `key`, or 0 (linear probing; key 0 is empty)."""
    cdef uint32_t position = (key * 2654435769u) & mask
    while keys[position] != 0:
        if keys[position] == key:
            return values[position]
        position = (position + 1) & mask
    return 0


cdef void pack_letters(const Py_UCS4* token, Py_ssize_t n, Form* out) noexcept nogil
cdef int shift_of(Py_ssize_t n_rows) except -1   # 64 - log2(n_rows), for slot()


cdef enum:
    WIDTH = 64          # weights per row, as in _rows.h
    N_OF_FORM = 9
    N_OF_CONTEXT = 15
    N_OF_TAGS = 10
    START = 63          # stands for the tag before a sentence, and for one that a tagger lacks
    N_KNOWN = 11

cdef struct Lexicon:
    const uint32_t* keys
    const uint32_t* values
    uint32_t mask

cdef Lexicon open_lexicon(const uint32_t[::1] keys, const uint32_t[::1] values) except *

cdef int check_width(Py_ssize_t width, int n_tags) except -1

cdef uint32_t case_of(const Form* forms, Py_ssize_t n) noexcept nogil
cdef void look_up(
    const Form* forms, Py_ssize_t n, Lexicon lexicon, uint32_t* classes
) noexcept nogil
cdef void form_features(const Form* w, int shift, uint32_t* rows) noexcept nogil
cdef void context_features(
    const Form* forms, const uint32_t* classes, Py_ssize_t n, Py_ssize_t i, uint32_t case,
    int shift, uint32_t* rows,
) noexcept nogil
cdef void tag_features(
    const Form* forms, const uint32_t* classes, Py_ssize_t n, Py_ssize_t i, uint32_t tag1,
    uint32_t tag2, int shift, uint32_t* rows,
) noexcept nogil

cdef void score_form(
    const Form* form,
    const int16_t* weights,      # [2**(64 - shift), WIDTH]
    int shift,
    int32_t* scores,             # [WIDTH], written
) noexcept nogil

cdef void tag_sentence(
    const Form* forms,           # [n]
    const int32_t* const* form_scores,   # [n] results of score_form
    uint32_t* classes,           # [n], scratch
    Py_ssize_t n,
    Lexicon lexicon,
    const int16_t* weights,      # [2**(64 - shift), WIDTH]
    int n_tags,
    int shift,
    const uint32_t* known,       # [N_KNOWN], see KNOWN_TAGS
    uint8_t* tags,               # [n], written
) noexcept nogil

cdef int longest(Forms forms) noexcept
cdef int check_shapes(Forms forms, tags, actions, labels, int n_labels) except -1
