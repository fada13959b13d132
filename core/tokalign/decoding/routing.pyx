"""Routing of a pair: in which style it is decided, and whether an encoder reads it.

A pair for which nobody names a style gets the one with the highest sum: each style has weights of
the pair's inputs, CHOICE_INPUTS, and a constant; of equal sums the first is taken. The inputs say how
much of both sentences is the same, in which order, and how much more is known to mean nearly the
same; they cost little beside what the features need anyway. `lab.recipes.choice` fits the weights.

GATE_INPUTS are signs of faults in a model's decision on a pair. A cell's doubt is p (1 - p), where p
is the mean posterior of both directions. If posteriors are right, a decision misses the sum of p
over cells without a link, and the sum of 1 - p over its links is wrong. `tokalign.decoding.cascade`
predicts from this where an encoder is worth asking.
"""

from libc.math cimport fabs, log
from libc.stdint cimport int32_t, uint8_t
from libc.string cimport memset

import numpy as np

from tokalign.decoding.link_decision cimport mean_posterior
from tokalign.features.extract cimport Extractor
from tokalign.features.pair cimport *

from tokalign.errors import ShapeError
from tokalign.model.styles import N_INPUTS

CHOICE_INPUTS = (
    "in order, of the shorter",      # longest common subsequence of word forms
    "in order, of the longer",
    "source tokens in both",         # shares of tokens whose form the other side has
    "target tokens in both",
    "source longer",                 # log of the ratio of lengths
    "lengths differ",                # its absolute value
    "same first token",
    "source weight in both",         # shares weighed by idf, as in similarity
    "target weight in both",
    "source length",                 # logarithms
    "target length",
    "both end in a mark",
    "source weight matched",         # that has a partner of at least MATCHED_STRENGTH
    "target weight matched",
    "source weight related",         # that has a partner of at least RELATED_STRENGTH
    "target weight related",
)
"""What each input says of a pair; shares are in [0, 1]."""

GATE_INPUTS = (
    "expected loss",             # 1 - F1 that the posteriors expect of the decision
    "doubt",                     # sums over cells
    "doubt of unlike words",
    "missed",
    "missed of unlike words",
    "wrong",
    "wrong of unlike words",
    "surprise",                  # -log of how likely all cells are right, as if independent
    "largest doubt",
    "disagreement",              # of the two directions
    "open cells",                # whose posterior is neither below 0.1 nor above 0.9
    "doubt a token",
    "source length",             # logarithms
    "target length",
    "links",
    "unlike links",
    "links beside others",       # tokens of more than one link
    "free source content",       # content words without a link
    "free target content",
    "free content on both",      # the fewer of these
    "other free tokens",
    "pull",                      # largest posteriors of free content words, summed
    "covered",
    "agreement",
    "score",
    "style",                     # its number
)
"""What each input says of a decision."""

assert len(CHOICE_INPUTS) == N_INPUTS == <int>N_CHOICE_INPUTS
assert len(GATE_INPUTS) == <int>N_GATE_INPUTS

cdef double LEAST_OPEN = 0.1       # posterior from which a cell is open, up to 1 less that much
cdef double MOST_SURPRISE = 5.0


cdef inline bint _are_one_form(const PairState *pair, Py_ssize_t i, Py_ssize_t j) noexcept nogil:
    return pair.lexical_class[i * pair.target.n + j] == CLASS_IDENTICAL


cdef int _common_subsequence(const PairState *pair, int32_t *longest) noexcept nogil:
    """Return the length of the longest common subsequence of word forms."""
    cdef Py_ssize_t n_target = pair.target.n
    cdef Py_ssize_t i, j
    cdef int32_t before, above
    memset(longest, 0, (n_target + 1) * sizeof(int32_t))
    for i in range(pair.source.n):
        before = 0  # of the row above, one column to the left
        for j in range(n_target):
            above = longest[j + 1]
            if _are_one_form(pair, i, j):
                longest[j + 1] = before + 1
            elif longest[j] > above:
                longest[j + 1] = longest[j]
            before = above
    return longest[n_target]


cdef bint _has_twin(const PairState *pair, bint of_source, Py_ssize_t at) noexcept nogil:
    cdef Py_ssize_t k
    for k in range(pair.target.n if of_source else pair.source.n):
        if _are_one_form(pair, at if of_source else k, k if of_source else at):
            return True
    return False


cdef void _shares(const PairState *pair, bint of_source, double *out) noexcept nogil:
    """Write four shares of a side: in both by tokens and by weight, matched, related."""
    cdef const Side *side = &pair.source if of_source else &pair.target
    cdef double[4] shared
    cdef double total = 0.0
    cdef double weight
    cdef bint weighs = False
    cdef bint has_twin
    cdef Py_ssize_t at
    cdef int k
    memset(shared, 0, sizeof(shared))
    for at in range(side.n):
        weighs = weighs or side.word[at].weight > 0
    for at in range(side.n):
        weight = side.word[at].weight if weighs else 1.0
        has_twin = _has_twin(pair, of_source, at)
        total += weight
        shared[0] += has_twin
        shared[1] += weight * has_twin
        shared[2] += weight * is_matched(side, at)
        shared[3] += weight * (not is_free(side, at))
    out[0] = shared[0] / side.n
    for k in range(1, 4):
        out[k] = shared[k] / total


cdef void choice_inputs(const PairState *pair, int32_t *scratch, double *inputs) noexcept nogil:
    """Write the inputs of a pair that is prepared."""
    cdef Py_ssize_t n_source = pair.source.n
    cdef Py_ssize_t n_target = pair.target.n
    cdef double in_order = _common_subsequence(pair, scratch)
    cdef double[4] source, target
    _shares(pair, True, source)
    _shares(pair, False, target)
    inputs[0] = in_order / min(n_source, n_target)
    inputs[1] = in_order / max(n_source, n_target)
    inputs[2], inputs[3] = source[0], target[0]
    inputs[4] = log(<double>n_source / n_target)
    inputs[5] = fabs(inputs[4])
    inputs[6] = _are_one_form(pair, 0, 0)
    inputs[7], inputs[8] = source[1], target[1]
    inputs[9], inputs[10] = log(<double>n_source), log(<double>n_target)
    inputs[11] = (
        pair.source.word[n_source - 1].kind == KIND_MARK
        and pair.target.word[n_target - 1].kind == KIND_MARK
    )
    inputs[12], inputs[13] = source[2], target[2]
    inputs[14], inputs[15] = source[3], target[3]


cdef int choose_style(const double *weights, int n_styles, const double *inputs) noexcept nogil:
    """Return the number of the style that is chosen."""
    cdef int n_weights = <int>N_CHOICE_INPUTS + 1
    cdef int best = 0
    cdef int style, k
    cdef double highest = 0.0
    cdef double total
    for style in range(n_styles):
        total = weights[style * n_weights + n_weights - 1]
        for k in range(<int>N_CHOICE_INPUTS):
            total += weights[style * n_weights + k] * inputs[k]
        if style == 0 or total > highest:
            highest = total
            best = style
    return best


cdef void _count_tokens(
    const PairState *pair, const DecisionView *decided, bint of_source, double *content,
    double *others, double *pull, double *beside,
) noexcept nogil:
    """Add what the tokens of a side say."""
    cdef Py_ssize_t n_source = pair.source.n
    cdef Py_ssize_t n_target = pair.target.n
    cdef Py_ssize_t at, other, i, j
    cdef double most
    cdef int n_links
    for at in range(n_source if of_source else n_target):
        n_links = 0
        most = 0.0
        for other in range(n_target if of_source else n_source):
            i = at if of_source else other
            j = other if of_source else at
            n_links += decided.is_link[i * n_target + j]
            most = max(most, mean_posterior(
                decided.s2t_posterior, decided.t2s_posterior, n_source, n_target, i, j
            ))
        beside[0] += n_links > 1
        if n_links:
            continue
        if (pair.source.kind if of_source else pair.target.kind)[at] == KIND_CONTENT:
            content[0] += 1.0
            pull[0] += most
        else:
            others[0] += 1.0


cdef void _gate_inputs(
    const PairState *pair, const DecisionView *decided, float *inputs
) noexcept nogil:
    """Write the inputs of a pair that is decided, in the order of GATE_INPUTS."""
    cdef int k
    cdef Py_ssize_t n_source = pair.source.n
    cdef Py_ssize_t n_target = pair.target.n
    cdef Py_ssize_t i, j
    cdef double n_links = 0.0, n_unlike = 0.0, doubt = 0.0, doubt_unlike = 0.0
    cdef double missed = 0.0, missed_unlike = 0.0, wrong = 0.0, wrong_unlike = 0.0
    cdef double surprise = 0.0, largest = 0.0, disagreement = 0.0, n_open = 0.0
    cdef double of_source = 0.0, of_target = 0.0, others = 0.0, pull = 0.0, beside = 0.0
    cdef double p, fault, own
    cdef bint is_unlike
    for i in range(n_source):
        for j in range(n_target):
            p = mean_posterior(
                decided.s2t_posterior, decided.t2s_posterior, n_source, n_target, i, j
            )
            is_unlike = pair.lexical_class[i * n_target + j] != CLASS_IDENTICAL
            fault = p
            if decided.is_link[i * n_target + j]:
                fault = 1.0 - p
                n_links += 1.0
                n_unlike += is_unlike
                wrong += fault
                wrong_unlike += is_unlike * fault
            else:
                missed += fault
                missed_unlike += is_unlike * fault
            own = p * (1.0 - p)
            doubt += own
            doubt_unlike += is_unlike * own
            largest = max(largest, own)
            n_open += LEAST_OPEN < p < 1.0 - LEAST_OPEN
            surprise += min(-log(1.0 - fault), MOST_SURPRISE) if fault < 1.0 else MOST_SURPRISE
            disagreement += fabs(
                decided.s2t_posterior[i * (n_target + 1) + j + 1]
                - decided.t2s_posterior[j * (n_source + 1) + i + 1]
            )
    _count_tokens(pair, decided, True, &of_source, &others, &pull, &beside)
    _count_tokens(pair, decided, False, &of_target, &others, &pull, &beside)
    # All that is expected to be linked is what is right of the links, and what is missed.
    own = 2.0 * n_links - wrong + missed
    cdef double[<int>N_GATE_INPUTS] found = [
        1.0 - 2.0 * (n_links - wrong) / own if own > 0.0 else 0.0,
        doubt, doubt_unlike, missed, missed_unlike, wrong, wrong_unlike, surprise, largest,
        disagreement, n_open, doubt / (n_source + n_target),
        log(<double>n_source), log(<double>n_target),
        n_links, n_unlike, beside, of_source, of_target, min(of_source, of_target), others, pull,
        decided.covered, decided.agreement, decided.score, decided.style,
    ]
    for k in range(<int>N_GATE_INPUTS):
        inputs[k] = <float>found[k]


cdef class GateRows:
    """The gate's inputs of the pairs of a batch, found while the decoder holds each pair.

    Parameters
    ----------
    n_pairs : int

    Attributes
    ----------
    values : float32 array, shape (n_pairs, n_inputs)
        Columns as GATE_INPUTS names them; zeros until the batch is decided, and of a pair that
        failed.
    """

    def __cinit__(self, Py_ssize_t n_pairs):
        self.values = np.zeros((n_pairs, <int>N_GATE_INPUTS), dtype=np.float32)
        self._values = self.values

    cdef void find(
        self, Py_ssize_t number, const PairState *pair, const DecisionView *decided
    ) noexcept nogil:
        """Fill the row of the pair that is decoded."""
        _gate_inputs(pair, decided, &self._values[number, 0])


def choice_inputs_of(Extractor extractor not None, source, target):
    """Return the inputs of a pair of annotated sentences.

    Parameters
    ----------
    extractor : Extractor
        Of a model without an encoder.
    source, target : Sentence
        With tags and lemmas.

    Returns
    -------
    float64 array, shape (N_INPUTS,)
        In the order of CHOICE_INPUTS.

    Raises
    ------
    InputError
        If a sentence is empty, or lacks tags or lemmas.
    """
    extractor.load(source, target)
    cdef int32_t[::1] scratch = np.empty(extractor.pair.target.n + 1, dtype=np.int32)
    found = np.empty(<int>N_CHOICE_INPUTS)
    cdef double[::1] inputs = found
    choice_inputs(&extractor.pair, &scratch[0], &inputs[0])
    return found


def style_number(weights, inputs):
    """Return the number of the style that a model with these weights chooses.

    Parameters
    ----------
    weights : sequence of sequence of float, shape (n_styles, N_INPUTS + 1)
        The constant last.
    inputs : sequence of float, shape (N_INPUTS,)

    Raises
    ------
    ShapeError
        If the shapes differ from these.
    """
    cdef const double[:, ::1] of_styles = np.array(weights, dtype=np.float64, ndmin=2)
    cdef const double[::1] of_pair = np.array(inputs, dtype=np.float64)
    if of_styles.shape[1] != N_INPUTS + 1 or of_pair.shape[0] != N_INPUTS or not len(weights):
        raise ShapeError(
            f"weights of shape {(of_styles.shape[0], of_styles.shape[1])} and {len(inputs)} "
            f"inputs; wanted (n_styles, {N_INPUTS + 1}) and {N_INPUTS}"
        )
    return choose_style(&of_styles[0, 0], <int>of_styles.shape[0], &of_pair[0])
