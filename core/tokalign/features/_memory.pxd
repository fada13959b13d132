from libc.stdint cimport int32_t, int64_t, uint8_t, uint64_t

from tokalign.features._comparison cimport Tables
from tokalign.features.pair cimport Lexeme, PairState, Score

cdef struct WordPair:
    # What is remembered of two lexemes; half a cache line.
    uint64_t key             # style and both lexemes; 0 where empty
    double score[2]          # of word_features, under the weights of s2t and t2s
    float cosine             # of the word vectors; 0 where a content word has none
    uint8_t lexical_class
    uint8_t rule             # by word_rule; 0 where the group is off

cdef class PairMemory:
    cdef const int32_t[::1] _base
    cdef const float[:, :, ::1] _weights     # one matrix for each style; None without
    cdef Score _score
    cdef bint _uses_rules
    cdef void *_block
    cdef WordPair *_places       # in the block, at the start of a cache line
    cdef readonly int64_t n_asked
    cdef readonly int64_t n_compared
    cdef void clear(self) noexcept nogil
    cdef void fill(
        self, PairState *pair, const Tables *tables, int style, bint only_scores
    ) noexcept nogil
    cdef WordPair *_compare(
        self, const Lexeme *a, const Lexeme *b, const Tables *tables, int style, uint64_t key
    ) noexcept nogil
