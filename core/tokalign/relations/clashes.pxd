# Inputs and results of the search for conflicts.

from libc.stdint cimport int32_t, int64_t, uint8_t

from tokalign.english.values.value_structs cimport Found
from tokalign.features.pair cimport CASE_LOWER, KIND_MARK, Lexeme, PairState, Side

cdef enum:
    MAX_FOUND = 8        # negations of a side, or exchanged roles, of one pair
    N_WAYS_ROOM = 10     # searches that find up to MAX_FOUND
    MOST_PARTS = 16      # of a sentence; one with more is not divided

cdef enum:
    # In the order of ConflictKind.
    CONFLICT_VALUE = 0
    CONFLICT_NAME = 1
    CONFLICT_NEGATION = 2
    CONFLICT_MODALITY = 3
    CONFLICT_QUANTITY = 4
    CONFLICT_OPPOSITE = 5
    CONFLICT_ROLES = 6
    CONFLICT_CONDITION = 7
    CONFLICT_CODE = 8

cdef enum:
    # How a conflict was seen.
    BY_VALUES = 0        # values that are not equal
    BY_SIGNS = 1         # one has a minus
    BY_UNITS = 2         # the same number before another word
    BY_CODES = 3
    BY_NAMES = 4
    BY_OPPOSITES = 5
    BY_SCALES = 6        # words of one scale
    BY_NEGATION = 7
    BY_VERB = 8          # who does it to whom
    BY_COMPARISON = 9
    BY_PLACE = 10        # two words changed places
    BY_ONE_SIDE = 11     # a modal, a word of quantity or of condition that one side lacks
    BY_NOUNS = 12        # nouns of one class (rice, pasta)

cdef struct LinkView:
    # The links of a pair. Borrowed.
    Py_ssize_t n
    const int32_t *source
    const int32_t *target
    const double *confidence

cdef struct Clash:
    int32_t kind             # CONFLICT_...
    int32_t source
    int32_t target
    int32_t way              # BY_...
    float place              # certainty that both words stand in the same place, in [0, 1]
    float probability
    int32_t cue              # BY_NEGATION: the word that denies
    bint is_in_source        # and its side

cdef struct ToldConflict:
    # A conflict as a column has it; see tokalign.types.columns.CONFLICT.
    int32_t kind
    int32_t reason           # BY_...
    int32_t source
    int32_t target
    int32_t source_start     # half-open ranges of tokens
    int32_t source_end
    int32_t target_start
    int32_t target_end
    float probability

cdef struct ConflictColumns:
    # The conflicts of a batch. Owned.
    int64_t *offset              # [n_pairs + 1]
    ToldConflict *conflict       # [n_room]
    float *inputs                # [n_room, N_INPUTS] of the judge; NULL unless they are kept
    Py_ssize_t n_room
    bint keeps_inputs

cdef struct Partners:
    # Of each token of one side.
    int32_t *best            # most confident partner, or -1
    float *confidence        # of that link
    int32_t *left            # nearest linked token to the left, or -1
    int32_t *right           # and to the right, or -1
    float *told              # confidence of a token in a conflict that is judged, of others 0
    int32_t *part            # number of its part of the sentence

cdef struct ConflictRoom:
    # Scratch of one pair.
    Partners source
    Partners target
    int32_t *twin            # [n_source] equal words that may have changed places
    int32_t *only            # [n_source] the only equal word of both sides, or -1; where divided
    bint is_divided          # whether both sentences have parts
    int32_t moved[MOST_PARTS][MOST_PARTS]   # such words by source and target part
    int32_t whole[MOST_PARTS]               # target part that a source part became, or -1
    bint is_reworded         # whether one side denies in other words what the other one denies
    uint8_t *is_met          # [target.n_values] whether the source has an equal value
    Clash *clash             # [most + N_WAYS_ROOM * MAX_FOUND]
    Py_ssize_t n_clashes
    Py_ssize_t most          # 3 * n_source: a word may be an opposite, and part of a value

cdef inline void turn_conflict(ToldConflict *told) noexcept nogil:
    # Exchange the sides of a conflict.
    told.source, told.target = told.target, told.source
    told.source_start, told.target_start = told.target_start, told.source_start
    told.source_end, told.target_end = told.target_end, told.source_end

cdef inline bint meet(const ConflictRoom *room, int32_t i, int32_t j) noexcept nogil:
    # Whether two tokens are linked, or neither exists (-1).
    if i < 0 or j < 0:
        return i == j
    return room.source.best[i] == j or room.target.best[j] == i

cdef inline bint is_word(const Side *side, Py_ssize_t at, const char *letters) noexcept nogil:
    # Whether a token is a word of ASCII letters.
    cdef Py_ssize_t k
    if at < 0 or at >= side.n:
        return False
    for k in range(side.word[at].lower.n):
        if side.word[at].lower.code[k] != <unsigned char>letters[k]:
            return False  # also where the letters end
    return letters[side.word[at].lower.n] == 0

ctypedef const char *Letters

cdef inline bint is_any(const Side *side, Py_ssize_t at, const Letters *words) noexcept nogil:
    # Whether a token is one of some words of ASCII letters, which NULL ends.
    while words[0] != NULL:
        if is_word(side, at, words[0]):
            return True
        words += 1
    return False

cdef inline bint is_pair(const Side *side, Py_ssize_t at, const Letters *pairs) noexcept nogil:
    # Whether a token and the next one are a pair of words.
    while pairs[0] != NULL:
        if is_word(side, at, pairs[0]) and is_word(side, at + 1, pairs[1]):
            return True
        pairs += 2
    return False

cdef inline bint ends_sentence(const Side *side, Py_ssize_t at) noexcept nogil:
    # Whether a token ends a sentence: a period, or a mark before a word that is not in lower case.
    cdef const Lexeme *word = side.word[at]
    if word.lower.n != 1:
        return False
    if word.lower.code[0] == <unsigned char>c".":
        return True
    if word.lower.code[0] != <unsigned char>c"?" and word.lower.code[0] != <unsigned char>c"!":
        return False
    while at + 1 < side.n and side.kind[at] == KIND_MARK:
        at += 1
    return side.word[at].case_ != CASE_LOWER

cdef inline bint are_apart(const Side *side, int32_t a, int32_t b) noexcept nogil:
    # Whether a sentence ends between two tokens.
    cdef int32_t k
    for k in range(min(a, b), max(a, b)):
        if ends_sentence(side, k):
            return True
    return False

cdef inline const Found *value_at(const Side *side, int32_t at) noexcept nogil:
    # The value that holds a token, or NULL.
    cdef int k
    for k in range(side.n_values):
        if side.values[k].start <= at < side.values[k].end:
            return &side.values[k]
    return NULL

cdef inline void remove_clash(ConflictRoom *room, Py_ssize_t number) noexcept nogil:
    cdef Py_ssize_t k
    room.n_clashes -= 1
    for k in range(number, room.n_clashes):
        room.clash[k] = room.clash[k + 1]
