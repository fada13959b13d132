from libc.stdint cimport int32_t, uint8_t

from tokalign.features.pair cimport PairState

cdef enum:
    N_CHOICE_INPUTS = 16
    N_GATE_INPUTS = 26

cdef struct DecisionView:
    # What a model decided on a pair. Borrowed.
    const double *s2t_posterior    # [n_source, n_target + 1]
    const double *t2s_posterior    # [n_target, n_source + 1]
    const uint8_t *is_link         # [n_source, n_target]
    double covered
    double agreement
    double score
    int style

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

cdef class GateRows:
    cdef readonly object values      # [n_pairs, N_GATE_INPUTS]
    cdef float[:, ::1] _values
    cdef void find(
        self, Py_ssize_t number, const PairState *pair, const DecisionView *decided
    ) noexcept nogil
