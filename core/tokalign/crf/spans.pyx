"""Probability that all of a run of tokens are labelled with tokens of one run of the other side.

Over the paths of the chain, with S the states of that run:

    P(label[t] in S for first <= t < end) = sum over b in S of posterior[end-1, b] * share[end-1, b]

where share[t, b] is what part of the paths that lead to state b at step t have been within S since
the run began. It is the quotient of two forward sums, the restricted one and the full one, so that it
lies in [0, 1] whatever the lattice:

    inside[first, b] = forward[first, b]
    inside[t, b]     = potential[t, b] * sum over a in S of inside[t-1, a] * transition[a, b] / scale[t]
    share[t, b]      = inside[t, b] / forward[t, b]

O((end - first) * |S|**2) time, once forward-backward has run.
"""

import numpy as np

from tokalign.crf.lattice cimport Buffers, Workspace, expand
from tokalign.crf.marginals cimport check_lattice, marginals

from tokalign.errors import ShapeError


cdef double span_probability(
    Buffers *buffers, const double *posterior, Py_ssize_t n_states, Py_ssize_t first_step,
    Py_ssize_t end_step, Py_ssize_t first_state, Py_ssize_t end_state,
) noexcept nogil:
    """Return the probability, in [0, 1]; overwrites what marginals used as scratch."""
    cdef double *inside = buffers.incoming
    cdef double *previous = buffers.backward
    cdef const double *jump = buffers.factor.jump + n_states - 1
    cdef const double *forward
    cdef double total
    cdef Py_ssize_t t, a, b
    for b in range(first_state, end_state):
        inside[b] = buffers.forward[first_step * n_states + b]
    for t in range(first_step + 1, end_step):
        inside, previous = previous, inside
        for b in range(first_state, end_state):
            total = 0.0
            for a in range(first_state, end_state):
                total += previous[a] * jump[b - a]
            inside[b] = total * buffers.potential[t * n_states + b] / buffers.scale[t]
    posterior += (end_step - 1) * n_states
    forward = buffers.forward + (end_step - 1) * n_states
    total = 0.0
    for b in range(first_state, end_state):
        if forward[b] > 0.0:
            total += posterior[b] * min(1.0, inside[b] / forward[b])
    return min(1.0, total)


def probability_within(emission_ts, transition_weights, steps, states):
    """Return how likely a run of steps have states out of one run only.

    Parameters
    ----------
    emission_ts : float64 array, shape (n_steps, n_states)
        Score of state s at token t, in nats. State 0 is NULL. May hold -inf (forbidden).
    transition_weights : float64 array, shape (34,)
        In the order of tokalign.crf.transitions.TRANSITION_NAMES. Finite.
    steps : (int, int)
        Half-open range of steps, not empty.
    states : (int, int)
        Half-open range of states, not empty, without NULL.

    Returns
    -------
    probability : float
        In [0, 1].

    Raises
    ------
    ShapeError
        If a shape or a range is wrong, a value is NaN or +inf, or no path has a weight that
        float64 can hold.

    Examples
    --------
    >>> import numpy as np
    >>> round(probability_within(np.zeros((2, 3)), np.zeros(34), (0, 2), (1, 3)), 6)  # (2 / 3)**2
    0.444444
    """
    emission_ts, transition_weights = check_lattice(emission_ts, transition_weights)
    cdef const double[:, ::1] emission = emission_ts
    cdef const double[::1] weights = transition_weights
    cdef Py_ssize_t n_steps = emission.shape[0]
    cdef Py_ssize_t n_states = emission.shape[1]
    cdef Py_ssize_t first_step, end_step, first_state, end_state
    first_step, end_step = steps
    first_state, end_state = states
    if not (0 <= first_step < end_step <= n_steps and 1 <= first_state < end_state <= n_states):
        raise ShapeError(
            f"steps {tuple(steps)} and states {tuple(states)} of a lattice of shape "
            f"{emission_ts.shape}; wanted ranges within it that are not empty, from state 1 on"
        )
    cdef Workspace workspace = Workspace()
    workspace.reserve(n_steps, n_states)
    cdef double[:, ::1] posterior = np.empty((n_steps, n_states))
    cdef double log_partition
    expand(&weights[0], n_states, &workspace.buffers.score)
    log_partition = marginals(
        &emission[0, 0], n_steps, n_states, &workspace.buffers, &posterior[0, 0], NULL, 0.0
    )
    if not -float("inf") < log_partition < float("inf"):
        raise ShapeError("no path has any weight: every state of some step is forbidden")
    return span_probability(
        &workspace.buffers, &posterior[0, 0], n_states, first_step, end_step, first_state, end_state
    )
