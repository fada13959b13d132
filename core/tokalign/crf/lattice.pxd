"""Structs and kernels of the alignment lattice.

One labelled token is one step t of the chain. State 0 is NULL, state j + 1 is token j of the other
sentence, so n_states = n_tokens_of_other_sentence + 1.
"""

from libc.stdint cimport int32_t

cdef enum:
    # Layout of the transition weights; crf/transitions.py gives every slot its name.
    START_NULL = 0
    START = 1            # 4 slots: first label at position 0, 1, 2-4, 5+
    END_NULL = 5
    END = 6              # 4 slots: last label at distance 0, 1, 2-4, 5+ from the end
    JUMP = 10            # 21 slots: signed jump -25+ .. -1, 0, 1 .. 25+; 0 is slot JUMP + 10
    TOKEN_NULL = 31
    NULL_TOKEN = 32
    NULL_NULL = 33
    N_TRANSITIONS = 34

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
    double *windows      # what add_long_steps (_chain.h) needs
    double *potential    # [n_steps, n_states] exp(emission - row maximum)
    double *scale        # [n_steps]

cdef class Workspace:
    cdef Buffers buffers
    cdef Py_ssize_t n_steps_max
    cdef Py_ssize_t n_states_max
    cdef void _release(self) noexcept
    cdef int reserve(self, Py_ssize_t n_steps, Py_ssize_t n_states) except -1

cdef int position_bin(Py_ssize_t distance) noexcept nogil
cdef int jump_bin(Py_ssize_t jump) noexcept nogil
cdef void expand(const double *weights, Py_ssize_t n_states, Transitions *out) noexcept nogil
