# What is decided from the posteriors of both directions; see the doors for what arrays hold.

from libc.stdint cimport int32_t

cdef Py_ssize_t select_links(
    const double *s2t_posterior,     # [n_source, n_target + 1]
    const double *t2s_posterior,     # [n_target, n_source + 1]
    Py_ssize_t n_source,
    Py_ssize_t n_target,
    double threshold,
    int32_t *source,                 # [n_source * n_target], the first of which are written
    int32_t *target,                 # likewise
    double *confidence,              # likewise
) noexcept nogil

cdef void cover(
    const double *s2t_posterior,
    const double *t2s_posterior,
    Py_ssize_t n_source,
    Py_ssize_t n_target,
    double *covered,                 # [n_target], written
) noexcept nogil

cdef double share(
    const double *s2t_posterior,
    const double *t2s_posterior,
    Py_ssize_t n_source,
    Py_ssize_t n_target,
    const double *source_weights,    # [n_source]
    const double *target_weights,    # [n_target]
) noexcept nogil
