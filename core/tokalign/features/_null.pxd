from tokalign.features._pair cimport AnySink, Pair

cdef void null_features(
    const Pair *pair, bint of_source, Py_ssize_t at, AnySink *sink
) noexcept nogil
