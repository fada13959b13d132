"""What candidates are ranked by where an encoder of sentences read them beside the alignment.

Both mixes rank better than either part. bench.accuracy ranking measures them, and
docs/experiments.md has what was tried.
"""

from __future__ import annotations

from typing import Final

from tokalign.questions.weights import Regression
from tokalign.types import Alignment

ALIGNED: Final = 0.4
"""What the alignment's score counts beside the cosine."""
COSINE_WEIGHT: Final = 6.0
"""Weight of the cosine among the evidence for an answer, in nats."""
COSINE_BIAS: Final = -3.0
"""So that a cosine of 0.5, about the mean of TrecQA's candidates, leaves the answer as it is."""


def ranking_score(alignment: Alignment) -> float:
    """Return the score that a candidate is ranked by, in [0, 1].

    That is the alignment's score, where there is an encoder mixed with the cosine of candidate and
    query.

    Parameters
    ----------
    alignment : Alignment
        Of the candidate (source) with the query (target).
    """
    if alignment.cosine is None:
        return alignment.score
    return ALIGNED * alignment.score + (1 - ALIGNED) * max(0.0, alignment.cosine)


def with_cosine(regression: Regression) -> Regression:
    """Return a regression over the same evidence and, as the last piece, the cosine.

    Examples
    --------
    >>> answers = with_cosine(Regression(("score",), 0.0, (1.0,)))
    >>> answers.names, answers.score((0.0, 0.5))
    (('score', 'cosine'), 0.5)
    """
    return Regression(
        (*regression.names, "cosine"),
        regression.bias + COSINE_BIAS,
        (*regression.weights, COSINE_WEIGHT),
    )
