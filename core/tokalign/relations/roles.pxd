from libc.stdint cimport int32_t

from tokalign.features.pair cimport PairState
from tokalign.relations.clashes cimport Clash, ConflictRoom

cdef void find_parts(const PairState *pair, ConflictRoom *room) noexcept nogil
cdef bint is_once(const PairState *pair, int32_t i, int32_t j) noexcept nogil
cdef int find_exchanged_parts(
    const PairState *pair, const ConflictRoom *room, Clash *found
) noexcept nogil
cdef bint are_exchanged(
    const PairState *pair, const ConflictRoom *room, int32_t i, int32_t j
) noexcept nogil
cdef bint find_compared(
    const PairState *pair, const ConflictRoom *room, Clash *found
) noexcept nogil
cdef int find_exchanged(
    const PairState *pair, const ConflictRoom *room, Clash *found
) noexcept nogil
cdef int find_changed_places(const PairState *pair, ConflictRoom *room, Clash *found) noexcept nogil
