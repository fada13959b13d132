from libc.stdint cimport int32_t

from tokalign.features.pair cimport PairState

cpdef enum SupportColumn:
    # What a sentence of the sources (source) says for a word of the answer's sentence (target),
    # each in [0, 1]; see support_rows.pyx.
    MASS
    BEST
    SAME
    STRENGTH
    ALIKE
    WINDOW
    TREE
    ORDER
    COVER
    N_COLUMNS

cdef size_t column_bytes(Py_ssize_t n_target) noexcept nogil
cdef void find_columns(
    const PairState *pair,
    const double *s2t_posterior,     # [n_source, n_target + 1]
    const double *t2s_posterior,     # [n_target, n_source + 1]
    char *room,                      # of column_bytes
    float *out,                      # [n_target, N_COLUMNS]
) noexcept nogil
