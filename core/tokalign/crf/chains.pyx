"""The memory of alignment chains, and the training loss; chains.pxd has the kernels."""

from libc.stdint cimport int64_t, uint8_t
from libc.stdlib cimport free, malloc

import numpy as np


_EDGES = ("0", "1", "2-4", "5+")
_SIZES = ("1", "2", "3", "4", "5", "6", "7-9", "10-14", "15-24", "25+")

TRANSITION_NAMES: tuple[str, ...] = (
    "start:null",
    *[f"start:{edge}" for edge in _EDGES],
    "end:null",
    *[f"end:{edge}" for edge in _EDGES],
    *[f"jump:-{size}" for size in reversed(_SIZES)],
    "jump:0",
    *[f"jump:+{size}" for size in _SIZES],
    "token-null",
    "null-token",
    "null-null",
)
"""Name of each transition weight, in the order of their layout."""

assert len(TRANSITION_NAMES) == N_TRANSITIONS


cdef class Workspace:
    """Scratch memory of one thread; grows to the largest lattice seen and never shrinks."""

    def __dealloc__(self):
        self._release()

    cdef void _release(self) noexcept:
        free(self.buffers.score.start)
        free(self.buffers.back)
        self.buffers.score.start = NULL
        self.buffers.back = NULL

    cdef int reserve(self, Py_ssize_t n_steps, Py_ssize_t n_states) except -1:
        """Make room for n_steps * n_states, or raise MemoryError."""
        if n_steps <= self.n_steps_max and n_states <= self.n_states_max:
            return 0
        n_steps = max(n_steps, self.n_steps_max, 64)
        n_states = max(n_states, self.n_states_max, 64)
        self._release()
        self.n_steps_max = self.n_states_max = 0
        cdef Py_ssize_t n_cells = n_steps * n_states
        cdef Py_ssize_t n_windows = CHAIN_ARRAYS * (n_states + 2 * CHAIN_REACH)
        cdef double *block = <double *>malloc(
            (2 * n_cells + n_steps + 12 * n_states + n_windows) * sizeof(double)
        )
        self.buffers.back = <int32_t *>malloc(n_cells * sizeof(int32_t))
        self.buffers.score.start = block
        if block == NULL or self.buffers.back == NULL:
            self._release()
            raise MemoryError(f"lattice of {n_steps} x {n_states}")
        self.buffers.score.end = block + n_states
        self.buffers.score.jump = block + 2 * n_states
        block += 4 * n_states
        self.buffers.factor.start = block
        self.buffers.factor.end = block + n_states
        self.buffers.factor.jump = block + 2 * n_states
        block += 4 * n_states
        self.buffers.backward = block
        self.buffers.incoming = block + n_states
        self.buffers.jump_back = block + 2 * n_states
        block += 4 * n_states
        self.buffers.forward = block
        self.buffers.potential = block + n_cells
        self.buffers.scale = block + 2 * n_cells
        self.buffers.windows = block + 2 * n_cells + n_steps
        self.n_steps_max = n_steps
        self.n_states_max = n_states
        return 0


cdef struct FeatureRows:
    # CSR of all feature rows, owned by the caller. The rows of a pair are its cells (source-major),
    # then one NULL row per source token, then one per target token.
    const int64_t *start     # [n_rows + 1]
    const int32_t *slot      # [n_values]
    const float *value       # [n_values]


cdef inline int64_t _row(
    int64_t first, Py_ssize_t n_source, Py_ssize_t n_target, bint source_labelled,
    Py_ssize_t t, Py_ssize_t s,
) noexcept nogil:
    """Return the feature row of state s at step t."""
    if s == 0:
        return first + n_source * n_target + (t if source_labelled else n_source + t)
    if source_labelled:
        return first + t * n_target + s - 1
    return first + (s - 1) * n_target + t


cdef inline double _share(uint8_t state) noexcept nogil:
    """Return a label's cost, as a share of the cost of a wrong one, in [0, 1]."""
    return 0.0 if state & 3 else 0.5 if state & 4 else 1.0


cdef double _pair_loss(
    const FeatureRows *rows, int64_t first, Py_ssize_t n_source, Py_ssize_t n_target,
    bint source_labelled,
    const uint8_t *allowed, const double *weight, const double *transition_weight, double cost,
    double importance, Workspace workspace, double *emission, double *posterior, double *gradient,
    double *transition_gradient,
) noexcept nogil:
    """Return the softmax-margin loss of one pair, times its importance, and add its gradient.

        loss = log sum over y of exp(score(y) + cost(y))
               - log sum over y in gold of exp(score(y) - cost(y))

    cost(y) counts the tokens whose label gold does not hold (Hamming cost). A token with several
    gold links has several allowed labels; the second sum runs over all their combinations, at cost
    0. Possible links may cost nothing although gold does not hold them, or be gold at half the
    cost. For a partly annotated pair, every labelling without the known wrong links is right, and
    the second sum runs over all of those. The loss is +inf where a sum underflowed. Gimpel and
    Smith (2010), "Softmax-margin CRFs", equation 3.
    """
    cdef Py_ssize_t n_steps = n_source if source_labelled else n_target
    cdef Py_ssize_t n_states = (n_target if source_labelled else n_source) + 1
    cdef Py_ssize_t n_cells = n_steps * n_states
    cdef Py_ssize_t t, s, cell
    cdef int64_t row, k
    cdef double total, loss, difference
    expand(transition_weight, n_states, &workspace.buffers.score)
    for t in range(n_steps):
        for s in range(n_states):
            row = _row(first, n_source, n_target, source_labelled, t, s)
            total = 0.0
            for k in range(rows.start[row], rows.start[row + 1]):
                total += weight[rows.slot[k]] * rows.value[k]
            cell = t * n_states + s
            emission[cell] = total + _share(allowed[cell]) * cost
            if allowed[cell] & 5:
                emission[n_cells + cell] = total - _share(allowed[cell]) * cost
            else:
                emission[n_cells + cell] = -INFINITY
    loss = marginals(
        emission, n_steps, n_states, &workspace.buffers, posterior, transition_gradient, importance
    )
    loss -= marginals(
        emission + n_cells, n_steps, n_states, &workspace.buffers, posterior + n_cells,
        transition_gradient, -importance,
    )
    if not -INFINITY < loss < INFINITY:
        return INFINITY
    for t in range(n_steps):
        for s in range(n_states):
            cell = t * n_states + s
            difference = posterior[cell] - posterior[n_cells + cell]
            if -1e-12 < difference < 1e-12:
                continue
            row = _row(first, n_source, n_target, source_labelled, t, s)
            for k in range(rows.start[row], rows.start[row + 1]):
                gradient[rows.slot[k]] += importance * difference * rows.value[k]
    return importance * loss


def accumulate(
    matrix: FeatureMatrix, const int64_t[::1] first_allowed, const uint8_t[::1] allowed,
    const int64_t[::1] pairs, const double[::1] importance, bint source_labelled,
    const double[::1] weight, double cost, double[::1] gradient
) -> float:
    """Return the summed loss of some pairs, in nats, and add its gradient to the last argument.

    The loss is +inf where float64 could not hold a sum. Releases the GIL.

    Parameters
    ----------
    matrix : FeatureMatrix
        Its columns must be below ``len(weight) - 34`` (not checked).
    first_allowed : int64 array, shape (n_all_pairs,)
        Start of each pair's lattice in `allowed`.
    allowed : uint8 array
        The states of all pairs; see tokalign.crf.objective.allowed_states.
    pairs : int64 array
        The pairs to sum over, in this order.
    importance : float64 array, shape (n_all_pairs,)
    weight : float64 array, shape (n_columns + 34,)
        Weights of the matrix's columns, then of transitions.
    cost : float
        Hamming cost of one wrong label, in nats; 0 gives the plain log-loss.
    gradient : float64 array, shape (n_columns + 34,)
    """
    cdef const int64_t[::1] row_start = matrix.row_start
    cdef const int32_t[::1] column = matrix.column
    cdef const float[::1] value = matrix.value
    cdef const int64_t[::1] first_row = matrix.first_row
    cdef const int32_t[::1] n_source = matrix.n_source
    cdef const int32_t[::1] n_target = matrix.n_target
    cdef FeatureRows rows = FeatureRows(&row_start[0], &column[0], &value[0])
    cdef Workspace workspace = Workspace()
    cdef Py_ssize_t n_columns = weight.shape[0] - N_TRANSITIONS
    cdef Py_ssize_t k, n_cells_max
    cdef int64_t pair
    for k in range(pairs.shape[0]):
        pair = pairs[k]
        if source_labelled:
            workspace.reserve(n_source[pair], n_target[pair] + 1)
        else:
            workspace.reserve(n_target[pair], n_source[pair] + 1)
    n_cells_max = workspace.n_steps_max * workspace.n_states_max
    cdef double *scratch = <double *>malloc(4 * n_cells_max * sizeof(double))
    if scratch == NULL:
        raise MemoryError("lattices of a pair")
    cdef double loss = 0.0
    with nogil:
        for k in range(pairs.shape[0]):
            pair = pairs[k]
            loss += _pair_loss(
                &rows, first_row[pair], n_source[pair], n_target[pair], source_labelled,
                &allowed[first_allowed[pair]], &weight[0], &weight[n_columns], cost,
                importance[pair], workspace, scratch, scratch + 2 * n_cells_max,
                &gradient[0], &gradient[n_columns],
            )
    free(scratch)
    return loss
