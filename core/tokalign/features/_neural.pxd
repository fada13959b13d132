from tokalign.features._pair cimport AnySink, Pair

cdef void prepare_neural(Pair *pair) noexcept nogil
cdef void neural_features(const Pair *pair, Py_ssize_t i, Py_ssize_t j, AnySink *sink) noexcept nogil
cdef void neural_null_features(
    const Pair *pair, bint of_source, Py_ssize_t at, AnySink *sink
) noexcept nogil
