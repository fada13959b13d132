"""Kernels that decide on the posteriors of a pair."""

from libc.stdint cimport int32_t, uint8_t

from tokalign.decoding.second_pass cimport FirstPass, GroupRoom
from tokalign.features.pair cimport PairState
from tokalign.relations.related_units cimport Forest

cdef enum:
    MOST_KNOTS = 16
    N_CHOICE_INPUTS = 16

cdef struct StyleNumbers:
    # Thresholds and calibration of a style.
    double threshold
    double beside                # threshold beside a link
    bint is_revised              # whether the second pass decides
    int n_knots                  # 0 where confidences are posteriors
    double raw[MOST_KNOTS]
    double calibrated[MOST_KNOTS]
    bint has_unlike              # whether unlike words have their own map
    double slope
    double offset

cdef class Convention:
    cdef StyleNumbers numbers

cdef class SecondPass:
    cdef Forest _cells
    cdef Forest _groups
    cdef void revise(
        self, const FirstPass *first,
        double *revised            # [n_source, n_target]
    ) noexcept nogil
    cdef void choose(
        self, const double *revised, Py_ssize_t n_source, Py_ssize_t n_target,
        uint8_t *taken,            # [n_source, n_target] 1 of a link; changed
        GroupRoom *room
    ) noexcept nogil

cdef struct TokenWeights:
    # Weights of the tokens of a pair, in similarity.
    const double *source         # [n_source]
    const double *target         # [n_target]

cdef struct PairShares:
    # Shares of both sides with a partner, each in [0, 1].
    double linked
    double covered               # where unlike partners count less

cdef inline double mean_posterior(
    const double *s2t_posterior, const double *t2s_posterior, Py_ssize_t n_source,
    Py_ssize_t n_target, Py_ssize_t i, Py_ssize_t j,
) noexcept nogil:
    # Of the link (i, j), over both directions.
    return (
        s2t_posterior[i * (n_target + 1) + j + 1] + t2s_posterior[j * (n_source + 1) + i + 1]
    ) / 2

cdef int check_posteriors(
    const double[:, ::1] s2t_posterior, const double[:, ::1] t2s_posterior
) except -1

cdef void fill_means(
    const double *s2t_posterior,   # [n_source, n_target + 1]
    const double *t2s_posterior,   # [n_target, n_source + 1]
    Py_ssize_t n_source, Py_ssize_t n_target,
    double *mean,                  # [n_source, n_target]
) noexcept nogil

cdef double confidence_of(
    const StyleNumbers *numbers, double posterior, bint are_unlike
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

cdef void calibrate_links(
    const StyleNumbers *numbers,
    const uint8_t *lexical_class,    # [n_source, n_target]
    Py_ssize_t n_target,
    const int32_t *source,   # [n_links]
    const int32_t *target,
    double *confidence,      # posteriors before, confidences after
    Py_ssize_t n_links,
) noexcept nogil

cdef Py_ssize_t drop_weak(
    int32_t *source, int32_t *target, double *confidence, Py_ssize_t n_links, double least
) noexcept nogil

cdef bint turn_links(
    int32_t *source, int32_t *target, double *confidence,
    float *relation,         # [n_links, N_RELATIONS], or NULL
    Py_ssize_t n_links, Py_ssize_t n_target,
) noexcept nogil

cdef double target_share(
    const double *s2t_posterior,   # [n_source, n_target + 1]
    const double *t2s_posterior,   # [n_target, n_source + 1]
    Py_ssize_t n_source, Py_ssize_t n_target,
    const double *weights,         # [n_target]
) noexcept nogil
cdef void fill_shares(
    const double *s2t_posterior,   # [n_source, n_target + 1]
    const double *t2s_posterior,   # [n_target, n_source + 1]
    Py_ssize_t n_source, Py_ssize_t n_target, const TokenWeights *weights,
    const float *strength,         # [n_source, n_target]
    PairShares *shares
) noexcept nogil
cdef double SCORE_FALL, COVERED_FALL
cdef double lowered(double share, double agreement, double fall) noexcept nogil

cdef void choice_inputs(
    const PairState *pair,
    int32_t *scratch,        # [n_target + 1]
    double *inputs,          # [N_CHOICE_INPUTS]
) noexcept nogil

cdef int choose_style(
    const double *weights,   # [n_styles, N_CHOICE_INPUTS + 1], the constant last
    int n_styles,
    const double *inputs,
) noexcept nogil
