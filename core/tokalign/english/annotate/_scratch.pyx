"""Scratch memory of texts that are being annotated: a sentence's letters, and all tokens so far."""

from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t
from libc.stdlib cimport free, malloc

from tokalign.english.annotate.forms cimport Form
from tokalign.english.annotate.growing cimport grow, more_room
from tokalign.english.annotate.words cimport Words

cdef enum:
    LEAST_ROOM = 256


cdef bint has_letters(TextScratch *scratch, Py_ssize_t n) noexcept nogil:
    """Make room for a sentence of n letters; return whether there is."""
    if n <= scratch.n_letters and scratch.letters != NULL:
        return True
    free_letters(scratch)
    n = max(n, <Py_ssize_t>LEAST_ROOM)
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


cdef void free_letters(TextScratch *scratch) noexcept nogil:
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


cdef bint has_tokens(TextScratch *scratch, Py_ssize_t wanted) noexcept nogil:
    """Make room for so many tokens in all; return whether there is."""
    cdef Py_ssize_t room
    if wanted <= scratch.room:
        return True
    room = more_room(scratch.room, wanted, LEAST_ROOM)
    if not (
        grow(<void **>&scratch.starts, room, sizeof(int32_t))
        and grow(<void **>&scratch.ends, room, sizeof(int32_t))
        and grow(<void **>&scratch.numbers, room, sizeof(int32_t))
    ):
        return False
    scratch.room = room
    return True


cdef bint add_token(
    TextScratch *scratch, Words words, Py_ssize_t at, Py_ssize_t start, Py_ssize_t end,
    int32_t token
) noexcept nogil:
    """Add a token to the sentence at hand, as its token `at`; return whether there was memory."""
    cdef Py_ssize_t place = scratch.n_tokens + at
    if token < 0 or not has_tokens(scratch, place + 1):
        return False
    scratch.tokens[at] = token  # what it says of its tag may still move
    scratch.forms[at] = words.token[token].form
    scratch.starts[place] = <int32_t>start
    scratch.ends[place] = <int32_t>end
    return True


cdef bint add_begin(TextScratch *scratch) noexcept nogil:
    """Note that the next token begins a sentence inside a text; return whether there was memory."""
    cdef Py_ssize_t room
    if scratch.n_begins == scratch.begin_room:
        room = more_room(scratch.begin_room, scratch.n_begins + 1, LEAST_ROOM)
        if not grow(<void **>&scratch.begins, room, sizeof(int64_t)):
            return False
        scratch.begin_room = room
    scratch.begins[scratch.n_begins] = scratch.n_tokens
    scratch.n_begins += 1
    return True


cdef void free_scratch(TextScratch *scratch) noexcept nogil:
    """Free all of a scratch."""
    free_letters(scratch)
    free(scratch.starts)
    free(scratch.ends)
    free(scratch.numbers)
    free(scratch.begins)
