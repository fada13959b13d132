from tokalign.features.pair cimport AnySink, PairState

cdef void mark_names(PairState *pair) noexcept nogil
cdef void name_features(
    const PairState *pair, Py_ssize_t i, Py_ssize_t j, AnySink *sink
) noexcept nogil
