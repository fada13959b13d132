from tokalign.features._pair cimport Pair, Sink

cdef void null_features(
    const Pair *pair, bint of_source, Py_ssize_t at, Sink *sink
) noexcept nogil
