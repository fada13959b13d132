from libc.stdint cimport int32_t

from tokalign.relations.forest cimport Forest

cdef enum:
    N_RELATIONS = 7      # kinds of relations, in the order of RelationKind

cdef class RelationModel:
    cdef readonly Forest kinds
    cdef readonly Forest linked
    cdef readonly Forest score
    cdef readonly Forest boundary        # of chunks
    cdef float[N_RELATIONS] identical    # probabilities of two words of one form or lemma
    cdef void relate(self, const float *inputs, float *out) noexcept nogil
