from libc.stdint cimport int32_t

cdef class Convention:
    cdef readonly double threshold
    cdef const double[::1] _raw          # [n_knots], none where confidences are posteriors
    cdef const double[::1] _calibrated
    cdef double confidence_of(self, double posterior) noexcept nogil
    cdef Py_ssize_t keep(
        self,
        int32_t *source,         # [n_links]; those that are kept come first
        int32_t *target,         # likewise
        double *confidence,      # likewise; posteriors before, confidences after
        Py_ssize_t n_links,
        double least,
    ) noexcept nogil
