from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t

from tokalign.english.annotate.forms cimport Form
from tokalign.english.annotate.words cimport Words

cdef struct TextScratch:
    # Of the longest sentence so far, and of all tokens so far. Owned.
    Py_UCS4 *letters     # [n + 1]
    uint8_t *bits        # [n + 1]
    Form *forms          # [n] a sentence has no more tokens than letters
    const int32_t **form_scores  # [n]
    uint32_t *classes    # [n]
    uint8_t *tags        # [n]
    int32_t *tokens      # [n]
    Py_ssize_t n_letters
    int32_t *starts      # [room], of which n_tokens are written
    int32_t *ends
    int32_t *numbers
    Py_ssize_t room
    Py_ssize_t n_tokens
    int64_t *begins      # [begin_room] of the tokens, those that begin a later sentence of a text
    Py_ssize_t begin_room
    Py_ssize_t n_begins

# Each of these returns whether there was memory.
cdef bint has_letters(TextScratch *scratch, Py_ssize_t n) noexcept nogil
cdef bint add_token(
    TextScratch *scratch,
    Words words,
    Py_ssize_t at,          # which of the sentence's tokens it is
    Py_ssize_t start,       # in the text
    Py_ssize_t end,
    int32_t token,          # its number among the words; below 0 where memory ran out
) noexcept nogil
cdef bint add_begin(TextScratch *scratch) noexcept nogil

cdef void free_scratch(TextScratch *scratch) noexcept nogil
