from tokalign.features.pair cimport PairState
from tokalign.relations.clashes cimport ConflictColumns, ConflictRoom, LinkView
from tokalign.relations.related_units cimport Forest

cpdef enum ConflictInput:
    # After one input for each way to see a conflict, which is 1 for that of this one.
    KIND = 13                # in the order of ConflictKind
    PLACE                    # certainty that both words stand in the same place
    LINK                     # confidence of their link; 0 without one
    SOURCE_COVERED           # share of the weight of the sentence's words that have partners
    TARGET_COVERED
    SOURCE_NEAR              # that share of the words within REACH tokens, without the word itself
    TARGET_NEAR
    SOURCE_ASKS              # whether the sentence ends as a question
    TARGET_ASKS
    SOURCE_CONTENT           # log(1 + number of content words)
    TARGET_CONTENT
    SOURCE_WEIGHT            # of the word
    TARGET_WEIGHT
    SOURCE_GAP               # content words without partners around the word
    TARGET_GAP
    STRENGTH                 # of the two words
    WORD_COSINE
    IS_ANTONYM               # by WordNet
    HAS_ONE_TAG
    NEGATIONS                # how many more the source has than the target, without sign
    OTHERS                   # log(1 + number of other places that were found)
    AROUND                   # strength of what is before and behind both words
    SOURCE_ALIKE             # mean of the other words' best strengths or cosines, by weight; of
    TARGET_ALIKE             # words of other places their links' confidences
    SOURCE_FREE              # log(1 + number of content words without partners)
    TARGET_FREE
    VALUE_KIND               # of the source's value that holds the word, or -1
    HAS_ONE_UNIT             # whether both are of values of one kind, in one currency or dimension
    N_INPUTS

cdef class ConflictJudge:
    cdef readonly Forest forest
    cdef public float least      # probability of a conflict that is told
    cdef public bint keeps_inputs
    cdef void judge(self, const PairState *pair, bint is_evidence, ConflictRoom *room) noexcept nogil

cdef size_t conflict_bytes(Py_ssize_t n_source, Py_ssize_t n_target) noexcept nogil
cdef void carve_conflicts(
    ConflictRoom *room, char *memory, Py_ssize_t n_source, Py_ssize_t n_target
) noexcept nogil
cdef double find_conflicts(
    const PairState *pair, const LinkView *links, ConflictJudge judge, bint is_evidence, ConflictRoom *room
) noexcept nogil
cdef bint add_conflicts(
    ConflictColumns *columns, Py_ssize_t number, const PairState *pair, ConflictRoom *room
) noexcept nogil
