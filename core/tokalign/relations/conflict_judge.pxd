from libc.stdint cimport int32_t

from tokalign.features.pair cimport PairState
from tokalign.relations.clashes cimport Clash, ConflictRoom
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
    SOURCE_VERB              # whether the nearest verb in the clause has a partner; -1 without one
    TARGET_VERB
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
    CROSSED                  # share of the pair's links that cross that of the nearest link
    SOURCE_NAMES             # share of the sentence's names that have partners; -1 without names
    TARGET_NAMES
    SOURCE_FREE              # log(1 + number of content words without partners)
    TARGET_FREE
    VALUE_KIND               # of the source's value that holds the word, or -1
    HAS_ONE_UNIT             # whether both words are of values of one kind, in one unit or currency
    NEXT_MEET                # whether the next content words are linked; -1 if one is missing
    PREVIOUS_MEET
    N_INPUTS

cdef struct PairFacts:
    # Inputs that all places of a pair share; see ConflictInput.
    float source_covered
    float target_covered
    float source_asks
    float target_asks
    float source_content
    float target_content
    float negations
    float others
    float source_names
    float target_names
    float source_free
    float target_free

cdef class ConflictJudge:
    cdef readonly Forest forest
    cdef public float least      # probability of a conflict that is told
    cdef public bint keeps_inputs
    cdef void judge(self, const PairState *pair, ConflictRoom *room) noexcept nogil

cdef void fill_facts(
    const PairState *pair, const ConflictRoom *room, PairFacts *out
) noexcept nogil
cdef void conflict_inputs(
    const PairState *pair, const ConflictRoom *room, const PairFacts *facts, const Clash *clash,
    float *out,
) noexcept nogil
