"""Viterbi decoding.

    best[0, b] = start[b] + emission[0, b]
    best[t, b] = max over a of best[t-1, a] + transition[a, b], plus emission[t, b]

O(n_steps * n_states**2) time. Rabiner (1989), Proc. IEEE 77(2), section III-B.
"""

from libc.math cimport INFINITY
from libc.stdint cimport int32_t

import numpy as np

from tokalign.crf.lattice cimport N_TRANSITIONS, Buffers, Transitions, Workspace, expand
from tokalign.crf.marginals cimport check_lattice


cdef double viterbi(
    const double *emission, Py_ssize_t n_steps, Py_ssize_t n_states, Buffers *buffers,
    int32_t *states,
) noexcept nogil:
    """Write the best states and return their score. Ties go to the lower state index."""
    cdef Transitions *score = &buffers.score
    cdef double *best = buffers.forward
    cdef double *previous
    cdef double *jump
    cdef int32_t *back
    cdef double candidate, from_null
    cdef Py_ssize_t t, a, b
    for b in range(n_states):
        best[b] = score.start[b] + emission[b]
    for t in range(1, n_steps):
        previous = best
        best = previous + n_states
        back = buffers.back + t * n_states
        best[0] = previous[0] + score.null_null
        back[0] = 0
        from_null = previous[0] + score.null_token
        for b in range(1, n_states):
            best[b] = from_null
            back[b] = 0
        for a in range(1, n_states):
            candidate = previous[a] + score.token_null
            if candidate > best[0]:
                best[0] = candidate
                back[0] = <int32_t>a
            jump = score.jump + n_states - 1 - a
            for b in range(1, n_states):
                candidate = previous[a] + jump[b]
                if candidate > best[b]:
                    best[b] = candidate
                    back[b] = <int32_t>a
        for b in range(n_states):
            best[b] += emission[t * n_states + b]
    cdef double best_score = -INFINITY
    states[n_steps - 1] = 0
    for b in range(n_states):
        candidate = best[b] + score.end[b]
        if candidate > best_score:
            best_score = candidate
            states[n_steps - 1] = <int32_t>b
    for t in range(n_steps - 1, 0, -1):
        states[t - 1] = buffers.back[t * n_states + states[t]]
    return best_score


def decode(emission_ts, transition_weights):
    """Return the highest-scoring state sequence of the alignment chain.

    Parameters
    ----------
    emission_ts : float64 array, shape (n_steps, n_states)
        Score of state s at token t, in nats. State 0 is NULL. May hold -inf (forbidden).
    transition_weights : float64 array, shape (34,)
        In the order of tokalign.crf.transitions.TRANSITION_NAMES. Finite.

    Returns
    -------
    states : int32 array, shape (n_steps,)
    score : float
        Sum of the chosen potentials, in nats.

    Raises
    ------
    ShapeError
        If a shape is wrong, n_steps or n_states is 0, or a value is NaN or +inf.

    Notes
    -----
    O(n_steps * n_states**2) time. Ties go to the lower state index.

    Examples
    --------
    >>> import numpy as np
    >>> decode(np.array([[0.0, 2.0], [1.0, 0.0]]), np.zeros(34))
    (array([1, 0], dtype=int32), 3.0)
    """
    emission_ts, transition_weights = check_lattice(emission_ts, transition_weights)
    cdef const double[:, ::1] emission = emission_ts
    cdef const double[::1] weights = transition_weights
    cdef Py_ssize_t n_steps = emission.shape[0]
    cdef Py_ssize_t n_states = emission.shape[1]
    cdef Workspace workspace = Workspace()
    workspace.reserve(n_steps, n_states)
    states = np.empty(n_steps, dtype=np.int32)
    cdef int32_t[::1] states_view = states
    cdef double score
    with nogil:
        expand(&weights[0], n_states, &workspace.buffers.score)
        score = viterbi(&emission[0, 0], n_steps, n_states, &workspace.buffers, &states_view[0])
    return states, score
