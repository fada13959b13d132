from tokalign.crf.lattice cimport Buffers

cdef double marginals(
    const double *emission,      # [n_steps, n_states], may hold -inf
    Py_ssize_t n_steps,
    Py_ssize_t n_states,
    Buffers *buffers,            # buffers.score expanded by the caller
    double *posterior,           # [n_steps, n_states], written
    double *counts,              # [N_TRANSITIONS], added to; may be NULL
    double sign,                 # factor of what is added to counts
) noexcept nogil

cpdef tuple check_lattice(emission_ts, transition_weights)
