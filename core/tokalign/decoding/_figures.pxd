cdef struct TokenWeights:
    # What the tokens of a pair weigh.
    const double *score_target   # [n_target] in the score
    const double *source         # [n_source] in similarity
    const double *target         # [n_target]

cdef void figures(
    const double *s2t_posterior,   # [n_source, n_target + 1]
    const double *t2s_posterior,   # [n_target, n_source + 1]
    Py_ssize_t n_source, Py_ssize_t n_target,
    const TokenWeights *weights, double *target_covered, double *covered,
) noexcept nogil
cdef double lowered(double share, double agreement) noexcept nogil
