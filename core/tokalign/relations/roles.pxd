from tokalign.features.pair cimport PairState
from tokalign.relations._clashes cimport Clash, ConflictRoom

cdef int find_exchanged(
    const PairState *pair, const ConflictRoom *room, Clash *found
) noexcept nogil
