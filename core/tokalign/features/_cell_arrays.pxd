from tokalign.features.pair cimport PairState

cdef extern from *:
    """
    #define NO_TENSION -1.0f
    #define COMPETING 0.1f
    """
    const float NO_TENSION   # of a cell that does not compete
    const float COMPETING

cdef enum:
    REACH = 3   # for which _window_row and _bag_row are written out

cdef inline bint competes(float strength) noexcept nogil:
    return strength >= COMPETING

cdef Py_ssize_t context_scratch(Py_ssize_t n_source, Py_ssize_t n_target) noexcept nogil
cdef void mark_names(PairState *pair) noexcept nogil
cdef void prepare_cells(PairState *pair) noexcept nogil
