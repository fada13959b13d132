# Inputs and results of the search for conflicts.

from libc.stdint cimport int32_t, uint8_t

cdef enum:
    MAX_FOUND = 8        # negations of a side, and exchanged roles, of one pair

cdef enum:
    # In the order of ConflictKind.
    CONFLICT_OPPOSITE = 0
    CONFLICT_VALUE = 1
    CONFLICT_NEGATION = 2
    CONFLICT_ROLES = 3
    CONFLICT_DEGREE = 4

cdef struct LinkView:
    # The links of a pair. Borrowed.
    Py_ssize_t n
    const int32_t *source
    const int32_t *target
    const double *confidence

cdef struct Clash:
    int32_t kind             # CONFLICT_...
    int32_t source
    int32_t target
    float strength

cdef struct Partners:
    # Of each token of one side.
    int32_t *best            # most confident partner, or -1
    float *confidence        # of that link
    int32_t *left            # nearest linked token to the left, or -1
    int32_t *right           # and to the right, or -1

cdef struct ConflictRoom:
    # Scratch of one pair.
    Partners source
    Partners target
    Clash *clash             # [most + 3 * MAX_FOUND]
    Py_ssize_t n_clashes
    Py_ssize_t most          # 2 * n_source: a word may be an opposite, and part of a value
