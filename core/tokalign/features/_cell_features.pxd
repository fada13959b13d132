from tokalign.features.pair cimport AnySink, PairState

cdef Py_ssize_t context_scratch(Py_ssize_t n_source, Py_ssize_t n_target) noexcept nogil
cdef void mark_names(PairState *pair) noexcept nogil
cdef void prepare_cells(PairState *pair) noexcept nogil
cdef void cell_features(
    const PairState *pair, Py_ssize_t i, Py_ssize_t j, AnySink *sink
) noexcept nogil
cdef void null_features(
    const PairState *pair, bint of_source, Py_ssize_t at, AnySink *sink
) noexcept nogil
