from libc.stdint cimport int16_t, int32_t, uint8_t, uint32_t

from tokalign.english.annotate.forms cimport Form, both, slot

cdef extern from "english/annotate/_rows.h" nogil:
    void fetch_wide_rows(const int16_t* weights, const uint32_t* rows, int n_rows) noexcept
    void add_wide_rows(
        const int16_t* weights, const uint32_t* rows, int n_rows, int32_t* scores
    ) noexcept
    void sum_wide_rows(
        const int16_t* weights, const uint32_t* rows, int n_rows, int32_t* scores
    ) noexcept
    int largest(const int32_t* scores, int n) noexcept
    void sum_narrow_rows(
        const int16_t* weights, const uint32_t* rows, int n_rows, int32_t* scores
    ) noexcept

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
    N_KNOWN = 13

cdef struct Lexicon:
    const uint32_t* keys
    const uint32_t* values
    uint32_t mask

cdef Lexicon open_lexicon(const uint32_t[::1] keys, const uint32_t[::1] values) except *

cdef int check_width(Py_ssize_t width, int n_tags) except -1

cdef bint is_titled(
    const Form* forms, Py_ssize_t n, Lexicon lexicon, const uint32_t* known
) noexcept nogil

# weights are [2**(64 - shift), WIDTH], form_scores [n] results of score_form, classes [n] scratch,
# known [N_KNOWN] as KNOWN_TAGS; tags [n] are written.
cdef void tag_sentence(
    const Form* forms, const int32_t* const* form_scores, uint32_t* classes, Py_ssize_t n,
    Lexicon lexicon, const int16_t* weights, int n_tags, int shift, const uint32_t* known,
    uint8_t* tags,
) noexcept nogil

cdef int longest(Forms forms) noexcept
cdef int check_shapes(Forms forms, tags, actions, labels, int n_labels) except -1


cdef inline uint32_t case_of(const Form* forms, Py_ssize_t n) noexcept nogil:
    """Return the letter cases that occur in a sentence after its first letter, as bits."""
    cdef uint32_t seen = 0
    cdef Py_ssize_t i
    for i in range(n):
        seen |= forms[i].case
    return seen


cdef inline void look_up(
    const Form* forms, Py_ssize_t n, Lexicon lexicon, uint32_t* classes
) noexcept nogil:
    cdef Py_ssize_t i
    for i in range(n):
        classes[i] = lexicon_value(lexicon.keys, lexicon.values, lexicon.mask, forms[i].lower)


cdef inline void form_features(const Form* w, int shift, uint32_t* rows) noexcept nogil:
    """Write the rows of the features of a token's own form."""
    rows[0] = slot(0, w.form, 0, shift)
    rows[1] = slot(1, w.lower, 0, shift)
    rows[2] = slot(6, w.prefix1, 0, shift)
    rows[3] = slot(7, w.prefix2, 0, shift)
    rows[4] = slot(8, w.prefix3, 0, shift)
    rows[5] = slot(9, w.suffix1, 0, shift)
    rows[6] = slot(10, w.suffix2, 0, shift)
    rows[7] = slot(11, w.suffix3, 0, shift)
    rows[8] = slot(12, w.suffix4, w.shape, shift)


cdef inline void context_features(
    const Form* forms, const uint32_t* classes, Py_ssize_t n, Py_ssize_t i, uint32_t case,
    int shift, uint32_t* rows,
) noexcept nogil:
    """Write the rows of the features of the tokens around token i."""
    cdef const Form* w = &forms[i]
    cdef uint32_t p1 = forms[i - 1].lower if i >= 1 else 0
    cdef uint32_t p2 = forms[i - 2].lower if i >= 2 else 0
    cdef uint32_t n1 = forms[i + 1].lower if i + 1 < n else 0
    cdef uint32_t n2 = forms[i + 2].lower if i + 2 < n else 0
    cdef uint32_t n1_suffix3 = forms[i + 1].suffix3 if i + 1 < n else 0
    cdef uint32_t n1_suffix2 = forms[i + 1].suffix2 if i + 1 < n else 0
    cdef uint32_t n1_shape = forms[i + 1].shape if i + 1 < n else 0
    cdef uint32_t p1_shape = forms[i - 1].shape if i >= 1 else 0
    cdef uint32_t c1 = classes[i + 1] if i + 1 < n else 1
    cdef uint32_t place = case * 2 + (i == 0)
    rows[0] = slot(2, p1, 0, shift)
    rows[1] = slot(3, p2, 0, shift)
    rows[2] = slot(4, n1, 0, shift)
    rows[3] = slot(5, n2, 0, shift)
    rows[4] = slot(13, w.shape, place, shift)
    rows[5] = slot(19, w.lower, n1, shift)
    rows[6] = slot(20, w.lower, p1, shift)
    rows[7] = slot(21, p1, n1, shift)
    rows[8] = slot(22, n1_suffix3, w.suffix2, shift)
    rows[9] = slot(23, n1_suffix2, n1_shape, shift)
    rows[10] = slot(24, p1_shape, w.shape, shift)
    rows[11] = slot(25, n1_shape, w.shape, shift)
    rows[12] = slot(28, classes[i], c1, shift)
    rows[13] = slot(30, c1, w.suffix3, shift)
    rows[14] = slot(32, w.lower, c1, shift)


# Kernels have many parameters, here and below: each is an array or a number of the caller's, and a
# struct of them would have to be filled for every sentence.
cdef inline void tag_features(
    const Form* forms, const uint32_t* classes, Py_ssize_t n, Py_ssize_t i, uint32_t tag1,
    uint32_t tag2, int shift, uint32_t* rows,
) noexcept nogil:
    """Write the rows of the features of tag1 and tag2, the tags of i - 1 and i - 2."""
    cdef const Form* w = &forms[i]
    cdef uint32_t n1 = forms[i + 1].lower if i + 1 < n else 0
    cdef uint32_t p1_suffix3 = forms[i - 1].suffix3 if i >= 1 else 0
    cdef uint32_t c0 = classes[i]
    cdef uint32_t c1 = classes[i + 1] if i + 1 < n else 1
    cdef uint32_t c2 = classes[i + 2] if i + 2 < n else 1
    cdef uint32_t tags = tag1 * 64 + tag2
    rows[0] = slot(14, tag1, 0, shift)
    rows[1] = slot(15, tags, 0, shift)
    rows[2] = slot(16, tag1, w.lower, shift)
    rows[3] = slot(17, tag1, n1, shift)
    rows[4] = slot(18, tags, w.suffix3, shift)
    rows[5] = slot(26, p1_suffix3, tag1, shift)
    rows[6] = slot(27, c0, tag1, shift)
    rows[7] = slot(29, both(c1, c2), tag1, shift)
    rows[8] = slot(31, both(c0, c1), tags, shift)
    rows[9] = slot(33, c0, both(tags, w.suffix2), shift)


cdef inline void score_form(
    const Form* form, const int16_t* weights, int shift, int32_t* scores
) noexcept nogil:
    """Write the score that a token's own form gives every tag."""
    cdef uint32_t[N_OF_FORM] rows
    form_features(form, shift, rows)
    sum_wide_rows(weights, rows, N_OF_FORM, scores)
