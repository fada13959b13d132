from tokalign.features.pair cimport AnySink, PairState

cdef extern from *:
    """
    #define LEAST_LOG -8.0f
    """
    const float LEAST_LOG    # lower log-probabilities count as this

cdef Py_ssize_t context_scratch(Py_ssize_t n_source, Py_ssize_t n_target) noexcept nogil
cdef void prepare_cells(PairState *pair) noexcept nogil
cdef void cell_features(
    const PairState *pair, Py_ssize_t i, Py_ssize_t j, AnySink *sink
) noexcept nogil
