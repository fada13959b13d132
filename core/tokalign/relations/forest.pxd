from libc.stdint cimport int16_t, int32_t

cdef class Forest:
    cdef readonly int n_inputs
    cdef readonly int n_outputs
    cdef list _held
    cdef const int32_t[::1] _root        # [n_trees]
    cdef const int16_t[::1] _input       # [n_nodes] that is compared; -1 of a leaf
    cdef const float[::1] _threshold     # [n_nodes] up to which the left branch is taken
    cdef const int32_t[::1] _left        # [n_nodes] the right branch stands behind the left one
    cdef const float[::1] _value         # [n_nodes] of a leaf, or the mean of those below
    cdef const float[::1] _base          # [n_outputs]
    cdef void score(self, const float *inputs, double *out) noexcept nogil
