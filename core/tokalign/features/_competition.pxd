from tokalign.features._pair cimport AnySink, Pair

cdef void prepare_competition(Pair *pair) noexcept nogil
cdef void competition_features(
    const Pair *pair, Py_ssize_t i, Py_ssize_t j, AnySink *sink
) noexcept nogil
