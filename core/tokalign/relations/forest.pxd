from libc.stdint cimport int16_t, int32_t

cdef struct TreeNode:
    int32_t left             # place of the left branch; the right one stands behind it
    int16_t input            # that is compared; -1 of a leaf
    float threshold          # up to which the left branch is taken
    float value              # of a leaf, or the mean of those below

cdef class Forest:
    cdef readonly int n_inputs
    cdef readonly int n_outputs
    cdef const int32_t[::1] _root    # [n_trees]
    cdef const float[::1] _base      # [n_outputs]
    cdef TreeNode *_node                 # [n_nodes] beside one another, for the cache
    cdef void score(self, const float *inputs, double *out) noexcept nogil
