"""Scratch memory of the lattice kernels, and the expansion of transition weights."""

from libc.stdint cimport int32_t
from libc.stdlib cimport free, malloc

cdef extern from "_chain.h" nogil:
    enum:
        CHAIN_ARRAYS
        CHAIN_REACH


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


cdef int position_bin(Py_ssize_t distance) noexcept nogil:
    """Return the bin 0..3 of a distance from a sentence's edge: 0, 1, 2-4, 5 or more."""
    if distance <= 1:
        return <int>distance
    return 2 if distance <= 4 else 3


cdef int jump_bin(Py_ssize_t jump) noexcept nogil:
    """Return the bin 0..20 of a signed jump; sizes 1..6, 7-9, 10-14, 15-24, 25+ on both sides."""
    cdef Py_ssize_t size = jump if jump >= 0 else -jump
    if size > 6:
        size = 7 if size <= 9 else 8 if size <= 14 else 9 if size <= 24 else 10
    return <int>(10 + size if jump >= 0 else 10 - size)


cdef void expand(const double *weights, Py_ssize_t n_states, Transitions *out) noexcept nogil:
    """Fill `out` with the scores that `weights` [N_TRANSITIONS] give to n_states states."""
    cdef Py_ssize_t state, jump
    out.start[0] = weights[START_NULL]
    out.end[0] = weights[END_NULL]
    for state in range(1, n_states):
        out.start[state] = weights[START + position_bin(state - 1)]
        out.end[state] = weights[END + position_bin(n_states - 1 - state)]
    for jump in range(-(n_states - 1), n_states):
        out.jump[jump + n_states - 1] = weights[JUMP + jump_bin(jump)]
    out.token_null = weights[TOKEN_NULL]
    out.null_token = weights[NULL_TOKEN]
    out.null_null = weights[NULL_NULL]
