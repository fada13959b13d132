from tokalign.features.pair cimport PairState
from tokalign.relations.clashes cimport ConflictRoom, LinkView

cdef size_t conflict_bytes(Py_ssize_t n_source, Py_ssize_t n_target) noexcept nogil
cdef void carve_conflicts(
    ConflictRoom *room, char *memory, Py_ssize_t n_source, Py_ssize_t n_target
) noexcept nogil
cdef double find_conflicts(
    const PairState *pair, const LinkView *links, ConflictRoom *room
) noexcept nogil
