from tokalign.features.pair cimport PairState
from tokalign.relations.clashes cimport ConflictColumns, ConflictRoom, LinkView
from tokalign.relations.conflict_judge cimport ConflictJudge

cdef size_t conflict_bytes(Py_ssize_t n_source, Py_ssize_t n_target) noexcept nogil
cdef void carve_conflicts(
    ConflictRoom *room, char *memory, Py_ssize_t n_source, Py_ssize_t n_target
) noexcept nogil
cdef double find_conflicts(
    const PairState *pair, const LinkView *links, ConflictJudge judge, ConflictRoom *room
) noexcept nogil
cdef bint add_conflicts(
    ConflictColumns *columns, Py_ssize_t number, const PairState *pair, const ConflictRoom *room
) noexcept nogil
