from tokalign.features._pair cimport Pair
from tokalign.features._sink cimport AnySink

cdef void prepare_anchoring(Pair *pair) noexcept nogil
cdef void anchoring_features(
    const Pair *pair, Py_ssize_t i, Py_ssize_t j, AnySink *sink
) noexcept nogil
cdef void anchoring_null_features(
    const Pair *pair, bint of_source, Py_ssize_t at, AnySink *sink
) noexcept nogil
