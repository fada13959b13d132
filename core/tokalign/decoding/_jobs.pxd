from libc.stdint cimport int32_t, int64_t, uint8_t

from tokalign.decoding._columns cimport LinkColumns
from tokalign.decoding._decoder cimport Decoder
from tokalign.decoding.convention cimport Conventions, StyleNumbers
from tokalign.decoding.group_choice cimport GroupRoom
from tokalign.decoding.second_pass cimport SecondPass
from tokalign.features.extract cimport Extractor
from tokalign.features.pair cimport PairState, Side

cdef enum:
    CHOOSE = -1      # in the place of a style's number

cdef enum Status:
    FINE = 0
    NO_MEMORY = 1
    NOT_FINITE = 2
    FAILED = 3       # before the pair was decoded; its error is known

cdef struct Job:
    # One pair: what is given, and what comes of it.
    const Side *source           # NULL where the sentence could not be analysed
    const Side *target
    const double *score_weights  # [n_target] what the target's tokens weigh in the score
    const float *s2t_encoded     # NULL without an encoder
    const float *t2s_encoded
    const uint8_t *s2t_excluded  # labels that constraints exclude, as emissions lie; NULL without
    const uint8_t *t2s_excluded
    int style                    # that decides; before, CHOOSE where the pair is to tell
    Status status
    double target_covered
    double covered
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
cdef Status decide_links(
    const Job *job, const uint8_t *lexical_class, Conventions conventions,
    const double *posterior, PairScratch *scratch, LinkColumns *columns, int64_t *n_links,
) noexcept nogil
