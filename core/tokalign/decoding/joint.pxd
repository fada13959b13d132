from libc.stdint cimport int32_t, uint8_t

cdef int check_posteriors(
    const double[:, ::1] s2t_posterior, const double[:, ::1] t2s_posterior
) except -1

cdef inline double mean_posterior(
    const double *s2t_posterior, const double *t2s_posterior, Py_ssize_t n_source,
    Py_ssize_t n_target, Py_ssize_t i, Py_ssize_t j,
) noexcept nogil:
    # Of the link (i, j), over both directions.
    return (
        s2t_posterior[i * (n_target + 1) + j + 1] + t2s_posterior[j * (n_source + 1) + i + 1]
    ) / 2

cdef void fill_means(
    const double *s2t_posterior,   # [n_source, n_target + 1]
    const double *t2s_posterior,   # [n_target, n_source + 1]
    Py_ssize_t n_source, Py_ssize_t n_target,
    double *mean,                  # [n_source, n_target]
) noexcept nogil

cdef void take_cells(
    const double *posterior,       # [n_source, n_target]
    Py_ssize_t n_source, Py_ssize_t n_target, double threshold, double beside,
    uint8_t *taken,                # [n_source, n_target]
) noexcept nogil

cdef Py_ssize_t write_links(
    const double *posterior,       # [n_source, n_target]
    const uint8_t *taken,          # [n_source, n_target] 1 of a link, else 0
    Py_ssize_t n_source, Py_ssize_t n_target,
    int32_t *source,               # room for n_source * n_target links
    int32_t *target, double *confidence,
) noexcept nogil
