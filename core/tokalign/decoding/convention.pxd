from libc.stdint cimport int32_t, uint8_t

from tokalign.decoding.choice cimport N_CHOICE_INPUTS
from tokalign.decoding.second_pass cimport SecondPass

cdef enum:
    MOST_KNOTS = 16
    MOST_STYLES = 8

cdef struct StyleNumbers:
    # What a style decides by.
    double threshold
    double beside                # threshold beside a link
    bint is_revised              # whether the second pass decides
    int n_knots                  # 0 where confidences are posteriors
    double raw[MOST_KNOTS]
    double calibrated[MOST_KNOTS]
    bint has_unlike              # whether unlike words have a map of their own
    double slope
    double offset

cdef class Convention:
    cdef StyleNumbers numbers

cdef class Conventions:
    cdef readonly tuple each             # of Convention
    cdef int n_styles
    cdef StyleNumbers[MOST_STYLES] numbers
    cdef bint chooses
    cdef readonly SecondPass second_pass    # None where no style has one
    cdef double[MOST_STYLES * (N_CHOICE_INPUTS + 1)] choice

cdef double confidence_of(
    const StyleNumbers *numbers, double posterior, bint are_unlike
) noexcept nogil

cdef Py_ssize_t keep_links(
    const StyleNumbers *numbers,
    const uint8_t *lexical_class,    # [n_source, n_target]
    Py_ssize_t n_target,
    int32_t *source,         # [n_links]; those that are kept come first
    int32_t *target,         # likewise
    double *confidence,      # likewise; posteriors before, confidences after
    Py_ssize_t n_links,
    double least,
) noexcept nogil
