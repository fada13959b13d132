from libc.stdint cimport int32_t, int64_t, uint64_t

from tokalign.features._pair cimport Lexeme, LexicalPair
from tokalign.lexicon._paraphrases cimport Paraphrases, ParaphraseTable
from tokalign.lexicon._vectors cimport Vectors, VectorTable
from tokalign.lexicon._wordnet cimport WordNet, WordNetTable

cdef struct CachedPair:
    # One cache line.
    uint64_t key         # both lexeme ids; ~0 where empty
    LexicalPair pair
    uint64_t unused

cdef struct Tables:
    # What comparisons look up; borrowed from the objects that LexemeTable holds.
    const WordNetTable *wordnet
    const VectorTable *vectors           # NULL without vectors; then no lexeme has a row
    const ParaphraseTable *paraphrases   # NULL without paraphrases

cdef class LexemeTable:
    cdef readonly WordNet wordnet
    cdef readonly Vectors vectors            # or None
    cdef readonly Paraphrases paraphrases    # or None
    cdef readonly object frequencies         # or None
    cdef Tables _tables
    cdef object _stem
    cdef dict _ids               # (form, tag, lemma) -> index in _lexemes
    cdef dict _strings           # str -> id
    cdef dict _function_words
    cdef Lexeme **_lexemes
    cdef readonly int64_t n_bytes    # at most, of all that is remembered of words
    cdef Py_ssize_t _n_lexemes
    cdef Py_ssize_t _capacity
    cdef CachedPair *_cache
    cdef int32_t _string_id(self, str text)
    cdef int _grow(self) except -1
    cdef const Lexeme *lexeme(self, str form, str tag, str lemma) except NULL
    cdef void pairs(
        self, const Lexeme *a, const Lexeme **others, Py_ssize_t n, LexicalPair *out
    ) noexcept nogil
    cpdef void clear(self)
