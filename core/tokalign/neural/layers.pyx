"""An encoder on a CPU: its layers, and the scores of a pair's cells from their states.

Matrix products use integers: a row of activations becomes uint8 with its own scale, each output's
weights int8 with theirs. All else is float32, in an order that does not depend on the CPU. So a
sequence's states depend neither on its batch nor on the CPU. _integers.h, _layers.h, _run.h and
_scores.h have the arithmetic; the slow twin in float32 is tests/reference/encoder.py.

A token is the mean of its word pieces. The score of a source and a target token is the inner
product of their projections; a third projection scores each token against NULL.
"""

from libc.stdint cimport int8_t, int32_t, int64_t, uint8_t
from libc.stdlib cimport calloc, free

import numpy as np

from tokalign.errors import ResourceError
from tokalign.neural.architecture import distance_buckets
from tokalign.types.locks import ForkLock

cdef extern from "_run.h" nogil:
    const int PANEL, MOST_ROWS
    const int WIDE, MIDDLE, LOW_MIDDLE
    ctypedef void (*Tile)(const uint8_t *const *rows, const int8_t *panel, int n_steps, int32_t *s)
    ctypedef struct Linear:
        int n_in, n_out
        const int8_t *packed
        const float *scales
        const float *biases
        const int32_t *zeros
    ctypedef struct Norm:
        const float *weights
        const float *biases
    ctypedef struct Layer:
        Linear three, attended, raised, lowered
        Norm after_attention, after_all
    ctypedef struct Encoder:
        int width, n_heads, n_layers, n_positions, inner
        float epsilon
        const int8_t *words
        const float *word_scales
        const float *positions
        const float *sides
        const float *distances
        Norm embedded
        const Layer *layers
    ctypedef struct Scratch:
        float *three
        float *attended
        float *raised
        float *scales
        float *attention
        uint8_t *rounded
    Tile tile_named(const char *name)
    size_t attend_scratch(int n, int size)
    void run(
        const Encoder *encoder, Tile tile, const int32_t *ids, const int32_t *bounds,
        const int32_t *n_first, int n_sequences, const Scratch *scratch, float *states,
    )

cdef extern from "_scores.h" nogil:
    int padded(int n)
    void mean_states(const float *states, const int64_t *starts, int n, int width, float *means)
    void multiply_rows(
        const float *rows, int n_rows, int stride, const float *matrix, int n_in, int n_out,
        float *out,
    )
    void log_shares(float *rows, int n_rows, int n, float *scratch)

TILES: tuple[str, ...] = tuple([
    name for name in ("amx", "avx512", "avx2", "arm", "plain") if tile_named(name.encode()) != NULL
])
"""The instruction sets of this CPU that have kernels, the fastest first; see _integers.h."""

cdef int LARGEST_WEIGHT = 64
cdef int ROWS_AT_ONCE = 256  # word pieces per run; more do not fit the caches
cdef Py_ssize_t LINE = 64    # of the cache, which aligned vectors do not cross


cdef object _room(Py_ssize_t n_values, dtype):
    """Return an array of so many values that begins with a line of the cache."""
    cdef Py_ssize_t n_bytes = n_values * np.dtype(dtype).itemsize
    cdef uint8_t[::1] room = np.empty(n_bytes + LINE, dtype=np.uint8)
    cdef Py_ssize_t first = -<Py_ssize_t>&room[0] & (LINE - 1)
    return np.asarray(room[first : first + n_bytes]).view(dtype)


cdef object _aligned(values, dtype):
    """Return a flat copy of an array that begins with a line of the cache."""
    flat = _room(values.size, dtype)
    flat.reshape(values.shape)[...] = values
    return flat


cdef object _rounded(matrix, int largest):
    """Return rows as whole numbers up to `largest`, and their scales; so few rows are rounded at once
    that they stay in the cache."""
    found = np.empty(matrix.shape, dtype=np.int8)
    scales = np.empty(len(matrix), dtype=np.float32)
    for first in range(0, len(matrix), PANEL):
        own = slice(first, first + PANEL)
        rows = matrix[own]
        scales[own] = np.maximum(rows.max(axis=1), -rows.min(axis=1)) / np.float32(largest)
        scales[own][scales[own] == 0] = 1
        found[own] = np.rint(rows / scales[own, None])
    return found, scales


cdef class Layers:
    """The layers of an encoder. Threads may share them; they take turns.

    `weights` (mapping of str to float32 array): named as in BERT's checkpoints; see
    tokalign.neural.encoder.checked_weights. `tile`: out of TILES; all give the same states.
    ResourceError is raised if the sizes are not multiples of the kernels' blocks.
    """

    cdef Encoder encoder
    cdef Tile tile
    cdef Layer *layers
    cdef list kept          # arrays that the structures point into
    cdef object lock
    cdef float[::1] floats  # scratch, for n_rows rows of sequences of at most n_longest pieces
    cdef uint8_t[::1] rounded
    cdef int n_rows, n_longest, n_words

    def __cinit__(self, weights: Weights, made: Architecture, tile: str = TILES[0]):
        cdef int number
        self.tile = tile_named(tile.encode())
        if self.tile == NULL:
            raise ValueError(f"this processor cannot run {tile!r}")
        self.kept = []
        self.lock = ForkLock()
        inner = weights["encoder.layer.0.intermediate.dense.bias"].shape[0]
        width, n_heads = made["width"], made["n_heads"]
        if width % PANEL or inner % PANEL or (width // n_heads) % WIDE:
            raise ResourceError(
                f"{made['base']['name']} has the widths {width} and {inner} and {n_heads} heads; "
                f"on a processor {PANEL} must divide the widths and {WIDE} a head's"
            )
        self.encoder.width, self.encoder.inner, self.encoder.n_heads = width, inner, n_heads
        self.encoder.n_layers, self.encoder.n_positions = made["n_layers"], made["n_positions"]
        self.encoder.epsilon = made["epsilon"]
        self.layers = <Layer *>calloc(made["n_layers"], sizeof(Layer))
        if self.layers == NULL:
            raise MemoryError
        self.encoder.layers = self.layers
        self._embeddings(weights, made)
        for number in range(made["n_layers"]):
            self._layer(weights, f"encoder.layer.{number}", &self.layers[number])

    def __dealloc__(self):
        free(self.layers)

    cdef const float *_floats(self, values) except NULL:
        """Return the address of an array, and keep it alive."""
        cdef const float[::1] flat = _aligned(values, np.float32)
        self.kept.append(flat)
        return &flat[0]

    cdef const int8_t *_integers(self, values) except NULL:
        cdef const int8_t[::1] flat = _aligned(values, np.int8)
        self.kept.append(flat)
        return &flat[0]

    cdef int _norm(self, weights, name, Norm *norm) except -1:
        norm.weights = self._floats(weights[f"{name}.weight"])
        norm.biases = self._floats(weights[f"{name}.bias"])
        return 0

    cdef int _embeddings(self, weights, made) except -1:
        rounded, scales = _rounded(weights["embeddings.word_embeddings.weight"], 127)
        self.n_words = len(rounded)
        self.encoder.words = self._integers(rounded)
        self.encoder.word_scales = self._floats(scales)
        first = made["first_position"]
        positions = weights["embeddings.position_embeddings.weight"]
        self.encoder.positions = self._floats(positions[first : first + made["n_positions"]])
        sides = weights.get("embeddings.token_type_embeddings.weight")
        if sides is not None:
            self.encoder.sides = self._floats(sides[:2])
        if made["n_buckets"]:
            buckets = distance_buckets(made["n_buckets"], made["n_positions"])
            table = weights["encoder.relative_attention_bias.weight"]
            self.encoder.distances = self._floats(table[buckets].T)
        return self._norm(weights, "embeddings.LayerNorm", &self.encoder.embedded)

    cdef int _layer(self, weights, name, Layer *layer) except -1:
        three = [f"{name}.attention.self.{part}" for part in ("query", "key", "value")]
        self._linear(weights, three, MIDDLE, &layer.three)
        self._linear(weights, [f"{name}.attention.output.dense"], MIDDLE, &layer.attended)
        self._linear(weights, [f"{name}.intermediate.dense"], MIDDLE, &layer.raised)
        self._linear(weights, [f"{name}.output.dense"], LOW_MIDDLE, &layer.lowered)
        self._norm(weights, f"{name}.attention.output.LayerNorm", &layer.after_attention)
        return self._norm(weights, f"{name}.output.LayerNorm", &layer.after_all)

    cdef int _linear(self, weights, names, int middle, Linear *linear) except -1:
        """Round matrices with the same inputs, one above the other, and lay them in panels."""
        cdef const int32_t[::1] zeros
        parts = [_rounded(weights[f"{name}.weight"], LARGEST_WEIGHT) for name in names]
        rounded, scales = map(np.concatenate, zip(*parts))
        n_out, n_in = rounded.shape
        panels = rounded.reshape(n_out // PANEL, PANEL, n_in // 4, 4).transpose(0, 2, 1, 3)
        zeros = rounded.sum(axis=1, dtype=np.int32) * np.int32(middle)
        self.kept.append(zeros)
        linear.n_in, linear.n_out = n_in, n_out
        linear.packed = self._integers(panels)
        linear.scales = self._floats(scales)
        linear.biases = self._floats(np.concatenate([weights[f"{name}.bias"] for name in names]))
        linear.zeros = &zeros[0]
        return 0

    cdef int _make_room(self, int n_rows, int n_longest, Scratch *scratch) except -1:
        """Make room for so many rows; scratch that is large enough is kept."""
        cdef size_t width = self.encoder.width, inner = self.encoder.inner
        cdef size_t size = width // self.encoder.n_heads, widest = max(width, inner)
        if n_rows > self.n_rows or n_longest > self.n_longest:
            n_rows, n_longest = max(n_rows, self.n_rows), max(n_longest, self.n_longest)
            self.floats = _room(
                n_rows * (4 * width + inner + 1) + attend_scratch(n_longest, size), np.float32
            )
            self.rounded = _room((n_rows + MOST_ROWS) * widest, np.uint8)
            self.n_rows, self.n_longest = n_rows, n_longest
        scratch.three = &self.floats[0]
        scratch.attended = scratch.three + self.n_rows * 3 * width
        scratch.raised = scratch.attended + self.n_rows * width
        scratch.attention = scratch.raised + self.n_rows * inner
        scratch.scales = scratch.attention + attend_scratch(self.n_longest, size)
        scratch.rounded = &self.rounded[0]
        return 0

    def states(self, sequences: Sequence[PieceSequence]) -> list[NDArray[np.float32]]:
        """Return the states of sequences, float32 arrays of shape (n_pieces, width); raise
        ValueError if a sequence is empty or longer than the encoder has positions, or a piece is
        unknown."""
        cdef int n_sequences = len(sequences), first = 0, last, longest = 0
        if not n_sequences:
            return []
        lengths = np.array([len(each) for each in sequences])
        cdef const int32_t[::1] bounds = np.cumsum([0, *lengths], dtype=np.int32)
        cdef const int32_t[::1] ids = np.concatenate([s.ids for s in sequences], dtype=np.int32)
        cdef const int32_t[::1] n_first = np.array([s.n_first for s in sequences], dtype=np.int32)
        if lengths.min() < 1 or lengths.max() > self.encoder.n_positions:
            raise ValueError(f"sequences of {lengths.min()} to {lengths.max()} word pieces")
        if np.min(ids) < 0 or np.max(ids) >= self.n_words:
            raise ValueError(f"pieces from {np.min(ids)} to {np.max(ids)} of {self.n_words}")
        found = _room(len(ids) * self.encoder.width, np.float32).reshape(len(ids), -1)
        cdef float[:, ::1] states = found
        cdef Scratch scratch
        with self.lock:
            while first < n_sequences:
                last = first + 1
                while last < n_sequences and bounds[last + 1] - bounds[first] <= ROWS_AT_ONCE:
                    last += 1
                longest = lengths[first:last].max()
                self._make_room(bounds[last] - bounds[first], longest, &scratch)
                with nogil:
                    run(
                        &self.encoder, self.tile, &ids[0], &bounds[first], &n_first[first],
                        last - first, &scratch, &states[bounds[first], 0],
                    )
                first = last
        return [found[bounds[k] : bounds[k + 1]] for k in range(n_sequences)]


cdef class PairScorer:
    """Scores tokens by projections of their states.

    `projection` (float32 array, shape (2 * n + 2, width)): n rows for source tokens, n for target
    tokens, and one for NULL of each side. `scale`: factor of inner products. `null_bias` (float32
    array, shape (2,)): added to the scores of NULL, of source and of target tokens.
    """

    cdef float[:, ::1] of_source, of_target   # [width][padded(n + 1)], the last column NULL's
    cdef object null_bias
    cdef int n

    def __init__(
        self, projection: NDArray[np.float32], scale: float, null_bias: NDArray[np.float32]
    ) -> None:
        n = self.n = (len(projection) - 2) // 2
        self.null_bias = null_bias
        turned = np.zeros((2, projection.shape[1], padded(n + 1)), dtype=np.float32)
        for side in (0, 1):
            turned[side, :, :n] = projection[side * n : (side + 1) * n].T
            turned[side, :, n] = projection[2 * n + side]
        turned[0, :, :n] *= scale
        self.of_source, self.of_target = turned

    def score(
        self, const float[:, ::1] states, const int64_t[::1] source, const int64_t[::1] target
    ) -> tuple[NDArray[np.float32], NDArray[np.float32], NDArray[np.float32]]:
        """Return the scores of a pair's cells, and of NULL for source and for target tokens.

        `states` (float32 array, shape (n_pieces, width)). `source`, `target` (int64 array, shape
        (n_tokens + 1,)): first piece of each token, then the end of the last, within the states.

        The results are float32 arrays, shapes (n_source, n_target), (n_source,), (n_target,).
        """
        vectors = self._vectors(states, source, self.of_source)
        others = self._vectors(states, target, self.of_target)
        n_source, n_target = len(source) - 1, len(target) - 1
        cdef float[:, ::1] turned = np.zeros((self.n, padded(n_target)), dtype=np.float32)
        np.asarray(turned)[:, :n_target] = others[:, : self.n].T
        cells = np.empty((n_source, turned.shape[1]), dtype=np.float32)
        cdef float[:, ::1] rows = vectors, found = cells
        multiply_rows(
            &rows[0, 0], n_source, rows.shape[1], &turned[0, 0], self.n, turned.shape[1],
            &found[0, 0],
        )
        return (
            cells[:, :n_target],
            vectors[:, self.n] + self.null_bias[0],
            others[:, self.n] + self.null_bias[1],
        )

    cdef object _vectors(
        self, const float[:, ::1] states, const int64_t[::1] starts, float[:, ::1] projection
    ):
        """Return each token's projections."""
        cdef int n = starts.shape[0] - 1, width = projection.shape[0], k
        if states.shape[1] != width or starts[0] < 0 or starts[n] > states.shape[0]:
            raise ValueError(f"tokens of {n} starts in states of {states.shape[0]} pieces")
        for k in range(n):
            if starts[k] >= starts[k + 1]:
                raise ValueError(f"token {k} has no word piece")
        cdef float[:, ::1] means = np.empty((n, width), dtype=np.float32)
        vectors = np.empty((n, projection.shape[1]), dtype=np.float32)
        cdef float[:, ::1] out = vectors
        mean_states(&states[0, 0], &starts[0], n, width, &means[0, 0])
        multiply_rows(
            &means[0, 0], n, width, &projection[0, 0], width, projection.shape[1], &out[0, 0]
        )
        return vectors


def log_probabilities(
    cells: NDArray[np.float32], of_source: NDArray[np.float32], of_target: NDArray[np.float32]
) -> Encoded:
    """Return the log-probabilities of each token's partner, NULL first.

    `cells` (float32 array, shape (n_source, n_target)). `of_source`, `of_target` (float32 array,
    shape (n_source,) or (n_target,)): scores of NULL.

    The results are float32 arrays, shapes (n_source, n_target + 1) and (n_target, n_source + 1).
    """
    return _side(cells, of_source), _side(cells.T, of_target)


cdef object _side(cells, nulls):
    found = np.empty((cells.shape[0], cells.shape[1] + 1), dtype=np.float32)
    found[:, 0], found[:, 1:] = nulls, cells
    cdef float[:, ::1] rows = found
    cdef float[::1] scratch = np.empty(padded(rows.shape[1]), dtype=np.float32)
    log_shares(&rows[0, 0], rows.shape[0], rows.shape[1], &scratch[0])
    return found
