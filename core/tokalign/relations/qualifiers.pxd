from libc.stdint cimport int32_t

from tokalign.features.pair cimport Lexeme, PairState, Side
from tokalign.relations.clashes cimport Clash, ConflictRoom, Letters, Partners

cdef enum:
    NO_KIND = -1
    REACH = 4            # tokens around what is governed or denied

cdef int QUANTITY, FREQUENCY
cdef Letters[4] EXCEPTING, LATE

cdef bint are_of_one_clause(const Side *side, int32_t a, int32_t b) noexcept nogil
cdef int32_t near_token(const Side *side, int32_t at, int32_t other) noexcept nogil
cdef int grade_on(const Lexeme *word, int scale, int *grade) noexcept nogil
cdef int32_t nearest_linked(const Side *side, const Partners *own, int32_t at) noexcept nogil

cdef bint lasts(const Side *side, int32_t at) noexcept nogil
cdef int kind_of_word(const Side *side, int32_t at) noexcept nogil
cdef int agree(const PairState *pair, int32_t i, int32_t j, int kind) noexcept nogil
cdef bint say_the_same(const PairState *pair, int32_t i, int32_t j, int kind) noexcept nogil
cdef int32_t verb_near(const Side *side, int32_t at, const int32_t *step) noexcept nogil
cdef int find_one_sided(
    const PairState *pair, ConflictRoom *room, bint of_source, Clash *found
) noexcept nogil
