from libc.stdint cimport int32_t, uint8_t

ctypedef int32_t[4] Stretch4    # a Stretch

cdef struct EditSide:
    # The words of one sentence.
    Py_ssize_t n
    int32_t *token           # [n] equal for equal tokens, on either side
    int32_t *kind            # [n]
    int32_t *lemma           # [n] equal for equal lemmas, on either side
    float *weight            # [n]
    float *linked            # [n] sum of the confidences of all links, at most 1

cdef struct EditGrid:
    # A pair whose edits are to be decided.
    EditSide source
    EditSide target
    uint8_t *same            # [n_source, n_target] whether two tokens are the same word
    float *links             # [n_source, n_target] confidence of each link, 0 without one
    int32_t *partner         # [n_source] token that each is kept as, or -1
    Stretch4 *block          # [n_blocks] between kept tokens, at most n_source + 1
    Py_ssize_t n_blocks
    float *inside            # [n_source + n_target], zeros between segments
    float changed            # share of tokens in blocks

cdef class WordFact:
    cdef int kind
    cdef float weight
    cdef str lemma

cdef class WordFacts:
    cdef dict _known
    cdef object _idf
    cdef object _functions
    cdef WordFact of(self, str token, str tag, str lemma)
    cdef WordFact _find(self, str token, str tag, str lemma)

cdef enum:
    N_SEGMENT_INPUTS = 42

cdef int fill_numbers(int32_t *number, tuple tokens, dict numbers) except -1
cdef int fill_words(EditSide *side, sentence, WordFacts facts, dict numbers) except -1
cdef int fill_same(
    uint8_t *same, tuple sources, tuple targets, const int32_t *row, const int32_t *column
) except -1
cdef int fill_links(float *cells, links, Py_ssize_t n_source, Py_ssize_t n_target) except -1
cdef void keep_tokens(
    const uint8_t *same, const double *worth, const float *links, Py_ssize_t n_source,
    Py_ssize_t n_target, double *room, uint8_t *choice, int32_t *partner
) noexcept nogil
cdef void sum_links(EditGrid *pair) noexcept nogil
cdef void fill_inputs(const EditGrid *pair, const int32_t *segment, float *out) noexcept nogil
