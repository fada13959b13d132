from tokalign.features._arena cimport Arena
from tokalign.features.pair cimport PairState, Side

# Both point into an arena, or learn the size where it has no memory yet.
cdef void carve_sentence(Side *side, Py_ssize_t n, Arena *arena) noexcept nogil
cdef void carve_pair(PairState *pair, Arena *arena) noexcept nogil
