"""Memory of word pairs: their comparison and its score.

Words recur, and so do pairs of them. A table of fixed size holds, for two lexemes, all that a
sentence's features ask of them and, for each style, the weighted sum of the features that are theirs
alone (`word_features`); of two places where a pair may stand, the newer takes that of the older.
"""

from libc.stdint cimport uint64_t
from libc.stdlib cimport calloc, free
from libc.string cimport memcpy, memset

from tokalign.features._comparison cimport compare, strength_of
from tokalign.features._lexical cimport word_features
from tokalign.features._rules cimport word_rule
from tokalign.features.pair cimport *

cdef enum:
    SET_BITS = 16
    N_PLACES = 2     # of a set: where a pair may stand
    ID_BITS = 24     # of a lexeme's number: far more than are ever remembered
    CACHE_LINE = 64

cdef extern from "_compiler.h" nogil:
    void _prefetch "TOKALIGN_PREFETCH"(const void *address) noexcept


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

    def __init__(self, const int32_t[::1] base, const float[:, :, ::1] weights=None):
        self._base = base  # stays alive
        self._sink.base = &base[0]
        self._weights = weights
        self._n_styles = 1 if weights is None else weights.shape[0]
        self._uses_rules = base[<int>RULE] >= 0
        self._stride = sizeof(WordPair) + 2 * self._n_styles * sizeof(float)
        # Pages of what calloc gives take no memory until a pair stands there.
        free(self._places)
        self._places = <char *>calloc((1 << SET_BITS) * N_PLACES, self._stride)
        if self._places == NULL:
            raise MemoryError("memory of word pairs")

    def __dealloc__(self):
        free(self._places)

    cdef void clear(self) noexcept nogil:
        """Forget everything, as must be done where lexemes are numbered anew."""
        memset(self._places, 0, (1 << SET_BITS) * N_PLACES * self._stride)

    cdef inline char *_set_of(self, uint64_t key) noexcept nogil:
        """Return the first of the places where a pair may stand."""
        cdef uint64_t number = (key * <uint64_t>0x9E3779B97F4A7C15) >> (64 - SET_BITS)
        return self._places + number * N_PLACES * self._stride

    cdef void fill(
        self, PairState *pair, const Tables *tables, int style, bint only_scores
    ) noexcept nogil:
        """Fill word_score of all cells, and but for `only_scores` whatever else is known of two
        words, which is the same in all styles."""
        cdef const Lexeme **others = pair.target.word
        cdef Py_ssize_t n_target = pair.target.n
        cdef Py_ssize_t i, j, cell
        cdef uint64_t row, key
        cdef char *places
        cdef WordPair *known
        cdef const float *scores
        for i in range(pair.source.n):
            row = <uint64_t>1 << (2 * ID_BITS) | <uint64_t>pair.source.word[i].id << ID_BITS
            # The table is larger than a processor's caches near by: have it fetch all places.
            for j in range(n_target):
                places = self._set_of(row | <uint64_t>others[j].id)
                _prefetch(places)
                _prefetch(places + CACHE_LINE)
            for j in range(n_target):
                cell = i * n_target + j
                key = row | <uint64_t>others[j].id
                places = self._set_of(key)
                known = <WordPair *>places
                if known.key != key:
                    known = <WordPair *>(places + self._stride)
                    if known.key != key:
                        self.n_compared += 1
                        known = self._compare(pair.source.word[i], others[j], tables, key)
                scores = <const float *>(known + 1) + 2 * style
                pair.word_score[2 * cell] = scores[0]
                pair.word_score[2 * cell + 1] = scores[1]
                if only_scores:
                    continue
                pair.cosine[cell] = known.cosine
                pair.relations[cell] = known.relations
                pair.contrast[cell] = known.contrast
                pair.lexical_class[cell] = known.lexical_class
                pair.rule[cell] = known.rule
                pair.strength[cell] = strength_of(known.lexical_class)
        self.n_asked += pair.source.n * n_target

    cdef WordPair *_compare(
        self, const Lexeme *a, const Lexeme *b, const Tables *tables, uint64_t key
    ) noexcept nogil:
        """Compare two lexemes and put them in the first place of their set."""
        cdef char *places = self._set_of(key)
        cdef WordPair *known = <WordPair *>places
        cdef LexicalPair lexical
        memcpy(places + self._stride, places, self._stride)
        compare(a, b, tables, &lexical)
        known.key = key
        known.cosine = lexical.cosine
        known.relations = lexical.relations
        known.contrast = lexical.contrast
        known.lexical_class = lexical.lexical_class
        known.rule = word_rule(a, b, lexical.lexical_class) if self._uses_rules else 0
        if self._weights is not None:
            self._sink.n = 0
            word_features(a, b, &lexical, &self._sink)
            self._weigh(<float *>(known + 1))
        return known

    cdef void _weigh(self, float *scores) noexcept nogil:
        """Write what the features in the sink weigh in each style."""
        cdef const float *weights
        cdef double s2t, t2s
        cdef Py_ssize_t style
        cdef int k
        for style in range(self._n_styles):
            weights = &self._weights[style, 0, 0]
            s2t = t2s = 0.0
            for k in range(self._sink.n):
                s2t += weights[2 * self._sink.slot[k]] * self._sink.value[k]
                t2s += weights[2 * self._sink.slot[k] + 1] * self._sink.value[k]
            scores[2 * style] = <float>s2t
            scores[2 * style + 1] = <float>t2s
