from libc.stdint cimport int32_t, int64_t

from tokalign.crf._lattice cimport Workspace
from tokalign.decoding._known cimport KnownWords
from tokalign.features._extract cimport Extractor

cdef class Decoder:
    cdef Extractor _extractor
    cdef const float[:, :, ::1] _weights  # one matrix for each style
    cdef const double[:, :, ::1] _transitions
    cdef Workspace _workspace
    cdef double *_scratch
    cdef Py_ssize_t _n_scratch
    cdef long long _n_decoded
    cdef long long _held     # number of the pair that extractor and scratch hold, 0 for none
    cdef KnownWords _known
    cdef tuple _tags         # of which the next says what they weigh in the score
    cdef double[::1] _tag_weights
    cdef object _lock        # of all of the above; who holds it may use them
    cdef int _reserve(self, Py_ssize_t n_source, Py_ssize_t n_target) except -1
    cdef int _hold(self, Decoded pair) except -1
    cdef double[::1] _weights_of(self, tuple tags)
    cdef Decoded _decode(self, source, target, encoded, int style, constraints)
    cdef bint _posteriors(
        self, int style, int direction, const double *emission, Py_ssize_t n_steps,
        Py_ssize_t n_states, double *posterior,
    ) noexcept nogil
    cdef void _labels(
        self, int style, int direction, const double *emission, Py_ssize_t n_steps,
        Py_ssize_t n_states, int32_t *states,
    ) noexcept nogil

cdef class Decoded:
    cdef readonly object source
    cdef readonly object target
    cdef readonly object s2t_posterior
    cdef readonly object t2s_posterior
    cdef readonly object constraints
    cdef object _encoded
    cdef tuple _excluded     # labels of each direction that constraints exclude, or None
    cdef Decoder _decoder
    cdef long long _number
    cdef int _style
    cdef tuple _labels(self)
    cdef tuple _weights(self)
    cdef int _block_probabilities(
        self, const int64_t[:, ::1] ranges, double[:, ::1] probabilities
    ) except -1
    cdef tuple _features(self, Py_ssize_t source, Py_ssize_t target)
