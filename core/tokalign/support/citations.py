"""What to cite for a sentence of an answer.

    weight(j)  = the word's inverse document frequency / (1 + what other candidates of the same
                 passage support of it)
    cover      = sum of weight(j) * MASS(j) / sum of weight(j)

A word that many sentences of a passage support says little about which of them to cite. The
candidate of the largest cover is cited first, then as long as it adds LEAST_GAIN the one that
covers most of what is not covered yet. Nothing of a candidate's cover depends on other passages.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tokalign.support.candidates import AlignedCandidate
from tokalign.support.columns import SupportColumn

LEAST_COVER = 0.1
"""Of a citation."""
LEAST_GAIN = 0.1
"""Of a citation after the first: the share of the sentence that those before it do not cover."""
_MASS = int(SupportColumn.MASS)


class Cited(NamedTuple):
    """A candidate that is cited, and its cover."""

    candidate: int
    cover: float


def covers(
    candidates: Sequence[AlignedCandidate], passages: Sequence[int], weights: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return the share of the sentence that each candidate supports, word by word.

    Parameters
    ----------
    candidates : sequence of AlignedCandidate, at least one
    passages : sequence of int
        The passage of each.
    weights : float64 array, shape (n_words,)

    Returns
    -------
    float64 array, shape (n_candidates, n_words)
        Rows sum to covers, in [0, 1].
    """
    mass = np.array([each.rows[:, _MASS] for each in candidates], np.float64)
    found = np.zeros(mass.shape)
    of = np.array(passages)
    for passage in dict.fromkeys(passages):
        own = of == passage
        others = mass[own].sum(axis=0) - mass[own]
        shares = weights / (1.0 + others)
        found[own] = mass[own] * shares / np.maximum(shares.sum(axis=1, keepdims=True), 1e-9)
    return found


def choose(cover: NDArray[np.float64]) -> list[Cited]:
    """Return what to cite, the best first; of equal candidates the first.

    Parameters
    ----------
    cover : float64 array, shape (n_candidates, n_words)
    """
    totals = cover.sum(axis=1)
    cited: list[Cited] = []
    covered = np.zeros(cover.shape[1])
    while len(cited) < len(cover):
        gains = np.maximum(cover - covered, 0.0).sum(axis=1)
        gains[[each.candidate for each in cited]] = -1.0
        best = int(gains.argmax())
        if gains[best] < (LEAST_GAIN if cited else LEAST_COVER):
            break
        cited.append(Cited(best, min(float(totals[best]), 1.0)))
        covered = np.maximum(covered, cover[best])
    return cited
