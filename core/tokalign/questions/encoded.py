"""Scores of candidates by an alignment and an encoder of sentences together."""

from __future__ import annotations

from typing import Final

from tokalign.types import Alignment

ALIGNED: Final = 0.3
"""What the alignment's score counts beside the cosine. docs/experiments.md has what was tried."""


def ranking_score(alignment: Alignment) -> float:
    """Return the score that a candidate is ranked by, in [0, 1].

    That is the alignment's score, where there is an encoder mixed with the cosine of candidate and
    query, which ranks better than either.

    Parameters
    ----------
    alignment : Alignment
        Of the candidate (source) with the query (target).
    """
    if alignment.cosine is None:
        return alignment.score
    return ALIGNED * alignment.score + (1 - ALIGNED) * max(0.0, alignment.cosine)
