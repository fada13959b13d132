"""Slow twin of tokalign.decoding.second_pass."""

from __future__ import annotations

from collections.abc import Callable
from math import log

import numpy as np
from numpy.typing import NDArray

MOST_CELLS = 100
LOW, HIGH, LEAST_CLOSING = 0.06, 0.94, 0.005
MOST_CHANGED, MOST_AT_ONCE = 8, 3
SMALLEST = 1e-4

Array = NDArray[np.float64]
Cell = tuple[int, int]
Links = frozenset[Cell]


def closing(links: Links) -> set[Cell]:
    """Return the cells that would be the fourth corner of a square of links."""
    return {
        (i, j)
        for i, other_j in links
        for other_i, j in links
        if (other_i, other_j) in links and (i, j) not in links
    }


def groups(posterior: Array, links: Links) -> list[list[Cell]]:
    """Return the open cells, those that hang together by rows and columns in one list; without
    large groups."""
    closes = closing(links)
    waiting = [
        cell
        for cell, p in np.ndenumerate(posterior)
        if LOW < p < HIGH or (cell in closes and p > LEAST_CLOSING)
    ]
    found = []
    while waiting:
        group = {waiting[0]}
        while more := {
            (i, j)
            for i, j in waiting
            if (i, j) not in group and any(i == k or j == m for k, m in group)
        }:
            group |= more
        if len(group) <= MOST_CELLS:
            found.append([cell for cell in waiting if cell in group])
        waiting = [cell for cell in waiting if cell not in group]
    return found


def candidates(posterior: Array, links: Links, group: list[Cell]) -> list[Links]:
    """Return the decisions that compete: the given one, then what it is with up to MOST_AT_ONCE
    changes among the least sure cells; those of fewer changes first."""
    order = sorted(group, key=lambda cell: abs(posterior[cell] - 0.5))[:MOST_CHANGED]
    changes = [
        [cell for k, cell in enumerate(order) if bits >> k & 1] for bits in range(2 ** len(order))
    ]
    return [
        links.symmetric_difference(changed)
        for changed in sorted(changes, key=len)
        if len(changed) <= MOST_AT_ONCE
    ]


def inputs(posterior: Array, links: Links, base: Links, group: list[Cell]) -> list[float]:
    """Return the inputs of a decision, in the order of INPUTS."""
    p = np.clip(posterior, SMALLEST, 1 - SMALLEST)

    def logs(decided: Links) -> list[float]:
        return [log(p[cell] if cell in decided else 1 - p[cell]) for cell in group]

    rows, columns = {i for i, _ in group}, {j for _, j in group}
    in_row = [sorted(j for i, j in links if i == row) for row in rows]
    in_column = [sorted(i for i, j in links if j == column) for column in columns]
    on = [p[cell] for cell in group if cell in links]
    off = [p[cell] for cell in group if cell not in links]
    found = [
        sum(logs(links)), min(logs(links)), sum(logs(base)) - sum(logs(links)),
        len(group), len(on), min(on, default=1.0), max(off, default=0.0),
        sum(i in rows or j in columns for i, j in closing(links)),
    ]  # fmt: skip
    for lines in (in_row, in_column):
        found += [
            sum(not line for line in lines),
            sum(len(line) > 1 for line in lines),
            sum(line[-1] - line[0] + 1 - len(line) for line in lines if line),
        ]
    return found


def chosen(posterior: Array, links: Links, score: Callable[[list[list[float]]], Array]) -> Links:
    """Return the links once the best decision on every group was taken; of equal ones the first."""
    found = links
    for group in groups(posterior, links):
        compared = candidates(posterior, links, group)
        scores = score([inputs(posterior, each, links, group) for each in compared])
        found ^= links ^ compared[int(scores.argmax())]
    return found
