from tokalign.features._pair cimport AnySink, Pair

cdef void mark_names(Pair *pair) noexcept nogil
cdef void name_features(const Pair *pair, Py_ssize_t i, Py_ssize_t j, AnySink *sink) noexcept nogil
