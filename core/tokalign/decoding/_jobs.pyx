"""Decoding of one pair of a batch: its style, its posteriors, its figures and its links."""

from libc.math cimport INFINITY
from libc.stdint cimport int32_t, int64_t, uint8_t

from tokalign.decoding._columns cimport has_room
from tokalign.decoding._figures cimport TokenWeights, figures
from tokalign.decoding.choice cimport N_CHOICE_INPUTS, choice_inputs, choose_style
from tokalign.decoding.convention cimport keep_links
from tokalign.decoding.group_choice cimport carve_groups, group_bytes
from tokalign.decoding.joint cimport fill_means, take_cells, write_links
from tokalign.decoding.second_pass cimport FirstPass


cdef size_t scratch_bytes(Py_ssize_t n_source, Py_ssize_t n_target) noexcept nogil:
    """Return the size of the scratch of pairs of so many tokens at most."""
    cdef size_t n_doubles = n_source * (n_target + 1) + n_target * (n_source + 1)
    n_doubles += 2 * n_source * n_target + n_source + n_target
    return (
        n_doubles * sizeof(double) + (n_target + 1) * sizeof(int32_t)
        + group_bytes(n_source, n_target) + n_source * n_target * sizeof(uint8_t)
    )


cdef void carve_scratch(
    PairScratch *scratch, double *block, Py_ssize_t n_source, Py_ssize_t n_target
) noexcept nogil:
    """Lay out the scratch in a block of scratch_bytes."""
    scratch.s2t_posterior = block
    scratch.t2s_posterior = block + n_source * (n_target + 1)
    scratch.mean = scratch.t2s_posterior + n_target * (n_source + 1)
    scratch.revised = scratch.mean + n_source * n_target
    scratch.target_weights = scratch.revised + n_source * n_target
    scratch.source_weights = scratch.target_weights + n_target
    scratch.subsequence = <int32_t *>(scratch.source_weights + n_source)
    carve_groups(&scratch.groups, scratch.subsequence + n_target + 1, n_source, n_target)
    scratch.taken = <uint8_t *>(scratch.groups.column_group + n_target)


cdef void _exclude(double *emission, const uint8_t *excluded, Py_ssize_t n_labels) noexcept nogil:
    """Give the labels that are excluded no weight."""
    cdef Py_ssize_t k
    for k in range(n_labels):
        if excluded[k]:
            emission[k] = -INFINITY


cdef Status _fill_posteriors(
    Decoder decoder, Extractor extractor, const Job *job, int style, const PairScratch *scratch
) noexcept nogil:
    """Fill the posteriors that a style gives the pair that is prepared."""
    cdef Py_ssize_t n_source = job.source.n
    cdef Py_ssize_t n_target = job.target.n
    cdef double *s2t = decoder.scratch
    cdef double *t2s = s2t + n_source * (n_target + 1)
    extractor.scores(style, s2t, t2s)
    if job.s2t_excluded != NULL:
        _exclude(s2t, job.s2t_excluded, n_source * (n_target + 1))
        _exclude(t2s, job.t2s_excluded, n_target * (n_source + 1))
    if not (
        decoder.posteriors(style, 0, s2t, n_source, n_target + 1, scratch.s2t_posterior)
        and decoder.posteriors(style, 1, t2s, n_target, n_source + 1, scratch.t2s_posterior)
    ):
        return NOT_FINITE
    return FINE


cdef void _fill_figures(Job *job, const PairScratch *scratch) noexcept nogil:
    """Fill what is covered."""
    cdef TokenWeights weights
    cdef Py_ssize_t k
    for k in range(job.source.n):
        scratch.source_weights[k] = job.source.word[k].weight
    for k in range(job.target.n):
        scratch.target_weights[k] = job.target.word[k].weight
    weights.score_target = job.score_weights
    weights.source = scratch.source_weights
    weights.target = scratch.target_weights
    figures(
        scratch.s2t_posterior, scratch.t2s_posterior, job.source.n, job.target.n, &weights,
        &job.target_covered, &job.covered,
    )


cdef Status decode_job(
    Decoder decoder, Extractor extractor, Job *job, Conventions conventions,
    const PairScratch *scratch,
) noexcept nogil:
    """Fill the posteriors of one pair, which decoder and extractor hold from then on, its figures,
    and its style where that is to be chosen."""
    cdef double[<int>N_CHOICE_INPUTS] inputs
    cdef int style = max(job.style, 0)
    cdef Status status
    extractor.hold(job.source, job.target)
    extractor.pair.source.encoded = job.s2t_encoded
    extractor.pair.target.encoded = job.t2s_encoded
    if extractor.prepare(style):
        return NO_MEMORY
    if job.style == CHOOSE:
        choice_inputs(&extractor.pair, scratch.subsequence, inputs)
        job.style = choose_style(conventions.choice, conventions.n_styles, inputs)
        if job.style != style:
            extractor.change_style(job.style)
    status = _fill_posteriors(decoder, extractor, job, job.style, scratch)
    if status == FINE:
        _fill_figures(job, scratch)
    return status


cdef const double *link_posterior(
    const PairState *pair, const StyleNumbers *numbers, SecondPass second_pass,
    const PairScratch *scratch,
) noexcept nogil:
    """Fill, and return, what a decoded pair's links are decided by."""
    cdef FirstPass first
    fill_means(
        scratch.s2t_posterior, scratch.t2s_posterior, pair.source.n, pair.target.n, scratch.mean
    )
    if not numbers.is_revised:
        return scratch.mean
    first = FirstPass(pair, scratch.s2t_posterior, scratch.t2s_posterior, scratch.mean)
    second_pass.revise(&first, scratch.revised)
    return scratch.revised


cdef Status decide_links(
    const Job *job, const uint8_t *lexical_class, Conventions conventions,
    const double *posterior, PairScratch *scratch, LinkColumns *columns, int64_t *n_links,
) noexcept nogil:
    """Add a decoded pair's links to the columns."""
    cdef const StyleNumbers *numbers = &conventions.numbers[job.style]
    cdef Py_ssize_t n_source = job.source.n
    cdef Py_ssize_t n_target = job.target.n
    cdef Py_ssize_t n_taken
    cdef int32_t *source
    cdef int32_t *target
    cdef double *confidence
    if not has_room(columns, n_links[0] + n_source * n_target):
        return NO_MEMORY
    source = columns.source + n_links[0]
    target = columns.target + n_links[0]
    confidence = columns.confidence + n_links[0]
    take_cells(
        posterior, n_source, n_target, numbers.threshold, numbers.beside, scratch.taken
    )
    if numbers.is_revised:
        conventions.second_pass.choose(
            posterior, n_source, n_target, scratch.taken, &scratch.groups
        )
    n_taken = write_links(
        posterior, scratch.taken, n_source, n_target, source, target, confidence
    )
    n_links[0] += keep_links(
        numbers, lexical_class, n_target, source, target, confidence, n_taken, 0.0
    )
    return FINE
