from libc.stdint cimport int64_t

from tokalign.decoding._decoder cimport Decoder

cdef class DecodedPair:
    cdef readonly object source
    cdef readonly object target
    cdef readonly object constraints
    cdef readonly object s2t_posterior
    cdef readonly object t2s_posterior
    cdef readonly object link_posterior
    cdef readonly list links
    cdef readonly int style
    cdef readonly object unlike
    cdef readonly double covered
    cdef Decoder _decoder    # None once another pair is decoded
    cdef const double *_s2t  # emissions of both directions, held by the decoder
    cdef const double *_t2s
    cdef Decoder _held(self)
    cdef int _block_probabilities(
        self, const int64_t[:, ::1] ranges, double[:, ::1] probabilities
    ) except -1
