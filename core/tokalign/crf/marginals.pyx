"""Forward-backward: posteriors, partition and expected transition counts.

Runs in the probability domain, each step scaled to sum to one, so that the inner loops are
multiply-adds over the contiguous axis:

    forward[t, b]  = potential[t, b] * sum over a of forward[t-1, a] * transition[a, b] / scale[t]
    backward[t, a] = sum over b of transition[a, b] * potential[t+1, b] * backward[t+1, b] / scale[t+1]

Emissions are shifted by their row's maximum, jumps, starts and ends by theirs before exp, and the
shifts are added back to the log-partition. O(n_steps * n_states) time for long sentences, whose jumps
are summed up by windows; counts take O(n_steps * n_states**2).
Rabiner (1989), Proc. IEEE 77(2), section V-A.
"""

from libc.math cimport INFINITY, exp, log

import numpy as np

from tokalign.crf.lattice cimport (
    END,
    END_NULL,
    JUMP,
    N_TRANSITIONS,
    NULL_NULL,
    NULL_TOKEN,
    START,
    START_NULL,
    TOKEN_NULL,
    Buffers,
    Transitions,
    Workspace,
    expand,
    jump_bin,
    position_bin,
)

from tokalign.errors import ShapeError


cdef extern from "_chain.h" nogil:
    enum:
        CHAIN_LONG
    void exponentials(const double *scores, Py_ssize_t n, double shift, double *out) noexcept
    void add_short_steps(
        double *row, const double *weight, const double *jump, Py_ssize_t n_states
    ) noexcept
    void add_long_steps(
        double *row, const double *weight, const double *jump, Py_ssize_t n_states, double *room
    ) noexcept


cdef double _exponentiate(Buffers *buffers, Py_ssize_t n_states, double shift) noexcept nogil:
    """Fill factor, exp(score - shift), and jump_back; return the shift of start and end together.

    Jumps are shifted by `shift`, starts and ends by their own maxima.
    """
    cdef Transitions *score = &buffers.score
    cdef Transitions *factor = &buffers.factor
    cdef double first = _largest(score.start, n_states)
    cdef double last = _largest(score.end, n_states)
    cdef Py_ssize_t s
    exponentials(score.start, n_states, first, factor.start)
    exponentials(score.end, n_states, last, factor.end)
    exponentials(score.jump, 2 * n_states - 1, shift, factor.jump)
    for s in range(2 * n_states - 1):
        buffers.jump_back[s] = factor.jump[2 * n_states - 2 - s]
    factor.token_null = exp(score.token_null - shift)
    factor.null_token = exp(score.null_token - shift)
    factor.null_null = exp(score.null_null - shift)
    return first + last


cdef double _largest(const double *values, Py_ssize_t n) noexcept nogil:
    cdef double largest = values[0]
    cdef Py_ssize_t k
    for k in range(1, n):
        largest = max(largest, values[k])
    return largest


cdef double _largest_transition(Transitions *score, Py_ssize_t n_states) noexcept nogil:
    cdef double shift = max(score.null_null, max(score.null_token, score.token_null))
    cdef Py_ssize_t s
    for s in range(2 * n_states - 1):
        shift = max(shift, score.jump[s])
    return shift


cdef double _potentials(
    const double *emission, Py_ssize_t n_states, double *potential
) noexcept nogil:
    """Write exp(emission - maximum) of one step and return the maximum."""
    cdef double shift = _largest(emission, n_states)
    if shift > -INFINITY:
        exponentials(emission, n_states, shift, potential)
    return shift


cdef double _scale(double *row, Py_ssize_t n_states) noexcept nogil:
    """Divide a row by its sum, and return that."""
    cdef double total = 0.0
    cdef Py_ssize_t s
    for s in range(n_states):
        total += row[s]
    if total > 0.0:
        for s in range(n_states):
            row[s] /= total
    return total


cdef void _add_steps(
    double *row, const double *weight, const double *jump, Py_ssize_t n_states, Buffers *buffers
) noexcept nogil:
    """Add to row[b] the sum over a of weight[a] * jump[b - a + n_states - 1], NULL left out."""
    if n_states < CHAIN_LONG:
        add_short_steps(row, weight, jump, n_states)
    else:
        add_long_steps(row, weight, jump, n_states, buffers.windows)


# Long, as the backward pass reads at every step what the forward pass has left in the buffers.
cdef double marginals(
    const double *emission, Py_ssize_t n_steps, Py_ssize_t n_states, Buffers *buffers,
    double *posterior, double *counts, double sign,
) noexcept nogil:
    """Write state posteriors and return the log-partition; -inf where no path has any mass."""
    cdef Transitions *factor = &buffers.factor
    cdef double shift = _largest_transition(&buffers.score, n_states)
    cdef double log_partition = shift * (n_steps - 1) + _exponentiate(buffers, n_states, shift)
    cdef double *row
    cdef double *previous
    cdef double *potential
    cdef double *backward = buffers.backward
    cdef double *incoming = buffers.incoming
    cdef double weight, total
    cdef Py_ssize_t t, a, b

    for t in range(n_steps):
        potential = buffers.potential + t * n_states
        log_partition += _potentials(emission + t * n_states, n_states, potential)
        if log_partition == -INFINITY:
            return log_partition
        row = buffers.forward + t * n_states
        if t == 0:
            for b in range(n_states):
                row[b] = factor.start[b] * potential[b]
        else:
            previous = row - n_states
            weight = previous[0] * factor.null_token
            for b in range(1, n_states):
                row[b] = weight
            total = 0.0
            for a in range(1, n_states):
                total += previous[a]
            _add_steps(row, previous, factor.jump, n_states, buffers)
            row[0] = previous[0] * factor.null_null + total * factor.token_null
            for b in range(n_states):
                row[b] *= potential[b]
        buffers.scale[t] = _scale(row, n_states)
        log_partition += log(buffers.scale[t])
        if log_partition == -INFINITY:
            return log_partition

    total = 0.0
    row = buffers.forward + (n_steps - 1) * n_states
    for b in range(n_states):
        total += row[b] * factor.end[b]
    log_partition += log(total)
    if log_partition == -INFINITY:
        return log_partition
    for b in range(n_states):
        backward[b] = factor.end[b] / total

    for t in range(n_steps - 1, -1, -1):
        row = buffers.forward + t * n_states
        for b in range(n_states):
            posterior[t * n_states + b] = row[b] * backward[b]
        if t == 0:
            break
        potential = buffers.potential + t * n_states
        previous = row - n_states
        for b in range(n_states):
            incoming[b] = potential[b] * backward[b] / buffers.scale[t]
        if counts != NULL:
            _count_step(previous, incoming, factor, n_states, counts, sign)
        total = 0.0
        for b in range(1, n_states):
            total += incoming[b]
        weight = incoming[0] * factor.token_null
        for a in range(1, n_states):
            backward[a] = weight
        _add_steps(backward, incoming, buffers.jump_back, n_states, buffers)
        backward[0] = incoming[0] * factor.null_null + total * factor.null_token
    if counts != NULL:
        _count_ends(posterior, n_steps, n_states, counts, sign)
    return log_partition


cdef void _count_step(
    const double *previous, const double *incoming, Transitions *factor, Py_ssize_t n_states,
    double *counts, double sign,
) noexcept nogil:
    """Add the expected transitions of one step to counts."""
    cdef double tokens_before = 0.0
    cdef double tokens_after = 0.0
    cdef double mass
    cdef Py_ssize_t a, jump
    for a in range(1, n_states):
        tokens_before += previous[a]
        tokens_after += incoming[a]
    counts[NULL_NULL] += sign * previous[0] * factor.null_null * incoming[0]
    counts[NULL_TOKEN] += sign * previous[0] * factor.null_token * tokens_after
    counts[TOKEN_NULL] += sign * tokens_before * factor.token_null * incoming[0]
    for jump in range(2 - n_states, n_states - 1):
        mass = 0.0
        for a in range(max(1, 1 - jump), min(n_states, n_states - jump)):
            mass += previous[a] * incoming[a + jump]
        counts[JUMP + jump_bin(jump)] += sign * mass * factor.jump[jump + n_states - 1]


cdef void _count_ends(
    const double *posterior, Py_ssize_t n_steps, Py_ssize_t n_states, double *counts, double sign
) noexcept nogil:
    """Add the expected start and end features to counts."""
    cdef const double *last = posterior + (n_steps - 1) * n_states
    cdef Py_ssize_t s
    counts[START_NULL] += sign * posterior[0]
    counts[END_NULL] += sign * last[0]
    for s in range(1, n_states):
        counts[START + position_bin(s - 1)] += sign * posterior[s]
        counts[END + position_bin(n_states - 1 - s)] += sign * last[s]


cpdef tuple check_lattice(emission_ts, transition_weights):
    """Return both as C-contiguous float64 arrays, or raise ShapeError."""
    emission_ts = np.ascontiguousarray(emission_ts, dtype=np.float64)
    transition_weights = np.ascontiguousarray(transition_weights, dtype=np.float64)
    if emission_ts.ndim != 2 or 0 in emission_ts.shape:
        raise ShapeError(
            f"emissions have shape {emission_ts.shape}; wanted (n_steps, n_states), both above 0"
        )
    if transition_weights.shape != (N_TRANSITIONS,):
        raise ShapeError(
            f"transition weights have shape {transition_weights.shape}; wanted ({N_TRANSITIONS},)"
        )
    if np.isnan(emission_ts).any() or (emission_ts == np.inf).any():
        raise ShapeError("emissions hold NaN or +inf; wanted finite numbers or -inf")
    if not np.isfinite(transition_weights).all():
        raise ShapeError("transition weights must be finite")
    return emission_ts, transition_weights


def forward_backward(emission_ts, transition_weights):
    """Return state posteriors, expected transition counts and the log-partition.

    Parameters
    ----------
    emission_ts : float64 array, shape (n_steps, n_states)
        Score of state s at token t, in nats. State 0 is NULL. May hold -inf (forbidden).
    transition_weights : float64 array, shape (34,)
        In the order of tokalign.crf.transitions.TRANSITION_NAMES. Finite.

    Returns
    -------
    posterior_ts : float64 array, shape (n_steps, n_states)
        Probability of state s at token t, in [0, 1]; each row sums to one.
    counts : float64 array, shape (34,)
        Expected number of times each transition feature fires.
    log_partition : float
        Logarithm of the summed weight of all paths, in nats.

    Raises
    ------
    ShapeError
        If a shape is wrong, n_steps or n_states is 0, a value is NaN or +inf, or no path has
        a weight that float64 can hold.
    """
    emission_ts, transition_weights = check_lattice(emission_ts, transition_weights)
    cdef const double[:, ::1] emission = emission_ts
    cdef const double[::1] weights = transition_weights
    cdef Py_ssize_t n_steps = emission.shape[0]
    cdef Py_ssize_t n_states = emission.shape[1]
    cdef Workspace workspace = Workspace()
    workspace.reserve(n_steps, n_states)
    posterior_ts = np.empty((n_steps, n_states))
    counts = np.zeros(N_TRANSITIONS)
    cdef double[:, ::1] posterior = posterior_ts
    cdef double[::1] counts_view = counts
    cdef double log_partition
    with nogil:
        expand(&weights[0], n_states, &workspace.buffers.score)
        log_partition = marginals(
            &emission[0, 0], n_steps, n_states, &workspace.buffers, &posterior[0, 0],
            &counts_view[0], 1.0,
        )
    if log_partition == -INFINITY:
        raise ShapeError("no path has any weight: every state of some step is forbidden")
    return posterior_ts, counts, log_partition
