from libc.stdint cimport uint8_t

from tokalign.decoding._jobs cimport Job, PairScratch
from tokalign.features.pair cimport PairState

cdef enum:
    N_GATE_INPUTS = 26

cdef class GateRows:
    cdef readonly object values      # [n_pairs, N_GATE_INPUTS]
    cdef float[:, ::1] _values
    cdef void find(
        self, Py_ssize_t number, const PairState *pair, const Job *job, const PairScratch *scratch
    ) noexcept nogil
