"""Structs and kernels of the alignment chain."""

from libc.stdint cimport int32_t

cdef enum:
    N_TRANSITIONS = 34   # see TRANSITION_NAMES

cdef struct Transitions:
    # Scores of one pair's transitions, expanded from the weights. Owned by Workspace.
    double *start        # [n_states]
    double *end          # [n_states]
    double *jump         # [2 * n_states - 1]; jump[b - a] + offset n_states - 1
    double token_null
    double null_token
    double null_null

cdef struct Buffers:
    # Scratch of one chain, grown by Workspace.reserve. All row-major.
    Transitions score    # in nats
    Transitions factor   # exp(score - score maximum of its kind), for the sum-product kernels
    int32_t *back        # [n_steps, n_states] best previous state
    double *forward      # [n_steps, n_states]
    double *backward     # [n_states]
    double *incoming     # [n_states]
    double *jump_back    # [2 * n_states - 1] factor.jump from last to first
    double *windows      # scratch of add_long_steps (_chain.h)
    double *potential    # [n_steps, n_states] exp(emission - row maximum)
    double *scale        # [n_steps]

cdef class Workspace:
    cdef Buffers buffers
    cdef Py_ssize_t n_steps_max
    cdef Py_ssize_t n_states_max
    cdef void _release(self) noexcept
    cdef int reserve(self, Py_ssize_t n_steps, Py_ssize_t n_states) except -1

cdef void expand(const double *weights, Py_ssize_t n_states, Transitions *out) noexcept nogil

cdef double viterbi(
    const double *emission,      # [n_steps, n_states], may hold -inf
    Py_ssize_t n_steps,
    Py_ssize_t n_states,
    Buffers *buffers,            # buffers.score expanded by the caller
    int32_t *states,             # [n_steps], written
) noexcept nogil

cdef double marginals(
    const double *emission,      # [n_steps, n_states], may hold -inf
    Py_ssize_t n_steps,
    Py_ssize_t n_states,
    Buffers *buffers,            # buffers.score expanded by the caller
    double *posterior,           # [n_steps, n_states], written
    double *counts,              # [N_TRANSITIONS], added to; may be NULL
    double sign,                 # factor of the addition to counts
) noexcept nogil

cdef double span_probability(
    Buffers *buffers,            # as marginals left them for this chain
    const double *posterior,     # [n_steps, n_states], of this chain
    Py_ssize_t n_states,
    Py_ssize_t first_step,       # steps are below n_steps, at least one
    Py_ssize_t end_step,
    Py_ssize_t first_state,      # at least 1: NULL is in no run of tokens
    Py_ssize_t end_state,        # at most n_states
) noexcept nogil
