from tokalign.features._pair cimport AnySink, Pair

cdef Py_ssize_t context_scratch(Py_ssize_t n_source, Py_ssize_t n_target) noexcept nogil
cdef void prepare_context(Pair *pair) noexcept nogil
cdef void context_features(const Pair *pair, Py_ssize_t i, Py_ssize_t j, AnySink *sink) noexcept nogil
