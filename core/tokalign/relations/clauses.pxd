from libc.stdint cimport int32_t

from tokalign.features.pair cimport PairState, Side
from tokalign.relations.clashes cimport Clash, ConflictRoom, Partners

cdef int kind_of_word(const Side *side, int32_t at) noexcept nogil
cdef int find_one_sided(
    const PairState *pair, const ConflictRoom *room, bint of_source, Clash *found
) noexcept nogil
cdef int find_reworded(
    const PairState *pair, const ConflictRoom *room, Clash *found
) noexcept nogil
cdef int kind_of_negation(
    const PairState *pair, int32_t negator, int32_t source, int32_t target, bint of_source
) noexcept nogil
cdef int32_t nearest_linked(const Side *side, const Partners *own, int32_t at) noexcept nogil
cdef bint ends_sentence(const Side *side, Py_ssize_t at) noexcept nogil
cdef bint are_apart(const Side *side, int32_t a, int32_t b) noexcept nogil
