"""The regressions that make one number of evidence (`lab.recipes.question_weights` fits them)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

from tokalign.files.shipped import data_dir
from tokalign.types import FeatureContribution

WEIGHTS_FILE = "question-weights.tsv"
BIAS = "bias"
"""Name of the piece of evidence that every candidate has."""
CLAIM_EVIDENCE = ("score", "similarity")
"""Evidence of a candidate for a query that is no question; fields of Alignment."""
PRIOR = "prior"
"""Name of what the caller's own score says; see priors.py."""


@dataclass(frozen=True, slots=True)
class Regression:
    """A regression over evidence.

    Attributes
    ----------
    names : tuple of str
    bias : float
    weights : tuple of float, one per name
        The probability of a right answer is sigmoid(bias + weights . evidence), in a balanced
        choice of right and wrong candidates.
    """

    names: tuple[str, ...]
    bias: float
    weights: tuple[float, ...]

    def score(self, values: Sequence[float]) -> float:
        """Return the probability that a candidate is right, in [0, 1]."""
        pairs = zip(self.weights, values, strict=True)
        return sigmoid(self.bias + sum(weight * value for weight, value in pairs))

    def explain(self, values: Sequence[float]) -> tuple[FeatureContribution, ...]:
        """Return what each piece of evidence adds, in nats, by falling absolute size."""
        found = [FeatureContribution(BIAS, 1.0, self.bias)]
        found += map(FeatureContribution, self.names, values, self.weights)
        return by_size(found)


@dataclass(frozen=True, slots=True)
class AnswerWeights:
    """What ships.

    Attributes
    ----------
    question : Regression
        Over the pieces of EVIDENCE of tokalign.decoding.evidence, in their order.
    claim : Regression
        Over CLAIM_EVIDENCE.
    prior : float
        Weight of a standardised prior, in nats for each standard deviation.
    """

    question: Regression
    claim: Regression
    prior: float

    @classmethod
    def open_shipped(cls) -> Self:
        """Return the weights that ship with the package."""
        rows = (data_dir() / WEIGHTS_FILE).read_text(encoding="utf-8").splitlines()
        found: dict[str, dict[str, float]] = {"question": {}, "claim": {}, "any": {}}
        for row in rows:
            of, name, weight = row.split("\t")
            found[of][name] = float(weight)

        def regression(weights: dict[str, float]) -> Regression:
            bias = weights.pop(BIAS)
            return Regression(tuple(weights), bias, tuple(weights.values()))

        return cls(regression(found["question"]), regression(found["claim"]), found["any"][PRIOR])

    def rows(self) -> str:
        """Return the file that `open_shipped` reads."""
        lines = []
        for of, regression in (("question", self.question), ("claim", self.claim)):
            lines.append(f"{of}\t{BIAS}\t{regression.bias:.4g}")
            pairs = zip(regression.names, regression.weights, strict=True)
            lines += [f"{of}\t{name}\t{weight:.4g}" for name, weight in pairs]
        return "\n".join([*lines, f"any\t{PRIOR}\t{self.prior:.4g}", ""])


def by_size(found: Sequence[FeatureContribution]) -> tuple[FeatureContribution, ...]:
    """Return contributions by falling absolute size."""
    return tuple(sorted(found, key=lambda each: -abs(each.value * each.weight)))


def sigmoid(log_odds: float) -> float:
    """Return the probability of log odds, which may be large."""
    if log_odds >= 0:
        return 1.0 / (1.0 + math.exp(-log_odds))
    odds = math.exp(log_odds)
    return odds / (1.0 + odds)
