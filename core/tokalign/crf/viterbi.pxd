from libc.stdint cimport int32_t

from tokalign.crf.lattice cimport Buffers

cdef double viterbi(
    const double *emission,      # [n_steps, n_states], may hold -inf
    Py_ssize_t n_steps,
    Py_ssize_t n_states,
    Buffers *buffers,            # buffers.score expanded by the caller
    int32_t *states,             # [n_steps], written
) noexcept nogil
