"""Tokens and words by number, found without the interpreter.

A token is a string; a word is a token with a tag, to which a lemma belongs. What is found is
remembered: what the tagger sees of a token is computed once, and a word's lemma is looked up once.
"""

from libc.stdint cimport int16_t, int32_t, int64_t, uint8_t, uint32_t, uint64_t
from libc.stdlib cimport free, malloc
from libc.string cimport memcmp, memcpy

import os

from tokalign.english.annotate.forms cimport Form, pack_letters
from tokalign.english.annotate.growing cimport grow, more_room
from tokalign.english.annotate._tagger cimport WIDTH, score_form

cdef extern from "Python.h":
    str PyUnicode_FromKindAndData(int kind, const void* letters, Py_ssize_t n)

cdef extern from "_compiler.h" nogil:
    uint64_t mix "tokalign_mix"(uint64_t a, uint64_t b) noexcept

cdef enum:
    LEAST_ROOM = 1024
    WORD_BYTES = 200     # of a word's Python strings and places in lists, without their letters

cdef uint64_t SALT = 0x9E3779B97F4A7C15u
cdef uint64_t SECRET = int.from_bytes(os.urandom(8), "little")


cdef inline uint64_t hash_of(const Py_UCS4 *letters, Py_ssize_t n) noexcept nogil:
    cdef uint64_t h = SECRET ^ <uint64_t>n
    cdef Py_ssize_t k
    for k in range(n):
        h = mix(h ^ <uint32_t>letters[k] ^ SALT, SECRET | 1)
    return mix(h ^ SECRET, SALT)


cdef bint _has_room(
    void **block, Py_ssize_t *room, Py_ssize_t wanted, size_t item
) noexcept nogil:
    """Make room for so many items; return whether there is."""
    cdef Py_ssize_t more
    if wanted <= room[0]:
        return True
    more = more_room(room[0], wanted, LEAST_ROOM)
    if not grow(block, more, item):
        return False
    room[0] = more
    return True


cdef class Words:
    """Tokens and words; to be changed by one thread at a time. Numbers stay as they are.

    Parameters
    ----------
    tags : tuple of str
        Names of tags, by number.

    Attributes
    ----------
    tokens, lemmas : list of str, length n_words
        Of every word, once `name_new` has run.
    tags : tuple of str
    n_bytes : int
        What all of it takes, at most.
    """

    def __init__(self, tuple tags not None):
        self.tags = tags
        self.tokens = []
        self.lemmas = []
        if not self._spread():
            raise MemoryError("table of tokens")

    def __dealloc__(self):
        free(self.word)
        free(self.token)
        free(self.form_scores)
        free(self._letters)
        free(self._slots)

    def __len__(self):
        return self.n_words

    def tag(self, Py_ssize_t word):
        """Return the tag of a word."""
        if not 0 <= word < self.n_words:
            raise IndexError(f"word {word} of {self.n_words}")
        return self.tags[self.word[word].tag]

    cdef void use(self, const int16_t *weights, int shift) noexcept nogil:
        """Score the forms of new tokens by a tagger's weights, the same ones every time."""
        self._weights = weights
        self._shift = shift

    cdef bint _spread(self) noexcept nogil:
        """Spread the tokens over twice as many slots; return whether there was memory."""
        cdef Py_ssize_t n_slots = max(2 * self._n_slots, 4 * <Py_ssize_t>LEAST_ROOM)
        cdef int32_t *slots = <int32_t *>malloc(n_slots * sizeof(int32_t))
        cdef Py_ssize_t k, at
        if slots == NULL:
            return False
        for k in range(n_slots):
            slots[k] = -1
        for k in range(self._n_tokens):
            at = self.token[k].hash & (n_slots - 1)
            while slots[at] >= 0:
                at = (at + 1) & (n_slots - 1)
            slots[at] = <int32_t>k
        free(self._slots)
        self._slots = slots
        self._n_slots = n_slots
        return True

    cdef int32_t find_token(self, const Py_UCS4 *letters, Py_ssize_t n) noexcept nogil:
        """Return the number of a token of n > 0 letters, or -1 where memory ran out.

        `use` must have been called.
        """
        cdef uint64_t h = hash_of(letters, n)
        cdef Py_ssize_t at = h & (self._n_slots - 1)
        cdef Token *token
        while self._slots[at] >= 0:
            token = &self.token[self._slots[at]]
            if token.hash == h and token.n == n and not memcmp(
                self._letters + token.start, letters, n * sizeof(Py_UCS4)
            ):
                return self._slots[at]
            at = (at + 1) & (self._n_slots - 1)
        if 2 * (self._n_tokens + 1) > self._n_slots:
            if not self._spread():
                return -1
            at = h & (self._n_slots - 1)
            while self._slots[at] >= 0:
                at = (at + 1) & (self._n_slots - 1)
        if not (
            _has_room(
                <void **>&self.token, &self._token_room, self._n_tokens + 1, sizeof(Token)
            )
            and _has_room(
                <void **>&self.form_scores, &self._score_room, self._n_tokens + 1,
                WIDTH * sizeof(int32_t),
            )
            and _has_room(
                <void **>&self._letters, &self._letter_room, self._n_letters + n, sizeof(Py_UCS4)
            )
        ):
            return -1
        memcpy(self._letters + self._n_letters, letters, n * sizeof(Py_UCS4))
        token = &self.token[self._n_tokens]
        pack_letters(letters, n, &token.form)
        score_form(
            &token.form, self._weights, self._shift, self.form_scores + self._n_tokens * WIDTH
        )
        token.hash = h
        token.start = self._n_letters
        token.n = <int32_t>n
        token.first_word = -1
        self._slots[at] = <int32_t>self._n_tokens
        self._n_letters += n
        self._n_tokens += 1
        # Blocks grow to twice of what they hold.
        self.n_bytes += 2 * <int64_t>sizeof(Token) + (2 * WIDTH + 4) * <int64_t>sizeof(int32_t)
        self.n_bytes += 2 * n * <int64_t>sizeof(Py_UCS4)
        return <int32_t>(self._n_tokens - 1)

    cdef int32_t find_word(self, int32_t token, uint8_t tag) noexcept nogil:
        """Return the number of the word that a token with a tag is, or -1 without memory."""
        cdef int32_t number = self.token[token].first_word
        while number >= 0:
            if self.word[number].tag == tag:
                return number
            number = self.word[number].next
        if not _has_room(
            <void **>&self.word, &self._word_room, self.n_words + 1, sizeof(Word)
        ):
            return -1
        number = <int32_t>self.n_words
        self.word[number].token = token
        self.word[number].tag = tag
        self.word[number].next = self.token[token].first_word
        self.token[token].first_word = number
        self.n_words += 1
        # A lemma is about as long as its token.
        self.n_bytes += 2 * <int64_t>sizeof(Word) + WORD_BYTES + 8 * self.token[token].n
        return number

    cdef int name_new(self, lemmatize) except -1:
        """Give the words that have none yet their strings.

        Parameters
        ----------
        lemmatize : callable
            Token and tag to lemma.
        """
        cdef Py_ssize_t number
        cdef const Token *token
        for number in range(len(self.lemmas), self.n_words):
            token = &self.token[self.word[number].token]
            text = PyUnicode_FromKindAndData(4, self._letters + token.start, token.n)
            lemma = lemmatize(text, self.tags[self.word[number].tag])
            self.tokens.append(text)
            self.lemmas.append(lemma)
        return 0
