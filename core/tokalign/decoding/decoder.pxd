from libc.stdint cimport int32_t, uint8_t

from tokalign.crf.chains cimport Workspace
from tokalign.decoding.link_decision cimport N_CHOICE_INPUTS, PairShares, SecondPass, StyleNumbers
from tokalign.decoding.second_pass cimport GroupRoom
from tokalign.english.annotate.annotated_texts cimport AnnotatedTexts, Words
from tokalign.features.extract cimport Analysis, Extractor
from tokalign.features.pair cimport Lexeme, PairState, Side
from tokalign.relations.conflicts cimport ConflictJudge

cdef enum:
    CHOOSE = -1      # instead of a style's number
    MOST_STYLES = 8

cdef enum Status:
    FINE = 0
    NO_MEMORY = 1
    NOT_FINITE = 2
    FAILED = 3       # before the pair was decoded; its error is known

cdef struct Job:
    # One pair: inputs and results.
    const Side *source           # NULL where the sentence could not be analysed
    const Side *target
    const double *score_weights  # weights in the score of the tokens of the caller's target
    const float *s2t_encoded     # NULL without an encoder
    const float *t2s_encoded
    const uint8_t *s2t_excluded  # labels that constraints exclude, as emissions lie; NULL without
    const uint8_t *t2s_excluded
    double no_link               # added to the score of no partner
    bint is_turned               # whether the source is the caller's target
    int style                    # that decides; CHOOSE until one is chosen
    Status status
    double target_covered
    PairShares shares
    double agreement
    double score
    double similarity

cdef struct PairScratch:
    # Of the largest pair of a batch.
    double *s2t_posterior        # [n_source, n_target + 1]
    double *t2s_posterior        # [n_target, n_source + 1]
    double *mean                 # [n_source, n_target] of both posteriors
    double *revised              # [n_source, n_target] of the second pass, where the style has one
    double *source_weights       # [n_source]
    double *target_weights       # [n_target]
    int32_t *subsequence         # [n_target + 1] of the choice
    GroupRoom groups             # of the choice among decisions on groups of cells
    uint8_t *taken               # [n_source, n_target] 1 of a link

cdef class Decoder:
    cdef Extractor extractor
    cdef public ConflictJudge judge
    cdef const float[:, :, ::1] weights  # one matrix for each style
    cdef const double[:, :, ::1] transitions
    cdef Workspace workspace
    cdef double *scratch
    cdef Py_ssize_t n_scratch
    cdef Words _words                # whose numbers `_lexeme` has, or None
    cdef const Lexeme **_lexeme      # [_n_words] NULL where a word has not been met
    cdef Py_ssize_t _n_words
    cdef long long _n_cleared        # the extractor's, at the last look-up
    cdef tuple tags         # whose weights in the score follow
    cdef double[::1] tag_weights
    cdef object lock        # must be held to use the fields above
    cdef int reserve(self, Py_ssize_t n_source, Py_ssize_t n_target) except -1
    cdef int fill_words(self, AnnotatedTexts texts, Py_ssize_t index, const Lexeme **out) except -1
    cdef int _keep_up(self, Words words) except -1
    cdef double[::1] weights_of(self, tuple tags)
    cdef bint posteriors(
        self, int style, int direction, const double *emission, Py_ssize_t n_steps,
        Py_ssize_t n_states, double *posterior,
    ) noexcept nogil
    cdef void labels(
        self, int style, int direction, const double *emission, Py_ssize_t n_steps,
        Py_ssize_t n_states, int32_t *states,
    ) noexcept nogil

cdef class Analysed(Analysis):
    cdef double *score_weights   # [n]
    cdef int _reserve_weights(self) except -1
    cdef int weigh(self, tags) except -1
    cdef int fill(self, Decoder decoder, sentence, str field) except -1
    cdef int _read(self, Decoder decoder, AnnotatedTexts texts, Py_ssize_t index) except -1

cdef class Conventions:
    cdef readonly tuple each             # type: tuple[Convention, ...]
    cdef int n_styles
    cdef StyleNumbers[MOST_STYLES] numbers
    cdef bint chooses
    cdef readonly SecondPass second_pass    # type: SecondPass | None
    cdef double[MOST_STYLES * (N_CHOICE_INPUTS + 1)] choice

cdef class DecodedPair:
    cdef readonly object source         # type: Sentence
    cdef readonly object target         # type: Sentence
    cdef readonly object constraints    # type: Constraints | None
    cdef const double *s2t          # posteriors [n_source, n_target + 1] of labels, NULL first; rows
                                    # sum to 1; held by the batch, as the next three
    cdef const double *t2s          # [n_target, n_source + 1]
    cdef const double *link         # [n_source, n_target] which decided the links: the mean of both,
                                    # or the output of the second pass
    cdef const uint8_t *lexical_class    # [n_source, n_target]
    cdef Py_ssize_t n_source
    cdef Py_ssize_t n_target
    cdef readonly list links     # type: list[tuple[int, int, float]]  # of the joint decision, sorted
    cdef readonly int style      # number of the one that decided
    cdef readonly double linked     # share of both sides with a partner; see link_decision
    cdef readonly bint is_turned    # whether the caller's source is its target; see backend
    cdef bint _is_left       # whether the decoder's buffers hold no longer t2s
    cdef Decoder _decoder    # None once another pair is decoded
    cdef const double *_s2t  # emissions of both directions, held by the decoder
    cdef const double *_t2s
    cdef Decoder _held(self)
    cdef _matrix(self, const double *values, Py_ssize_t n_rows, Py_ssize_t n_columns)
    cpdef tuple block_probability(
        self, Py_ssize_t source_start, Py_ssize_t source_end, Py_ssize_t target_start,
        Py_ssize_t target_end
    )

cdef array_of(const void *values, Py_ssize_t n_bytes, dtype)
cdef size_t scratch_bytes(Py_ssize_t n_source, Py_ssize_t n_target) noexcept nogil
cdef void carve_scratch(
    PairScratch *scratch, double *block, Py_ssize_t n_source, Py_ssize_t n_target
) noexcept nogil
cdef Status decode_job(
    Decoder decoder, Extractor extractor, Job *job, Conventions conventions,
    const PairScratch *scratch,
) noexcept nogil
cdef const double *link_posterior(
    const PairState *pair, const StyleNumbers *numbers, SecondPass second_pass,
    const PairScratch *scratch,
) noexcept nogil
