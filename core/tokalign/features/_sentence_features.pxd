from libc.stdint cimport int32_t, uint64_t

from tokalign.features.pair cimport AnySink, PairState, Side

cdef struct Observation:
    # A word seen with a feature; once counted, an entry of the sparse word-by-feature matrix.
    uint64_t feature         # relation, direction and lemma at the other end; later a number
    int32_t word             # row of the matrix
    int32_t count
    double ppmi
    double t_test

cdef struct ArcScratch:
    # Memory of `distributional_similarity`, owned; grown by `_reserve`, freed by `release`.
    Py_ssize_t n_max         # tokens there is room for
    int32_t *lemmas          # [n_max] distinct lemmas, rising
    int32_t *row             # [n_max] each token's index in lemmas, source first
    int32_t *row_start       # [n_max + 1] entries of each word
    int32_t *word_count      # [n_max]
    double *sums             # [n_max, 4] a word's weights: PPMI, squared; t-test, squared
    Observation *entries     # [2 * n_max]

cdef void release(ArcScratch *scratch) noexcept nogil
cdef int distributional_similarity(
    const Side *source, const Side *target, ArcScratch *scratch, float *out
) noexcept nogil
cdef void dependency_features(
    const PairState *pair, Py_ssize_t i, Py_ssize_t j, AnySink *sink
) noexcept nogil

cdef void mark_acronyms(PairState *pair) noexcept nogil
cdef void compare_values(PairState *pair) noexcept nogil
cdef void mark_rules(PairState *pair) noexcept nogil
