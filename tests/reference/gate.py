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


def unread(source: Sequence[str], target: Sequence[str], context: int) -> tuple[int, int]:
    """Return how many first and last words of both sides no encoder reads below an effort of 1.

    Twin of ReadPart.of: the most words that both sides begin with, and then end with, none of the
    shorter side counted twice, without the context
    """
    lower = [[token.lower() for token in side] for side in (source, target)]
    most = min(map(len, lower))
    begun = max(k for k in range(most + 1) if lower[0][:k] == lower[1][:k])
    ended = max(
        k
        for k in range(most - begun + 1)
        if lower[0][len(lower[0]) - k :] == lower[1][len(lower[1]) - k :]
    )
    return max(begun - context, 0), max(ended - context, 0)


def padded(
    inner: NDArray[np.float32], before: int, behind: int, same: tuple[float, float, float]
) -> list[list[float]]:
    """Return log-probabilities of whole sides, cell by cell; twin of ReadPart.whole."""
    n_rows, n_columns = inner.shape[0] + before + behind, inner.shape[1] - 1 + before + behind
    found = []
    for i in range(n_rows):
        is_read = before <= i < n_rows - behind
        row = [float(inner[i - before, 0]) if is_read else same[1]]
        for j in range(n_columns):
            if is_read and before <= j < n_columns - behind:
                row.append(float(inner[i - before, j - before + 1]))
            else:
                pairs_begin = i == j < before
                pairs_end = n_rows - i == n_columns - j <= behind
                row.append(same[0] if pairs_begin or pairs_end else same[2])
        found.append(row)
    return found
