from tokalign.features.pair cimport AnySink, PairState

cdef void dependency_features(
    const PairState *pair, Py_ssize_t i, Py_ssize_t j, AnySink *sink
) noexcept nogil
