from tokalign.features.pair cimport AnySink, PairState

cdef void cell_features(
    const PairState *pair, Py_ssize_t i, Py_ssize_t j, AnySink *sink
) noexcept nogil
cdef void null_features(
    const PairState *pair, bint of_source, Py_ssize_t at, AnySink *sink
) noexcept nogil
