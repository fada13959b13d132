from libc.stdint cimport int32_t, uint8_t, uint32_t

from tokalign.features.pair cimport PairState
from tokalign.english.lexicon.lexical_tables cimport VectorTable

cpdef enum EvidencePiece:
    # Evidence for a candidate or against it, each in [0, 1] but for TOPIC; see answer_evidence.pyx.
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
    N_EVIDENCE

cdef enum:
    # In the order of AnswerType.
    ANSWER_PERSON = 0
    ANSWER_PLACE = 1
    ANSWER_DATE = 2
    ANSWER_NUMBER = 3
    ANSWER_NAME = 4
    ANSWER_THING = 5
    ANSWER_OTHER = 6

cdef struct Wanted:
    # What a question asks for.
    int answer               # ANSWER_...
    uint32_t kinds           # a bit, 1 << KIND_..., for each kind of value that fits
    uint32_t measures        # bits of UnitKind

cdef struct EvidenceRoom:
    # Scratch of one pair.
    int32_t *asked           # [n_target] the question's words that a candidate should cover
    int32_t *best            # [n_target] likeliest partner of each
    double *covered          # [n_target] how far each has a partner, in [0, 1]
    double *taken            # [n_source] the largest of a token's links with them
    double *fit              # [n_source] how well a token fits what is wanted
    double *topic            # [2, n_dimensions] sums of word vectors
    int n_asked
    double idf               # of all that are asked together

cdef Wanted wanted_of(expected) except *
cdef size_t evidence_bytes(
    Py_ssize_t n_source, Py_ssize_t n_target, const VectorTable *vectors
) noexcept nogil
cdef void carve_evidence(
    EvidenceRoom *room, char *memory, Py_ssize_t n_source, Py_ssize_t n_target,
    const VectorTable *vectors,
) noexcept nogil
cdef void find_evidence(
    const PairState *pair, const VectorTable *vectors,
    const double *mean,      # [n_source, n_target]
    const Wanted *wanted, EvidenceRoom *room, double score, double agreement,
    double *out,             # [N_EVIDENCE]
) noexcept nogil
