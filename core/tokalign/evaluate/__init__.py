"""Scores of alignments against gold, with confidence intervals and error analysis."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass

import numpy as np
from numpy.typing import NDArray

from tokalign.evaluate.breakdown import (
    LinkCounts,
    LinkError,
    by_kind,
    by_length,
    by_tag,
    list_errors,
    worst_word_pairs,
)
from tokalign.evaluate.metrics import (
    ALPHAS,
    COLUMNS,
    Calibration,
    Comparison,
    Metric,
    ReliabilityBin,
    Scores,
    all_metrics,
    bootstrap_intervals,
    calibrate,
    compare,
    count_pairs,
    scores_of,
)
from tokalign.evaluate.predictions import predictions_of, read_predictions
from tokalign.types import GoldPair, Links
from tokalign.types.options import LinkChoice


@dataclass(frozen=True, slots=True)
class Evaluation:
    """Scores of one system, with their intervals and the counts behind them.

    Attributes
    ----------
    intervals : dict of str to (float, float)
        95% bootstrap interval of every scalar metric.
    counts : float64 array, shape (n_pairs, len(COLUMNS))
    """

    scores: Scores
    intervals: dict[str, tuple[float, float]]
    counts: NDArray[np.float64]

    def to_json(self) -> dict[str, object]:
        """Return scores and intervals as one object of plain values."""
        intervals = {name: list(bounds) for name, bounds in self.intervals.items()}
        return {**asdict(self.scores), "intervals": intervals}


def evaluate(
    gold: Sequence[GoldPair],
    predictions: Sequence[Links],
    *,
    choice: LinkChoice = LinkChoice.SURE,
    n_samples: int = 1000,
    seed: int = 0,
) -> Evaluation:
    """Return the scores of predicted links against gold.

    Parameters
    ----------
    predictions : sequence of sets of (source, target)
        One per pair, in the same order.
    choice : LinkChoice
        Which gold links count; sure links by default.
    n_samples, seed : int
        Bootstrap resamples and their seed.

    ShapeError is raised if there are not as many predictions as pairs; InputError, if there are no
    pairs or a link is out of range.
    """
    counts = count_pairs(gold, predictions, choice)
    intervals = bootstrap_intervals(counts, n_samples=n_samples, seed=seed)
    return Evaluation(scores_of(counts), intervals, counts)


__all__ = [
    "ALPHAS",
    "COLUMNS",
    "Calibration",
    "Comparison",
    "Evaluation",
    "LinkChoice",
    "LinkCounts",
    "LinkError",
    "Links",
    "Metric",
    "ReliabilityBin",
    "Scores",
    "all_metrics",
    "bootstrap_intervals",
    "by_kind",
    "by_length",
    "by_tag",
    "calibrate",
    "compare",
    "count_pairs",
    "evaluate",
    "list_errors",
    "predictions_of",
    "read_predictions",
    "scores_of",
    "worst_word_pairs",
]
