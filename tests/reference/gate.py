"""Slow, obvious twins of the gain that an encoder is expected to bring, and of who reads a pair."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from tokalign.types import Alignment

EXACT, LINKED = 0.1, 0.5


def expected_gain(
    s2t_posterior: NDArray[np.float64], t2s_posterior: NDArray[np.float64], alignment: Alignment
) -> float:
    """Twin of tokalign.decoding.batch, of a pair that is decided."""
    mean = (s2t_posterior[:, 1:] + t2s_posterior[:, 1:].T) / 2
    linked = np.zeros(mean.shape, dtype=bool)
    for link in alignment.links:
        linked[link.source, link.target] = True
    size = linked.sum() + mean.sum()
    loss = 1 - 2 * mean[linked].sum() / size if size else 0.0
    fault = np.where(linked, 1 - mean, mean)
    surprise = sum(min(-np.log(1 - each), 5.0) if each < 1 else 5.0 for each in fault.ravel())
    exact = np.exp(-surprise / 2) - np.exp(-surprise)
    share = min(mean.sum() / (LINKED * min(mean.shape)), 1.0)
    return float((loss / 2 + EXACT * exact) * share**2 / sum(mean.shape))


def last_reader(gains: Sequence[float], works: Sequence[float], least: float) -> int:
    """Return how many encoders read a pair, each only what the one before has read.

    `gains`: weighed, by the decision before each encoder. `works`: of each for a token.
    """
    for number, (gain, work) in enumerate(zip(gains, works, strict=True)):
        if gain / work < least:
            return number
    return len(works)
