"""The pair of a batch that was decoded last, for whoever asks for more than links and figures."""

from libc.stdint cimport int32_t, int64_t
from libc.stdlib cimport free, malloc

import numpy as np

from tokalign.crf.chains cimport span_probability
from tokalign.decoding.second_pass cimport N_CELL_INPUTS, FirstPass, cell_inputs, is_likely
from tokalign.features.extract cimport Extractor
from tokalign.features.pair cimport PairState, Sink
from tokalign.relations.inputs cimport (
    N_UNIT_INPUTS,
    UnitRoom,
    fill_room,
    room_bytes,
    unit_inputs,
)

from tokalign.errors import InputError


cdef class DecodedPair:
    """A decoded pair, while the decoder holds it; made by `decide_batch`, which hands it on.

    Attributes
    ----------
    source, target : Sentence
    constraints : Constraints or None
    s2t_posterior : float64 array, shape (n_source, n_target + 1)
        Probability of each source token's labels, column 0 is NULL; rows sum to one.
    t2s_posterior : float64 array, shape (n_target, n_source + 1)
    link_posterior : float64 array, shape (n_source, n_target)
        What the links were decided by: the mean of both, or what the second pass made of it.
    links : list of (int, int, float)
        Source, target and confidence of the links of the joint decision, sorted.
    style : int
        Number of the style that decided.
    unlike : bool array, shape (n_source, n_target)
        Whether two words have different forms.
    covered : float
        As Alignment has it.
    """

    def __init__(self):
        raise TypeError("a DecodedPair is made by decide_batch")

    cdef Decoder _held(self):
        if self._decoder is None:
            raise RuntimeError("another pair was decoded since; ask while this one is held")
        return self._decoder

    def labels(self):
        """Return the best labels of both directions.

        Returns
        -------
        s2t_states : int32 array, shape (n_source,)
            Target token + 1 of each source token, 0 for NULL.
        t2s_states : int32 array, shape (n_target,)
        """
        cdef Decoder decoder = self._held()
        cdef Py_ssize_t n_source = len(self.s2t_posterior)
        cdef Py_ssize_t n_target = len(self.t2s_posterior)
        states = np.empty(n_source, dtype=np.int32), np.empty(n_target, dtype=np.int32)
        cdef int32_t[::1] s2t_states = states[0]
        cdef int32_t[::1] t2s_states = states[1]
        with nogil:
            decoder.labels(self.style, 0, self._s2t, n_source, n_target + 1, &s2t_states[0])
            decoder.labels(self.style, 1, self._t2s, n_target, n_source + 1, &t2s_states[0])
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
        n_source, n_target = len(self.s2t_posterior), len(self.t2s_posterior)
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
            self._block_probabilities(ranges, probabilities)
        return probabilities

    cdef int _block_probabilities(
        self, const int64_t[:, ::1] ranges, double[:, ::1] probabilities
    ) except -1:
        cdef Decoder decoder = self._held()
        cdef double[:, ::1] s2t_posterior = np.empty_like(self.s2t_posterior)
        cdef double[:, ::1] t2s_posterior = np.empty_like(self.t2s_posterior)
        cdef Py_ssize_t n_source = s2t_posterior.shape[0]
        cdef Py_ssize_t n_target = t2s_posterior.shape[0]
        cdef Py_ssize_t k
        with nogil:  # the buffers of the decoder are those of the last chain
            decoder.posteriors(
                self.style, 0, self._s2t, n_source, n_target + 1, &s2t_posterior[0, 0]
            )
            for k in range(ranges.shape[0]):
                probabilities[k, 0] = span_probability(
                    &decoder.workspace.buffers, &s2t_posterior[0, 0], n_target + 1,
                    ranges[k, 0], ranges[k, 1], ranges[k, 2] + 1, ranges[k, 3] + 1,
                )
            decoder.posteriors(
                self.style, 1, self._t2s, n_target, n_source + 1, &t2s_posterior[0, 0]
            )
            for k in range(ranges.shape[0]):
                probabilities[k, 1] = span_probability(
                    &decoder.workspace.buffers, &t2s_posterior[0, 0], n_source + 1,
                    ranges[k, 2], ranges[k, 3], ranges[k, 0] + 1, ranges[k, 1] + 1,
                )
        return 0

    def cell_inputs(self):
        """Return what the second pass decides by, of each likely cell.

        Returns
        -------
        cells : int32 array, shape (n_cells, 2)
            Source and target token, sorted.
        inputs : float32 array, shape (n_cells, n_inputs)
            Columns as tokalign.decoding.second_pass has them.

        Raises
        ------
        InputError
            If no encoder read the pair.
        """
        cdef const PairState *pair = &self._held().extractor.pair
        cdef const double[:, ::1] s2t = self.s2t_posterior
        cdef const double[:, ::1] t2s = self.t2s_posterior
        cdef FirstPass first
        cdef Py_ssize_t i, j, k
        if pair.source.encoded == NULL:
            raise InputError("no encoder read the pair; ask a model with one")
        means = np.ascontiguousarray(
            (self.s2t_posterior[:, 1:] + self.t2s_posterior[:, 1:].T) / 2.0
        )
        cdef const double[:, ::1] mean = means
        first = FirstPass(pair, &s2t[0, 0], &t2s[0, 0], &mean[0, 0])
        cells = np.array(
            [(i, j) for i in range(pair.source.n) for j in range(pair.target.n)
             if is_likely(&first, i, j)],
            dtype=np.int32,
        ).reshape(-1, 2)
        found = np.empty((len(cells), <int>N_CELL_INPUTS), dtype=np.float32)
        cdef float[:, ::1] inputs = found
        cdef const int32_t[:, ::1] cell = cells
        for k in range(cell.shape[0]):
            cell_inputs(&first, cell[k, 0], cell[k, 1], &inputs[k, 0])
        return cells, found

    def unit_inputs(self, units):
        """Return what relations are decided by, of some units.

        Parameters
        ----------
        units : sequence of (source tokens, target tokens)
            Rising indices, at least one on each side.

        Returns
        -------
        float32 array, shape (n_units, n_inputs)
            Columns as tokalign.relations.inputs has them.

        Raises
        ------
        InputError
            If a side is empty, or has indices that are out of range or do not rise.
        """
        cdef const PairState *pair = &self._held().extractor.pair
        cdef const double[:, ::1] s2t = self.s2t_posterior
        cdef const double[:, ::1] t2s = self.t2s_posterior
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
            fill_room(
                &room, memory, &s2t[0, 0], &t2s[0, 0], pair.source.n, pair.target.n, self.covered
            )
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


def _checked(tokens, str side, Py_ssize_t n_tokens):
    """Return one side of a unit as an array, or raise InputError."""
    found = np.array(tokens, dtype=np.int32)
    if not len(found) or found[0] < 0 or found[len(found) - 1] >= n_tokens or (np.diff(found) <= 0).any():
        raise InputError(
            f"the {side} tokens of a unit are {found.tolist()}; wanted rising indices below "
            f"{n_tokens}, at least one",
            field=side,
        )
    return found
