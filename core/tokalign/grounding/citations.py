"""Citations for a sentence of an answer.

    cover      = sum of idf(j) * MASS(j) / sum of idf(j)
    told(j)    = (2 * MASS(j) + held(j)) / 3
    weight(j)  = of tokalign.grounding.sources.local_weights, among the sentences of all passages
    gain       = sum of weight(j) * what told(j) has beyond those cited / sum of weight(j)

A word that many sentences have says little about which of them to cite, so that it weighs little.
The candidate of the largest gain is cited first, then the one that adds most to it, as long as it
adds LEAST_GAIN. Nothing of a candidate's cover depends on the others.

How words are weighed was chosen on the development claims of WiCE, out of some thirty ways that
were within two points of one another (python -m lab.accuracy ground).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from tokalign.decoding.evidence import SupportColumn
from tokalign.grounding.candidates import AlignedCandidate, AnswerWords
from tokalign.grounding.sources import local_weights

LEAST_GAIN = 0.02
_MASS = int(SupportColumn.MASS)


class Cited(NamedTuple):
    """A candidate that is cited, and its cover."""

    candidate: int
    cover: float


def choose(words: AnswerWords, candidates: Sequence[AlignedCandidate]) -> list[Cited]:
    """Return what to cite, the best first; of equal candidates the first."""
    if not candidates or not words.weights.any():
        return []
    mass = np.array([each.rows[:, _MASS] for each in candidates], np.float64)
    covers = np.minimum(mass @ words.weights / words.weights.sum(), 1.0).tolist()
    held = words.holders[:, [each.number for each in candidates]].T
    weights = local_weights(words.weights, words.holders)
    told = (2.0 * mass + held) / 3.0 * (weights / weights.sum())
    cited: list[Cited] = []
    covered = np.zeros(told.shape[1])
    while len(cited) < len(candidates):
        gains = np.maximum(told - covered, 0.0).sum(axis=1)
        gains[[each.candidate for each in cited]] = -1.0
        best = int(gains.argmax())
        if gains[best] < LEAST_GAIN:
            break
        cited.append(Cited(best, covers[best]))
        covered = np.maximum(covered, told[best])
    return cited
