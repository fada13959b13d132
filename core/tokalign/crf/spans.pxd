from tokalign.crf.lattice cimport Buffers

cdef double span_probability(
    Buffers *buffers,            # as marginals left them for this chain
    const double *posterior,     # [n_steps, n_states], of this chain
    Py_ssize_t n_states,
    Py_ssize_t first_step,       # steps are below n_steps, at least one
    Py_ssize_t end_step,
    Py_ssize_t first_state,      # at least 1: NULL is in no run of tokens
    Py_ssize_t end_state,        # at most n_states
) noexcept nogil
