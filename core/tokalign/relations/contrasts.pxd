from libc.stdint cimport int32_t

from tokalign.features.pair cimport PairState, Side
from tokalign.relations.clashes cimport Clash, ConflictRoom

cdef void compare_places(const PairState *pair, ConflictRoom *room, bint are_apart) noexcept nogil
cdef void compare_values(const PairState *pair, ConflictRoom *room) noexcept nogil
cdef void compare_units(const PairState *pair, bint of_source, ConflictRoom *room) noexcept nogil
cdef void compare_codes(const PairState *pair, ConflictRoom *room) noexcept nogil
cdef bint is_told(const ConflictRoom *room, Py_ssize_t at, bint of_source) noexcept nogil
cdef bint is_sign(const Side *side, int32_t at) noexcept nogil
cdef int find_reworded(const PairState *pair, const ConflictRoom *room, Clash *found) noexcept nogil
