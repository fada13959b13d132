from libc.stdint cimport int32_t, uint8_t

from tokalign.features._distributional cimport Scratch
from tokalign.features._lexemes cimport LexemeTable
from tokalign.features._pair cimport Pair, Side, Sink

cdef class Extractor:
    cdef readonly LexemeTable lexemes
    cdef dict _relations         # relation label -> (number, group)
    cdef object _base_array
    cdef int32_t[::1] _base
    cdef Pair pair
    cdef Sink sink
    cdef bint _uses_arcs     # whether the group that compares arcs is on
    cdef Scratch _arcs_scratch
    cdef bint _uses_encoder  # whether the group that reads an encoder is on
    cdef const float[:, ::1] _s2t_encoded
    cdef const float[:, ::1] _t2s_encoded
    cdef void *_block        # every array of the pair
    cdef size_t _n_block     # its bytes
    cdef int _reserve(self, Py_ssize_t n_source, Py_ssize_t n_target) except -1
    cdef tuple _relation(self, str label)
    cdef int _fill_side(self, Side *side, sentence) except -1
    cdef int _prepare_arcs(self) noexcept nogil
    cdef int _take_encoded(self, encoded) except -1
    cdef int load(self, source, target, encoded=*) except -1
    cdef void cell_row(self, Py_ssize_t i, Py_ssize_t j) noexcept nogil
    cdef void null_row(self, bint of_source, Py_ssize_t at) noexcept nogil
