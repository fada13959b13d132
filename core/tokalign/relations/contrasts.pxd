from libc.stdint cimport int32_t

from tokalign.features.pair cimport PairState, Side
from tokalign.relations.clashes cimport Clash, ConflictRoom

cdef void compare_places(
    const PairState *pair, ConflictRoom *room, bint are_apart
) noexcept nogil
cdef void compare_values(const PairState *pair, ConflictRoom *room) noexcept nogil
cdef void compare_units(const PairState *pair, bint of_source, ConflictRoom *room) noexcept nogil
cdef void compare_codes(const PairState *pair, ConflictRoom *room) noexcept nogil
cdef bint is_told(const ConflictRoom *room, Py_ssize_t at, bint of_source) noexcept nogil
cdef bint is_sign(const Side *side, int32_t at) noexcept nogil
cdef bint are_exchanged(
    const PairState *pair, const ConflictRoom *room, int32_t i, int32_t j
) noexcept nogil
cdef bint find_compared(
    const PairState *pair, const ConflictRoom *room, Clash *found
) noexcept nogil
cdef int find_exchanged(
    const PairState *pair, const ConflictRoom *room, Clash *found
) noexcept nogil
cdef int find_reworded(
    const PairState *pair, const ConflictRoom *room, Clash *found
) noexcept nogil
cdef int has_other_voice(const PairState *pair, int32_t i, int32_t j) noexcept nogil
cdef int32_t preposition(const Side *side, int32_t at) noexcept nogil
cdef int32_t counterpart(const PairState *pair, const ConflictRoom *room, int32_t at) noexcept nogil
cdef bint are_amounts(const PairState *pair, int32_t i, int32_t j) noexcept nogil
cdef bint are_verbs(const PairState *pair, int32_t i, int32_t j) noexcept nogil
