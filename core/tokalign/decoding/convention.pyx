"""Confidences of posteriors, as a style reads them: a piecewise linear map between knots."""

from libc.stdint cimport int32_t

import numpy as np


cdef class Convention:
    """What a style decides by.

    Parameters
    ----------
    style : StyleHeader
        Its knots have been checked (tokalign.model.styles.check_styles).
    """

    def __init__(self, style not None):
        self.threshold = style["threshold"]
        self._raw = np.array(style.get("raw", ()), dtype=np.float64)
        self._calibrated = np.array(style.get("calibrated", ()), dtype=np.float64)

    cdef double confidence_of(self, double posterior) noexcept nogil:
        """Return the confidence of a posterior, on the line between the knots around it."""
        cdef const double[::1] raw = self._raw
        cdef const double[::1] calibrated = self._calibrated
        cdef Py_ssize_t n_knots = raw.shape[0]
        cdef Py_ssize_t k = 0
        if n_knots == 0:
            return posterior
        if posterior >= raw[n_knots - 1]:
            return calibrated[n_knots - 1]
        if posterior <= raw[0]:
            return calibrated[0]
        while posterior >= raw[k + 1]:
            k += 1
        return calibrated[k] + (calibrated[k + 1] - calibrated[k]) / (raw[k + 1] - raw[k]) * (
            posterior - raw[k]
        )

    cdef Py_ssize_t keep(
        self, int32_t *source, int32_t *target, double *confidence, Py_ssize_t n_links, double least
    ) noexcept nogil:
        """Put confidences in the place of posteriors, without links of less than the least of
        them; return how many there are."""
        cdef Py_ssize_t n_kept = 0
        cdef Py_ssize_t k
        cdef double value
        for k in range(n_links):
            value = self.confidence_of(confidence[k])
            if value >= least:
                source[n_kept] = source[k]
                target[n_kept] = target[k]
                confidence[n_kept] = value
                n_kept += 1
        return n_kept

    def confidence(self, double posterior):
        """Return the confidence of one posterior, in [0, 1]."""
        return self.confidence_of(posterior)

    def confidences(self, posterior):
        """Return the confidences of posteriors: a float64 array of the same shape, in [0, 1]."""
        found = np.array(posterior, dtype=np.float64, order="C")
        cdef double[::1] each = found.reshape(-1)
        cdef Py_ssize_t k
        for k in range(each.shape[0]):
            each[k] = self.confidence_of(each[k])
        return found
