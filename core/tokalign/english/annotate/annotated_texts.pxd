from libc.stdint cimport int16_t, int32_t, int64_t, uint8_t, uint64_t

from tokalign.english.annotate.forms cimport Form

cdef struct Token:
    Form form
    uint64_t hash
    int64_t start            # index of its first letter among all letters
    int32_t n                # number of its letters
    int32_t first_word       # number of the word last made of it

cdef struct Word:
    int32_t token
    int32_t next             # another word of the same token, or -1
    uint8_t tag

cdef class Words:
    cdef readonly tuple tags         # type: tuple[str, ...]  # names of tags, by number
    cdef readonly list tokens        # type: list[str]  # [n_words]; filled by name_new
    cdef readonly list lemmas        # type: list[str]  # [n_words]; likewise
    cdef readonly int64_t n_bytes    # upper bound of the memory in use
    cdef readonly Py_ssize_t n_words
    cdef Word *word                  # [n_words]
    cdef Token *token                # [_n_tokens]
    cdef int32_t *form_scores        # [_n_tokens, WIDTH] a form's scores of the tags
    cdef const int16_t *_weights     # of the tagger; borrowed while tokens are added
    cdef int _shift
    cdef Py_UCS4 *_letters
    cdef int32_t *_slots             # [_n_slots] number of a token, or -1
    cdef Py_ssize_t _n_tokens
    cdef Py_ssize_t _n_letters
    cdef Py_ssize_t _n_slots         # a power of two, over twice the tokens
    cdef Py_ssize_t _word_room
    cdef Py_ssize_t _token_room
    cdef Py_ssize_t _score_room
    cdef Py_ssize_t _letter_room
    cdef void use(self, const int16_t *weights, int shift) noexcept nogil
    cdef int32_t find_token(self, const Py_UCS4 *letters, Py_ssize_t n) noexcept nogil
    cdef int32_t find_word(self, int32_t token, uint8_t tag) noexcept nogil
    cdef bint _spread(self) noexcept nogil
    cdef int name_new(self, lemmatize) except -1

cdef class AnnotatedTexts:
    cdef readonly Words words    # their tokens, tags and lemmas
    cdef int64_t[::1] offsets    # [n_texts + 1] text k has the tokens from offsets[k] to offsets[k + 1]
    cdef int32_t[::1] starts     # [n_tokens] half-open character offsets in the text
    cdef int32_t[::1] ends
    cdef int32_t[::1] numbers    # [n_tokens] of words
    cdef list begins             # tokens that begin a later sentence of a text, rising; few have one
    cdef int put(self, list places) except -1
    cdef int put_back(self, list readings) except -1
