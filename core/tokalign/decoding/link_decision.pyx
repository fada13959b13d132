"""Decisions on a pair: its style, and by the posteriors of both directions links and scores.

    mean[i, j] = (s2t[i, j + 1] + t2s[j, i + 1]) / 2

A link is taken where that mean reaches a threshold, so a token may have several links or none. Of
all sets of links, those of a threshold are the ones of highest expected F measure when confidences
are independent probabilities (Jansche 2007, ACL). But links of phrases come in blocks: a link
beside a taken one (it shares one token, and its other token is next to the other) needs a lower
mean. In a style with a second pass (tokalign.decoding.second_pass), its probabilities replace the
means, and groups of uncertain cells are decided jointly.

The confidence of a link between equal word forms is a piecewise linear map of its posterior, given
by knots. Links of unlike words have Platt scaling, if the style has it (Platt 1999, with the log
odds as the score):

    log odds(confidence) = slope * log odds(posterior) + offset

Scores of a pair are covered shares:

    covered[j]     = min(1, sum over i of min(s2t[i, j + 1], t2s[j, i + 1]))
    target_covered = sum over j of v[j] * covered[j] / sum of v

v is 1 for content words and 0.1 for others: the score is the expected share of the target's content
with a partner that both directions support. On TrecQA's development questions this ranks answers
better than the mean or the product of their posteriors.

    share(side) = sum over tokens of w * min(1, sum of the token's c * mean[i, j]) / sum of w
    covered     = the smaller of both sides' shares

c is 1, or UNLIKE for words whose strength is below MATCHED_STRENGTH: they are linked for what stands
around them, and say the same less often. *linked* is the share with c = 1. docs/scores.md says what
chose UNLIKE.

A token's weight w is its idf, doubled for numbers and 0 for punctuation; if a side's weights are
all 0, its tokens weigh the same. So 0.8 says: at least 80% of each sentence, weighted by how rare
its words are, is expected to have a counterpart in the other.

These shares are *covered*, but the sentences may contradict each other there; conflicts lower both:

    lowered(share) = share * (1 - fall * share ** 4 * (1 - agreement))

A conflict matters little between sentences that share little. The falls, SCORE_FALL, COVERED_FALL
and, for similarities by an encoder, ENCODED_FALL, and the power were chosen on our own contrasts and
on training parts of STS 2012, SICK and MSRP (lab/experiments.md).

If no style is named, a linear classifier chooses it: each style has weights for the pair's inputs,
CHOICE_INPUTS, and a constant; ties go to the first style. The inputs say how much the sentences
have in common, in which order, and how much more has nearly the same meaning. The marks that
end a side are left out, so that a pair keeps its style if a final stop is missing. The inputs cost
little beside the features. `lab.recipes.choice` fits the weights.
"""

from libc.stdlib cimport calloc, free, malloc

import numpy as np

from tokalign.decoding.second_pass cimport *
from tokalign.relations.related_units cimport N_RELATIONS

from tokalign.errors import ResourceError, ShapeError
from tokalign.files.tables import Table
from tokalign.model.styles import MAX_KNOTS, N_INPUTS
from tokalign.types.relations import TURNED_KINDS

cdef int[<int>N_RELATIONS] TURNED = TURNED_KINDS

cdef struct TurnedLink:
    int32_t source
    int32_t target
    double confidence
    float[<int>N_RELATIONS] relation

CHOICE_INPUTS: tuple[str, ...] = (
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
    "source weight matched",         # with a partner of at least MATCHED_STRENGTH
    "target weight matched",
    "source weight related",         # with a partner of at least RELATED_STRENGTH
    "target weight related",
)
"""Names of the inputs of the choice; shares are in [0, 1]."""

CELL_INPUTS: tuple[str, ...] = (
    "s2t", "t2s", "mean",                        # log odds of posteriors
    "source NULL", "target NULL",                # log odds of NULL
    "encoder s2t", "encoder t2s",                # log-probabilities
    "encoder s2t over NULL", "encoder t2s over NULL",
    "encoder source NULL", "encoder target NULL",
    "encoder s2t over rival", "encoder t2s over rival",
    "row's rival", "column's rival",             # the largest other mean
    "row's sum", "column's sum",                 # of means
    "mean at -1 -1", "mean at -1 0", "mean at -1 1", "mean at 0 -1",
    "mean at 0 1", "mean at 1 -1", "mean at 1 0", "mean at 1 1",
    "link",                                      # whether the mean is at least FIRST
    "row's links", "column's links",             # with its own
    "row's nearest", "column's nearest",         # tokens to the nearest other link
    "source tag", "target tag",                  # numbers of tags, NO_TAG without
    "tag before source", "tag after source", "tag before target", "tag after target",
    "row's nearest tag", "column's nearest tag",
    "source kind", "target kind",
)
"""Names of a cell's inputs."""

GROUP_INPUTS: tuple[str, ...] = (
    "log-likelihood",                       # of the group's decision, cells taken as independent
    "least log-likelihood",                 # of a cell
    "loss",                                 # of log-likelihood, against the cell-by-cell decision
    "cells", "links",
    "least link", "likeliest other",        # posteriors
    "squares that lack a link",             # cells that would close one, in the group's lines
    "rows without links", "rows of several links", "tokens between a row's links",
    "columns without links", "columns of several links", "tokens between a column's links",
)
"""Names of the inputs of a decision on a group of cells."""

SECOND_PASS: str = "second-pass"
"""Name of the shipped table of second passes."""
GROUPS: str = "-groups"
"""Suffix of an encoder's name there, for its trees of groups."""

assert len(CELL_INPUTS) == <int>N_CELL_INPUTS
assert len(GROUP_INPUTS) == <int>N_GROUP_INPUTS
assert MAX_KNOTS == <int>MOST_KNOTS
assert len(CHOICE_INPUTS) == N_INPUTS == <int>N_CHOICE_INPUTS


cdef bint turn_links(
    int32_t *source, int32_t *target, double *confidence, float *relation, Py_ssize_t n_links,
    Py_ssize_t n_target,
) noexcept nogil:
    """Exchange the sides of sorted links, and sort them again; return whether there is memory."""
    cdef Py_ssize_t *place = <Py_ssize_t *>calloc(n_target + 1, sizeof(Py_ssize_t))
    cdef TurnedLink *turned = <TurnedLink *>malloc(n_links * sizeof(TurnedLink) + 1)
    cdef TurnedLink *link
    cdef Py_ssize_t k, kind
    cdef bint has_memory = place != NULL and turned != NULL
    if has_memory:
        for k in range(n_links):
            place[target[k] + 1] += 1
        for k in range(n_target):
            place[k + 1] += place[k]
        for k in range(n_links):  # those of one target stay in the order of their sources
            link = turned + place[target[k]]
            place[target[k]] += 1
            link.source, link.target, link.confidence = target[k], source[k], confidence[k]
            for kind in range(N_RELATIONS if relation != NULL else 0):
                link.relation[kind] = relation[k * N_RELATIONS + TURNED[kind]]
        for k in range(n_links):
            link = turned + k
            source[k], target[k], confidence[k] = link.source, link.target, link.confidence
            for kind in range(N_RELATIONS if relation != NULL else 0):
                relation[k * N_RELATIONS + kind] = link.relation[kind]
    free(place)
    free(turned)
    return has_memory


cdef int check_posteriors(
    const double[:, ::1] s2t_posterior, const double[:, ::1] t2s_posterior
) except -1:
    if (
        s2t_posterior.shape[1] != t2s_posterior.shape[0] + 1
        or t2s_posterior.shape[1] != s2t_posterior.shape[0] + 1
    ):
        raise ShapeError(
            f"posteriors have shapes {(s2t_posterior.shape[0], s2t_posterior.shape[1])} and "
            f"{(t2s_posterior.shape[0], t2s_posterior.shape[1])}; wanted (n_source, n_target + 1) "
            "and (n_target, n_source + 1)"
        )
    return 0


cdef class Convention:
    """Thresholds and calibration of a style.

    `style`: its numbers have been checked (tokalign.model.styles.check_styles).
    """

    def __init__(self, style not None: StyleHeader) -> None:
        self.numbers.threshold = style["threshold"]
        self.numbers.beside = style.get("beside", self.numbers.threshold)
        self.numbers.is_revised = style.get("second_pass", False)
        self.numbers.n_knots = len(style.get("raw", ()))
        for k in range(self.numbers.n_knots):
            self.numbers.raw[k] = style["raw"][k]
            self.numbers.calibrated[k] = style["calibrated"][k]
        self.numbers.has_unlike = "unlike" in style
        if self.numbers.has_unlike:
            self.numbers.slope, self.numbers.offset = style["unlike"]

    @property
    def threshold(self) -> float:
        """Least mean posterior of a link, in (0, 1]."""
        return self.numbers.threshold

    @property
    def is_revised(self) -> bool:
        """Whether a second pass gives the probabilities of links."""
        return self.numbers.is_revised

    def confidence(self, double posterior, bint are_unlike) -> float:
        """Return the confidence of one posterior, in [0, 1].

        `posterior`: in [0, 1]. `are_unlike`: whether the words that it links have different forms.
        """
        return confidence_of(&self.numbers, posterior, are_unlike)

    def confidences(
        self, posterior: NDArray[np.floating], unlike: NDArray[np.bool_]
    ) -> NDArray[np.float64]:
        """Return the confidences of posteriors.

        `posterior` (float array, of any shape): in [0, 1]. `unlike` (bool array, of the same
        shape): whether two words have different forms.

        The result is a float64 array of the same shape, in [0, 1].
        """
        found = np.array(posterior, dtype=np.float64, order="C")
        cdef double[::1] each = found.reshape(-1)
        cdef const uint8_t[::1] is_unlike = np.ascontiguousarray(
            np.broadcast_to(unlike, found.shape), dtype=np.uint8
        ).reshape(-1)
        cdef Py_ssize_t k
        for k in range(each.shape[0]):
            each[k] = confidence_of(&self.numbers, each[k], is_unlike[k])
        return found


cdef class SecondPass:
    """Decides the cells of pairs that an encoder read, then groups of them.

    `table`: boosted trees. `encoder`: name of the encoder whose model they were trained for.
    ResourceError is raised if the table is damaged, made for other inputs, or has no trees for the
    encoder.
    """

    def __init__(self, table: Table, str encoder not None) -> None:
        wanted = {"inputs": CELL_INPUTS, "group_inputs": GROUP_INPUTS}
        if any([table.strings(name) != list(names) for name, names in wanted.items()]):
            raise ResourceError(f"{table.path}: made for other inputs; rebuild it")
        self._cells = Forest(table, encoder, <int>N_CELL_INPUTS, 1)
        self._groups = Forest(table, f"{encoder}{GROUPS}", <int>N_GROUP_INPUTS, 1)

    @classmethod
    def open_shipped(cls, str encoder not None) -> Self:
        """Return the shipped second pass of an encoder's model."""
        return cls(Table.open_shipped(SECOND_PASS), encoder)

    cdef void revise(self, const FirstPass *first, double *revised) noexcept nogil:
        """Write each cell's probability of a link."""
        cdef float[<int>N_CELL_INPUTS] inputs
        cdef Py_ssize_t n_target = first.pair.target.n
        cdef Py_ssize_t i, j
        cdef double log_odds
        for i in range(first.pair.source.n):
            for j in range(n_target):
                if is_likely(first, i, j):
                    cell_inputs(first, i, j, inputs)
                    self._cells.score(inputs, 1, &log_odds)
                    revised[i * n_target + j] = 1.0 / (1.0 + exp(-log_odds))
                else:
                    revised[i * n_target + j] = first.mean[i * n_target + j]

    cdef void choose(
        self, const double *revised, Py_ssize_t n_source, Py_ssize_t n_target, uint8_t *taken,
        GroupRoom *room,
    ) noexcept nogil:
        """Replace the cell-by-cell decision on each group of uncertain cells by the best one."""
        _choose_groups(self._groups, revised, taken, n_source, n_target, room)


def lowered_shares(const double[::1] shares, const double[::1] agreements) -> NDArray[np.float64]:
    """Return each share of a mix of covered and cosine, lowered by its agreement.

    `shares`, `agreements` (float64 array, shape (n_pairs,)): in [0, 1].

    The result is a float64 array, shape (n_pairs,). ShapeError is raised if there is not one
    agreement for each share.

    Examples
    --------
    >>> lowered_shares(np.array([1.0, 0.5]), np.array([0.5, 1.0])).tolist()
    [0.875, 0.5]
    """
    cdef Py_ssize_t n_pairs = shares.shape[0]
    cdef Py_ssize_t k
    if agreements.shape[0] != n_pairs:
        raise ShapeError(
            f"{agreements.shape[0]} agreements for {n_pairs} shares; wanted one of each per pair"
        )
    found = np.empty(n_pairs)
    cdef double[::1] values = found
    for k in range(n_pairs):
        values[k] = lowered(shares[k], agreements[k], ENCODED_FALL)
    return found


def covered_shares(
    const double[:, ::1] s2t_posterior, const double[:, ::1] t2s_posterior,
    score_weights: Sequence[float], source_weights: Sequence[float],
    target_weights: Sequence[float], strength: NDArray[np.floating] = None
) -> tuple[float, float]:
    """Return the covered shares of the target and of both sides of a pair.

    Parameters
    ----------
    s2t_posterior : float64 array, shape (n_source, n_target + 1)
        Probability of each source token's labels; column 0 is NULL. In [0, 1].
    t2s_posterior : float64 array, shape (n_target, n_source + 1)
    score_weights : sequence of float, length n_target
        More than 0.
    source_weights : sequence of float, length n_source
        At least 0.
    target_weights : sequence of float, length n_target
    strength : array, shape (n_source, n_target), optional
        How strongly a lexicon joins the words, in [0, 1]; by default all are alike.

    Both are in [0, 1]. ShapeError is raised if the shapes do not belong to one pair, a side is
    empty, or there is not one weight per token.

    Examples
    --------
    >>> both = np.array([[0.0, 1.0]]), np.array([[0.5, 0.5]])
    >>> covered_shares(*both, [1.0], [1.0], [1.0])
    (0.5, 0.75)
    """
    check_posteriors(s2t_posterior, t2s_posterior)
    cdef Py_ssize_t n_source = s2t_posterior.shape[0]
    cdef Py_ssize_t n_target = t2s_posterior.shape[0]
    sizes = len(source_weights), len(target_weights), len(score_weights)
    if sizes != (n_source, n_target, n_target) or not n_source or not n_target:
        raise ShapeError(
            f"{sizes[0]}, {sizes[1]} and {sizes[2]} weights for {n_source} and {n_target} tokens; "
            "wanted tokens on both sides and one weight per token"
        )
    cdef const double[::1] of_score = np.array(score_weights, dtype=np.float64)
    cdef const double[::1] of_source = np.array(source_weights, dtype=np.float64)
    cdef const double[::1] of_target = np.array(target_weights, dtype=np.float64)
    cdef const float[:, ::1] strengths = np.ones((n_source, n_target), dtype=np.float32)
    if strength is not None:
        strengths = np.ascontiguousarray(strength, dtype=np.float32)
        if strengths.shape[0] != n_source or strengths.shape[1] != n_target:
            raise ShapeError(f"strength has shape {np.shape(strength)}; wanted {n_source, n_target}")
    cdef const double *s2t = &s2t_posterior[0, 0]
    cdef const double *t2s = &t2s_posterior[0, 0]
    cdef double[:, ::1] mean = np.empty((n_source, n_target))
    fill_means(s2t, t2s, n_source, n_target, &mean[0, 0])
    cdef PairShares shares = pair_shares(
        &mean[0, 0], &strengths[0, 0], n_source, n_target, &of_source[0], &of_target[0]
    )
    return target_share(s2t, t2s, n_source, n_target, &of_score[0]), shares.covered
