from libc.stdint cimport int32_t

from tokalign.features.pair cimport PairState

cdef enum:
    N_CHOICE_INPUTS = 16

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
