"""Memory in which texts are annotated: of the longest sentence so far, and of all tokens."""

from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t
from libc.stdlib cimport free, malloc

from tokalign.english.annotate.forms cimport Form
from tokalign.english.annotate.growing cimport has_room

cdef enum:
    LEAST_TOKENS = 256

cdef struct TextScratch:
    # Scratch of the longest sentence, in one block, and columns of all tokens so far. Owned.
    void *block
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


cdef inline bint has_letters(TextScratch *scratch, Py_ssize_t n) noexcept nogil:
    """Make room for a sentence of n letters; return whether there was memory."""
    if n <= scratch.n_letters and scratch.block != NULL:
        return True
    free(scratch.block)
    scratch.n_letters = 0
    n = max(n, <Py_ssize_t>LEAST_TOKENS)
    # From the widest items to the narrowest, so that all are aligned.
    scratch.block = malloc(
        n * (sizeof(int32_t *) + sizeof(Form) + 2 * sizeof(int32_t) + 1)
        + (n + 1) * (sizeof(Py_UCS4) + 1)
    )
    if scratch.block == NULL:
        return False
    scratch.form_scores = <const int32_t **>scratch.block
    scratch.forms = <Form *>(scratch.form_scores + n)
    scratch.letters = <Py_UCS4 *>(scratch.forms + n)
    scratch.classes = <uint32_t *>(scratch.letters + n + 1)
    scratch.tokens = <int32_t *>(scratch.classes + n)
    scratch.bits = <uint8_t *>(scratch.tokens + n)
    scratch.tags = scratch.bits + n + 1
    scratch.n_letters = n
    return True


cdef inline bint has_tokens(TextScratch *scratch, Py_ssize_t wanted) noexcept nogil:
    """Make room for so many tokens in all; return whether there was memory."""
    cdef Py_ssize_t starts = scratch.room, ends = scratch.room
    return (
        has_room(<void **>&scratch.starts, &starts, wanted, LEAST_TOKENS, sizeof(int32_t))
        and has_room(<void **>&scratch.ends, &ends, wanted, LEAST_TOKENS, sizeof(int32_t))
        and has_room(<void **>&scratch.numbers, &scratch.room, wanted, LEAST_TOKENS, sizeof(int32_t))
    )


cdef inline bint add_begin(TextScratch *scratch, Py_ssize_t token) noexcept nogil:
    """Note that a token begins a sentence inside a text; return whether there was memory."""
    if not has_room(
        <void **>&scratch.begins, &scratch.begin_room, scratch.n_begins + 1, LEAST_TOKENS,
        sizeof(int64_t),
    ):
        return False
    scratch.begins[scratch.n_begins] = token
    scratch.n_begins += 1
    return True


cdef inline void free_scratch(TextScratch *scratch) noexcept nogil:
    """Free all of a scratch."""
    free(scratch.block)
    free(scratch.starts)
    free(scratch.ends)
    free(scratch.numbers)
    free(scratch.begins)
