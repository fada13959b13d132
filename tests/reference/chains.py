"""Chains of blocks and partners of sentences, found by trying all."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

Block = tuple[int, int, int, int]


def chains(blocks: Sequence[Block]) -> Iterator[tuple[int, ...]]:
    """Yield all sets of blocks that keep the order of both texts, as rising numbers."""

    def longer(chain: tuple[int, ...], old_end: int, new_end: int) -> Iterator[tuple[int, ...]]:
        yield chain
        for k, (old_first, n_old, new_first, n_new) in enumerate(blocks):
            if old_first >= old_end and new_first >= new_end:
                yield from longer((*chain, k), old_first + n_old, new_first + n_new)

    return longer((), 0, 0)


def best_chain(blocks: Sequence[Block], gains: Sequence[int]) -> tuple[int, ...]:
    """Return the chain of the highest total gain; of equal ones, the first by its numbers."""
    return min(chains(blocks), key=lambda chain: (-sum(gains[k] for k in chain), chain))


def best_partners(
    side: Sequence[set[int]],
    other: Sequence[set[int]],
    weights: Sequence[float],
    ranges: Sequence[tuple[int, int]],
    most: int,
) -> list[dict[int, float]]:
    """Return for each sentence its score with each that shares a stem which is looked up."""
    found = []
    for stems, (first, end) in zip(side, ranges, strict=True):
        looked_up = {s for s in stems if sum(s in other[j] for j in range(first, end)) <= most}
        total = sum(weights[s] for s in stems)
        scores = {}
        for j in range(first, end):
            shared = sum(weights[s] for s in looked_up & other[j])
            if shared:
                size = sum(weights[s] for s in other[j])
                scores[j] = shared / math.sqrt(total * size)
        found.append(scores)
    return found
