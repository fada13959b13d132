"""Phrase links: the maximal blocks of an alignment.

A block is a run of neighbouring source tokens and a run of neighbouring target tokens of which
every one is linked with every one of the other side. It is maximal where no other block holds it.
Annotators mark phrases so ("shut down" with "closed"): Yao, Van Durme, Callison-Burch and Clark
(2013), EMNLP: Semi-Markov Phrase-Based Monolingual Alignment, section 2.

A block of a model has a probability of its own: that every token of either side is linked within
the block, each direction over its own chain, and the mean of both. It is no function of its links'
probabilities. Of one word with two, the direction that labels the one word shares its probability
out among two links, which as a block keep all of it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from tokalign.types.relations import Relation

Block: TypeAlias = tuple[int, int, int, int]
"""Half-open ranges: source_start, source_end, target_start, target_end."""


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
        In [0, 1]. Of a model, the probability that both sides are linked within the block alone,
        calibrated as links are; of a block of one link, that link's. Of a system of the
        literature, the least confidence of the block's links.
    relation : Relation or None
        What both sides say of one another, where asked for. Phrases are compared without it.
    """

    source_start: int
    source_end: int
    target_start: int
    target_end: int
    confidence: float = 1.0
    relation: Relation | None = field(default=None, compare=False)


def links_of(block: Block) -> Iterator[tuple[int, int]]:
    """Yield the (source, target) links of a block."""
    source_start, source_end, target_start, target_end = block
    for i in range(source_start, source_end):
        for j in range(target_start, target_end):
            yield i, j


def weakest_links(links: Mapping[tuple[int, int], float]) -> tuple[Phrase, ...]:
    """Return the maximal blocks of links, each as confident as its least confident link.

    Parameters
    ----------
    links : dict
        Confidence of every (source, target).
    """
    return tuple(
        Phrase(*block, min(links[link] for link in links_of(block)))
        for block in maximal_blocks(links)
    )


def maximal_blocks(links: Iterable[tuple[int, int]]) -> tuple[Block, ...]:
    """Return the maximal blocks of (source, target) links, sorted by where they start.

    Notes
    -----
    Each link is part of at least one block. Blocks share links where linked cells form a corner.

    Examples
    --------
    >>> maximal_blocks([(0, 0), (0, 1), (2, 3)])
    ((0, 1, 0, 2), (2, 3, 3, 4))
    """
    columns: dict[int, set[int]] = {}
    for i, j in links:
        columns.setdefault(i, set()).add(j)
    found = []
    for top in columns:
        shared, end = set(columns[top]), top
        above = columns.get(top - 1, set())
        # What the row above has, too, is part of a larger block, and so is all that is left of it.
        while not shared <= above:
            end += 1
            below = columns.get(end, set())
            for start, stop in _runs(shared):
                run = set(range(start, stop))
                if not run <= below and not run <= above:
                    found.append((top, end, start, stop))
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
