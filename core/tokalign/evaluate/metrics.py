"""Counts of right and wrong links, pair by pair, and scores as functions of their sums.

Precision and recall are macro averages over pairs; F1 is the harmonic mean of the two averages
(not the mean of each pair's F1). The ``micro_`` scores, F-alpha and AER pool all links.

References
----------
Fraser and Marcu (2007), Computational Linguistics 33(3): Measuring Word Alignment Quality for
Statistical Machine Translation. F-alpha is their equation 7; with sure and possible links apart,
precision is taken over possible and recall over sure links (equations 2 and 3).
Och and Ney (2003), Computational Linguistics 29(1): alignment error rate.
Guo, Pleiss, Sun and Weinberger (2017), ICML: On Calibration of Modern Neural Networks, equations 2
and 3: accuracy and confidence of a bin, and their expected difference.
Noreen (1989), Computer-Intensive Methods for Testing Hypotheses (approximate randomisation).
Koehn (2004), EMNLP: Statistical Significance Tests for MT Evaluation (paired bootstrap): pairs are
the unit of sampling, as links of one pair are not independent. Everything is seeded.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from tokalign.errors import InputError, ShapeError, quoted
from tokalign.files.shipped import LISTS
from tokalign.types import GoldPair, Links, Sentence
from tokalign.types.options import LinkChoice

COLUMNS = (
    "pairs",  # 1 per pair
    "precision",  # of the pair
    "recall",  # of the pair
    "exact",  # 1 if prediction and gold are the same set
    "right",  # links in both
    "predicted",
    "gold",
    "right_identical",  # the same three over links between tokens equal ignoring case
    "predicted_identical",
    "gold_identical",
    "right_content",  # and over links between two content words
    "predicted_content",
    "gold_content",
    "all_predicted",  # before the choice of links: |A|, |A & S|, |A & (S | P)|, |S|
    "all_right_sure",
    "all_right_possible",
    "all_sure",
)
"""Meaning of each column of `count_pairs`."""
FUNCTION_WORDS = frozenset(LISTS.words("closed-class"))
"""Closed-class English words in lower case, with the clitics of Penn tokenisation."""


def choose_links(
    gold: GoldPair, predicted: Links, choice: LinkChoice
) -> tuple[frozenset[tuple[int, int]], frozenset[tuple[int, int]]]:
    """Return the gold and the predicted links to compare."""
    if choice is LinkChoice.SURE_AND_POSSIBLE:
        return gold.sure | gold.possible, frozenset(predicted)
    if choice is LinkChoice.IGNORE_POSSIBLE:
        return gold.sure, frozenset(predicted) - gold.possible
    return gold.sure, frozenset(predicted)


def precision_recall(n_right: int, n_predicted: int, n_gold: int) -> tuple[float, float]:
    """Return a pair's precision and recall.

    An empty prediction has precision 0 and empty gold has recall 0, as jacana-align scores them,
    unless both are empty: then both are 1.
    """
    if n_predicted == 0 and n_gold == 0:
        return 1.0, 1.0
    return n_right / n_predicted if n_predicted else 0.0, n_right / n_gold if n_gold else 0.0


def harmonic_mean(precision: float, recall: float) -> float:
    """Return F1; 0 where both are 0."""
    return 2 * precision * recall / (precision + recall) if precision + recall else 0.0


def is_identical(gold: GoldPair, link: tuple[int, int]) -> bool:
    """Return whether a link joins two tokens that are equal ignoring case."""
    source, target = gold.source.tokens[link[0]], gold.target.tokens[link[1]]
    return source.lower() == target.lower()


def is_content(sentence: Sentence, index: int) -> bool:
    """Return whether a token is a content word: not in `FUNCTION_WORDS` and not punctuation."""
    token = sentence.tokens[index].lower()
    return token not in FUNCTION_WORDS and any(character.isalnum() for character in token)


def count_pairs(
    gold: Sequence[GoldPair], predictions: Sequence[Links], choice: LinkChoice = LinkChoice.SURE
) -> NDArray[np.float64]:
    """Return the counts of every pair, a float64 array of shape (n_pairs, len(COLUMNS)); raise
    ShapeError unless there is one prediction for each pair, InputError if there are no pairs, or a
    link is out of range."""
    if len(gold) != len(predictions):
        raise ShapeError(f"{len(predictions)} predictions for {len(gold)} gold pairs")
    if not gold:
        raise InputError("no pairs to score")
    rows = [_count(*row, choice) for row in zip(gold, predictions, strict=True)]
    return np.array(rows, dtype=np.float64)


def _count(gold: GoldPair, predicted: Links, choice: LinkChoice) -> list[float]:
    for i, j in predicted:
        if not (0 <= i < len(gold.source) and 0 <= j < len(gold.target)):
            raise InputError(
                f"pair {quoted(gold.id)}: predicted link {i}-{j}, but the sentences have "
                f"{len(gold.source)} and {len(gold.target)} tokens"
            )
    wanted, found = choose_links(gold, predicted, choice)
    right = wanted & found
    row = [1.0, *precision_recall(len(right), len(found), len(wanted)), float(found == wanted)]
    sets = (right, found, wanted)
    row += [len(links) for links in sets]
    row += [sum(is_identical(gold, link) for link in links) for links in sets]
    row += [len(content_links(gold, links)) for links in sets]
    row += [len(predicted), len(predicted & gold.sure)]
    row += [len(predicted & (gold.sure | gold.possible)), len(gold.sure)]
    return row


def content_links(gold: GoldPair, links: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return the links between two content words."""
    return [(i, j) for i, j in links if is_content(gold.source, i) and is_content(gold.target, j)]


Floats: TypeAlias = NDArray[np.float64]
"""One value, or one of each sample."""
Sums: TypeAlias = Mapping[str, Floats]
"""Sums of the counts of pairs, by their names in COLUMNS."""

ALPHAS = tuple(f"0.{tenth}" for tenth in range(1, 10))


@dataclass(frozen=True, slots=True, kw_only=True)
class Metric:
    """How a score is computed and shown in reports.

    Attributes
    ----------
    label : str
        Its name in reports.
    compute : callable
        Returns it, in [0, 1], for the sums of counts.
    in_lengths : str
        Head of its column in the table of sentence lengths; empty for no column.
    in_systems : str
        Head of its column in the table of systems; empty for no column.
    note : str
        Explanation of that head, under the table of systems.
    is_tested : bool
        Whether the table of systems shows its interval and its test against the first system.
    """

    label: str
    compute: Callable[[Sums], Floats]
    in_lengths: str = ""
    in_systems: str = ""
    note: str = ""
    is_tested: bool = False


def metric(label: str, compute: Callable[[Sums], Floats], **shown: Any) -> Any:
    """Return a field of Scores with a Metric of these arguments."""
    return field(metadata={"metric": Metric(label=label, compute=compute, **shown)})


def f_alpha(precision: Floats, recall: Floats, alpha: float) -> Floats:
    """Return 1 / (alpha / precision + (1 - alpha) / recall), 0 where either is 0."""
    return _safe_divide(precision * recall, alpha * recall + (1.0 - alpha) * precision, 0.0)


def _ratio(right: Floats, whole: Floats, other: Floats) -> Floats:
    """Return right / whole; without links 0, or 1 if the other side has none either."""
    return _safe_divide(right, whole, np.where(np.asarray(other) == 0, 1.0, 0.0))


def _dice(right: Floats, predicted: Floats, gold: Floats) -> Floats:
    """Return 2 right / (predicted + gold), 1 where there are no links at all."""
    return _safe_divide(2.0 * right, predicted + gold, 1.0)


def _safe_divide(numerator: Floats, denominator: Floats, otherwise: Floats | float) -> Floats:
    numerator, denominator = np.asarray(numerator), np.asarray(denominator)
    is_zero = denominator == 0
    quotient: Floats = np.where(is_zero, otherwise, numerator / np.where(is_zero, 1.0, denominator))
    return quotient


def _mean(name: str) -> Callable[[Sums], Floats]:
    """Return a function that averages a column over the pairs."""
    return lambda n: n[name] / n["pairs"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Scores:
    """All scores of one system on one corpus, as fractions in [0, 1].

    A score is defined only by its field with a `metric`: intervals, tests, JSON and the tables of
    every report follow it.

    Attributes
    ----------
    precision, recall, f1 : float
        Macro averages over pairs, and their harmonic mean.
    exact_match : float
        Share of pairs whose links are all right.
    micro_precision, micro_recall, micro_f1 : float
        Over the pooled links of all pairs.
    f1_identical, f1_non_identical : float
        Micro F1 over links between tokens that are, or are not, equal ignoring case.
    f1_content : float
        Micro F1 over links between two content words.
    aer : float
        Alignment error rate on sure and possible links, whatever the choice of links. It does not
        balance precision and recall if many links are only possible: read it beside F.
    f_alpha : dict of str to float
        Micro F for ``"0.1"`` to ``"0.9"``; a higher alpha weighs precision more.
    f_alpha_sure_possible : dict of str to float
        The same with precision over sure and possible, recall over sure links.
    """

    pairs: int
    precision: float = metric(
        "precision (macro)",
        _mean("precision"),
        in_lengths="P",
        in_systems="P",
        note="P and R: macro averages",
    )
    recall: float = metric("recall (macro)", _mean("recall"), in_lengths="R", in_systems="R")
    f1: float = metric(
        "F1 (of the macro figures)",
        lambda n: f_alpha(_mean("precision")(n), _mean("recall")(n), 0.5),
        in_lengths="F1",
        in_systems="F1",
        note="F1: of these two",
        is_tested=True,
    )
    exact_match: float = metric(
        "exact match",
        _mean("exact"),
        in_lengths="exact",
        in_systems="E",
        note="E: exact match",
        is_tested=True,
    )
    micro_precision: float = metric(
        "precision (micro)", lambda n: _ratio(n["right"], n["predicted"], n["gold"])
    )
    micro_recall: float = metric(
        "recall (micro)", lambda n: _ratio(n["right"], n["gold"], n["predicted"])
    )
    micro_f1: float = metric("F1 (micro)", lambda n: _dice(n["right"], n["predicted"], n["gold"]))
    f1_identical: float = metric(
        "F1, identical words (micro)",
        lambda n: _dice(n["right_identical"], n["predicted_identical"], n["gold_identical"]),
    )
    f1_non_identical: float = metric(
        "F1, other words (micro)",
        lambda n: _dice(
            n["right"] - n["right_identical"],
            n["predicted"] - n["predicted_identical"],
            n["gold"] - n["gold_identical"],
        ),
        in_systems="unlike",
        note="unlike: micro F1 over links between words that differ",
    )
    f1_content: float = metric(
        "F1, content words (micro)",
        lambda n: _dice(n["right_content"], n["predicted_content"], n["gold_content"]),
    )
    aer: float = metric(
        "AER",
        lambda n: (
            1.0
            - _safe_divide(
                n["all_right_sure"] + n["all_right_possible"],
                n["all_predicted"] + n["all_sure"],
                1.0,
            )
        ),
    )
    f_alpha: dict[str, float]
    f_alpha_sure_possible: dict[str, float]


def all_metrics() -> dict[str, Metric]:
    """Return the metrics of Scores by their names, in order."""
    return {
        each.name: each.metadata["metric"] for each in fields(Scores) if "metric" in each.metadata
    }


def scores_of(counts: Floats) -> Scores:
    """Return the scores of a table of counts, shape (n_pairs, len(COLUMNS))."""
    n = _named(counts.sum(axis=0))
    precision = _ratio(n["right"], n["predicted"], n["gold"])
    recall = _ratio(n["right"], n["gold"], n["predicted"])
    loose = _ratio(n["all_right_possible"], n["all_predicted"], n["all_sure"])
    strict = _ratio(n["all_right_sure"], n["all_sure"], n["all_predicted"])
    return Scores(
        pairs=len(counts),
        f_alpha={alpha: float(f_alpha(precision, recall, float(alpha))) for alpha in ALPHAS},
        f_alpha_sure_possible={
            alpha: float(f_alpha(loose, strict, float(alpha))) for alpha in ALPHAS
        },
        **{name: float(each.compute(n)) for name, each in all_metrics().items()},
    )


def scalar_metrics(sums: Floats) -> dict[str, Floats]:
    """Return every metric for sums of counts over the pairs of one or many samples: a float64
    array of shape (..., len(COLUMNS))."""
    n = _named(sums)
    return {name: np.asarray(each.compute(n)) for name, each in all_metrics().items()}


def _named(sums: Floats) -> Sums:
    return {name: sums[..., index] for index, name in enumerate(COLUMNS)}


N_BINS = 10

Judged = tuple[float, bool]
"""Confidence of a predicted link, and whether the link is right."""


@dataclass(frozen=True, slots=True)
class ReliabilityBin:
    """The predicted links of one range of confidence.

    Attributes
    ----------
    low, high : float
        Confidences from `low` up to and without `high`; the last bin holds 1.
    confidence : float
        Mean over the links.
    right : float
        Share of the links that are right. Calibrated where it equals `confidence`.
    """

    low: float
    high: float
    links: int
    confidence: float
    right: float


@dataclass(frozen=True, slots=True)
class Calibration:
    """Reliability of the confidences of one system's links.

    Attributes
    ----------
    expected_error : float
        Expected calibration error: mean of |right - confidence| over the bins, weighted by links.
    bins : tuple of ReliabilityBin
        Of equal width, by rising confidence; bins without links are left out.
    """

    links: int
    expected_error: float
    bins: tuple[ReliabilityBin, ...]


def calibrate(
    gold: Sequence[GoldPair],
    confidences: Sequence[Mapping[tuple[int, int], float]],
    choice: LinkChoice = LinkChoice.SURE,
) -> Calibration:
    """Return the calibration of the confidences of predicted links.

    `confidences`: confidence, in [0, 1], of every predicted link of each pair. `choice`: which
    links are right; links that count neither way are ignored.

    ShapeError is raised if there are not as many predictions as pairs; InputError, if a confidence
    is not in [0, 1].
    """
    return reliability(judge(gold, confidences, choice))


def judge(
    gold: Sequence[GoldPair],
    confidences: Sequence[Mapping[tuple[int, int], float]],
    choice: LinkChoice = LinkChoice.SURE,
) -> list[Judged]:
    """Return confidence and correctness of every predicted link that counts; see `calibrate`."""
    if len(gold) != len(confidences):
        raise ShapeError(f"{len(confidences)} predictions for {len(gold)} gold pairs")
    judged = []
    for pair, predicted in zip(gold, confidences, strict=True):
        wanted, found = choose_links(pair, frozenset(predicted), choice)
        for link in found:
            confidence = predicted[link]
            if not 0.0 <= confidence <= 1.0:
                raise InputError(
                    f"pair {quoted(pair.id)}: link {link[0]}-{link[1]} has confidence "
                    f"{confidence}; wanted a number in [0, 1]"
                )
            judged.append((confidence, link in wanted))
    return judged


def reliability(judged: Iterable[Judged]) -> Calibration:
    """Return the calibration of judged links."""
    sums = [[0, 0.0, 0] for _ in range(N_BINS)]
    for confidence, is_right in judged:
        of_bin = sums[min(int(confidence * N_BINS), N_BINS - 1)]
        of_bin[0] += 1
        of_bin[1] += confidence
        of_bin[2] += is_right
    n_links = sum(int(n) for n, _, _ in sums)
    bins = tuple(
        ReliabilityBin(k / N_BINS, (k + 1) / N_BINS, int(n), total / n, right / n)
        for k, (n, total, right) in enumerate(sums)
        if n
    )
    gap = sum(each.links * abs(each.right - each.confidence) for each in bins)
    return Calibration(n_links, gap / n_links if n_links else 0.0, bins)


_CHUNK_CELLS = 4_000_000


@dataclass(frozen=True, slots=True)
class Comparison:
    """Difference of two systems in one metric.

    Attributes
    ----------
    difference : float
        First minus second.
    low, high : float
        95% paired bootstrap interval of the difference.
    p_value : float
        Two-sided, by approximate randomisation.
    """

    difference: float
    low: float
    high: float
    p_value: float


def bootstrap_intervals(
    counts: Floats, *, n_samples: int = 1000, seed: int = 0
) -> dict[str, tuple[float, float]]:
    """Return the 95% percentile interval of every scalar metric.

    Parameters
    ----------
    counts : float64 array, shape (n_pairs, n_columns)
        See `tokalign.evaluate.metrics.count_pairs`.
    n_samples : int
        Resamples of the pairs, with replacement.
    """
    samples = [scalar_metrics(weights @ counts) for weights in _resamples(counts, n_samples, seed)]
    return {
        name: _interval(np.concatenate([sample[name] for sample in samples])) for name in samples[0]
    }


def p_text(p: float) -> str:
    """Return a p-value as tables show it: what is below .001 is only known to be so.

    Examples
    --------
    >>> p_text(0.0344), p_text(1 / 1001)
    ('0.034', '< .001')
    """
    return "< .001" if p < 0.001 else f"{p:.3f}"


def compare(
    first: Floats, second: Floats, *, n_samples: int = 1000, seed: int = 0
) -> dict[str, Comparison]:
    """Return the difference of two systems on the same pairs, for every scalar metric.

    Parameters
    ----------
    first, second : float64 arrays, shape (n_pairs, n_columns)
        Counts of both systems over the same gold pairs, in the same order.
    n_samples : int
        Resamples for the intervals and, separately, shuffles for the test.

    ShapeError is raised if the two differ in shape.

    A shuffle swaps the two systems' results on each pair with probability 1/2. The p-value is
    (1 + shuffles with a difference at least as large) / (1 + n_samples), so never 0.
    """
    if first.shape != second.shape:
        raise ShapeError(f"counts of shapes {first.shape} and {second.shape}; wanted the same")
    seen = _difference(first.sum(axis=0), second.sum(axis=0))
    resampled = [
        _difference(weights @ first, weights @ second)
        for weights in _resamples(first, n_samples, seed)
    ]
    shuffled = [
        _difference(first.sum(axis=0) - moved, second.sum(axis=0) + moved)
        for moved in (mask @ (first - second) for mask in _masks(len(first), n_samples, seed + 1))
    ]
    result = {}
    for name in seen:
        low, high = _interval(np.concatenate([each[name] for each in resampled]))
        chance = np.abs(np.concatenate([each[name] for each in shuffled]))
        n_larger = int(np.count_nonzero(chance >= abs(seen[name]) - 1e-12))
        result[name] = Comparison(float(seen[name]), low, high, (1 + n_larger) / (1 + n_samples))
    return result


def _difference(first: Floats, second: Floats) -> dict[str, Floats]:
    of_first, of_second = scalar_metrics(first), scalar_metrics(second)
    return {name: np.asarray(of_first[name] - of_second[name]) for name in of_first}


def _resamples(counts: Floats, n_samples: int, seed: int) -> Iterator[Floats]:
    """Yield how often each pair was drawn: float64 arrays, shape (chunk, n_pairs)."""
    generator = np.random.default_rng(seed)
    n_pairs = len(counts)
    for size in _chunks(n_pairs, n_samples):
        yield generator.multinomial(n_pairs, np.full(n_pairs, 1.0 / n_pairs), size).astype(float)


def _masks(n_pairs: int, n_samples: int, seed: int) -> Iterator[Floats]:
    generator = np.random.default_rng(seed)
    for size in _chunks(n_pairs, n_samples):
        yield generator.integers(0, 2, (size, n_pairs)).astype(float)


def _chunks(n_pairs: int, n_samples: int) -> Iterator[int]:
    most = max(1, _CHUNK_CELLS // n_pairs)
    for done in range(0, n_samples, most):
        yield min(most, n_samples - done)


def _interval(values: Floats) -> tuple[float, float]:
    low, high = np.quantile(values, (0.025, 0.975))
    return float(low), float(high)
