"""From two annotated sentences to feature rows.

`Extractor.load` analyses a pair once; `cell_row` and `null_row` then fill the sink with the
features of one candidate link, or of one word left unaligned. Training collects the rows
(`FeatureMatrix`), decoding multiplies them with the weights on the fly (`Decoder`); both see the same
rows. The slow twin is tests/reference/features.py.
"""

from libc.stdint cimport int32_t, uint8_t
from libc.stdlib cimport free, malloc

import numpy as np

from tokalign.features._arena cimport Arena, take
from tokalign.features._competition cimport competition_features, prepare_competition
from tokalign.features._context cimport context_features, context_scratch, prepare_context
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
from tokalign.features._lexemes cimport LexemeTable
from tokalign.features._lexical cimport lexical_features, mark_acronyms
from tokalign.features._null cimport null_features
from tokalign.features._pair cimport *
from tokalign.features._names cimport mark_names, name_features
from tokalign.features._nearest cimport prepare_nearness, nearness_features
from tokalign.features._neural cimport neural_features, neural_null_features, prepare_neural

from tokalign.annotate.relations import GROUPS, group_of
from tokalign.errors import InputError, ResourceError, ShapeError

cdef enum:
    # Beyond these the tables start anew. Words and labels come from users and may be long.
    MAX_LEXEME_BYTES = 128 << 20     # of some 80,000 usual words
    MAX_RELATIONS = 1000
    MAX_LABEL = 64                   # characters by which labels are told apart


def _check_columns(sentence, str field):
    """Raise an error unless every column fits the tokens; the kernels trust them."""
    for name in ("tags", "lemmas"):
        if getattr(sentence, name) is None:
            raise InputError(f"{field} has no {name}; annotate it first", field=field)
    if (sentence.heads is None) != (sentence.relations is None):
        raise InputError(f"{field} must have both heads and relations, or neither", field=field)
    for name in ("tags", "lemmas", "heads", "relations"):
        column = getattr(sentence, name)
        if column is not None and len(column) != len(sentence):
            raise ShapeError(
                f"{field} has {len(column)} {name} for {len(sentence)} tokens; give one per token",
                field=f"{field}.{name}",
            )
    if sentence.heads is not None and not -1 <= min(sentence.heads) <= max(sentence.heads) < len(sentence):
        raise InputError(
            f"{field} has a head outside -1..{len(sentence) - 1}", field=f"{field}.heads"
        )


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
    """

    def __init__(self, wordnet, base, vectors=None, paraphrases=None, frequencies=None):
        self.lexemes = LexemeTable(wordnet, vectors, paraphrases, frequencies)
        self._relations = {}
        self._base_array = np.ascontiguousarray(base, dtype=np.int32)
        if self._base_array.shape != (<int>N_TEMPLATES,):
            raise ShapeError(f"base has shape {self._base_array.shape}; wanted ({<int>N_TEMPLATES},)")
        self._base = self._base_array
        self.sink.base = &self._base[0]
        for template, table, name in (
            (<int>COSINE, vectors, "vectors"), (<int>PARAPHRASE, paraphrases, "paraphrases"),
            (<int>ANCHORED, frequencies, "anchors"),
        ):
            if self._base[template] >= 0 and table is None:
                raise ResourceError(f"the feature group {name} needs a table; none was given")
        self._uses_encoder = self._base[<int>NEURAL] >= 0
        self._uses_arcs = (
            self._base[<int>DISTRIBUTIONAL] >= 0 or self._base[<int>DISTRIBUTIONAL_BIN] >= 0
        )

    def __dealloc__(self):
        release(&self._arcs_scratch)
        free(self._block)

    cdef int _reserve(self, Py_ssize_t n_source, Py_ssize_t n_target) except -1:
        """Make room for a pair and point the pair's arrays into it."""
        cdef Arena arena
        arena.memory = NULL
        arena.n_bytes = 0
        _carve(&self.pair, n_source, n_target, &arena)
        if arena.n_bytes > self._n_block:
            free(self._block)
            self._block = NULL
            self._n_block = 0
            self._block = malloc(arena.n_bytes)
            if self._block == NULL:
                raise MemoryError("arrays of a pair")
            self._n_block = arena.n_bytes
        arena.memory = <char *>self._block
        arena.n_bytes = 0
        _carve(&self.pair, n_source, n_target, &arena)
        return 0

    cdef tuple _relation(self, str label):
        """Return the number and the group of a relation label."""
        if len(label) > MAX_LABEL:
            label = label[:MAX_LABEL]
        known = self._relations.get(label)
        if known is None:
            known = self._relations[label] = (len(self._relations), GROUPS.index(group_of(label)))
        return known

    cdef int _fill_side(self, Side *side, sentence) except -1:
        """Fill lexemes, tree and content neighbours of one sentence."""
        cdef Py_ssize_t k
        cdef int32_t last
        for k, (form, tag, lemma) in enumerate(
            zip(sentence.tokens, sentence.tags, sentence.lemmas)
        ):
            side.word[k] = self.lexemes.lexeme(form, tag, lemma)
            side.lemma[k] = side.word[k].lemma
        side.has_tree = sentence.heads is not None
        if side.has_tree:
            for k in range(side.n):
                side.first_child[k] = -1
            for k in range(side.n - 1, -1, -1):
                side.head[k] = sentence.heads[k]
                side.relation[k], side.group[k] = self._relation(sentence.relations[k])
                if side.head[k] >= 0:
                    side.next_sibling[k] = side.first_child[side.head[k]]
                    side.first_child[side.head[k]] = <int32_t>k
        last = -1
        for k in range(side.n):
            side.previous_content[k] = last
            if side.word[k].kind == KIND_CONTENT:
                last = <int32_t>k
        last = -1
        for k in range(side.n - 1, -1, -1):
            side.next_content[k] = last
            if side.word[k].kind == KIND_CONTENT:
                last = <int32_t>k
        return 0

    cdef int _take_encoded(self, encoded) except -1:
        """Point both sides to the encoder's log-probabilities, which stay referenced."""
        cdef Py_ssize_t n_source = self.pair.source.n
        cdef Py_ssize_t n_target = self.pair.target.n
        self.pair.source.encoded = self.pair.target.encoded = NULL
        if not self._uses_encoder:
            return 0
        if encoded is None:
            raise InputError("the features need what the encoder says of the pair; none was given")
        self._s2t_encoded, self._t2s_encoded = encoded
        if (self._s2t_encoded.shape[0] != n_source or self._s2t_encoded.shape[1] != n_target + 1
                or self._t2s_encoded.shape[0] != n_target
                or self._t2s_encoded.shape[1] != n_source + 1):
            raise ShapeError(
                f"the encoder's arrays have shapes {encoded[0].shape} and {encoded[1].shape}; "
                f"wanted {n_source, n_target + 1} and {n_target, n_source + 1}"
            )
        self.pair.source.encoded = &self._s2t_encoded[0, 0]
        self.pair.target.encoded = &self._t2s_encoded[0, 0]
        return 0

    cdef int load(self, source, target, encoded=None) except -1:
        """Analyse a pair of annotated sentences; rows can be read until the next load."""
        cdef Py_ssize_t i, cell
        cdef int failed
        if not len(source) or not len(target):
            raise InputError("a sentence has no tokens", field="target" if len(source) else "source")
        if self.lexemes.n_bytes > MAX_LEXEME_BYTES:
            self.lexemes.clear()
        if len(self._relations) > MAX_RELATIONS:  # labels come from users
            self._relations.clear()
        _check_columns(source, "source")
        _check_columns(target, "target")
        try:
            self._reserve(len(source), len(target))
            self._fill_side(&self.pair.source, source)
            self._fill_side(&self.pair.target, target)
            self._take_encoded(encoded)
        except BaseException as error:
            self.pair.source.n = self.pair.target.n = 0  # nothing to be read
            if isinstance(error, UnicodeEncodeError):
                raise InputError(f"a token or lemma is not valid Unicode: {error}") from error
            raise
        cdef Pair *pair = &self.pair
        with nogil:
            for i in range(pair.source.n):
                self.lexemes.pairs(
                    pair.source.word[i], pair.target.word, pair.target.n,
                    pair.lexical + i * pair.target.n,
                )
            for cell in range(pair.source.n * pair.target.n):
                pair.strength[cell] = pair.lexical[cell].strength
                pair.acronym[cell] = 0
            mark_acronyms(pair)
            mark_names(pair)
            prepare_context(pair)
            prepare_competition(pair)
            prepare_nearness(pair)
            prepare_anchoring(pair)
            prepare_neural(pair)
            failed = self._prepare_arcs()
        if failed:
            raise MemoryError("arcs of a pair")
        return 0

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
        self.sink.n = 0
        lexical_features(&self.pair, i, j, &self.sink)
        name_features(&self.pair, i, j, &self.sink)
        context_features(&self.pair, i, j, &self.sink)
        competition_features(&self.pair, i, j, &self.sink)
        dependency_features(&self.pair, i, j, &self.sink)
        nearness_features(&self.pair, i, j, &self.sink)
        neural_features(&self.pair, i, j, &self.sink)
        anchoring_features(&self.pair, i, j, &self.sink)

    cdef void null_row(self, bint of_source, Py_ssize_t at) noexcept nogil:
        """Fill the sink with the features of a token that has no partner."""
        self.sink.n = 0
        null_features(&self.pair, of_source, at, &self.sink)
        neural_null_features(&self.pair, of_source, at, &self.sink)
        anchoring_null_features(&self.pair, of_source, at, &self.sink)

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


cdef void _arcs_of(const Side *side, Arcs *out) noexcept nogil:
    out.n = side.n
    out.lemma = side.lemma
    out.head = side.head
    out.relation = side.relation


cdef void _carve(
    Pair *pair, Py_ssize_t n_source, Py_ssize_t n_target, Arena *arena
) noexcept nogil:
    """Point the arrays of a pair into an arena."""
    cdef size_t n_cells = n_source * n_target
    _carve_side(&pair.source, n_source, arena)
    _carve_side(&pair.target, n_target, arena)
    pair.lexical = <LexicalPair *>take(arena, n_cells * sizeof(LexicalPair))
    pair.strength = <float *>take(arena, n_cells * sizeof(float))
    pair.window = <float *>take(arena, n_cells * sizeof(float))
    pair.bag = <float *>take(arena, n_cells * sizeof(float))
    pair.tension = <float *>take(arena, n_cells * sizeof(float))
    pair.distributional = <float *>take(arena, n_cells * sizeof(float))
    pair.scratch = <float *>take(arena, context_scratch(n_source, n_target) * sizeof(float))
    pair.run = <uint8_t *>take(arena, n_cells)
    pair.content_run = <uint8_t *>take(arena, n_cells)
    pair.acronym = <uint8_t *>take(arena, n_cells)
    pair.name_part = <uint8_t *>take(arena, n_cells)


cdef void _carve_side(Side *side, Py_ssize_t n, Arena *arena) noexcept nogil:
    """Point the arrays of a side into an arena."""
    side.n = n
    side.word = <const Lexeme **>take(arena, n * sizeof(Lexeme *))
    side.lemma = <int32_t *>take(arena, n * sizeof(int32_t))
    side.head = <int32_t *>take(arena, n * sizeof(int32_t))
    side.relation = <int32_t *>take(arena, n * sizeof(int32_t))
    side.group = <int32_t *>take(arena, n * sizeof(int32_t))
    side.first_child = <int32_t *>take(arena, n * sizeof(int32_t))
    side.next_sibling = <int32_t *>take(arena, n * sizeof(int32_t))
    side.previous_content = <int32_t *>take(arena, n * sizeof(int32_t))
    side.next_content = <int32_t *>take(arena, n * sizeof(int32_t))
    side.ties = <int32_t *>take(arena, n * sizeof(int32_t))
    side.best = <float *>take(arena, n * sizeof(float))
    side.nearest = <float *>take(arena, n * sizeof(float))
    side.top = <float *>take(arena, N_TOP * n * sizeof(float))
    side.likeliest = <float *>take(arena, 2 * n * sizeof(float))
