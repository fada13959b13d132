"""Softmax-margin loss and gradient of a range of training pairs.

    loss = log sum over y of exp(score(y) + cost(y)) - log sum over y in gold of exp(score(y) - cost(y))

cost(y) counts the tokens whose label gold does not hold (Hamming cost). A token with several gold
links has several allowed labels; the second sum runs over all their combinations, at cost 0.
Possible links may be asked to cost nothing although gold does not hold them, or to be held by gold
at half the cost. Of a pair that gold knows in part, every labelling without the known wrong links
is right, and the second sum runs over all of those. Gimpel and Smith (2010), "Softmax-margin
CRFs", equation 3.

Sparse features come as rows in CSR form. The rows of one pair are its cells (source-major), then
one NULL row per source token, then one per target token; `tokalign.features.matrix` builds them.
"""

from libc.math cimport INFINITY
from libc.stdint cimport int32_t, int64_t, uint8_t
from libc.stdlib cimport free, malloc

from tokalign.crf.lattice cimport N_TRANSITIONS, Workspace, expand
from tokalign.crf.marginals cimport marginals

cdef struct FeatureRows:
    # CSR of all feature rows, owned by the caller.
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
    """Return what a label costs as a share of the cost of a wrong one, in [0, 1]."""
    return 0.0 if state & 3 else 0.5 if state & 4 else 1.0


# As many parameters, here and below, as a FeatureMatrix and the lattices have arrays; Objective,
# which holds those, is the only caller.
cdef double _pair(
    FeatureRows *rows, int64_t first, Py_ssize_t n_source, Py_ssize_t n_target,
    bint source_labelled,
    const uint8_t *allowed, const double *weight, const double *transition_weight, double cost,
    double importance, Workspace workspace, double *emission, double *posterior, double *gradient,
    double *transition_gradient,
) noexcept nogil:
    """Return the loss of one pair, times its importance, and add its gradient.

    The loss is +inf where a sum underflowed.
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
    const int64_t[::1] row_start, const int32_t[::1] slot, const float[::1] value,
    const int64_t[::1] first_row, const int32_t[::1] n_source, const int32_t[::1] n_target,
    const int64_t[::1] first_allowed, const uint8_t[::1] allowed, const int64_t[::1] pairs,
    const double[::1] importance, bint source_labelled, const double[::1] weight,
    const double[::1] transition_weight, double cost, double[::1] gradient,
    double[::1] transition_gradient,
):
    """Return the summed loss of some pairs and add its gradient to the last two arguments.

    Parameters
    ----------
    row_start : int64 array, shape (n_rows + 1,)
    slot : int32 array, shape (n_values,)
        Compact feature index of each value, below ``len(weight)`` (not checked).
    value : float32 array, shape (n_values,)
    first_row : int64 array, shape (n_all_pairs,)
        First row of every pair.
    n_source, n_target : int32 array, shape (n_all_pairs,)
    first_allowed : int64 array, shape (n_all_pairs,)
        Where each pair's lattice begins in `allowed`.
    allowed : uint8 array
        For every pair, step and state: bit 0 where gold allows the label (at least one state a
        step), bit 1 where the label costs nothing although gold does not hold it, bit 2 where gold
        holds it at half the cost.
    pairs : int64 array
        Which pairs to sum over, in this order.
    importance : float64 array, shape (n_all_pairs,)
        What each pair's loss is multiplied with.
    source_labelled : bool
        True for s2t, False for t2s.
    weight : float64 array, shape (n_slots,)
    transition_weight : float64 array, shape (34,)
    cost : float
        Hamming cost of one wrong label, in nats; 0 gives the plain log-loss.
    gradient : float64 array, shape (n_slots,)
    transition_gradient : float64 array, shape (34,)

    Returns
    -------
    loss : float
        In nats; +inf where float64 could not hold a sum. Releases the GIL.
    """
    cdef FeatureRows rows
    rows.start = &row_start[0]
    rows.slot = &slot[0]
    rows.value = &value[0]
    cdef Workspace workspace = Workspace()
    cdef Py_ssize_t k, n_steps, n_states
    cdef Py_ssize_t n_steps_max = 1
    cdef Py_ssize_t n_states_max = 1
    cdef int64_t pair
    for k in range(pairs.shape[0]):
        pair = pairs[k]
        n_steps_max = max(n_steps_max, n_source[pair] if source_labelled else n_target[pair])
        n_states_max = max(n_states_max, 1 + (n_target[pair] if source_labelled else n_source[pair]))
    workspace.reserve(n_steps_max, n_states_max)
    cdef double *scratch = <double *>malloc(4 * n_steps_max * n_states_max * sizeof(double))
    if scratch == NULL:
        raise MemoryError()
    cdef double loss = 0.0
    with nogil:
        for k in range(pairs.shape[0]):
            pair = pairs[k]
            n_steps = n_source[pair] if source_labelled else n_target[pair]
            n_states = 1 + (n_target[pair] if source_labelled else n_source[pair])
            loss += _pair(
                &rows, first_row[pair], n_source[pair], n_target[pair], source_labelled,
                &allowed[first_allowed[pair]], &weight[0], &transition_weight[0], cost,
                importance[pair], workspace,
                scratch, scratch + 2 * n_steps * n_states, &gradient[0], &transition_gradient[0],
            )
    free(scratch)
    return loss
