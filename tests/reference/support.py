"""Slow, obvious twin of the columns of support."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray
from tokalign.grounding.sources import LEAST_SHARE, SHARED_BEFORE, local_weights

from reference.pair import ReferencePair
from reference.units import Units

REACH = 4


def _mean(values: Sequence[float], weights: Sequence[float] | None = None) -> float:
    return float(np.average(values, weights=weights)) if len(values) else 0.0


def support_columns(
    pair: ReferencePair,
    units: Units,
    s2t: NDArray[np.float64],
    t2s: NDArray[np.float64],
) -> list[dict[str, float]]:
    """Return the columns of each target word by name; posteriors have NULL in column 0."""
    source, target = pair.source, pair.target
    forth, back = s2t[:, 1:], t2s[:, 1:].T
    mean = (forth + back) / 2
    mass = np.minimum(np.minimum(forth, back).sum(axis=0), 1.0)
    content = [j for j in range(len(target)) if target.words[j].kind == "content"]
    rows = []
    for j in range(len(target)):
        before = [k for k in content if k < j][::-1][:REACH]
        after = [k for k in content if k > j][:REACH]
        near = [(k, 1.0 / d) for side in (before, after) for d, k in enumerate(side, start=1)]
        window = _mean([mass[k] for k, _ in near], [weight for _, weight in near])
        head = None if target.heads is None else target.head(j)
        around = [k for k in (head, *target.children(j)) if k in content]
        beside = [side[0] for side in (before, after) if side]
        best = mean.argmax(axis=0)
        weights = [units.weight(target.words[k]) for k in content]
        rows.append(
            {
                "mass": float(mass[j]),
                "best": float(mean[:, j].max()),
                "same": min(
                    1.0,
                    sum(mean[i, j] for i in range(len(source)) if units.are_same((i, j))),
                ),
                "strength": min(1.0, max(pair.strengths[i, j] for i in range(len(source)))),
                "alike": min(
                    1.0, sum(mean[i, j] * pair.strengths[i, j] for i in range(len(source)))
                ),
                "window": window,
                "tree": _mean([mass[k] for k in around]) if target.heads is not None else window,
                "order": _mean(
                    [
                        min(mass[j], mass[k]) / (1 + abs(int(best[k]) - int(best[j]) - (k - j)))
                        for k in beside
                    ]
                ),
                "cover": _mean([mass[k] for k in content], weights) if sum(weights) else 0.0,
            }
        )
    return rows


def candidates(
    holders: NDArray[np.bool_], weights: NDArray[np.float64], starts: Sequence[int], n: int
) -> list[int]:
    """Return the sentences of each passage that are candidates, those that add most, at most n; the
    n of all passages that share most if none shares enough."""
    least = LEAST_SHARE * weights.sum()
    found = []
    for start, end in pairwise(starts):
        own = holders[:, start:end]
        left, chosen = local_weights(weights, own), []
        for _ in range(min(n, end - start)):
            gains = np.where(weights @ own > least, left @ own, -1.0)
            gains[chosen] = -1.0
            if gains.max() >= 0.0:
                chosen.append(int(gains.argmax()))
                left[own[:, chosen[-1]]] *= SHARED_BEFORE
        found += sorted(start + each for each in chosen)
    if not found and least:
        found = sorted(sorted(range(starts[-1]), key=lambda each: -(weights @ holders)[each])[:n])
    return found
