"""Phrase links: the maximal blocks of an alignment.

A block is a run of source tokens and a run of target tokens, in which every token is linked with
every token of the other side. It is maximal if no other block contains it. Annotators mark phrases
so ("shut down" with "closed"): Yao, Van Durme, Callison-Burch and Clark (2013), EMNLP: Semi-Markov
Phrase-Based Monolingual Alignment, section 2.

A model gives a block a probability: that every token of either side is linked within the block,
computed over each direction's chain and averaged. It is not a function of its links' probabilities:
if one word is linked with two, the direction that labels the one word divides its probability
between two links, but the block keeps all of it.
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
    """One maximal block, possibly a single link.

    Attributes
    ----------
    source_start, source_end : int
        Half-open range of source tokens.
    target_start, target_end : int
        Half-open range of target tokens.
    confidence : float
        In [0, 1]. For a model, the probability that both sides are linked only within the block,
        calibrated like links; a single link keeps its own. For a published system, the least
        confidence of the block's links.
    relation : Relation or None
        Relation of both sides, if asked for. Phrases are compared without it.
    """

    source_start: int
    source_end: int
    target_start: int
    target_end: int
    confidence: float = 1.0
    relation: Relation | None = field(default=None, compare=False)

    def turned(self) -> Phrase:
        """Return the phrase with source and target exchanged."""
        return Phrase(
            self.target_start,
            self.target_end,
            self.source_start,
            self.source_end,
            self.confidence,
            self.relation and self.relation.turned(),
        )


def links_of(block: Block) -> Iterator[tuple[int, int]]:
    """Yield the (source, target) links of a block."""
    source_start, source_end, target_start, target_end = block
    for i in range(source_start, source_end):
        for j in range(target_start, target_end):
            yield i, j


def weakest_links(links: Mapping[tuple[int, int], float]) -> tuple[Phrase, ...]:
    """Return the maximal blocks of links, with the least confidence of their links."""
    return tuple(
        Phrase(*block, min(links[link] for link in links_of(block)))
        for block in maximal_blocks(links)
    )


def maximal_blocks(links: Iterable[tuple[int, int]]) -> tuple[Block, ...]:
    """Return the maximal blocks of (source, target) links, sorted by start.

    Notes
    -----
    Each link is in at least one block. Blocks share links if linked cells form a corner.

    Examples
    --------
    >>> maximal_blocks([(0, 0), (0, 1), (2, 3)])
    ((0, 1, 0, 2), (2, 3, 3, 4))
    """
    columns: dict[int, set[int]] = {}
    found = []
    cells = set(links)
    for i, j in cells:
        if cells.isdisjoint(((i - 1, j), (i + 1, j), (i, j - 1), (i, j + 1))):
            found.append((i, i + 1, j, j + 1))  # as most links
        else:
            columns.setdefault(i, set()).add(j)
    for top in columns:
        shared, end = set(columns[top]), top
        above = columns.get(top - 1, set())
        # Cells that the row above has as well, and all to the left of them, are in a larger block.
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
    """Yield the half-open ranges that cover a set of numbers."""
    start = stop = None
    for number in sorted(numbers):
        if number != stop:
            if start is not None and stop is not None:
                yield start, stop
            start = number
        stop = number + 1
    if start is not None and stop is not None:
        yield start, stop
