"""Memory in which texts are annotated: of the longest sentence so far, and of all tokens."""

from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t
from libc.stdlib cimport free, malloc

from tokalign.english.annotate.growing cimport grow, more_room
from tokalign.english.annotate.tagging cimport Form

cdef enum:
    LEAST_TOKENS = 256

cdef struct TextScratch:
    # Scratch of the longest sentence, and columns of all tokens so far. Owned.
    Py_UCS4 *letters     # [n + 1]
    uint8_t *bits        # [n + 1]
    Form *forms          # [n] a sentence has no more tokens than letters
    const int32_t **form_scores  # [n]
    uint32_t *classes    # [n]
    uint8_t *tags        # [n]
    int32_t *tokens      # [n]
    Py_ssize_t n_letters
    int32_t *starts      # [room]; n_tokens are written
    int32_t *ends
    int32_t *numbers
    Py_ssize_t room
    Py_ssize_t n_tokens
    int64_t *begins      # [begin_room] tokens that begin a later sentence of a text
    Py_ssize_t begin_room
    Py_ssize_t n_begins
    Py_ssize_t n_joined  # words of the current text that are never cut and were joined


cdef inline void free_letters(TextScratch *scratch) noexcept nogil:
    free(scratch.letters)
    free(scratch.bits)
    free(scratch.tags)
    free(scratch.forms)
    free(scratch.form_scores)
    free(scratch.classes)
    free(scratch.tokens)
    scratch.letters = NULL
    scratch.bits = scratch.tags = NULL
    scratch.forms = NULL
    scratch.form_scores = NULL
    scratch.classes = NULL
    scratch.tokens = NULL
    scratch.n_letters = 0


cdef inline bint has_letters(TextScratch *scratch, Py_ssize_t n) noexcept nogil:
    """Make room for a sentence of n letters; return whether there was memory."""
    if n <= scratch.n_letters and scratch.letters != NULL:
        return True
    free_letters(scratch)
    n = max(n, <Py_ssize_t>LEAST_TOKENS)
    scratch.letters = <Py_UCS4 *>malloc((n + 1) * sizeof(Py_UCS4))
    scratch.bits = <uint8_t *>malloc(n + 1)
    scratch.tags = <uint8_t *>malloc(n)
    scratch.forms = <Form *>malloc(n * sizeof(Form))
    scratch.form_scores = <const int32_t **>malloc(n * sizeof(int32_t *))
    scratch.classes = <uint32_t *>malloc(n * sizeof(uint32_t))
    scratch.tokens = <int32_t *>malloc(n * sizeof(int32_t))
    if (
        scratch.letters == NULL or scratch.bits == NULL or scratch.tags == NULL
        or scratch.forms == NULL or scratch.form_scores == NULL or scratch.classes == NULL
        or scratch.tokens == NULL
    ):
        return False
    scratch.n_letters = n
    return True


cdef inline bint has_tokens(TextScratch *scratch, Py_ssize_t wanted) noexcept nogil:
    """Make room for so many tokens in all; return whether there was memory."""
    cdef Py_ssize_t room
    if wanted <= scratch.room:
        return True
    room = more_room(scratch.room, wanted, LEAST_TOKENS)
    if not (
        grow(<void **>&scratch.starts, room, sizeof(int32_t))
        and grow(<void **>&scratch.ends, room, sizeof(int32_t))
        and grow(<void **>&scratch.numbers, room, sizeof(int32_t))
    ):
        return False
    scratch.room = room
    return True


cdef inline bint add_begin(TextScratch *scratch, Py_ssize_t token) noexcept nogil:
    """Note that a token begins a sentence inside a text; return whether there was memory."""
    cdef Py_ssize_t room
    if scratch.n_begins == scratch.begin_room:
        room = more_room(scratch.begin_room, scratch.n_begins + 1, LEAST_TOKENS)
        if not grow(<void **>&scratch.begins, room, sizeof(int64_t)):
            return False
        scratch.begin_room = room
    scratch.begins[scratch.n_begins] = token
    scratch.n_begins += 1
    return True


cdef inline void free_scratch(TextScratch *scratch) noexcept nogil:
    """Free all of a scratch."""
    free_letters(scratch)
    free(scratch.starts)
    free(scratch.ends)
    free(scratch.numbers)
    free(scratch.begins)
