"""Scores as functions of summed counts.

Precision and recall are macro averages over pairs; F1 is the harmonic mean of the two averages
(not the mean of each pair's F1). The ``micro_`` scores, F-alpha and AER pool all links.

References
----------
Fraser and Marcu (2007), Computational Linguistics 33(3): Measuring Word Alignment Quality for
Statistical Machine Translation. F-alpha is their equation 7; with sure and possible links apart,
precision is taken over possible and recall over sure links (equations 2 and 3).
Och and Ney (2003), Computational Linguistics 29(1): alignment error rate.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass

import numpy as np
from numpy.typing import NDArray

from tokalign.evaluate.counts import COLUMNS

Array = NDArray[np.float64]

ALPHAS = tuple(f"0.{tenth}" for tenth in range(1, 10))
SCALARS = (
    "precision",
    "recall",
    "f1",
    "exact_match",
    "micro_precision",
    "micro_recall",
    "micro_f1",
    "f1_identical",
    "f1_non_identical",
    "f1_content",
    "aer",
)


@dataclass(frozen=True, slots=True)
class Scores:
    """All scores of one system on one corpus, as fractions in [0, 1].

    Attributes
    ----------
    pairs : int
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
        Alignment error rate on sure and possible links, whatever the choice of links. It does
        not balance precision and recall where many are only possible: read it beside F.
    f_alpha : dict of str to float
        Micro F for ``"0.1"`` to ``"0.9"``; a higher alpha weighs precision more.
    f_alpha_sure_possible : dict of str to float
        The same with precision over sure and possible, recall over sure links.
    """

    pairs: int
    precision: float
    recall: float
    f1: float
    exact_match: float
    micro_precision: float
    micro_recall: float
    micro_f1: float
    f1_identical: float
    f1_non_identical: float
    f1_content: float
    aer: float
    f_alpha: dict[str, float]
    f_alpha_sure_possible: dict[str, float]

    def to_json(self) -> dict[str, object]:
        """Return the scores as plain values."""
        return asdict(self)


def scores_of(counts: Array) -> Scores:
    """Return the scores of a table of counts, shape (n_pairs, len(COLUMNS))."""
    sums = counts.sum(axis=0)
    values = {name: float(value) for name, value in scalar_metrics(sums).items()}
    right, predicted, gold = (sums[COLUMNS.index(name)] for name in ("right", "predicted", "gold"))
    precision, recall = _ratio(right, predicted, gold), _ratio(right, gold, predicted)
    all_predicted, in_sure, in_possible, sure = sums[COLUMNS.index("all_predicted") :]
    loose, strict = _ratio(in_possible, all_predicted, sure), _ratio(in_sure, sure, all_predicted)
    return Scores(
        pairs=len(counts),
        f_alpha={alpha: float(f_alpha(precision, recall, float(alpha))) for alpha in ALPHAS},
        f_alpha_sure_possible={
            alpha: float(f_alpha(loose, strict, float(alpha))) for alpha in ALPHAS
        },
        **values,
    )


def scalar_metrics(sums: Array) -> dict[str, Array]:
    """Return every metric of `SCALARS` for sums of counts.

    Parameters
    ----------
    sums : float64 array, shape (..., len(COLUMNS))
        Sums over the pairs of one or many samples.

    Returns
    -------
    metrics : dict of str to float64 array, shape (...)
    """
    column = {name: sums[..., index] for index, name in enumerate(COLUMNS)}
    precision = column["precision"] / column["pairs"]
    recall = column["recall"] / column["pairs"]
    right, predicted, gold = column["right"], column["predicted"], column["gold"]
    return {
        "precision": precision,
        "recall": recall,
        "f1": f_alpha(precision, recall, 0.5),
        "exact_match": column["exact"] / column["pairs"],
        "micro_precision": _ratio(right, predicted, gold),
        "micro_recall": _ratio(right, gold, predicted),
        "micro_f1": _dice(right, predicted, gold),
        "f1_identical": _dice(
            column["right_identical"], column["predicted_identical"], column["gold_identical"]
        ),
        "f1_non_identical": _dice(
            right - column["right_identical"],
            predicted - column["predicted_identical"],
            gold - column["gold_identical"],
        ),
        "f1_content": _dice(
            column["right_content"], column["predicted_content"], column["gold_content"]
        ),
        "aer": 1.0
        - _safe_divide(
            column["all_right_sure"] + column["all_right_possible"],
            column["all_predicted"] + column["all_sure"],
            1.0,
        ),
    }


def f_alpha(precision: Array, recall: Array, alpha: float) -> Array:
    """Return 1 / (alpha / precision + (1 - alpha) / recall), 0 where either is 0."""
    return _safe_divide(precision * recall, alpha * recall + (1.0 - alpha) * precision, 0.0)


def _ratio(right: Array, whole: Array, other: Array) -> Array:
    """Return right / whole; without links 0, or 1 if the other side has none either."""
    return _safe_divide(right, whole, np.where(np.asarray(other) == 0, 1.0, 0.0))


def _dice(right: Array, predicted: Array, gold: Array) -> Array:
    """Return 2 right / (predicted + gold), 1 where there are no links at all."""
    return _safe_divide(2.0 * right, predicted + gold, 1.0)


def _safe_divide(numerator: Array, denominator: Array, otherwise: Array | float) -> Array:
    numerator, denominator = np.asarray(numerator), np.asarray(denominator)
    is_zero = denominator == 0
    quotient: Array = np.where(is_zero, otherwise, numerator / np.where(is_zero, 1.0, denominator))
    return quotient
