"""Lexemes by the word numbers of annotated texts."""

from libc.stdint cimport int32_t
from libc.stdlib cimport free, realloc
from libc.string cimport memset

from tokalign.english.annotate.texts cimport AnnotatedTexts
from tokalign.english.annotate.words cimport Words
from tokalign.features.extract cimport Extractor
from tokalign.features.pair cimport Lexeme


cdef class KnownWords:
    """The lexemes of one table of words; starts anew where another table is used, or where the
    extractor has forgotten its lexemes."""

    def __dealloc__(self):
        free(self._lexeme)

    cdef int _keep_up(self, Extractor extractor, Words words) except -1:
        """Make room for all words, of which none is known yet where something was forgotten."""
        cdef Py_ssize_t n_words = words.n_words
        cdef void *grown
        if words is not self._words or extractor.n_cleared != self._n_cleared:
            self._words = words
            self._n_cleared = extractor.n_cleared
            if self._n_words:
                memset(self._lexeme, 0, self._n_words * sizeof(Lexeme *))
        if n_words > self._n_words:
            n_words = max(n_words, 2 * self._n_words)
            grown = realloc(self._lexeme, n_words * sizeof(Lexeme *))
            if grown == NULL:
                raise MemoryError("table of known words")
            self._lexeme = <const Lexeme **>grown
            memset(self._lexeme + self._n_words, 0, (n_words - self._n_words) * sizeof(Lexeme *))
            self._n_words = n_words
        return 0

    cdef int fill(
        self, Extractor extractor, AnnotatedTexts texts, Py_ssize_t index, const Lexeme **out
    ) except -1:
        """Write the lexemes of a text's words."""
        cdef Py_ssize_t first = texts.offsets[index]
        cdef Py_ssize_t k
        cdef int32_t number
        self._keep_up(extractor, texts.words)
        for k in range(texts.offsets[index + 1] - first):
            number = texts.numbers[first + k]
            if self._lexeme[number] == NULL:
                self._lexeme[number] = extractor.lexemes.lexeme(
                    texts.words.tokens[number], texts.words.tag(number),
                    texts.words.lemmas[number],
                )
            out[k] = self._lexeme[number]
        return 0
