"""The encoder's cosine among the evidence for an answer, where a model has an encoder of sentences.

It gains on questions. On claims, whose candidates are ranked by the alignment's score, the cosine
costs: lab/experiments.md has what was tried.
"""

from __future__ import annotations

from typing import Final

from tokalign.ranking.weights import Regression

COSINE = "cosine"
"""Name of the piece of evidence; a field of Alignment."""
COSINE_WEIGHT: Final = 6.0
"""In nats; a cosine is in [-1, 1]."""
COSINE_BIAS: Final = -3.0
"""So that a cosine of 0.5, about the mean of TrecQA's candidates, leaves the answer as it is."""


def with_cosine(regression: Regression) -> Regression:
    """Return a regression over the same evidence and, as the last piece, the cosine.

    Examples
    --------
    >>> answers = with_cosine(Regression(("score",), 0.0, (1.0,)))
    >>> answers.names, answers.score((0.0, 0.5))
    (('score', 'cosine'), 0.5)
    """
    return Regression(
        (*regression.names, COSINE),
        regression.bias + COSINE_BIAS,
        (*regression.weights, COSINE_WEIGHT),
    )
