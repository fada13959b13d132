"""Decoding by a model: features times weights, then two chains.

The features of a cell are computed once and multiplied with the weights of both directions, so that
the second direction costs little more than its chain. `decide_batch` (tokalign.decoding.batch) runs
the decoder; a DecodedPair gives what is wanted besides links and scores. Phrase links are maximal
blocks of links (tokalign.types.links.Phrase); a block's probability is read from each chain.
"""

from libc.math cimport INFINITY
from libc.stdlib cimport calloc, free, malloc, realloc
from libc.string cimport memcpy, memset

import numpy as np

from tokalign.crf.chains cimport *
from tokalign.decoding.link_decision cimport *
from tokalign.decoding.second_pass cimport FirstPass, carve_groups, group_bytes
from tokalign.features.pair cimport CLASS_IDENTICAL, Sink
from tokalign.relations.related_units cimport *

from tokalign.english.lexicon.word_lists import content_weight
from tokalign.errors import InputError, ShapeError
from tokalign.model.styles import MAX_STYLES
from tokalign.relations.conflicts import shipped_judge
from tokalign.types.links import Phrase
from tokalign.types.locks import ForkLock
from tokalign.types.options import Symmetrization
from tokalign.types.relations import Relation

assert MAX_STYLES == <int>MOST_STYLES

cdef extern from "Python.h":
    object PyByteArray_FromStringAndSize(const char *values, Py_ssize_t n_bytes)
    int PyObject_GenericSetAttr(object made, object name, object value) except -1

cdef object FROM_BUFFER = np.frombuffer  # looked up once: it takes long beside one pair
cdef object FLOAT64 = np.dtype(np.float64)
cdef object SOURCE_TO_TARGET = Symmetrization.SOURCE_TO_TARGET
cdef object TARGET_TO_SOURCE = Symmetrization.TARGET_TO_SOURCE


cdef class Decoder:
    """Decodes one batch at a time; other threads wait.

    `model`: gives the feature table, and each style's weights and transitions, added to the shared
    ones: 8 bytes for each slot and style. `lexicons`: the tables that the model's feature groups
    need. ShapeError is raised if the shape of the weights or transitions is wrong.
    """

    def __init__(self, model: Model, lexicons: Lexicons) -> None:
        base = model.table.base
        weights, transitions = model.summed()
        if weights.ndim != 3 or weights.shape[2] != 2 or not weights.size:
            raise ShapeError(f"weights have shape {weights.shape}; wanted (n_styles, n_slots, 2)")
        if weights.shape[1] <= max(base):
            raise ShapeError(
                f"weights have {weights.shape[1]} rows; the table's last template begins at "
                f"{max(base)}"
            )
        if transitions.shape != (len(weights), 2, <int>N_TRANSITIONS):
            raise ShapeError(
                f"transitions have shape {transitions.shape}; "
                f"wanted ({len(weights)}, 2, {<int>N_TRANSITIONS})"
            )
        self.weights = np.ascontiguousarray(weights, dtype=np.float32)
        self.extractor = Extractor(
            lexicons.wordnet, base, lexicons.vectors, lexicons.paraphrases, lexicons.frequencies,
            self.weights,
        )
        self.transitions = np.ascontiguousarray(transitions, dtype=np.float64)
        self.workspace = Workspace()
        self.judge = shipped_judge()
        self.lock = ForkLock()

    def __dealloc__(self):
        free(self.scratch)
        free(self._lexeme)

    cdef int reserve(self, Py_ssize_t n_source, Py_ssize_t n_target) except -1:
        cdef Py_ssize_t wanted = n_source * (n_target + 1) + n_target * (n_source + 1)
        if wanted > self.n_scratch:
            free(self.scratch)
            self.n_scratch = 0
            self.scratch = <double *>malloc(wanted * sizeof(double))
            if self.scratch == NULL:
                raise MemoryError("emissions of a pair")
            self.n_scratch = wanted
        self.workspace.reserve(max(n_source, n_target), max(n_source, n_target) + 1)
        return 0

    def forget(self) -> None:
        """Clear the cache of words, which changes no answer."""
        with self.lock:
            self.extractor.forget()

    cdef int fill_words(self, AnnotatedTexts texts, Py_ssize_t index, const Lexeme **out) except -1:
        """Write the lexemes of a text's words."""
        cdef Py_ssize_t first = texts.offsets[index]
        cdef Py_ssize_t k
        cdef int32_t number
        self._keep_up(texts.words)
        for k in range(texts.offsets[index + 1] - first):
            number = texts.numbers[first + k]
            if self._lexeme[number] == NULL:
                self._lexeme[number] = self.extractor.lexemes.lexeme(
                    texts.words.tokens[number], texts.words.tag(number), texts.words.lemmas[number],
                )
            out[k] = self._lexeme[number]
        return 0

    cdef int _keep_up(self, Words words) except -1:
        """Make room for the lexemes of all words; forget them if the table of words is new, or if
        the extractor has cleared its own."""
        cdef Py_ssize_t n_words = words.n_words
        cdef void *grown
        if words is not self._words or self.extractor.n_cleared != self._n_cleared:
            self._words = words
            self._n_cleared = self.extractor.n_cleared
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

    cdef double[::1] weights_of(self, tuple tags):
        """Return the weights in the score of tokens with these tags."""
        if tags is not self.tags:
            self.tag_weights = np.array([content_weight(tag) for tag in tags])
            self.tags = tags
        return self.tag_weights

    cdef bint posteriors(
        self, int style, int direction, const double *emission, Py_ssize_t n_steps,
        Py_ssize_t n_states, double *posterior,
    ) noexcept nogil:
        """Write one direction's posteriors; return whether float64 can hold them."""
        expand(&self.transitions[style, direction, 0], n_states, &self.workspace.buffers.score)
        cdef double log_partition = marginals(
            emission, n_steps, n_states, &self.workspace.buffers, posterior, NULL, 0.0
        )
        return -INFINITY < log_partition < INFINITY

    cdef void labels(
        self, int style, int direction, const double *emission, Py_ssize_t n_steps,
        Py_ssize_t n_states, int32_t *states,
    ) noexcept nogil:
        """Write one direction's best labels."""
        expand(&self.transitions[style, direction, 0], n_states, &self.workspace.buffers.score)
        viterbi(emission, n_steps, n_states, &self.workspace.buffers, states)


cdef bint _has_words(columns, Py_ssize_t index):
    """Whether a sentence is a view of annotated texts, and not empty."""
    if not isinstance(columns, AnnotatedTexts):
        return False
    cdef AnnotatedTexts texts = columns
    return texts.offsets[index + 1] > texts.offsets[index]


cdef class Analysed(Analysis):
    """A sentence of a batch."""

    def __dealloc__(self):
        free(self.score_weights)

    cdef int _reserve_weights(self) except -1:
        self.score_weights = <double *>malloc(self.side.n * sizeof(double))
        if self.score_weights == NULL:
            raise MemoryError("weights of a sentence")
        return 0

    cdef int weigh(self, tags) except -1:
        """Fill the weights in the score of tokens with these tags."""
        cdef Py_ssize_t k
        self._reserve_weights()
        for k, tag in enumerate(tags):
            self.score_weights[k] = content_weight(tag)
        return 0

    cdef int fill(self, Decoder decoder, sentence, str field) except -1:
        """Analyse a sentence; `field` names it in errors."""
        viewed = sentence.viewed()
        if viewed is not None and _has_words(viewed[0], viewed[1]):
            self._read(decoder, viewed[0], viewed[1])
            decoder.extractor.fill_tree(&self.side, sentence.heads, sentence.relations)
        else:
            decoder.extractor.analyse(sentence, field, self)
        return 0

    cdef int _read(self, Decoder decoder, AnnotatedTexts texts, Py_ssize_t index) except -1:
        """Fill the words of a text that the native annotator has read."""
        cdef Py_ssize_t first = texts.offsets[index]
        cdef Py_ssize_t k
        cdef double[::1] weights = decoder.weights_of(texts.words.tags)
        self.reserve(texts.offsets[index + 1] - first)
        self._reserve_weights()
        try:
            decoder.fill_words(texts, index, self.side.word)
        except UnicodeEncodeError as error:
            raise InputError(f"a token or lemma is not valid Unicode: {error}") from error
        for k in range(self.side.n):
            self.score_weights[k] = weights[texts.words.word[texts.numbers[first + k]].tag]
        self.find_content()
        self.find_values()
        return 0


cdef class Conventions:
    """The conventions of a model's styles, and the weights that choose a style.

    `styles`: of one model, at least one. `second_pass`: that of the styles that have one.
    """

    def __init__(self, styles not None: Sequence[StyleHeader], SecondPass second_pass=None) -> None:
        cdef Convention convention
        cdef int style, k
        self.each = tuple(map(Convention, styles))
        self.n_styles = len(self.each)
        self.second_pass = second_pass
        self.chooses = "choice" in styles[0]
        for style in range(self.n_styles):
            convention = self.each[style]
            self.numbers[style] = convention.numbers
            for k, weight in enumerate(styles[style].get("choice", ())):
                self.choice[style * (<int>N_CHOICE_INPUTS + 1) + k] = weight


cdef size_t scratch_bytes(Py_ssize_t n_source, Py_ssize_t n_target) noexcept nogil:
    """Return the bytes of scratch for pairs of at most so many tokens."""
    cdef size_t n_doubles = n_source * (n_target + 1) + n_target * (n_source + 1)
    n_doubles += 2 * n_source * n_target + n_source + n_target
    return (
        n_doubles * sizeof(double) + (n_target + 1) * sizeof(int32_t)
        + group_bytes(n_source, n_target) + n_source * n_target * sizeof(uint8_t)
    )


cdef void carve_scratch(
    PairScratch *scratch, double *block, Py_ssize_t n_source, Py_ssize_t n_target
) noexcept nogil:
    """Lay out the scratch in a block of scratch_bytes."""
    scratch.s2t_posterior = block
    scratch.t2s_posterior = block + n_source * (n_target + 1)
    scratch.mean = scratch.t2s_posterior + n_target * (n_source + 1)
    scratch.revised = scratch.mean + n_source * n_target
    scratch.target_weights = scratch.revised + n_source * n_target
    scratch.source_weights = scratch.target_weights + n_target
    scratch.subsequence = <int32_t *>(scratch.source_weights + n_source)
    carve_groups(&scratch.groups, scratch.subsequence + n_target + 1, n_source, n_target)
    scratch.taken = <uint8_t *>(scratch.groups.column_group + n_target)


cdef void _exclude(double *emission, const uint8_t *excluded, Py_ssize_t n_labels) noexcept nogil:
    """Set the scores of excluded labels to -inf."""
    cdef Py_ssize_t k
    for k in range(n_labels):
        if excluded[k]:
            emission[k] = -INFINITY


cdef void _move_prior(
    double *emission, Py_ssize_t n_rows, Py_ssize_t n_labels, double no_link
) noexcept nogil:
    """Add a number to each row's score of no partner."""
    cdef Py_ssize_t k
    for k in range(n_rows):
        emission[k * n_labels] += no_link


cdef Status _fill_posteriors(
    Decoder decoder, Extractor extractor, const Job *job, int style, const PairScratch *scratch
) noexcept nogil:
    """Fill a style's posteriors of the prepared pair."""
    cdef Py_ssize_t n_source = job.source.n, n_target = job.target.n
    cdef double *s2t = decoder.scratch
    cdef double *t2s = s2t + n_source * (n_target + 1)
    extractor.scores(style, s2t, t2s)
    if job.no_link != 0.0:
        _move_prior(s2t, n_source, n_target + 1, job.no_link)
        _move_prior(t2s, n_target, n_source + 1, job.no_link)
    if job.s2t_excluded != NULL:
        _exclude(s2t, job.s2t_excluded, n_source * (n_target + 1))
        _exclude(t2s, job.t2s_excluded, n_target * (n_source + 1))
    if not (
        decoder.posteriors(style, 0, s2t, n_source, n_target + 1, scratch.s2t_posterior)
        and decoder.posteriors(style, 1, t2s, n_target, n_source + 1, scratch.t2s_posterior)
    ):
        return NOT_FINITE
    return FINE


cdef void _fill_figures(Job *job, const float *strength, const PairScratch *scratch) noexcept nogil:
    """Fill the mean posteriors, and the shares that have a partner."""
    cdef Py_ssize_t n_source = job.source.n, n_target = job.target.n, k
    cdef const double *s2t = scratch.s2t_posterior
    cdef const double *t2s = scratch.t2s_posterior
    for k in range(n_source):
        scratch.source_weights[k] = job.source.word[k].weight
    for k in range(n_target):
        scratch.target_weights[k] = job.target.word[k].weight
    fill_means(s2t, t2s, n_source, n_target, scratch.mean)
    job.shares = pair_shares(
        scratch.mean, strength, n_source, n_target, scratch.source_weights, scratch.target_weights
    )
    if job.is_turned:
        job.target_covered = target_share(t2s, s2t, n_target, n_source, job.score_weights)
    else:
        job.target_covered = target_share(s2t, t2s, n_source, n_target, job.score_weights)


cdef Status decode_job(
    Decoder decoder, Extractor extractor, Job *job, Conventions conventions,
    const PairScratch *scratch,
) noexcept nogil:
    """Fill the posteriors and figures of a pair, and its style if one is to be chosen; decoder and
    extractor hold the pair from then on."""
    cdef double[<int>N_CHOICE_INPUTS] inputs
    cdef Status status
    extractor.hold(job.source, job.target)
    extractor.pair.source.encoded = job.s2t_encoded
    extractor.pair.target.encoded = job.t2s_encoded
    if extractor.prepare():
        return NO_MEMORY
    if job.style == CHOOSE:
        choice_inputs(&extractor.pair, scratch.subsequence, inputs)
        job.style = choose_style(conventions.choice, conventions.n_styles, inputs)
    status = _fill_posteriors(decoder, extractor, job, job.style, scratch)
    if status == FINE:
        _fill_figures(job, extractor.pair.strength, scratch)
    return status


cdef const double *link_posterior(
    const PairState *pair, const StyleNumbers *numbers, SecondPass second_pass,
    const PairScratch *scratch,
) noexcept nogil:
    """Return the posteriors that decide a decoded pair's links."""
    cdef FirstPass first
    if not numbers.is_revised:
        return scratch.mean
    first = FirstPass(pair, scratch.s2t_posterior, scratch.t2s_posterior, scratch.mean)
    second_pass.revise(&first, scratch.revised)
    return scratch.revised


def _checked(tokens, str side, Py_ssize_t n_tokens):
    """Return one side of a unit as an array, or raise InputError."""
    found = np.array(tokens, dtype=np.int32)
    if (
        not len(found) or found[0] < 0 or found[len(found) - 1] >= n_tokens
        or (np.diff(found) <= 0).any()
    ):
        raise InputError(
            f"the {side} tokens of a unit are {found.tolist()}; wanted rising indices below "
            f"{n_tokens}, at least one",
            field=side,
        )
    return found


cdef array_of(const void *values, Py_ssize_t n_bytes, dtype):
    """Return an array with a copy of values."""
    return FROM_BUFFER(PyByteArray_FromStringAndSize(<const char *>values, n_bytes), dtype)


cdef class DecodedPair:
    """A decoded pair, while the decoder holds it; made by `decide_batch`. The attributes are explained
    in decoder.pxd."""

    def __init__(self) -> Never:
        raise TypeError("a DecodedPair is made by decide_batch")

    cdef Decoder _held(self):
        if self._decoder is None:
            raise RuntimeError("another pair was decoded since; ask while this one is held")
        return self._decoder

    cdef _matrix(self, const double *values, Py_ssize_t n_rows, Py_ssize_t n_columns):
        self._held()
        found = array_of(values, n_rows * n_columns * sizeof(double), FLOAT64)
        return found.reshape(n_rows, n_columns)

    @property
    def s2t_posterior(self) -> NDArray[np.float64]:
        return self._matrix(self.s2t, self.n_source, self.n_target + 1)

    @property
    def t2s_posterior(self) -> NDArray[np.float64]:
        return self._matrix(self.t2s, self.n_target, self.n_source + 1)

    @property
    def link_posterior(self) -> NDArray[np.float64]:
        return self._matrix(self.link, self.n_source, self.n_target)

    @property
    def unlike(self) -> NDArray[np.bool_]:
        """Whether two words have different forms, bool of shape (n_source, n_target)."""
        self._held()
        classes = array_of(self.lexical_class, self.n_source * self.n_target, np.uint8)
        return classes.reshape(self.n_source, self.n_target) != <int>CLASS_IDENTICAL

    def labels(self) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """Return the best labels of both directions, int32 arrays of shapes (n_source,) and
        (n_target,): the other side's token + 1 of each token, 0 for NULL."""
        cdef Decoder decoder = self._held()
        cdef Py_ssize_t n_source = self.n_source
        cdef Py_ssize_t n_target = self.n_target
        states = np.empty(n_source, dtype=np.int32), np.empty(n_target, dtype=np.int32)
        cdef int32_t[::1] s2t_states = states[0]
        cdef int32_t[::1] t2s_states = states[1]
        with nogil:
            decoder.labels(self.style, 0, self._s2t, n_source, n_target + 1, &s2t_states[0])
            decoder.labels(self.style, 1, self._t2s, n_target, n_source + 1, &t2s_states[0])
        self._is_left = True
        return states

    cpdef tuple block_probability(
        self, Py_ssize_t source_start, Py_ssize_t source_end, Py_ssize_t target_start,
        Py_ssize_t target_end
    ):
        """Return the probabilities that a block's tokens are linked only with one another: that s2t
        labels every source token of the block with a target token of it, and that t2s labels every
        target token with a source token of it. For one link, the posteriors of both directions.

        InputError is raised if the block is empty or not within the pair.
        """
        cdef Decoder decoder = self._held()
        cdef Py_ssize_t n_source = self.n_source
        cdef Py_ssize_t n_target = self.n_target
        cdef double s2t, t2s
        cdef double[:, ::1] scratch
        if not (
            0 <= source_start < source_end <= n_source and 0 <= target_start < target_end <= n_target
        ):
            raise InputError(
                f"no block {(source_start, source_end, target_start, target_end)} in a pair of "
                f"{n_source} and {n_target} tokens"
            )
        if source_end == source_start + 1 and target_end == target_start + 1:
            s2t = self.s2t[source_start * (n_target + 1) + target_start + 1]
            t2s = self.t2s[target_start * (n_source + 1) + source_start + 1]
            return min(1.0, s2t), min(1.0, t2s)
        scratch = np.empty((max(n_source, n_target), max(n_source, n_target) + 1))
        with nogil:
            # The decoder's buffers are those of the last chain, which is t2s at first.
            if self._is_left:
                decoder.posteriors(self.style, 1, self._t2s, n_target, n_source + 1, &scratch[0, 0])
            t2s = span_probability(
                &decoder.workspace.buffers, self.t2s, n_source + 1,
                target_start, target_end, source_start + 1, source_end + 1,
            )
            self._is_left = True
            decoder.posteriors(self.style, 0, self._s2t, n_source, n_target + 1, &scratch[0, 0])
            s2t = span_probability(
                &decoder.workspace.buffers, self.s2t, n_target + 1,
                source_start, source_end, target_start + 1, target_end + 1,
            )
        return s2t, t2s

    def unit_inputs(
        self, units: Sequence[tuple[Sequence[int], Sequence[int]]]
    ) -> NDArray[np.float32]:
        """Return the inputs of the relation model for some units.

        `units`: rising indices, at least one on each side.

        The result is a float32 array, shape (n_units, n_inputs): columns are named by UNIT_INPUTS
        of tokalign.relations.related_units. InputError is raised if a side is empty, or has indices
        that are out of range or do not rise.
        """
        cdef const PairState *pair = &self._held().extractor.pair
        cdef float[:, ::1] rows
        cdef const int32_t[::1] source, target
        cdef UnitRoom room
        cdef Py_ssize_t k
        found = np.empty((len(units), N_UNIT_INPUTS), dtype=np.float32)
        rows = found
        cdef char *memory = <char *>malloc(room_bytes(pair.source.n, pair.target.n))
        if memory == NULL:
            raise MemoryError("units of a pair")
        try:
            fill_room(&room, memory, self.s2t, self.t2s, pair.source.n, pair.target.n, self.linked)
            for k, (source_tokens, target_tokens) in enumerate(units):
                source = _checked(source_tokens, "source", pair.source.n)
                target = _checked(target_tokens, "target", pair.target.n)
                unit_inputs(
                    pair, &room, &source[0], <int>source.shape[0], &target[0],
                    <int>target.shape[0], &rows[k, 0],
                )
        finally:
            free(memory)
        return found

    def features(
        self, Py_ssize_t source, Py_ssize_t target
    ) -> tuple[NDArray[np.int32], NDArray[np.float32], NDArray[np.float32]]:
        """Return the features of one link.

        `source`, `target`: token indices; -1 on one side for the other side's NULL.

        They are their slots, int32 of shape (n,), their values, float32 of shape (n,), and their
        weights in the style, float32 of shape (n, 2), for s2t and t2s. InputError is raised if the
        pair has no such tokens.
        """
        cdef Decoder decoder = self._held()
        cdef Extractor extractor = decoder.extractor
        cdef Py_ssize_t n_source = extractor.pair.source.n
        cdef Py_ssize_t n_target = extractor.pair.target.n
        if not (-1 <= source < n_source and -1 <= target < n_target) or source == target == -1:
            raise InputError(
                f"no link ({source}, {target}) in a pair of {n_source} and {n_target} tokens"
            )
        if source < 0:
            extractor.null_row(False, target)
        elif target < 0:
            extractor.null_row(True, source)
        else:
            extractor.cell_row(source, target)
        cdef const Sink *sink = &extractor.sink
        slots = np.array([sink.slot[k] for k in range(sink.n)], dtype=np.int32)
        values = np.array([sink.value[k] for k in range(sink.n)], dtype=np.float32)
        return slots, values, np.asarray(decoder.weights)[self.style, slots]


def maximal_blocks(links: Collection[tuple[int, int]]) -> tuple[tuple[int, int, int, int], ...]:
    """Return the maximal blocks of (source, target) links, each as a half-open range of source tokens
    and one of target tokens, sorted by start.

    Notes
    -----
    Each link is in at least one block. Blocks share links if linked cells form a corner.

    Examples
    --------
    >>> maximal_blocks([(0, 0), (0, 1), (2, 3)])
    ((0, 1, 0, 2), (2, 3, 3, 4))
    """
    cdef Py_ssize_t i, j, n_source = 0, n_target = 0
    cdef uint8_t *grid
    cdef list found = []
    for i, j in links:
        if i < 0 or j < 0:
            raise IndexError(f"a link of tokens {i}, {j}; wanted at least 0")
        n_source, n_target = max(n_source, i + 1), max(n_target, j + 1)
    # Linked cells, with a border of cells that are not; the last row is scratch.
    grid = <uint8_t *>calloc((n_source + 3) * (n_target + 2), 1)
    if grid == NULL:
        raise MemoryError("blocks of links")
    try:
        for i, j in links:
            grid[(i + 1) * (n_target + 2) + j + 1] = 1
        for i in range(n_source):
            _add_blocks(grid, i, n_source, n_target + 2, found)
    finally:
        free(grid)
    found.sort()
    return tuple(found)


cdef int _add_blocks(
    const uint8_t *grid, Py_ssize_t top, Py_ssize_t n_source, Py_ssize_t width, list found
) except -1:
    """Add the blocks that begin with a row."""
    cdef const uint8_t *above = grid + top * width
    cdef const uint8_t *below = above + width
    cdef uint8_t *shared = <uint8_t *>grid + (n_source + 2) * width
    cdef Py_ssize_t end = top, j, start
    cdef bint is_below, is_above
    memcpy(shared, below, width)
    # Cells that the row above has as well, and all to the left of them, are in a larger block.
    while not _are_within(shared, above, 0, width):
        end += 1
        below += width
        j = 0
        while j < width:
            if shared[j]:
                start = j
                while shared[j]:
                    j += 1
                if not _are_within(shared, below, start, j) and not _are_within(
                    shared, above, start, j
                ):
                    found.append((top, end, start - 1, j - 1))
            j += 1
        for j in range(width):
            shared[j] &= below[j]
    return 0


cdef inline bint _are_within(
    const uint8_t *cells, const uint8_t *others, Py_ssize_t start, Py_ssize_t end
) noexcept nogil:
    cdef Py_ssize_t j
    for j in range(start, end):
        if cells[j] > others[j]:
            return False
    return True


def weakest_links(links: Mapping[tuple[int, int], float]) -> tuple[Phrase, ...]:
    """Return the maximal blocks of links, a mapping, with the least confidence of their links."""
    return tuple([
        Phrase(*block, min([links[i, j] for i in range(*block[:2]) for j in range(*block[2:])]))
        for block in maximal_blocks(links)
    ])


def phrases_of(
    DecodedPair decoded not None, links: Sequence[LinkTuple], symmetrization: Symmetrization,
    Convention convention not None, model: RelationModel | None
) -> tuple[Phrase, ...]:
    """Return the maximal blocks of a decoded pair's links, of the caller's pair, sorted by start.

    As for a link, the style's map turns the mean of both directions' probabilities into the
    confidence; if one direction is used alone, its own probability. The map of unlike words is used
    for a block without two equal words. In a style with a second pass, which does not score blocks,
    the least probability of the block's links replaces the mean.

    `links`: the chosen links. `symmetrization`: the one that chose them. `convention`: its map
    gives confidences. A block that constraints require has 1, as its links do. `model`: of the
    blocks' relations, if they are wanted.
    """
    cdef tuple blocks = maximal_blocks([link[:2] for link in links])
    cdef list relations = [None] * len(blocks)
    cdef list phrases = []
    anchors = set(decoded.constraints.anchors) if decoded.constraints is not None else set()
    if model is not None and blocks:
        units = [(range(a, b), range(c, d)) for a, b, c, d in blocks]
        relations = list(map(Relation.of, model.probabilities(decoded.unit_inputs(units)).tolist()))
    for block, of in zip(blocks, relations):
        a, b, c, d = block
        confidence = _confidence(decoded, block, symmetrization, convention)
        if anchors and anchors.issuperset([(i, j) for i in range(a, b) for j in range(c, d)]):
            confidence = 1.0
        if decoded.is_turned:
            a, b, c, d, of = c, d, a, b, of and of.turned()
        phrases.append(_phrase(a, b, c, d, confidence, of))
    if decoded.is_turned:
        phrases.sort()
    return tuple(phrases)


cdef _phrase(a, b, c, d, confidence, relation):
    """Return ``Phrase(a, b, c, d, confidence, relation)`` in a fifth of the time."""
    phrase = Phrase.__new__(Phrase)
    PyObject_GenericSetAttr(phrase, "source_start", a)
    PyObject_GenericSetAttr(phrase, "source_end", b)
    PyObject_GenericSetAttr(phrase, "target_start", c)
    PyObject_GenericSetAttr(phrase, "target_end", d)
    PyObject_GenericSetAttr(phrase, "confidence", confidence)
    PyObject_GenericSetAttr(phrase, "relation", relation)
    return phrase


cdef double _confidence(
    DecodedPair decoded, tuple block, symmetrization, Convention convention
) except -1.0:
    """Return the confidence of a block by its probabilities."""
    cdef Py_ssize_t i, j
    cdef Py_ssize_t a = block[0], b = block[1], c = block[2], d = block[3]
    cdef double least = 1.0, s2t, t2s
    cdef bint are_unlike = True
    s2t, t2s = decoded.block_probability(a, b, c, d)
    for i in range(a, b):
        for j in range(c, d):
            least = min(least, decoded.link[i * decoded.n_target + j])
            if decoded.lexical_class[i * decoded.n_target + j] == CLASS_IDENTICAL:
                are_unlike = False
    if symmetrization is TARGET_TO_SOURCE:
        s2t = t2s
    elif symmetrization is not SOURCE_TO_TARGET:
        s2t = least if convention.numbers.is_revised else (s2t + t2s) / 2
    return confidence_of(&convention.numbers, s2t, are_unlike)
