from libc.stdint cimport int32_t, uint8_t

from tokalign.english.values.value_structs cimport Found
from tokalign.features._lexemes cimport LexemeTable
from tokalign.features._sentence_features cimport ArcScratch
from tokalign.features._word_pairs cimport PairMemory
from tokalign.features.pair cimport PairState, Side, Sink

cdef class Analysis:
    cdef Side side           # without the fields that depend on a pair
    cdef void *_block        # every array of the sentence but its values
    cdef Found *_values
    cdef int reserve(self, Py_ssize_t n) except -1
    cdef void find_content(self) noexcept nogil
    cdef int find_values(self) except -1

cdef class Extractor:
    cdef readonly LexemeTable lexemes
    cdef readonly PairMemory memory
    cdef dict _relations         # relation label -> (number, group)
    cdef object _base_array
    cdef const float[:, :, ::1] _weights     # one matrix for each style; None without
    cdef int32_t[::1] _base
    cdef PairState pair
    cdef Sink sink
    cdef bint _uses_arcs     # whether the group that compares arcs is on
    cdef ArcScratch _arcs_scratch
    cdef bint uses_rules     # whether the group "rules" is on
    cdef bint uses_encoder   # whether the group that reads an encoder is on
    cdef object _held        # owns the memory of a loaded pair
    cdef readonly long long n_cleared    # times that the words were cleared
    cdef void *_block        # every array of the pair but its sentences'
    cdef size_t _n_block     # its bytes
    cdef int reserve(self, Py_ssize_t n_source, Py_ssize_t n_target) except -1
    cdef void release(self) noexcept nogil
    cdef int make_room(self) except -1
    cpdef void forget(self)
    cdef tuple _relation(self, str label)
    cdef int analyse(self, sentence, str field, Analysis analysis) except -1
    cdef int fill_tree(self, Side *side, heads, relations) except -1
    cdef int check_encoded(self, encoded, Py_ssize_t n_source, Py_ssize_t n_target) except -1
    cdef int load(self, source, target, encoded=*) except -1
    cdef void hold(self, const Side *source, const Side *target) noexcept nogil
    cdef int prepare(self) noexcept nogil
    cdef int _prepare_arcs(self) noexcept nogil
    cdef void cell_row(self, Py_ssize_t i, Py_ssize_t j) noexcept nogil
    cdef void null_row(self, bint of_source, Py_ssize_t at) noexcept nogil
    cdef void scores(self, int style, double *s2t, double *t2s) noexcept nogil
