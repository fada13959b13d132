from tokalign.features.pair cimport AnySink, PairState

cdef void prepare_nearness(PairState *pair) noexcept nogil
cdef void nearness_features(
    const PairState *pair, Py_ssize_t i, Py_ssize_t j, AnySink *sink
) noexcept nogil
