from libc.stdint cimport int64_t, uint32_t

from tokalign.english.lexicon.lexical_tables cimport VectorTable
from tokalign.features.pair cimport PairState

cpdef enum EvidencePiece:
    # Evidence for or against a candidate, each in [0, 1] except TOPIC; see evidence.pyx.
    # The last column is no evidence: it says by which weights the others count.
    SCORE
    AGREEMENT
    NAMES
    EARLY
    NEIGHBOURS
    TOPIC
    TYPED
    VALUE
    NAME
    BY_VERB
    LENGTH
    BARE
    YES_NO
    CLAUSE
    POLAR
    N_EVIDENCE

cpdef enum SupportColumn:
    # Support of a word of the answer's sentence (target) by a sentence of the sources (source),
    # each in [0, 1]; see evidence.pyx.
    MASS
    BEST
    SAME
    STRENGTH
    ALIKE
    WINDOW
    TREE
    ORDER
    COVER
    N_COLUMNS

cdef struct Wanted:
    # The answer that a question expects.
    int answer               # ANSWER_...
    uint32_t kinds           # a bit, 1 << KIND_..., for each kind of value that fits
    uint32_t measures        # bits of UnitKind

cdef class EvidenceRows:
    cdef readonly object values      # type: NDArray[np.float64]  # [n_pairs, N_EVIDENCE]
    cdef double[:, ::1] _values
    cdef Wanted *_wanted             # [n_pairs]
    cdef char *_room
    cdef int reserve(
        self, Py_ssize_t n_source, Py_ssize_t n_target, const VectorTable *vectors
    ) except -1
    cdef void find(
        self, Py_ssize_t number, const PairState *pair, const VectorTable *vectors,
        const double *mean,          # [n_source, n_target] of both posteriors
        double score, double agreement,
    ) noexcept nogil

cdef class SupportRows:
    cdef readonly object values      # type: NDArray[np.float32]  # [n_tokens, N_COLUMNS]
    cdef readonly object offsets     # type: NDArray[np.int64]  # [n_pairs + 1]
    cdef float[:, ::1] _values
    cdef const int64_t[::1] _offsets
    cdef char *_room
    cdef int reserve(self, Py_ssize_t n_answer) except -1
    cdef void find(
        self, Py_ssize_t number, const PairState *pair, const double *s2t_posterior,
        const double *t2s_posterior, bint is_turned,
    ) noexcept nogil
