from tokalign.features.pair cimport PairState
from tokalign.features._sink cimport AnySink

cdef void prepare_anchoring(PairState *pair) noexcept nogil
cdef void anchoring_features(
    const PairState *pair, Py_ssize_t i, Py_ssize_t j, AnySink *sink
) noexcept nogil
cdef void anchoring_null_features(
    const PairState *pair, bint of_source, Py_ssize_t at, AnySink *sink
) noexcept nogil
