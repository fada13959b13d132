from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t, uint64_t

from tokalign.english.spelling.same_spelling cimport Letters
from tokalign.features._lexemes cimport Tables
from tokalign.features.pair cimport *

cdef enum:
    NO_RULE = 0          # rules are stored as 1 plus their place on the axis

cdef inline void spell(const Lexeme *word, Letters *out) noexcept nogil:
    out.code = word.lower.code
    out.n = word.lower.n
    out.is_function = word.kind != KIND_CONTENT


cdef struct WordPair:
    # Cached comparison of two lexemes. After it come the scores of word_features under the weights
    # of each style, for s2t and t2s.
    float cosine             # of the word vectors; 0 where a content word has none
    uint32_t relations       # of WordNet
    uint8_t lexical_class
    uint8_t rule             # by word_rule; 0 where the group is off
    uint8_t contrast         # CONTRAST_ bits

cdef class PairMemory:
    cdef const float[:, ::1] _weights    # [n_slots, width] of all styles; None without
    cdef readonly Py_ssize_t width       # of the scores of a pair, in floats
    cdef Sink _sink
    cdef Py_ssize_t _stride      # bytes of a pair
    cdef bint _uses_rules
    cdef object _base
    cdef char *_block
    cdef uint64_t *_keys         # [N_PAIRS] both lexemes; 0 where empty
    cdef char *_pairs            # [N_PAIRS, _stride]
    cdef Py_ssize_t _turn        # place of a set that the new pairs of a row take
    cdef readonly int64_t n_asked
    cdef readonly int64_t n_compared
    cdef void clear(self) noexcept nogil
    cdef Py_ssize_t _find(self, uint64_t key) noexcept nogil
    cdef void _fetch(self, const Lexeme *word, const Side *others, Py_ssize_t turn) noexcept nogil
    cdef void fill(self, PairState *pair, const Tables *tables) noexcept nogil
    cdef Py_ssize_t _compare(
        self, const Lexeme *a, const Lexeme *b, const Tables *tables, uint64_t key
    ) noexcept nogil

cdef void compare(
    const Lexeme *a, const Lexeme *b, const Tables *tables, LexicalPair *out
) noexcept nogil
cdef void word_features(
    const Lexeme *a, const Lexeme *b, const LexicalPair *lexical, AnySink *sink
) noexcept nogil
cdef void mark_names(PairState *pair) noexcept nogil
