"""Kernels that decide on the posteriors of a pair.

The posteriors of both directions, s2t_posterior [n_source, n_target + 1] and t2s_posterior
[n_target, n_source + 1], have NULL first. Their mean, what the second pass makes of it, and what is
known of cells are [n_source, n_target]; links are columns, with room for all cells.
"""

from libc.math cimport INFINITY, exp, fabs, log
from libc.stdint cimport int32_t, uint8_t
from libc.string cimport memset

from tokalign.decoding.second_pass cimport FirstPass, GroupRoom
from tokalign.features.pair cimport *
from tokalign.relations.related_units cimport Forest

cdef extern from *:
    const double SCORE_FALL "0.4"
    const double COVERED_FALL "0.6"
    const double ENCODED_FALL "0.25"
    const double UNLIKE "0.3"

cdef enum:
    MOST_KNOTS = 16
    N_CHOICE_INPUTS = 15
    # States of a cell.
    LEFT = 0
    LIKELY = 1       # taken if beside a link
    TAKEN = 2

cdef struct StyleNumbers:
    # Thresholds and calibration of a style.
    double threshold
    double beside                # threshold beside a link
    bint is_revised              # whether the second pass decides
    int n_knots                  # 0 where confidences are posteriors
    double raw[MOST_KNOTS]
    double calibrated[MOST_KNOTS]
    bint has_unlike              # whether unlike words have their own map
    double slope
    double offset

cdef class Convention:
    cdef StyleNumbers numbers

cdef class SecondPass:
    cdef Forest _cells
    cdef Forest _groups
    cdef void revise(
        self, const FirstPass *first,
        double *revised            # [n_source, n_target]
    ) noexcept nogil
    cdef void choose(
        self, const double *revised, Py_ssize_t n_source, Py_ssize_t n_target,
        uint8_t *taken,            # [n_source, n_target] 1 of a link; changed
        GroupRoom *room
    ) noexcept nogil

cdef struct PairShares:
    # Shares of both sides with a partner, each in [0, 1].
    double linked
    double covered               # where unlike partners count less

cdef int check_posteriors(
    const double[:, ::1] s2t_posterior, const double[:, ::1] t2s_posterior
) except -1

cdef bint turn_links(
    int32_t *source, int32_t *target, double *confidence,
    float *relation,         # [n_links, N_RELATIONS], or NULL
    Py_ssize_t n_links, Py_ssize_t n_target,
) noexcept nogil


cdef inline bint _are_one_form(const PairState *pair, Py_ssize_t i, Py_ssize_t j) noexcept nogil:
    return pair.lexical_class[i * pair.target.n + j] == CLASS_IDENTICAL


cdef inline Py_ssize_t _without_last_marks(const Side *side) noexcept nogil:
    """Return how many tokens stand before the marks that end a side, at least 1."""
    cdef Py_ssize_t n = side.n
    while n > 1 and side.word[n - 1].kind == KIND_MARK:
        n -= 1
    return n


cdef inline int _common_subsequence(
    const PairState *pair, Py_ssize_t n_source, Py_ssize_t n_target, int32_t *longest
) noexcept nogil:
    """Return the length of the longest common subsequence of the first word forms."""
    cdef Py_ssize_t i, j
    cdef int32_t before, above
    memset(longest, 0, (n_target + 1) * sizeof(int32_t))
    for i in range(n_source):
        before = 0  # the row above, one column to the left
        for j in range(n_target):
            above = longest[j + 1]
            if _are_one_form(pair, i, j):
                longest[j + 1] = before + 1
            elif longest[j] > above:
                longest[j + 1] = longest[j]
            before = above
    return longest[n_target]


cdef inline bint _has_twin(
    const PairState *pair, bint of_source, Py_ssize_t at, Py_ssize_t n_other
) noexcept nogil:
    cdef Py_ssize_t k
    for k in range(n_other):
        if _are_one_form(pair, at if of_source else k, k if of_source else at):
            return True
    return False


cdef inline void _shares(
    const PairState *pair, bint of_source, Py_ssize_t n, Py_ssize_t n_other, double *out
) noexcept nogil:
    """Write four shares of a side's first n tokens: tokens in both, weight in both, matched,
    related."""
    cdef const Side *side = &pair.source if of_source else &pair.target
    cdef double[4] shared
    cdef double total = 0.0, weight
    cdef bint weighs = False, has_twin
    cdef Py_ssize_t at
    cdef int k
    memset(shared, 0, sizeof(shared))
    for at in range(n):
        weighs = weighs or side.word[at].weight > 0
    for at in range(n):
        weight = side.word[at].weight if weighs else 1.0
        has_twin = _has_twin(pair, of_source, at, n_other)
        total += weight
        shared[0] += has_twin
        shared[1] += weight * has_twin
        shared[2] += weight * is_matched(side, at)
        shared[3] += weight * (not is_free(side, at))
    out[0] = shared[0] / n
    for k in range(1, 4):
        out[k] = shared[k] / total


cdef inline void choice_inputs(
    const PairState *pair, int32_t *scratch, double *inputs
) noexcept nogil:
    """Write the inputs of a prepared pair."""
    cdef Py_ssize_t n_source = _without_last_marks(&pair.source)
    cdef Py_ssize_t n_target = _without_last_marks(&pair.target)
    cdef double in_order = _common_subsequence(pair, n_source, n_target, scratch)
    cdef double[4] source, target
    _shares(pair, True, n_source, n_target, source)
    _shares(pair, False, n_target, n_source, target)
    inputs[0] = in_order / min(n_source, n_target)
    inputs[1] = in_order / max(n_source, n_target)
    inputs[2], inputs[3] = source[0], target[0]
    inputs[4] = log(<double>n_source / n_target)
    inputs[5] = fabs(inputs[4])
    inputs[6] = _are_one_form(pair, 0, 0)
    inputs[7], inputs[8] = source[1], target[1]
    inputs[9], inputs[10] = log(<double>n_source), log(<double>n_target)
    inputs[11], inputs[12] = source[2], target[2]
    inputs[13], inputs[14] = source[3], target[3]


cdef inline int choose_style(
    const double *weights, int n_styles, const double *inputs
) noexcept nogil:
    """Return the number of the chosen style."""
    cdef int n_weights = <int>N_CHOICE_INPUTS + 1
    cdef int best = 0, style, k
    cdef double highest = 0.0, total
    for style in range(n_styles):
        total = weights[style * n_weights + n_weights - 1]
        for k in range(<int>N_CHOICE_INPUTS):
            total += weights[style * n_weights + k] * inputs[k]
        if style == 0 or total > highest:
            highest = total
            best = style
    return best


cdef inline bint _is_beside_link(
    const uint8_t *fate, Py_ssize_t n_source, Py_ssize_t n_target, Py_ssize_t i, Py_ssize_t j
) noexcept nogil:
    cdef const uint8_t *cell = fate + i * n_target + j
    return (
        (i > 0 and cell[-n_target] == TAKEN)
        or (i + 1 < n_source and cell[n_target] == TAKEN)
        or (j > 0 and cell[-1] == TAKEN)
        or (j + 1 < n_target and cell[1] == TAKEN)
    )


cdef inline void _take_blocks(
    uint8_t *fate, Py_ssize_t n_source, Py_ssize_t n_target
) noexcept nogil:
    """Take likely cells beside links until there are no more."""
    cdef bint has_grown = True
    cdef Py_ssize_t i, j
    while has_grown:
        has_grown = False
        for i in range(n_source):
            for j in range(n_target):
                if fate[i * n_target + j] == LIKELY and _is_beside_link(
                    fate, n_source, n_target, i, j
                ):
                    fate[i * n_target + j] = TAKEN
                    has_grown = True


cdef inline void fill_means(
    const double *s2t_posterior, const double *t2s_posterior, Py_ssize_t n_source,
    Py_ssize_t n_target, double *mean,
) noexcept nogil:
    """Write the mean posterior of each link."""
    cdef Py_ssize_t i, j
    for i in range(n_source):
        for j in range(n_target):
            mean[i * n_target + j] = (
                s2t_posterior[i * (n_target + 1) + j + 1] + t2s_posterior[j * (n_source + 1) + i + 1]
            ) / 2


cdef inline void take_cells(
    const double *posterior, Py_ssize_t n_source, Py_ssize_t n_target, double threshold,
    double beside, uint8_t *taken,
) noexcept nogil:
    """Write 1 for cells whose posterior reaches the threshold, or `beside` next to a taken one;
    else 0."""
    cdef uint8_t *fate = taken
    cdef Py_ssize_t n_likely = 0, cell
    for cell in range(n_source * n_target):
        fate[cell] = (
            TAKEN if posterior[cell] >= threshold else LIKELY if posterior[cell] >= beside else LEFT
        )
        n_likely += fate[cell] == LIKELY
    if n_likely:
        _take_blocks(fate, n_source, n_target)
    for cell in range(n_source * n_target):
        taken[cell] = fate[cell] == TAKEN


cdef inline Py_ssize_t write_links(
    const double *posterior, const uint8_t *taken, Py_ssize_t n_source, Py_ssize_t n_target,
    int32_t *source, int32_t *target, double *confidence,
) noexcept nogil:
    """Write the taken links with their posteriors; return their number."""
    cdef Py_ssize_t n_links = 0, i, j
    for i in range(n_source):
        for j in range(n_target):
            if taken[i * n_target + j]:
                source[n_links] = <int32_t>i
                target[n_links] = <int32_t>j
                confidence[n_links] = posterior[i * n_target + j]
                n_links += 1
    return n_links


cdef inline double _between_knots(const StyleNumbers *numbers, double posterior) noexcept nogil:
    """Return the linear interpolation between the knots around a posterior."""
    cdef const double *raw = &numbers.raw[0]
    cdef const double *calibrated = &numbers.calibrated[0]
    cdef int last = numbers.n_knots - 1
    cdef int k = 0
    if last < 0:
        return posterior
    if posterior >= raw[last]:
        return calibrated[last]
    if posterior <= raw[0]:
        return calibrated[0]
    while posterior >= raw[k + 1]:
        k += 1
    return calibrated[k] + (calibrated[k + 1] - calibrated[k]) / (raw[k + 1] - raw[k]) * (
        posterior - raw[k]
    )


cdef inline double confidence_of(
    const StyleNumbers *numbers, double posterior, bint are_unlike
) noexcept nogil:
    """Return the confidence of a link with this posterior, in [0, 1]."""
    if not (are_unlike and numbers.has_unlike):
        return _between_knots(numbers, posterior)
    cdef double odds = (
        log(posterior) - log(1.0 - posterior) if 0.0 < posterior < 1.0
        else INFINITY if posterior >= 1.0
        else -INFINITY
    )
    return 1.0 / (1.0 + exp(-(numbers.slope * odds + numbers.offset)))


cdef inline void calibrate_links(
    const StyleNumbers *numbers, const uint8_t *lexical_class, Py_ssize_t n_target,
    const int32_t *source, const int32_t *target, double *confidence, Py_ssize_t n_links,
) noexcept nogil:
    """Replace posteriors by confidences."""
    cdef Py_ssize_t k
    cdef bint are_unlike
    for k in range(n_links):
        are_unlike = lexical_class[source[k] * n_target + target[k]] != CLASS_IDENTICAL
        confidence[k] = confidence_of(numbers, confidence[k], are_unlike)


cdef inline Py_ssize_t drop_weak(
    int32_t *source, int32_t *target, double *confidence, Py_ssize_t n_links, double least
) noexcept nogil:
    """Leave out the links of less confidence; return how many there are left."""
    cdef Py_ssize_t n_kept = 0, k
    for k in range(n_links):
        if confidence[k] >= least:
            source[n_kept], target[n_kept] = source[k], target[k]
            confidence[n_kept] = confidence[k]
            n_kept += 1
    return n_kept


cdef inline double lowered(double share, double agreement, double fall) noexcept nogil:
    """Return a share lowered by its agreement."""
    cdef double square = share * share
    return share * (1.0 - fall * square * square * (1.0 - agreement))


cdef inline double target_share(
    const double *s2t_posterior, const double *t2s_posterior, Py_ssize_t n_source,
    Py_ssize_t n_target, const double *weights,
) noexcept nogil:
    cdef double total = 0.0, summed = 0.0, covered
    cdef Py_ssize_t i, j
    for j in range(n_target):
        covered = 0.0
        for i in range(n_source):
            covered += min(
                s2t_posterior[i * (n_target + 1) + j + 1], t2s_posterior[j * (n_source + 1) + i + 1]
            )
        total += weights[j]
        summed += weights[j] * min(covered, 1.0)
    return summed / total


cdef inline PairShares _side_shares(
    const double *mean, const float *strength, Py_ssize_t n_tokens, Py_ssize_t n_others,
    Py_ssize_t step, Py_ssize_t step_of_others, const double *weights,
) noexcept nogil:
    """Return the weighted shares of a side's tokens that have a partner; steps are in cells."""
    cdef PairShares weighted = PairShares(0.0, 0.0)
    cdef PairShares plain = PairShares(0.0, 0.0)
    cdef double total = 0.0, linked, covered
    cdef Py_ssize_t t, o, cell
    for t in range(n_tokens):
        linked = covered = 0.0
        for o in range(n_others):
            cell = t * step + o * step_of_others
            linked += mean[cell]
            covered += mean[cell] if strength[cell] >= MATCHED_STRENGTH else UNLIKE * mean[cell]
        linked, covered = min(linked, 1.0), min(covered, 1.0)
        total += weights[t]
        weighted.linked += weights[t] * linked
        weighted.covered += weights[t] * covered
        plain.linked += linked
        plain.covered += covered
    if total > 0:
        return PairShares(weighted.linked / total, weighted.covered / total)
    return PairShares(plain.linked / n_tokens, plain.covered / n_tokens)


cdef inline PairShares pair_shares(
    const double *mean, const float *strength, Py_ssize_t n_source, Py_ssize_t n_target,
    const double *source_weights, const double *target_weights,
) noexcept nogil:
    """Return the smaller of both sides' shares that have a partner."""
    cdef PairShares source = _side_shares(
        mean, strength, n_source, n_target, n_target, 1, source_weights
    )
    cdef PairShares target = _side_shares(
        mean, strength, n_target, n_source, 1, n_target, target_weights
    )
    return PairShares(
        min(source.linked, target.linked, 1.0), min(source.covered, target.covered, 1.0)
    )
