from libc.stdint cimport int32_t, int64_t

from tokalign.english.lexicon.lexical_tables cimport *
from tokalign.features.pair cimport Characters, Lexeme, RuleFacts

cdef enum:
    MAX_CHARS = 64       # longer words are compared by their first 64 characters

cdef struct Tables:
    # Tables for comparisons; borrowed from the objects that LexemeTable holds.
    const WordNetTable *wordnet
    const VectorTable *vectors           # NULL without vectors; then no lexeme has a row
    const Lists *paraphrases             # NULL without paraphrases

cdef class LexemeTable:
    cdef readonly WordNet wordnet
    cdef readonly Vectors vectors            # or None
    cdef readonly Paraphrases paraphrases    # or None
    cdef readonly Frequencies frequencies    # or None
    cdef Tables tables
    cdef dict _ids               # (form, tag, lemma) -> index in _lexemes
    cdef dict _strings           # str -> id
    cdef dict _function_words
    cdef Lexeme **_lexemes
    cdef readonly int64_t n_bytes    # upper bound of the memory of all lexemes
    cdef Py_ssize_t _n_lexemes
    cdef Py_ssize_t _capacity
    cdef int32_t _string_id(self, str text)
    cdef int _place(self, Lexeme *word, str lower, str lemma) except -1
    cdef int _grow(self) except -1
    cdef const Lexeme *lexeme(self, str form, str tag, str lemma) except NULL
    cdef const Lexeme *_add(self, tuple key, str form, str tag, str lemma) except NULL
    cdef int _analyse(self, Lexeme *word, str form, str lower, str tag, str lemma) except -1
    cdef int _look_up(self, Lexeme *word, str lower, str lemma) except -1
    cdef RuleFacts *_facts(
        self, Lexeme *word, str form, str lower, str tag, bint is_plain
    ) except NULL
    cdef void _release(self) noexcept nogil
    cdef void clear(self)

cdef int fill_characters(str word, Characters *out, void *memory) except -1
cdef void similarities(const Characters *a, const Characters *b, float *out) noexcept nogil
cdef int common_prefix(const Characters *a, const Characters *b) noexcept nogil
