from libc.stdint cimport int32_t

from tokalign.features.pair cimport PairState, Side
from tokalign.relations.clashes cimport Clash, ConflictRoom

cdef enum:
    NO_KIND = -1

cdef int kind_of_word(const Side *side, int32_t at) noexcept nogil
cdef int agree(const PairState *pair, int32_t i, int32_t j, int kind) noexcept nogil
cdef bint say_the_same(const PairState *pair, int32_t i, int32_t j, int kind) noexcept nogil
cdef int find_one_sided(
    const PairState *pair, const ConflictRoom *room, bint of_source, Clash *found
) noexcept nogil
cdef int find_negations(const PairState *pair, ConflictRoom *room, Clash *found) noexcept nogil
