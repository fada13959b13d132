"""Memory of word pairs: their comparison and its score.

Words recur, and so do pairs of them. A table of fixed size holds, for a style and two lexemes, all
that a sentence's features ask of them and the weighted sum of the features that are theirs alone
(`word_features`); of two places where a pair may stand, the newer takes that of the older.
"""

from libc.stdint cimport uint64_t
from libc.stdlib cimport calloc, free
from libc.string cimport memset

from tokalign.features._comparison cimport compare, strength_of
from tokalign.features._lexical cimport word_features
from tokalign.features._rules cimport word_rule
from tokalign.features.pair cimport *

cdef enum:
    PLACE_BITS = 17
    LINE = 2         # places in a cache line, of 64 bytes
    ID_BITS = 24     # of a lexeme's number: far more than are ever remembered

cdef extern from *:
    void _prefetch "__builtin_prefetch"(const void *address) noexcept nogil


cdef class PairMemory:
    """Compares words and remembers the outcome; one per worker, not safe to share by threads.

    Parameters
    ----------
    base : int32 array, shape (n_templates,)
        First slot of every feature template, -1 to switch one off; stays referenced.
    weights : float32 array, shape (n_styles, n_slots, 2), optional
        For s2t and t2s. Without them all scores are 0.

    Attributes
    ----------
    n_asked, n_compared : int
        Word pairs that were asked for, and those among them that had to be compared.
    """

    def __cinit__(self):
        # Pages of what calloc gives take no memory until a pair stands there.
        cdef size_t line = LINE * sizeof(WordPair)
        self._block = calloc(1, (1 << PLACE_BITS) * sizeof(WordPair) + line)
        if self._block == NULL:
            raise MemoryError("memory of word pairs")
        self._places = <WordPair *>((<size_t>self._block + line - 1) // line * line)

    def __init__(self, const int32_t[::1] base, const float[:, :, ::1] weights=None):
        self._base = base
        self._score.base = &self._base[0]
        self._weights = weights
        self._uses_rules = base[<int>RULE] >= 0

    def __dealloc__(self):
        free(self._block)

    cdef void clear(self) noexcept nogil:
        """Forget everything, as must be done where lexemes are numbered anew."""
        memset(self._places, 0, (1 << PLACE_BITS) * sizeof(WordPair))

    cdef void fill(
        self, PairState *pair, const Tables *tables, int style, bint only_scores
    ) noexcept nogil:
        """Fill word_score of all cells, and but for `only_scores`, cosine, lexical_class, rule and
        strength, which are the same in all styles."""
        cdef const Lexeme **others = pair.target.word
        cdef Py_ssize_t n_target = pair.target.n
        cdef Py_ssize_t i, j, cell
        cdef uint64_t row, key
        cdef WordPair *known
        for i in range(pair.source.n):
            row = <uint64_t>(style + 1) << (2 * ID_BITS) | <uint64_t>pair.source.word[i].id << ID_BITS
            # The table is larger than a processor's caches near by: have it fetch all places.
            for j in range(n_target):
                _prefetch(self._places + _line(row | <uint64_t>others[j].id))
            for j in range(n_target):
                cell = i * n_target + j
                key = row | <uint64_t>others[j].id
                known = self._places + _line(key)
                if known.key != key:
                    known += 1
                    if known.key != key:
                        self.n_compared += 1
                        known = self._compare(pair.source.word[i], others[j], tables, style, key)
                pair.word_score[2 * cell] = known.score[0]
                pair.word_score[2 * cell + 1] = known.score[1]
                if only_scores:
                    continue
                pair.cosine[cell] = known.cosine
                pair.lexical_class[cell] = known.lexical_class
                pair.rule[cell] = known.rule
                pair.strength[cell] = strength_of(known.lexical_class)
        self.n_asked += pair.source.n * n_target

    cdef WordPair *_compare(
        self, const Lexeme *a, const Lexeme *b, const Tables *tables, int style, uint64_t key
    ) noexcept nogil:
        """Compare two lexemes and put them in the first place of their line."""
        cdef WordPair *known = self._places + _line(key)
        cdef LexicalPair lexical
        known[1] = known[0]
        compare(a, b, tables, &lexical)
        known.key = key
        known.cosine = lexical.cosine
        known.lexical_class = lexical.lexical_class
        known.rule = word_rule(a, b, lexical.lexical_class) if self._uses_rules else 0
        known.score[0] = known.score[1] = 0.0
        if self._weights is not None:
            self._score.weights = &self._weights[style, 0, 0]
            self._score.s2t = self._score.t2s = 0.0
            word_features(a, b, &lexical, &self._score)
            known.score[0] = self._score.s2t
            known.score[1] = self._score.t2s
        return known


cdef inline uint64_t _line(uint64_t key) noexcept nogil:
    """Return the first of the places where a pair may stand."""
    return ((key * <uint64_t>0x9E3779B97F4A7C15) >> (64 - PLACE_BITS)) & ~<uint64_t>(LINE - 1)
