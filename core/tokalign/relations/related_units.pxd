from libc.stdint cimport int16_t, int32_t, uint32_t

from tokalign.features.pair cimport PairState
from tokalign.relations.clashes cimport LinkView

cpdef enum SideInput:
    # Inputs from each side of a unit.
    TOKENS
    CONTENT_WORDS
    WEIGHT                # of its words in similarity
    SHARE_OF_SENTENCE     # of the sentence's tokens
    INSIDE                # share of the weight that has a partner in the unit
    OUTSIDE               # share that has a partner outside of it
    SAME                  # share of the weight whose word the other side of the unit has
    STRENGTH              # mean strength of each word's best partner in the unit, by weight
    LEAST_STRENGTH        # of a content word
    LEFT_WEIGHT           # weight of the words that the other side of the unit lacks
    HEAVIEST_LEFT
    LEFT_NOUNS
    LEFT_NAMES
    LEFT_VERBS
    LEFT_ADJECTIVES
    LEFT_ADVERBS
    LEFT_NUMBERS
    LEFT_PREPOSITIONS
    LEFT_DETERMINERS
    LEFT_PRONOUNS
    NEGATIONS             # in the unit, or right above or below it in the tree
    NAMES
    NUMBERS
    VERBS
    FIRST_IS_PREPOSITION
    LAST_IS_LEFT          # whether the last content word, mostly the head, is left
    LAST_TAG              # of that word; -1 without one
    LAST_WEIGHT
    FIRST_TAG
    SHARED_WORDS          # words that are not left
    LONE_WORDS            # words that no word of the other sentence matches
    LEFT_BEST             # largest strength of a left word and any of the other sentence
    START                 # place of the first word in the sentence
    SENTENCE_TOKENS
    HAS_STOP              # whether the sentence ends with a period
    N_SIDE_INPUTS

cpdef enum PairInput:
    # Inputs from both sides of a unit.
    IS_IDENTICAL          # the same forms in the same order
    COVERED               # of the sentences
    DISTANCE              # of the places in their sentences
    LEFT_NEIGHBOURS       # strength of the words before both
    RIGHT_NEIGHBOURS
    POSTERIOR             # largest mean posterior
    SYNONYM               # of left words, by WordNet; so are the next
    NEAR
    HYPERNYM
    HYPERNYM_WITHIN_3
    HYPONYM
    HYPONYM_WITHIN_3
    COHYPONYM
    ANTONYM
    PART
    HAS_PART
    ENTAILS
    OPPOSITE              # by antonyms, scales or form
    HIGHER                # on a scale
    LOWER
    LEVEL
    UNLIKE_NAMES
    BEST_COSINE           # the largest
    MEAN_COSINE           # of each word's best
    SAME_BY_RULE          # whether a rule of values or spelling links two
    OTHER_VALUE
    SAME_VALUE
    PART_OF_VALUE         # same number, unit or field
    LAST_STRENGTH         # of the last content words of both sides
    LAST_COSINE
    LAST_HYPERNYM
    LAST_HYPONYM
    LAST_COHYPONYM
    SAME_FIRST            # whether the first tokens have one form
    UNLIKE_PREPOSITIONS   # whether both begin with prepositions of other forms
    LAST_HAVE_ONE_TAG     # the last content words of both sides
    N_PAIR_INPUTS

cdef enum:
    N_UNIT_INPUTS = 2 * 35 + 36
    N_RELATIONS = 7      # kinds of relations, in the order of RelationKind

cdef struct UnitRoom:
    # Data that all units of a pair share.
    double covered
    double *mean             # [n_source, n_target] mean posterior of each link
    double *source_total     # [n_source] sum of each token's mean posteriors
    double *target_total     # [n_target]
    int32_t *source_unit     # [n_source] scratch: tokens of the unit
    int32_t *target_unit     # [n_target]

cdef class Forest:
    cdef readonly int n_inputs
    cdef readonly int n_outputs
    cdef const int32_t[::1] _root    # [n_trees]
    cdef const float[::1] _base      # [n_outputs]
    cdef const int16_t[::1] _input   # [n_nodes] number of the compared input; -1 for a leaf
    cdef const int32_t[::1] _left    # index of the left branch; the right one follows it
    cdef const float[::1] _threshold    # up to which the left branch is taken
    cdef const float[::1] _value     # of a leaf, or the mean of the leaves below
    cdef int32_t[::1] _first             # [n_trees + 1] each tree's first split
    cdef int32_t[::1] _split_input       # of each tree, from its root down
    cdef float[::1] _split_threshold
    cdef uint32_t[::1] _split_left       # bits of the leaves in the left branch
    cdef float[::1] _leaf                # from left to right; tree k's begin at _first[k] + k
    cdef bint _split_trees(self) except -1
    cdef int _split_tree(
        self, Py_ssize_t tree, Py_ssize_t node, int n_leaves, int *n_splits
    ) noexcept nogil
    cdef void score(self, const float *rows, Py_ssize_t n_rows, double *out) noexcept nogil

cdef class RelationModel:
    cdef readonly Forest kinds
    cdef readonly Forest linked
    cdef readonly Forest score
    cdef readonly Forest boundary        # of chunks
    cdef float[N_RELATIONS] identical    # probabilities of two words of one form or lemma
    cdef void relate(self, const float *inputs, float *out) noexcept nogil

cdef size_t room_bytes(Py_ssize_t n_source, Py_ssize_t n_target) noexcept nogil
cdef void fill_room(
    UnitRoom *room, char *memory, const double *s2t_posterior, const double *t2s_posterior,
    Py_ssize_t n_source, Py_ssize_t n_target, double covered
) noexcept nogil
cdef void unit_inputs(
    const PairState *pair, const UnitRoom *room, const int32_t *source, int n_source,
    const int32_t *target, int n_target, float *out
) noexcept nogil
cdef void relate_links(
    const PairState *pair, const UnitRoom *room, RelationModel model, const LinkView *links,
    float *probabilities,
) noexcept nogil
