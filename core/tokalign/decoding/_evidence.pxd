from tokalign.features.pair cimport PairState
from tokalign.english.lexicon.lexical_tables cimport VectorTable
from tokalign.decoding.answer_evidence cimport EvidenceRoom, Wanted

cdef class EvidenceRows:
    cdef readonly object values      # [n_pairs, N_EVIDENCE]
    cdef double[:, ::1] _values
    cdef Wanted *_wanted             # [n_pairs]
    cdef double *_mean               # [n_source, n_target] of the largest pair
    cdef char *_room
    cdef int reserve(
        self, Py_ssize_t n_source, Py_ssize_t n_target, const VectorTable *vectors
    ) except -1
    cdef void find(
        self, Py_ssize_t number, const PairState *pair, const VectorTable *vectors,
        const double *s2t_posterior, const double *t2s_posterior, double score, double agreement,
    ) noexcept nogil
