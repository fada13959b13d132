from tokalign.features.pair cimport PairState
from tokalign.relations.clashes cimport Clash, ConflictRoom

cdef int find_negations(const PairState *pair, ConflictRoom *room, Clash *found) noexcept nogil
