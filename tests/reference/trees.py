"""Tree edit distance by its plain recursive definition, with memory: the judge of `kernels.pyx`.

A tree is a token and the trees that hang from it; a forest is a tuple of trees.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Tree: TypeAlias = "tuple[int, Forest]"
Forest: TypeAlias = tuple[Tree, ...]


def forest_of(heads: Sequence[int], parent: int = -1) -> Forest:
    """Return what hangs from a token, or from the artificial root."""
    return tuple(
        (token, forest_of(heads, token)) for token, head in enumerate(heads) if head == parent
    )


def cheapest_script(
    source_heads: Sequence[int],
    target_heads: Sequence[int],
    substitution: NDArray[np.int32],
    deletion: int = 1,
    insertion: int = 1,
) -> tuple[int, list[int]]:
    """Return the distance and each source token's partner, -1 where it is deleted."""
    roots = [((-1, forest_of(heads)),) for heads in (source_heads, target_heads)]

    def substituted(v: int, w: int) -> int:
        if v < 0 or w < 0:
            return 0 if v == w else deletion + insertion
        return int(substitution[v, w])

    @cache
    def edit(source: Forest, target: Forest) -> tuple[int, frozenset[tuple[int, int]]]:
        """Return the cost of making one forest the other, and which nodes are substituted."""
        if not source and not target:
            return 0, frozenset()
        choices = []
        if source and target:
            (v, below_v), (w, below_w) = source[-1], target[-1]
            if len(source) == len(target) == 1:
                cost, links = edit(below_v, below_w)
                choices.append((cost + substituted(v, w), links | {(v, w)}))
            else:
                (cost, links), (rest, others) = (
                    edit(source[-1:], target[-1:]),
                    edit(source[:-1], target[:-1]),
                )
                choices.append((cost + rest, links | others))
        if source:
            cost, links = edit(source[:-1] + source[-1][1], target)
            choices.append((cost + deletion, links))
        if target:
            cost, links = edit(source, target[:-1] + target[-1][1])
            choices.append((cost + insertion, links))
        return min(choices, key=lambda choice: choice[0])  # the first of equally cheap ones

    distance, links = edit(*roots)
    partner = dict(links)
    return distance, [partner.get(token, -1) for token in range(len(source_heads))]
