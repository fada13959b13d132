from libc.stdint cimport int32_t

from tokalign.crf.chains cimport Workspace
from tokalign.decoding._known cimport KnownWords
from tokalign.features.extract cimport Extractor

cdef class Decoder:
    cdef Extractor extractor
    cdef const float[:, :, ::1] weights  # one matrix for each style
    cdef const double[:, :, ::1] transitions
    cdef Workspace workspace
    cdef double *scratch
    cdef Py_ssize_t n_scratch
    cdef KnownWords known
    cdef tuple tags         # of which the next says what they weigh in the score
    cdef double[::1] tag_weights
    cdef object lock        # of all of the above; who holds it may use them
    cdef int reserve(self, Py_ssize_t n_source, Py_ssize_t n_target) except -1
    cdef double[::1] weights_of(self, tuple tags)
    cdef bint posteriors(
        self, int style, int direction, const double *emission, Py_ssize_t n_steps,
        Py_ssize_t n_states, double *posterior,
    ) noexcept nogil
    cdef void labels(
        self, int style, int direction, const double *emission, Py_ssize_t n_steps,
        Py_ssize_t n_states, int32_t *states,
    ) noexcept nogil
