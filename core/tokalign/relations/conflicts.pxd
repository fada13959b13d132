from tokalign.features.pair cimport PairState
from tokalign.relations._clashes cimport ConflictRoom, Links

cdef size_t conflict_bytes(Py_ssize_t n_source, Py_ssize_t n_target) noexcept nogil
cdef void carve_conflicts(
    ConflictRoom *room, char *memory, Py_ssize_t n_source, Py_ssize_t n_target
) noexcept nogil
cdef double find_conflicts(
    const PairState *pair, const Links *links, ConflictRoom *room
) noexcept nogil
