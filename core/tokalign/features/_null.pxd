from tokalign.features.pair cimport AnySink, PairState

cdef void null_features(
    const PairState *pair, bint of_source, Py_ssize_t at, AnySink *sink
) noexcept nogil
