"""Extraction: feature rows of two annotated sentences.

`Extractor.load` analyses a pair once; `cell_row` and `null_row` then fill the sink with the
features of one candidate link, or of one word left unaligned. Training collects the rows
(`FeatureMatrix`). Decoding (`Decoder`) only needs `scores`: the same kernels then add up weights,
and the scores of features of two words alone are cached. The slow twin is
tests/reference/features.py.

`read_weights` reads the weights of features from a model's file: lines ``NAME<TAB>S2T<TAB>T2S``, some
ten thousand for each style, which every process that aligns reads once.
"""

from cpython.unicode cimport PyUnicode_AsUTF8AndSize
from libc.stdint cimport uint32_t
from libc.stdlib cimport free, malloc, realloc
from libc.string cimport memchr, memcmp, memcpy, memset, strncmp

import numpy as np

from tokalign.english.values.value_finding cimport N_BEHIND, find
from tokalign.english.values.value_structs cimport MAX_ALIKE, Piece
from tokalign.features._cell_features cimport cell_features, context_scratch, prepare_cells
from tokalign.features._null_features cimport null_features
from tokalign.features._sentence_features cimport *
from tokalign.features._sink cimport TwoSums
from tokalign.features._word_pairs cimport compare, mark_names, word_features
from tokalign.features.pair cimport *

from tokalign.english.annotate.tags_and_relations import GROUPS, group_of
from tokalign.errors import InputError, ModelError, ResourceError, ShapeError, quoted
from tokalign.files.headers import LARGEST_WEIGHT

STYLE: bytes = b"style "
"""Begins the line above a style's weights."""

cdef enum:
    ALIGNMENT = 16                   # malloc's, enough for every type
    # Beyond these the tables are cleared. Words and labels come from users and may be long.
    MAX_LEXEME_BYTES = 128 << 20     # of some 80,000 usual words
    MAX_RELATIONS = 1000
    MAX_LABEL = 64                   # characters of a label that are compared

cdef float[2] NONE_YET = [0.0, 0.0]

cdef extern from "Python.h":
    double PyOS_string_to_double(const char *text, char **end, void *overflow) except? -1.0

cdef extern from "features/_weighing.h" nogil:
    TwoSums sums_from(const float *scores)
    double sum_of(TwoSums sums, int direction)

cdef struct Arena:
    # Many arrays in one block of memory: carve once to measure the size, again to set pointers.
    char *memory             # NULL while the size is measured
    size_t n_bytes           # taken so far


cdef inline void *_take(Arena *arena, size_t n_bytes) noexcept nogil:
    """Return the next n_bytes, aligned; NULL while the size is measured."""
    cdef void *taken = NULL if arena.memory == NULL else arena.memory + arena.n_bytes
    arena.n_bytes += (n_bytes + ALIGNMENT - 1) // ALIGNMENT * ALIGNMENT
    return taken


cdef void _carve_sentence(Side *side, Py_ssize_t n, Arena *arena) noexcept nogil:
    """Point the arrays that a side has in every pair into an arena."""
    side.n = n
    side.word = <const Lexeme **>_take(arena, n * sizeof(Lexeme *))
    side.kind = <uint8_t *>_take(arena, n)
    side.relative = <float *>_take(arena, whole_lanes(n) * sizeof(float))
    side.form = <int32_t *>_take(arena, whole_lanes(n) * sizeof(int32_t))
    side.lemma = <int32_t *>_take(arena, whole_lanes(n) * sizeof(int32_t))
    side.tag = <int32_t *>_take(arena, whole_lanes(n) * sizeof(int32_t))
    side.head = <int32_t *>_take(arena, n * sizeof(int32_t))
    side.relation = <int32_t *>_take(arena, n * sizeof(int32_t))
    side.group = <int32_t *>_take(arena, n * sizeof(int32_t))
    side.first_child = <int32_t *>_take(arena, n * sizeof(int32_t))
    side.next_sibling = <int32_t *>_take(arena, n * sizeof(int32_t))
    side.previous_content = <int32_t *>_take(arena, n * sizeof(int32_t))
    side.next_content = <int32_t *>_take(arena, n * sizeof(int32_t))


cdef void _carve_pair(PairState *pair, Py_ssize_t n_scores, Arena *arena) noexcept nogil:
    """Point the arrays of a pair, except those of its sentences, into an arena."""
    cdef size_t n_source = pair.source.n, n_target = pair.target.n
    cdef size_t n_cells = n_source * n_target + N_LANES
    _carve_side(&pair.source, arena)
    _carve_side(&pair.target, arena)
    pair.word_score = <float *>_take(arena, n_scores * n_cells * sizeof(float))
    pair.cosine = <float *>_take(arena, n_cells * sizeof(float))
    pair.lexical_class = <uint8_t *>_take(arena, n_cells)
    pair.seen = <uint8_t *>_take(arena, (n_source + 2 * MARGIN) * (n_target + 2 * MARGIN) + N_LANES)
    pair.strength = <float *>_take(arena, n_cells * sizeof(float))
    pair.window = <float *>_take(arena, n_cells * sizeof(float))
    pair.bag = <float *>_take(arena, n_cells * sizeof(float))
    pair.tension = <float *>_take(arena, n_cells * sizeof(float))
    pair.distributional = <float *>_take(arena, n_cells * sizeof(float))
    pair.scratch = <float *>_take(arena, context_scratch(n_source, n_target) * sizeof(float))
    pair.near_bin = <uint8_t *>_take(arena, n_cells)
    pair.window_bin = <uint8_t *>_take(arena, n_cells)
    pair.bag_bin = <uint8_t *>_take(arena, n_cells)
    pair.row_gap = <uint8_t *>_take(arena, n_cells)
    pair.column_gap = <uint8_t *>_take(arena, n_cells)
    pair.run = <uint8_t *>_take(arena, n_cells)
    pair.content_run = <uint8_t *>_take(arena, n_cells)
    pair.acronym = <uint8_t *>_take(arena, n_cells)
    pair.name_part = <uint8_t *>_take(arena, n_cells)
    pair.rule = <uint8_t *>_take(arena, n_cells)
    pair.agreement = <uint8_t *>_take(arena, n_cells)
    pair.relations = <uint32_t *>_take(arena, n_cells * sizeof(uint32_t))
    pair.contrast = <uint8_t *>_take(arena, n_cells)


cdef void _carve_side(Side *side, Arena *arena) noexcept nogil:
    """Point the arrays that a side has in its pair into an arena."""
    cdef size_t n = side.n
    side.ties = <int32_t *>_take(arena, n * sizeof(int32_t))
    side.best = <float *>_take(arena, whole_lanes(n) * sizeof(float))
    side.nearest = <float *>_take(arena, n * sizeof(float))
    side.top = <float *>_take(arena, N_TOP * n * sizeof(float))
    side.likeliest = <float *>_take(arena, 2 * n * sizeof(float))


def check_columns(sentence: Sentence, str field) -> None:
    """Raise an error unless there are tokens and every column fits them; kernels do not check."""
    cdef Py_ssize_t n_tokens = len(sentence.tokens)
    if not n_tokens:
        raise InputError(f"{field} has no tokens", field=field)
    for name in ("tags", "lemmas"):
        if getattr(sentence, name) is None:
            raise InputError(f"{field} has no {name}; annotate it first", field=field)
    if (sentence.heads is None) != (sentence.relations is None):
        raise InputError(f"{field} must have both heads and relations, or neither", field=field)
    for name in ("tags", "lemmas", "heads", "relations"):
        column = getattr(sentence, name)
        if column is not None and len(column) != n_tokens:
            raise ShapeError(
                f"{field} has {len(column)} {name} for {n_tokens} tokens; give one per token",
                field=f"{field}.{name}",
            )
    if sentence.heads is not None and not -1 <= min(sentence.heads) <= max(sentence.heads) < n_tokens:
        raise InputError(f"{field} has a head outside -1..{n_tokens - 1}", field=f"{field}.heads")


cdef class Analysis:
    """The kernels' form of a sentence; made by Extractor.analyse.

    Its lexemes are valid until the extractor next clears its words.
    """

    def __dealloc__(self):
        free(self._block)
        free(self._values)

    cdef int reserve(self, Py_ssize_t n) except -1:
        """Make room for a sentence of n tokens."""
        cdef Arena arena
        arena.memory = NULL
        arena.n_bytes = 0
        _carve_sentence(&self.side, n, &arena)
        self._block = malloc(arena.n_bytes)
        if self._block == NULL:
            raise MemoryError("arrays of a sentence")
        arena.memory = <char *>self._block
        arena.n_bytes = 0
        _carve_sentence(&self.side, n, &arena)
        return 0

    cdef void find_content(self) noexcept nogil:
        """Fill the fields that follow from the tokens' lexemes."""
        cdef Side *side = &self.side
        cdef Py_ssize_t k
        cdef int32_t last = -1
        for k in range(side.n):
            side.form[k] = side.word[k].lower_form
            side.lemma[k] = side.word[k].lemma
            side.tag[k] = side.word[k].tag
            side.kind[k] = side.word[k].kind
            side.relative[k] = <float>k / <float>side.n
            side.previous_content[k] = last
            if side.word[k].kind == KIND_CONTENT:
                last = <int32_t>k
        last = -1
        for k in range(side.n - 1, -1, -1):
            side.next_content[k] = last
            if side.word[k].kind == KIND_CONTENT:
                last = <int32_t>k

    cdef int find_values(self) except -1:
        """Find the values of the sentence; its lexemes must have their facts."""
        cdef Side *side = &self.side
        cdef Py_ssize_t k
        cdef int n_pieces = 0
        cdef bint may_hold_any = False
        cdef Piece *pieces
        cdef Found *kept
        for k in range(side.n):
            may_hold_any |= side.word[k].facts.may_hold_value
            n_pieces += max(1, side.word[k].facts.n_pieces)
        if not may_hold_any:
            return 0
        pieces = <Piece *>malloc((n_pieces + N_BEHIND) * sizeof(Piece))
        self._values = <Found *>malloc((n_pieces + 1) * MAX_ALIKE * sizeof(Found))
        if pieces == NULL or self._values == NULL:
            free(pieces)
            raise MemoryError("values of a sentence")
        _lay_out(side, pieces)
        side.n_values = find(pieces, n_pieces, self._values)
        free(pieces)
        kept = <Found *>realloc(self._values, (side.n_values + 1) * sizeof(Found))
        if kept != NULL:  # else the block stays as it is
            self._values = kept
        side.values = self._values
        return 0


cdef void _lay_out(const Side *side, Piece *pieces) noexcept nogil:
    """Write the pieces of all words, and empty ones for words without any and after the last."""
    cdef const RuleFacts *facts
    cdef Py_ssize_t k
    cdef int at
    for k in range(side.n):
        facts = side.word[k].facts
        memcpy(pieces, facts.pieces, facts.n_pieces * sizeof(Piece))
        if facts.n_pieces == 0:
            memset(pieces, 0, sizeof(Piece))
        for at in range(max(1, facts.n_pieces)):
            pieces[at].token = <int32_t>k
        pieces += max(1, facts.n_pieces)
    memset(pieces, 0, N_BEHIND * sizeof(Piece))


cdef class Extractor:
    """Fills feature rows of one pair at a time; one per thread.

    `base` (int32 array, shape (n_templates,)): first slot of every feature template, -1 to switch
    one off; from FeatureTable. `paraphrases`: without them no word has a vector, and no two words
    are paraphrases. `frequencies`: without them every content word weighs the same. `weights`
    (float32 array, shape (n_styles, n_slots, 2)): needed by `scores`.
    """

    def __init__(
        self, wordnet: WordNet, base: NDArray[np.int32], vectors: Vectors = None,
        paraphrases: Paraphrases = None, frequencies: Frequencies = None,
        weights: NDArray[np.float32] = None
    ) -> None:
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
        _carve_pair(&self.pair, self.memory.width, &arena)
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
        """Clear words and labels if they take too much memory; then no earlier Analysis is
        valid."""
        if self.lexemes.n_bytes > MAX_LEXEME_BYTES:
            self.forget()
        if len(self._relations) > MAX_RELATIONS:  # labels come from users
            self._relations.clear()
        return 0

    cpdef void forget(self):
        """Clear all words, and pairs of them. No earlier Analysis is valid then."""
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
        """Check an annotated sentence and fill its analysis."""
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
        """Fill the tree of a sentence, or note that there is none."""
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
        """Raise an error unless the encoder's arrays, if they are used, fit a pair."""
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

    cdef int load(self, source, target, encoded=None) except -1:
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
            has_failed = self.prepare() != 0
        if has_failed:
            self.release()
            raise MemoryError("arcs of a pair")
        return 0

    cdef void hold(self, const Side *source, const Side *target) noexcept nogil:
        """Load two analysed sentences into the reserved room; the caller keeps them alive."""
        cdef Arena arena
        arena.memory = <char *>self._block
        arena.n_bytes = 0
        self.pair.source = source[0]
        self.pair.target = target[0]
        self.pair.source.encoded = self.pair.target.encoded = NULL
        _carve_pair(&self.pair, self.memory.width, &arena)

    cdef int prepare(self) noexcept nogil:
        """Compute the arrays that the current pair's rows and scores need; return 0, or -1 without
        memory."""
        cdef PairState *pair = &self.pair
        self.memory.fill(pair, &self.lexemes.tables)
        memset(pair.acronym, 0, pair.source.n * pair.target.n)
        mark_acronyms(pair)
        mark_names(pair)
        compare_values(pair)
        if self.uses_rules:
            mark_rules(pair)
        prepare_cells(pair)
        return self._prepare_arcs()

    cdef int _prepare_arcs(self) noexcept nogil:
        """Fill the similarities of the words' arcs, if they are used and there are trees."""
        self.pair.has_arcs = (
            self._uses_arcs and self.pair.source.has_tree and self.pair.target.has_tree
        )
        if not self.pair.has_arcs:
            return 0
        return distributional_similarity(
            &self.pair.source, &self.pair.target, &self._arcs_scratch, self.pair.distributional
        )

    cdef void cell_row(self, Py_ssize_t i, Py_ssize_t j) noexcept nogil:
        """Fill the sink with the features of the link (i, j)."""
        cdef const Lexeme *a = self.pair.source.word[i]
        cdef const Lexeme *b = self.pair.target.word[j]
        cdef LexicalPair lexical
        self.sink.n = 0
        compare(a, b, &self.lexemes.tables, &lexical)
        word_features(a, b, &lexical, &self.sink)
        cell_features(&self.pair, i, j, &self.sink)

    cdef void null_row(self, bint of_source, Py_ssize_t at) noexcept nogil:
        """Fill the sink with the features of a token that has no partner."""
        self.sink.n = 0
        null_features(&self.pair, of_source, at, &self.sink)

    cdef void scores(self, int style, double *s2t, double *t2s) noexcept nogil:
        """Write the scores of all links and NULLs, in the layout of both directions' lattices.

        s2t is [n_source, n_target + 1], t2s is [n_target, n_source + 1], NULL first.
        """
        cdef const PairState *pair = &self.pair
        cdef Py_ssize_t n_source = pair.source.n
        cdef Py_ssize_t n_target = pair.target.n
        cdef const float *of_words = pair.word_score + 2 * style
        cdef Py_ssize_t i, j
        cdef Score score
        score.base = self.sink.base
        score.weights = &self._weights[style, 0, 0]
        for i in range(n_source):
            for j in range(n_target):
                score.sums = sums_from(of_words)
                of_words += self.memory.width
                cell_features(pair, i, j, &score)
                s2t[i * (n_target + 1) + j + 1] = sum_of(score.sums, 0)
                t2s[j * (n_source + 1) + i + 1] = sum_of(score.sums, 1)
            score.sums = sums_from(NONE_YET)
            null_features(pair, True, i, &score)
            s2t[i * (n_target + 1)] = sum_of(score.sums, 0)
        for j in range(n_target):
            score.sums = sums_from(NONE_YET)
            null_features(pair, False, j, &score)
            t2s[j * (n_source + 1)] = sum_of(score.sums, 1)

    def rows(
        self, source: Sentence, target: Sentence, encoded: Encoded = None
    ) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.float32]]:
        """Return all feature rows of a pair in CSR form.

        `source`, `target`: with tags and lemmas. Links get tree features if both have trees, a word
        left unaligned if its own sentence has one. `encoded` (pair of float32 arrays, shapes
        (n_source, n_target + 1), (n_target, n_source + 1)): the encoder's log-probabilities of
        every token's partner, NULL first; only the group "neural" needs them.

        They are `row_start`, int64; `slot`, int32, as FeatureTable numbers them; and `value`,
        float32. Rows are the cells (source-major), the source tokens' NULL, the target tokens' NULL.

        InputError is raised if a sentence is empty, lacks tags or lemmas, has a head outside it, or
        the encoder's arrays are needed and missing; ShapeError, if a column's length is not the
        number of tokens, or the encoder's arrays do not fit.
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


cdef class _Row:
    """The row of the names read last (see FeatureTable.rows), and the number behind that of the
    last one: most names follow one of their row."""

    cdef const char *name
    cdef Py_ssize_t n
    cdef int first, next
    cdef tuple labels


def read_weights(
    path: str | os.PathLike[str], bytes text, Py_ssize_t start, Py_ssize_t stop_at, int first,
    table: FeatureTable, dict transition_places
) -> tuple[NDArray[np.int32], NDArray[np.float32], NDArray[np.float64], int, int]:
    """Return the rising slots of lines, their weights and the transitions, as OwnWeights has them,
    where the lines end, and how many they are.

    They end before the line of a style, or at `stop_at`, behind a line break. `path`: of the file,
    for errors. `start`: index of the first line's first byte. `first`: number of that line in the
    file. `transition_places`: of their names.

    ModelError is raised if a line has other than three fields, an unknown name, the name of a line
    above, no number in [-LARGEST_WEIGHT, LARGEST_WEIGHT], or bytes that are not UTF-8.
    """
    cdef:
        const char *line = text
        const char *end = line + stop_at
        const char *stop
        int number = first
        int place, n_slots = table.n_slots, n_transitions = len(transition_places)
        bytes mark = STYLE
        const char *style = mark
        Py_ssize_t n = 0
        dict rows = table.rows
        _Row row = _Row()
        int32_t[::1] slots = np.empty(n_slots, dtype=np.int32)
        float[:, ::1] values = np.empty((n_slots, 2), dtype=np.float32)
        double[:, ::1] transitions = np.zeros((2, n_transitions))
        unsigned char[::1] is_given = np.zeros(n_slots + n_transitions, dtype=np.uint8)
        const char *tab
        double[2] numbers
        bint is_rising = True
    line += start
    while line < end and strncmp(line, style, len(mark)):
        stop = <const char *>memchr(line, c"\n", end - line)
        try:
            tab = <const char *>memchr(line, c"\t", stop - line)
            if tab == NULL:
                raise ValueError("saw 1 field; wanted 3")
            _read_numbers(tab + 1, stop, numbers)
            place = _slot(rows, row, line, tab)
            if place < 0:
                name = line[: tab - line].decode()
                own = transition_places.get(name)
                place = table.slot(name) if own is None else n_slots + own
            if is_given[place]:
                raise ValueError("there is a line above for the same feature")
            is_given[place] = True
            if place < n_slots:
                is_rising &= n == 0 or slots[n - 1] < place
                slots[n] = place
                values[n, 0], values[n, 1] = <float>numbers[0], <float>numbers[1]
                n += 1
            else:
                transitions[0, place - n_slots], transitions[1, place - n_slots] = numbers
        except (ValueError, ModelError) as error:
            text_of_line = line[: stop - line].decode("utf-8", "replace")
            raise ModelError(
                f"{path}:{number}: bad weight line {quoted(text_of_line)}: {_brief(error)}"
            ) from error
        line = stop + 1
        number += 1
    found, weights = np.asarray(slots)[:n].copy(), np.asarray(values)[:n].copy()
    if not is_rising:
        order = np.argsort(found)
        found, weights = found[order], weights[order]
    return found, weights, np.asarray(transitions), line - <const char *>text, number - first


cdef int _slot(dict rows, _Row row, const char *line, const char *tab) except -2:
    """Return the slot of a name by the rows that the table knows so far, or -1."""
    cdef const char *label
    cdef const char *cut = tab - 1
    cdef Py_ssize_t n, tried, n_labels
    while cut > line and cut[0] != c" ":
        cut -= 1
    if cut == line:
        cut = <const char *>memchr(line, c"[", tab - line)
    if cut == NULL or (tab - 1)[0] != c"]":
        return -1
    if cut - line != row.n or memcmp(line, row.name, row.n):
        found = rows.get(line[: cut - line].decode())
        if found is None:
            return -1
        row.first, row.labels = found
        row.name, row.n, row.next = line, cut - line, 0
    n_labels = len(row.labels)
    for tried in range(n_labels):
        if row.next == n_labels:
            row.next = 0
        label = PyUnicode_AsUTF8AndSize(row.labels[row.next], &n)
        row.next += 1
        if n == tab - cut - 2 and not memcmp(label, cut + 1, n):
            return row.first + row.next - 1
    return -1


cdef int _read_numbers(const char *text, const char *stop, double *found) except -1:
    """Read ``S2T<TAB>T2S``; ValueError if that is not all there is up to `stop`."""
    cdef:
        const char *end
        int column
    for column in range(2):
        end = _read_decimal(text, &found[column])
        if end == NULL:  # an exponent, many digits, or no number
            found[column] = PyOS_string_to_double(text, <char **>&end, NULL)
        if not -1e6 <= found[column] <= 1e6:
            raise ValueError(f"wanted numbers of at most {LARGEST_WEIGHT:.0f}, either sign")
        if (end != stop) if column else (end[0] != c"\t"):
            raise ValueError("wanted a name and two numbers, with a tab between them")
        text = end + 1
    return 0


cdef const char *_read_decimal(const char *text, double *found) noexcept nogil:
    """Read a number of at most 15 digits without an exponent; return its end, or NULL.

    One division of two exact numbers rounds correctly: the value is that of Python's float.
    """
    cdef:
        bint is_negative = text[0] == c"-"
        const char *point = NULL
        long long digits = 0
        double scale = 1.0
        const char *first
    text += is_negative
    first = text
    while c"0" <= text[0] <= c"9" or (text[0] == c"." and point == NULL):
        if text[0] == c".":
            point = text
        else:
            digits = 10 * digits + (text[0] - c"0")
            if point != NULL:
                scale *= 10.0
        text += 1
        if text - first > 15:
            return NULL
    if text - first - (point != NULL) < 1 or (text[0] != c"\t" and text[0] != c"\n"):
        return NULL
    found[0] = -(digits / scale) if is_negative else digits / scale
    return text


def _brief(error):
    """Return the message of an error, which may quote the line."""
    text = str(error)
    return text if len(text) <= 200 else f"{text[:200]}..."
