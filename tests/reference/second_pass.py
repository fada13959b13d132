"""Slow, obvious twin of the second pass over cells."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from reference.pair import ReferencePair

Array = NDArray[np.float64]
KINDS = ("content", "function", "mark")


def mean_of(s2t: Array, t2s: Array) -> Array:
    return (s2t[:, 1:] + t2s[:, 1:].T) / 2


def likely_cells(s2t: Array, t2s: Array) -> list[tuple[int, int]]:
    """Twin of tokalign.decoding.second_pass.is_likely."""
    largest = np.maximum(s2t[:, 1:], t2s[:, 1:].T)
    return [(int(i), int(j)) for i, j in np.argwhere(largest >= 0.002)]


def cell_inputs(
    pair: ReferencePair,
    s2t: Array,
    t2s: Array,
    encoded: tuple[NDArray[np.float32], NDArray[np.float32]],
    tags: tuple[list[int], list[int]],
    i: int,
    j: int,
) -> list[float]:
    """Twin of tokalign.decoding.second_pass.cell_inputs; `tags` are numbers of both sides' tags."""
    mean = mean_of(s2t, t2s)
    by_source, by_target = (np.asarray(each, dtype=np.float64) for each in encoded)
    here, there = by_source[i, j + 1], by_target[j, i + 1]
    row = [(k, mean[i, k], by_source[i, k + 1]) for k in range(mean.shape[1]) if k != j]
    column = [(k, mean[k, j], by_target[j, k + 1]) for k in range(mean.shape[0]) if k != i]
    padded = np.pad(mean, 1, constant_values=-0.5)
    nearest = [
        min((k for k, p, _ in line if p >= 0.5), key=lambda k: (abs(k - at), k), default=None)
        for line, at in ((row, j), (column, i))
    ]
    return [
        *map(log_odds, (s2t[i, j + 1], t2s[j, i + 1], mean[i, j], s2t[i, 0], t2s[j, 0])),
        here,
        there,
        here - by_source[i, 0],
        there - by_target[j, 0],
        by_source[i, 0],
        by_target[j, 0],
        here - max((encoded for _, _, encoded in row), default=-30.0),
        there - max((encoded for _, _, encoded in column), default=-30.0),
        max((p for _, p, _ in row), default=0.0),
        max((p for _, p, _ in column), default=0.0),
        mean[i].sum(),
        mean[:, j].sum(),
        *(padded[i + a, j + b] for a in range(3) for b in range(3) if (a, b) != (1, 1)),
        mean[i, j] >= 0.5,
        (mean[i] >= 0.5).sum(),
        (mean[:, j] >= 0.5).sum(),
        *(99.0 if k is None else k - at for k, at in zip(nearest, (j, i), strict=True)),
        tags[0][i],
        tags[1][j],
        *(tag_at(tags[0], k) for k in (i - 1, i + 1)),
        *(tag_at(tags[1], k) for k in (j - 1, j + 1)),
        *(
            -1.0 if k is None else side[k]
            for k, side in zip(nearest, (tags[1], tags[0]), strict=True)
        ),
        KINDS.index(pair.source.words[i].kind),
        KINDS.index(pair.target.words[j].kind),
    ]


def tag_at(tags: list[int], at: int) -> float:
    return tags[at] if 0 <= at < len(tags) else -1.0


def log_odds(p: float) -> float:
    p = min(max(p, 1e-6), 1 - 1e-6)
    return math.log(p) - math.log(1 - p)


def revised(s2t: Array, t2s: Array, cells: NDArray[np.int32], log_odds_of_cells: Array) -> Array:
    """Return how likely each link is, once trees have said what the log odds of some cells are."""
    found = mean_of(s2t, t2s)
    for (i, j), score in zip(cells.tolist(), log_odds_of_cells.tolist(), strict=True):
        found[i, j] = 1 / (1 + math.exp(-score))
    return found
