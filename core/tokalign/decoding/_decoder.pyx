"""Decoding of annotated pairs: features times weights, then both directions' chains.

The features of a cell are computed once and multiplied with the weights of both directions, so
that the second direction costs little more than its chain.
"""

from libc.math cimport INFINITY
from libc.stdint cimport int32_t, int64_t, uint8_t
from libc.stdlib cimport free, malloc

import threading

import numpy as np

from tokalign.crf._lattice cimport N_TRANSITIONS, Workspace, expand
from tokalign.crf._marginals cimport marginals
from tokalign.crf._spans cimport span_probability
from tokalign.crf._viterbi cimport viterbi
from tokalign.decoding._known cimport KnownWords
from tokalign.features._extract cimport Extractor
from tokalign.features._pair cimport Sink

from tokalign.decoding.constrained import excluded_labels
from tokalign.decoding.score import content_weight
from tokalign.errors import InputError, ModelError, ShapeError


cdef class Decoder:
    """Decodes one pair at a time; a thread that asks while another is answered waits.

    Parameters
    ----------
    model : Model
        Its table of features is used, and each style's weights and transitions, summed with the
        shared ones: 8 bytes for each slot and style.
    lexicons : Lexicons
        The tables that the model's feature groups need.

    Raises
    ------
    ShapeError
        If the shape of the weights or transitions is wrong.
    """

    def __init__(self, model, lexicons):
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
        self._weights = np.ascontiguousarray(weights, dtype=np.float32)
        self._extractor = Extractor(
            lexicons.wordnet, base, lexicons.vectors, lexicons.paraphrases, lexicons.frequencies,
            self._weights,
        )
        self._transitions = np.ascontiguousarray(transitions, dtype=np.float64)
        self._workspace = Workspace()
        self._known = KnownWords()
        self._lock = threading.RLock()

    def __dealloc__(self):
        free(self._scratch)

    cdef int _reserve(self, Py_ssize_t n_source, Py_ssize_t n_target) except -1:
        cdef Py_ssize_t wanted = n_source * (n_target + 1) + n_target * (n_source + 1)
        if wanted > self._n_scratch:
            free(self._scratch)
            self._n_scratch = 0
            self._scratch = <double *>malloc(wanted * sizeof(double))
            if self._scratch == NULL:
                raise MemoryError("emissions of a pair")
            self._n_scratch = wanted
        self._workspace.reserve(max(n_source, n_target), max(n_source, n_target) + 1)
        return 0

    cdef int _hold(self, Decoded pair) except -1:
        """Have the extractor hold a pair's features and the scratch its emissions."""
        if self._held == pair._number:
            return 0
        self._held = 0
        self._extractor.load(pair.source, pair.target, pair._encoded, pair._style)
        cdef Py_ssize_t n_source = self._extractor.pair.source.n
        cdef Py_ssize_t n_target = self._extractor.pair.target.n
        self._reserve(n_source, n_target)
        with nogil:
            self._extractor.scores(
                pair._style, self._scratch, self._scratch + n_source * (n_target + 1)
            )
        if pair._excluded is not None:
            _exclude(self._scratch, pair._excluded[0])
            _exclude(self._scratch + n_source * (n_target + 1), pair._excluded[1])
        self._held = pair._number
        return 0

    def decode(self, source, target, encoded=None, int style=0, constraints=None):
        """Return the posteriors of both directions, and what asks for more.

        Parameters
        ----------
        source, target : Sentence
            With tags and lemmas, and trees where the model uses them.
        encoded : pair of float32 arrays, optional
            What the encoder says, where the model reads one; see Extractor.rows.
        style : int
            Number of the style among the model's; 0 where it has none by name.
        constraints : Constraints, optional
            What the labels must obey (tokalign.decoding.constrained).

        Returns
        -------
        Decoded

        Raises
        ------
        InputError
            If a sentence is empty, lacks tags or lemmas, or has a head outside it, there is no
            such style, or the sentences cannot obey the constraints.
        ShapeError
            If a column's length is not the number of tokens.
        ModelError
            If the weights are so large that float64 cannot hold the posteriors.
        """
        if not 0 <= style < self._weights.shape[0]:
            raise InputError(f"no style {style} among {self._weights.shape[0]}")
        with self._lock:
            return self._decode(source, target, encoded, style, constraints)

    def forget(self):
        """Forget what is remembered of words, which changes no answer."""
        with self._lock:
            self._held = 0
            self._extractor.forget()

    cdef double[::1] _weights_of(self, tuple tags):
        """Return what tokens of these tags weigh in the score."""
        if tags is not self._tags:
            self._tag_weights = np.array([content_weight(tag) for tag in tags])
            self._tags = tags
        return self._tag_weights

    def word_pairs(self):
        """Return how many pairs of words were asked for, and how many of them were not remembered.

        Returns
        -------
        n_asked, n_compared : int
        """
        return self._extractor.memory.n_asked, self._extractor.memory.n_compared

    cdef Decoded _decode(self, source, target, encoded, int style, constraints):
        self._n_decoded += 1
        cdef Decoded decoded = Decoded.__new__(Decoded)
        decoded._decoder = self
        decoded._number = self._n_decoded
        decoded.source = source
        decoded.target = target
        decoded._encoded = encoded
        decoded._style = style
        decoded.constraints = constraints
        if constraints is not None:
            decoded._excluded = excluded_labels(constraints, len(source), len(target))
        self._hold(decoded)
        cdef Py_ssize_t n_source = self._extractor.pair.source.n
        cdef Py_ssize_t n_target = self._extractor.pair.target.n
        cdef const double *s2t = self._scratch
        cdef const double *t2s = s2t + n_source * (n_target + 1)
        decoded.s2t_posterior = np.empty((n_source, n_target + 1))
        decoded.t2s_posterior = np.empty((n_target, n_source + 1))
        cdef double[:, ::1] s2t_posterior = decoded.s2t_posterior
        cdef double[:, ::1] t2s_posterior = decoded.t2s_posterior
        cdef bint is_finite
        with nogil:
            is_finite = (
                self._posteriors(style, 0, s2t, n_source, n_target + 1, &s2t_posterior[0, 0])
                and self._posteriors(style, 1, t2s, n_target, n_source + 1, &t2s_posterior[0, 0])
            )
        if not is_finite:
            raise ModelError("the model's weights are too large to give posteriors; retrain it")
        return decoded

    cdef bint _posteriors(
        self, int style, int direction, const double *emission, Py_ssize_t n_steps,
        Py_ssize_t n_states, double *posterior,
    ) noexcept nogil:
        """Write one direction's posteriors; return whether there are any."""
        expand(&self._transitions[style, direction, 0], n_states, &self._workspace.buffers.score)
        cdef double log_partition = marginals(
            emission, n_steps, n_states, &self._workspace.buffers, posterior, NULL, 0.0
        )
        return -INFINITY < log_partition < INFINITY

    cdef void _labels(
        self, int style, int direction, const double *emission, Py_ssize_t n_steps,
        Py_ssize_t n_states, int32_t *states,
    ) noexcept nogil:
        """Write one direction's best labels."""
        expand(&self._transitions[style, direction, 0], n_states, &self._workspace.buffers.score)
        viterbi(emission, n_steps, n_states, &self._workspace.buffers, states)


cdef int _exclude(double *emission, const uint8_t[:, ::1] excluded) except -1:
    """Give the labels that are excluded no weight."""
    cdef Py_ssize_t n_states = excluded.shape[1]
    cdef Py_ssize_t t, s
    for t in range(excluded.shape[0]):
        for s in range(n_states):
            if excluded[t, s]:
                emission[t * n_states + s] = -INFINITY
    return 0


cdef class Decoded:
    """One decoded pair; made by Decoder.decode.

    It answers for its own pair whatever was decoded since: features are then extracted again.

    Attributes
    ----------
    source, target : Sentence
    constraints : Constraints or None
    s2t_posterior : float64 array, shape (n_source, n_target + 1)
        Probability of each source token's labels, column 0 is NULL; rows sum to one.
    t2s_posterior : float64 array, shape (n_target, n_source + 1)
    """

    def __init__(self):
        raise TypeError("a Decoded is made by Decoder.decode")

    def labels(self):
        """Return the best labels of both directions.

        Returns
        -------
        s2t_states : int32 array, shape (n_source,)
            Target token + 1 of each source token, 0 for NULL.
        t2s_states : int32 array, shape (n_target,)
        """
        with self._decoder._lock:
            return self._labels()

    cdef tuple _labels(self):
        cdef Decoder decoder = self._decoder
        decoder._hold(self)
        cdef Py_ssize_t n_source = decoder._extractor.pair.source.n
        cdef Py_ssize_t n_target = decoder._extractor.pair.target.n
        cdef const double *s2t = decoder._scratch
        cdef const double *t2s = s2t + n_source * (n_target + 1)
        states = np.empty(n_source, dtype=np.int32), np.empty(n_target, dtype=np.int32)
        cdef int32_t[::1] s2t_states = states[0]
        cdef int32_t[::1] t2s_states = states[1]
        with nogil:
            decoder._labels(self._style, 0, s2t, n_source, n_target + 1, &s2t_states[0])
            decoder._labels(self._style, 1, t2s, n_target, n_source + 1, &t2s_states[0])
        return states

    def block_probabilities(self, blocks):
        """Return how likely each direction links a block's tokens among themselves alone.

        Parameters
        ----------
        blocks : sequence of (int, int, int, int)
            Half-open ranges of source and target tokens: source_start, source_end, target_start,
            target_end, each not empty and within the pair.

        Returns
        -------
        probabilities : float64 array, shape (n_blocks, 2)
            Column 0: that every source token of the block is labelled with a target token of it,
            in s2t; column 1: that every target token is with a source token of it, in t2s. Of a
            block of one link, both directions' posteriors.

        Raises
        ------
        InputError
            If a block is empty or not within the pair.
        """
        n_source, n_target = len(self.source), len(self.target)
        for block in blocks:
            source_start, source_end, target_start, target_end = block
            if not (
                0 <= source_start < source_end <= n_source
                and 0 <= target_start < target_end <= n_target
            ):
                raise InputError(
                    f"no block {tuple(block)} in a pair of {n_source} and {n_target} tokens"
                )
        ranges = np.array(blocks, dtype=np.int64).reshape(-1, 4)
        probabilities = np.empty((len(ranges), 2))
        if len(ranges):
            with self._decoder._lock:
                self._block_probabilities(ranges, probabilities)
        return probabilities

    cdef int _block_probabilities(
        self, const int64_t[:, ::1] ranges, double[:, ::1] probabilities
    ) except -1:
        cdef Decoder decoder = self._decoder
        decoder._hold(self)
        cdef double[:, ::1] s2t_posterior = np.empty_like(self.s2t_posterior)
        cdef double[:, ::1] t2s_posterior = np.empty_like(self.t2s_posterior)
        cdef Py_ssize_t n_source = s2t_posterior.shape[0]
        cdef Py_ssize_t n_target = t2s_posterior.shape[0]
        cdef const double *s2t = decoder._scratch
        cdef const double *t2s = s2t + n_source * (n_target + 1)
        cdef Py_ssize_t k
        with nogil:  # the buffers of the decoder are those of the last chain
            decoder._posteriors(self._style, 0, s2t, n_source, n_target + 1, &s2t_posterior[0, 0])
            for k in range(ranges.shape[0]):
                probabilities[k, 0] = span_probability(
                    &decoder._workspace.buffers, &s2t_posterior[0, 0], n_target + 1,
                    ranges[k, 0], ranges[k, 1], ranges[k, 2] + 1, ranges[k, 3] + 1,
                )
            decoder._posteriors(self._style, 1, t2s, n_target, n_source + 1, &t2s_posterior[0, 0])
            for k in range(ranges.shape[0]):
                probabilities[k, 1] = span_probability(
                    &decoder._workspace.buffers, &t2s_posterior[0, 0], n_source + 1,
                    ranges[k, 2], ranges[k, 3], ranges[k, 0] + 1, ranges[k, 1] + 1,
                )
        return 0

    def weights(self):
        """Return what each token weighs in similarity (tokalign.decoding.similarity).

        Returns
        -------
        source_weights : list of float, length n_source
            At least 0.
        target_weights : list of float, length n_target
        """
        with self._decoder._lock:
            return self._weights()

    cdef tuple _weights(self):
        cdef Extractor extractor = self._decoder._extractor
        self._decoder._hold(self)
        cdef Py_ssize_t k
        return (
            [extractor.pair.source.word[k].weight for k in range(extractor.pair.source.n)],
            [extractor.pair.target.word[k].weight for k in range(extractor.pair.target.n)],
        )

    def features(self, Py_ssize_t source, Py_ssize_t target):
        """Return the features of one link.

        Parameters
        ----------
        source, target : int
            Token indices; -1 on one side for the other side's NULL.

        Returns
        -------
        slots : int32 array, shape (n,)
        values : float32 array, shape (n,)
        weights : float32 array, shape (n, 2)
            Of the style, for s2t and t2s.

        Raises
        ------
        InputError
            If the pair has no such tokens.
        """
        with self._decoder._lock:
            return self._features(source, target)

    cdef tuple _features(self, Py_ssize_t source, Py_ssize_t target):
        cdef Extractor extractor = self._decoder._extractor
        self._decoder._hold(self)
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
        return slots, values, np.asarray(self._decoder._weights)[self._style, slots]
