"""Priors: a caller's own scores of the candidates, weighed with what the text says.

    z = (prior - mean) / standard deviation,  over the candidates that have a prior
    log odds of the score += weight * z

So neither the scale of the caller's scores matters nor what they are counted from, and equal scores
say nothing. The weight was learned with BM25's scores and with places in a document as priors
(lab.recipes.question_weights).
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence
from functools import cache

from tokalign.ranking.weights import PRIOR, AnswerWeights, by_size, sigmoid
from tokalign.types import FeatureContribution, Judgement

_LEAST = 1e-9
"""A score is taken to be at least so far from 0 and 1, whose log odds are infinite."""


def standardised(priors: Sequence[float | None]) -> list[float | None]:
    """Return priors with a mean of 0 and a standard deviation of 1; None where there is none.

    They are finite. Where all are equal, all are 0.

    Examples
    --------
    >>> standardised([8.0, None, 0.0, 8.0, 0.0])
    [1.0, None, -1.0, 1.0, -1.0]
    """
    known = [prior for prior in priors if prior is not None]
    largest = max(map(abs, known), default=0.0)
    if not largest:
        return [None if prior is None else 0.0 for prior in priors]
    scaled = [prior / largest for prior in known]  # squares of the largest numbers overflow
    mean = statistics.fmean(scaled)
    deviation = math.sqrt(statistics.fmean((each - mean) ** 2 for each in scaled))
    if deviation < _LEAST:
        return [None if prior is None else 0.0 for prior in priors]
    return [None if prior is None else (prior / largest - mean) / deviation for prior in priors]


@cache
def shipped_weights() -> AnswerWeights:
    """Return the weights that ship with the package, read once."""
    return AnswerWeights.open_shipped()


def weighed(
    judgement: Judgement, prior: float | None, weights: AnswerWeights, *, explain: bool
) -> Judgement:
    """Return a judgement with a standardised prior; the same where there is none."""
    if prior is None:
        return judgement
    score = min(max(judgement.score, _LEAST), 1 - _LEAST)
    log_odds = math.log(score / (1 - score)) + weights.prior * prior
    evidence = judgement.evidence
    if explain:
        evidence = by_size([*evidence, FeatureContribution(PRIOR, prior, weights.prior)])
    return Judgement(judgement.by, sigmoid(log_odds), evidence)
