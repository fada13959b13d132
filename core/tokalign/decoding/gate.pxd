from libc.stdint cimport uint8_t

from tokalign.features.pair cimport PairState

cdef enum:
    N_GATE_INPUTS = 26

cdef struct Decision:
    # What a model decided of a pair.
    const double *s2t_posterior  # [n_source, n_target + 1]
    const double *t2s_posterior  # [n_target, n_source + 1]
    const uint8_t *is_link       # [n_source, n_target]
    int style
    double covered
    double agreement
    double score

cdef void gate_inputs(
    const PairState *pair, const Decision *decision, float *inputs
) noexcept nogil

cdef class GateRows:
    cdef readonly object values      # [n_pairs, N_GATE_INPUTS]
    cdef float[:, ::1] _values
    cdef float *row(self, Py_ssize_t number) noexcept nogil
