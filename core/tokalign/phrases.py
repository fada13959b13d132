"""Phrase links: the maximal blocks of an alignment.

A block is a run of neighbouring source tokens and a run of neighbouring target tokens of which
every one is linked with every one of the other side. It is maximal where no other block holds it.
Annotators mark phrases so ("shut down" with "closed"): Yao, Van Durme, Callison-Burch and Clark
(2013), EMNLP: Semi-Markov Phrase-Based Monolingual Alignment, section 2.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, order=True)
class Phrase:
    """One maximal block; a single link that is part of no larger block is one, too.

    Attributes
    ----------
    source_start, source_end : int
        Half-open range of source tokens.
    target_start, target_end : int
        Half-open range of target tokens.
    confidence : float
        The least confidence of the block's links, in [0, 1].
    """

    source_start: int
    source_end: int
    target_start: int
    target_end: int
    confidence: float = 1.0


def maximal_blocks(links: Mapping[tuple[int, int], float]) -> tuple[Phrase, ...]:
    """Return the maximal blocks of links, sorted by where they start.

    Parameters
    ----------
    links : dict
        Confidence of every (source, target).

    Notes
    -----
    Each link is part of at least one block. Blocks share links where linked cells form a corner.

    Examples
    --------
    >>> maximal_blocks({(0, 0): 0.9, (0, 1): 0.8, (2, 3): 1.0})
    (Phrase(source_start=0, source_end=1, target_start=0, target_end=2, confidence=0.8), \
Phrase(source_start=2, source_end=3, target_start=3, target_end=4, confidence=1.0))
    """
    columns: dict[int, set[int]] = {}
    for i, j in links:
        columns.setdefault(i, set()).add(j)
    found = []
    for top in columns:
        shared, end = set(columns[top]), top
        while shared:
            end += 1
            below = columns.get(end, set())
            for start, stop in _runs(shared):
                run = set(range(start, stop))
                if not run <= below and not run <= columns.get(top - 1, set()):
                    confidence = min(links[i, j] for i in range(top, end) for j in run)
                    found.append(Phrase(top, end, start, stop, confidence))
            shared &= below
    return tuple(sorted(found))


def _runs(numbers: Iterable[int]) -> Iterator[tuple[int, int]]:
    """Yield the half-open ranges that make up a set of numbers."""
    start = stop = None
    for number in sorted(numbers):
        if number != stop:
            if start is not None and stop is not None:
                yield start, stop
            start = number
        stop = number + 1
    if start is not None and stop is not None:
        yield start, stop
