"""Extraction: feature rows of two annotated sentences.

`Extractor.load` analyses a pair once; `cell_row` and `null_row` then fill the sink with the
features of one candidate link, or of one word left unaligned. Training collects the rows
(`FeatureMatrix`). Decoding (`Decoder`) wants `scores` alone: the same kernels then add up weights
instead, and what the features of two words alone score is remembered. The slow twin is
tests/reference/features.py.
"""

from libc.stdint cimport int32_t
from libc.stdlib cimport free, malloc
from libc.string cimport memset

import numpy as np

from tokalign.features.analysis cimport Analysis
from tokalign.features._arena cimport Arena
from tokalign.features._comparison cimport compare
from tokalign.features._competition cimport competition_features, prepare_competition
from tokalign.features._context cimport context_features, prepare_context
from tokalign.features._dependency cimport dependency_features
from tokalign.features._distributional cimport (
    Arcs,
    distributional_similarity,
    release,
)
from tokalign.features._anchoring cimport (
    anchoring_features,
    anchoring_null_features,
    prepare_anchoring,
)
from tokalign.features._layout cimport carve_pair
from tokalign.features._lexemes cimport LexemeTable
from tokalign.features._lexical cimport mark_acronyms, place_features, word_features
from tokalign.features._memory cimport PairMemory
from tokalign.features._null cimport null_features
from tokalign.features.pair cimport *
from tokalign.features._names cimport mark_names, name_features
from tokalign.features._nearest cimport prepare_nearness, nearness_features
from tokalign.features._neural cimport neural_features, neural_null_features, prepare_neural
from tokalign.features._rules cimport compare_values, mark_rules, rule_features

from tokalign.english.annotate.relations import GROUPS, group_of
from tokalign.features.analysis import check_columns
from tokalign.errors import InputError, ResourceError, ShapeError

cdef enum:
    # Beyond these the tables start anew. Words and labels come from users and may be long.
    MAX_LEXEME_BYTES = 128 << 20     # of some 80,000 usual words
    MAX_RELATIONS = 1000
    MAX_LABEL = 64                   # characters by which labels are told apart


cdef class Extractor:
    """Fills feature rows of one pair at a time; one per thread.

    Parameters
    ----------
    wordnet : WordNet
    base : int32 array, shape (n_templates,)
        First slot of every feature template, -1 to switch one off; from FeatureTable.
    vectors : Vectors, optional
    paraphrases : Paraphrases, optional
        Without them no word has a vector, and no two words are paraphrases.
    frequencies : Frequencies, optional
        Without them every content word weighs the same.
    weights : float32 array, shape (n_styles, n_slots, 2), optional
        For `scores`, which may not be called without.
    """

    def __init__(
        self, wordnet, base, vectors=None, paraphrases=None, frequencies=None, weights=None
    ):
        self._relations = {}
        self._base_array = np.ascontiguousarray(base, dtype=np.int32)
        if self._base_array.shape != (<int>N_TEMPLATES,):
            raise ShapeError(f"base has shape {self._base_array.shape}; wanted ({<int>N_TEMPLATES},)")
        self._base = self._base_array
        self.sink.base = &self._base[0]
        self.uses_rules = self._base[<int>RULE] >= 0
        self.lexemes = LexemeTable(wordnet, vectors, paraphrases, frequencies)
        self._weights = weights
        self.memory = PairMemory(self._base, weights)
        for template, table, name in (
            (<int>COSINE, vectors, "vectors"), (<int>PARAPHRASE, paraphrases, "paraphrases"),
            (<int>ANCHORED, frequencies, "anchors"),
        ):
            if self._base[template] >= 0 and table is None:
                raise ResourceError(f"the feature group {name} needs a table; none was given")
        self.uses_encoder = any(
            self._base[template] >= 0 for template in range(<int>NEURAL, <int>NEURAL_NULL_BIN + 1)
        )
        self._uses_arcs = (
            self._base[<int>DISTRIBUTIONAL] >= 0 or self._base[<int>DISTRIBUTIONAL_BIN] >= 0
        )

    def __dealloc__(self):
        release(&self._arcs_scratch)
        free(self._block)

    cdef int reserve(self, Py_ssize_t n_source, Py_ssize_t n_target) except -1:
        """Make room for pairs of sentences of at most so many tokens."""
        cdef Arena arena
        arena.memory = NULL
        arena.n_bytes = 0
        self.pair.source.n = n_source
        self.pair.target.n = n_target
        carve_pair(&self.pair, &arena)
        self.release()
        if arena.n_bytes > self._n_block:
            free(self._block)
            self._block = NULL
            self._n_block = 0
            self._block = malloc(arena.n_bytes)
            if self._block == NULL:
                raise MemoryError("arrays of a pair")
            self._n_block = arena.n_bytes
        return 0

    cdef void release(self) noexcept nogil:
        """Hold no pair."""
        self.pair.source.n = self.pair.target.n = 0

    cdef int make_room(self) except -1:
        """Forget what is remembered of words and labels where it is too much; no Analysis made
        before is valid then."""
        if self.lexemes.n_bytes > MAX_LEXEME_BYTES:
            self.forget()
        if len(self._relations) > MAX_RELATIONS:  # labels come from users
            self._relations.clear()
        return 0

    cpdef void forget(self):
        """Forget all words, and pairs of them. No Analysis made before is valid then."""
        self.release()
        self.memory.clear()
        self.lexemes.clear()
        self.n_cleared += 1

    cdef tuple _relation(self, str label):
        """Return the number and the group of a relation label."""
        if len(label) > MAX_LABEL:
            label = label[:MAX_LABEL]
        known = self._relations.get(label)
        if known is None:
            known = self._relations[label] = (len(self._relations), GROUPS.index(group_of(label)))
        return known

    cdef int analyse(self, sentence, str field, Analysis analysis) except -1:
        """Fill the analysis of an annotated sentence, once it is checked."""
        cdef Side *side = &analysis.side
        cdef Py_ssize_t k
        check_columns(sentence, field)
        analysis.reserve(len(sentence.tokens))
        try:
            for k, (form, tag, lemma) in enumerate(
                zip(sentence.tokens, sentence.tags, sentence.lemmas)
            ):
                side.word[k] = self.lexemes.lexeme(form, tag, lemma)
        except UnicodeEncodeError as error:
            raise InputError(f"a token or lemma is not valid Unicode: {error}") from error
        analysis.find_content()
        analysis.find_values()
        self.fill_tree(side, sentence.heads, sentence.relations)
        return 0

    cdef int fill_tree(self, Side *side, heads, relations) except -1:
        """Fill the tree of a sentence, or say that there is none."""
        cdef Py_ssize_t k
        side.has_tree = heads is not None
        if side.has_tree:
            for k in range(side.n):
                side.first_child[k] = -1
            for k in range(side.n - 1, -1, -1):
                side.head[k] = heads[k]
                side.relation[k], side.group[k] = self._relation(relations[k])
                if side.head[k] >= 0:
                    side.next_sibling[k] = side.first_child[side.head[k]]
                    side.first_child[side.head[k]] = <int32_t>k
        return 0

    cdef int check_encoded(self, encoded, Py_ssize_t n_source, Py_ssize_t n_target) except -1:
        """Raise an error unless the encoder's arrays, where they are used, fit a pair."""
        if not self.uses_encoder:
            return 0
        if encoded is None:
            raise InputError("the features need what the encoder says of the pair; none was given")
        cdef const float[:, ::1] s2t, t2s
        s2t, t2s = encoded
        if (s2t.shape[0] != n_source or s2t.shape[1] != n_target + 1
                or t2s.shape[0] != n_target or t2s.shape[1] != n_source + 1):
            raise ShapeError(
                f"the encoder's arrays have shapes {encoded[0].shape} and {encoded[1].shape}; "
                f"wanted {n_source, n_target + 1} and {n_target, n_source + 1}"
            )
        return 0

    cdef int load(self, source, target, encoded=None, int style=0) except -1:
        """Analyse a pair of annotated sentences; rows can be read until the next load."""
        cdef const float[:, ::1] s2t_encoded, t2s_encoded
        cdef bint has_failed
        self.release()
        self.make_room()
        cdef Analysis first = Analysis.__new__(Analysis)
        cdef Analysis second = Analysis.__new__(Analysis)
        self.analyse(source, "source", first)
        self.analyse(target, "target", second)
        self.check_encoded(encoded, first.side.n, second.side.n)
        self.reserve(first.side.n, second.side.n)
        self._held = first, second, encoded
        self.hold(&first.side, &second.side)
        if self.uses_encoder:
            s2t_encoded, t2s_encoded = encoded
            self.pair.source.encoded = &s2t_encoded[0, 0]
            self.pair.target.encoded = &t2s_encoded[0, 0]
        with nogil:
            has_failed = self.prepare(style) != 0
        if has_failed:
            self.release()
            raise MemoryError("arcs of a pair")
        return 0

    cdef void hold(self, const Side *source, const Side *target) noexcept nogil:
        """Point to two analysed sentences, which must stay, within the room that was reserved."""
        cdef Arena arena
        arena.memory = <char *>self._block
        arena.n_bytes = 0
        self.pair.source = source[0]
        self.pair.target = target[0]
        self.pair.source.encoded = self.pair.target.encoded = NULL
        carve_pair(&self.pair, &arena)

    cdef int prepare(self, int style) noexcept nogil:
        """Compute what the rows and scores of the pair at hand are made of; return 0, or -1
        without memory."""
        cdef PairState *pair = &self.pair
        self.memory.fill(pair, &self.lexemes.tables, style, False)
        memset(pair.acronym, 0, pair.source.n * pair.target.n)
        mark_acronyms(pair)
        mark_names(pair)
        compare_values(pair)
        if self.uses_rules:
            mark_rules(pair)
        prepare_context(pair)
        prepare_competition(pair)
        prepare_nearness(pair)
        prepare_anchoring(pair)
        prepare_neural(pair)
        return self._prepare_arcs()

    cdef void change_style(self, int style) noexcept nogil:
        """Make the pair that is prepared ready for the scores of another style."""
        self.memory.fill(&self.pair, &self.lexemes.tables, style, True)

    cdef int _prepare_arcs(self) noexcept nogil:
        """Fill the similarities of the words' arcs, if they are asked for and there are trees."""
        cdef Arcs source, target
        self.pair.has_arcs = (
            self._uses_arcs and self.pair.source.has_tree and self.pair.target.has_tree
        )
        if not self.pair.has_arcs:
            return 0
        _arcs_of(&self.pair.source, &source)
        _arcs_of(&self.pair.target, &target)
        return distributional_similarity(
            &source, &target, &self._arcs_scratch, self.pair.distributional
        )

    cdef void cell_row(self, Py_ssize_t i, Py_ssize_t j) noexcept nogil:
        """Fill the sink with the features of the link (i, j)."""
        cdef const Lexeme *a = self.pair.source.word[i]
        cdef const Lexeme *b = self.pair.target.word[j]
        cdef LexicalPair lexical
        self.sink.n = 0
        compare(a, b, &self.lexemes.tables, &lexical)
        word_features(a, b, &lexical, &self.sink)
        _context(&self.pair, i, j, &self.sink)

    cdef void null_row(self, bint of_source, Py_ssize_t at) noexcept nogil:
        """Fill the sink with the features of a token that has no partner."""
        self.sink.n = 0
        _null(&self.pair, of_source, at, &self.sink)

    cdef void scores(self, int style, double *s2t, double *t2s) noexcept nogil:
        """Write the scores of all links and NULLs, as both directions' lattices have them.

        s2t is [n_source, n_target + 1], t2s is [n_target, n_source + 1], NULL first.
        """
        cdef const PairState *pair = &self.pair
        cdef Py_ssize_t n_source = pair.source.n
        cdef Py_ssize_t n_target = pair.target.n
        cdef const double *of_words = pair.word_score
        cdef Py_ssize_t i, j
        cdef Score score
        score.base = self.sink.base
        score.weights = &self._weights[style, 0, 0]
        for i in range(n_source):
            for j in range(n_target):
                score.s2t = of_words[0]
                score.t2s = of_words[1]
                of_words += 2
                _context(pair, i, j, &score)
                s2t[i * (n_target + 1) + j + 1] = score.s2t
                t2s[j * (n_source + 1) + i + 1] = score.t2s
            score.s2t = score.t2s = 0.0
            _null(pair, True, i, &score)
            s2t[i * (n_target + 1)] = score.s2t
        for j in range(n_target):
            score.s2t = score.t2s = 0.0
            _null(pair, False, j, &score)
            t2s[j * (n_source + 1)] = score.t2s

    def rows(self, source, target, encoded=None):
        """Return all feature rows of a pair in CSR form.

        Parameters
        ----------
        source, target : Sentence
            With tags and lemmas. Links get tree features if both have trees, a word left
            unaligned if its own sentence has one.
        encoded : pair of float32 arrays, shapes (n_source, n_target + 1), (n_target, n_source + 1)
            The encoder's log-probabilities of every token's partner, NULL first; needed by, and
            used for, the group "neural" alone.

        Returns
        -------
        row_start : int64 array, shape (n_source * n_target + n_source + n_target + 1,)
            Rows are the cells (source-major), the source tokens' NULL, the target tokens' NULL.
        slot : int32 array, shape (row_start[-1],)
            Feature slots, as FeatureTable numbers them.
        value : float32 array, shape (row_start[-1],)

        Raises
        ------
        InputError
            If a sentence is empty, lacks tags or lemmas, has a head outside it, or the encoder's
            arrays are needed and missing.
        ShapeError
            If a column's length is not the number of tokens, or the encoder's arrays do not fit.
        """
        self.load(source, target, encoded)
        cdef Py_ssize_t n_source = self.pair.source.n
        cdef Py_ssize_t n_target = self.pair.target.n
        cdef Py_ssize_t n_rows = n_source * n_target + n_source + n_target
        row_start = np.zeros(n_rows + 1, dtype=np.int64)
        slot = np.empty(n_rows * ROW_CAPACITY, dtype=np.int32)
        value = np.empty(n_rows * ROW_CAPACITY, dtype=np.float32)
        cdef long long[::1] row_start_view = row_start
        cdef int32_t[::1] slot_view = slot
        cdef float[::1] value_view = value
        cdef Py_ssize_t row, k
        cdef Py_ssize_t n_values = 0
        with nogil:
            for row in range(n_rows):
                if row < n_source * n_target:
                    self.cell_row(row // n_target, row % n_target)
                else:
                    k = row - n_source * n_target
                    self.null_row(k < n_source, k if k < n_source else k - n_source)
                for k in range(self.sink.n):
                    slot_view[n_values] = self.sink.slot[k]
                    value_view[n_values] = self.sink.value[k]
                    n_values += 1
                row_start_view[row + 1] = n_values
        return row_start, slot[:n_values].copy(), value[:n_values].copy()


cdef void _context(const PairState *pair, Py_ssize_t i, Py_ssize_t j, AnySink *sink) noexcept nogil:
    """Emit the features of the link (i, j), but for those of its words alone."""
    place_features(pair, i, j, sink)
    if pair.name_part[i * pair.target.n + j]:
        name_features(pair, i, j, sink)
    if pair.rule[i * pair.target.n + j]:
        rule_features(pair, i, j, sink)
    context_features(pair, i, j, sink)
    competition_features(pair, i, j, sink)
    if pair.source.has_tree and pair.target.has_tree:
        dependency_features(pair, i, j, sink)
    nearness_features(pair, i, j, sink)
    if pair.source.encoded != NULL:
        neural_features(pair, i, j, sink)
    anchoring_features(pair, i, j, sink)


cdef void _null(const PairState *pair, bint of_source, Py_ssize_t at, AnySink *sink) noexcept nogil:
    """Emit the features of a token that has no partner."""
    null_features(pair, of_source, at, sink)
    neural_null_features(pair, of_source, at, sink)
    anchoring_null_features(pair, of_source, at, sink)


cdef void _arcs_of(const Side *side, Arcs *out) noexcept nogil:
    out.n = side.n
    out.lemma = side.lemma
    out.head = side.head
    out.relation = side.relation
