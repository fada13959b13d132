"""Evidence as a reader sees it: numbered sources, the claims that cite them, and layers of marks.

Offsets count code points here, since texts are cut by them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from tokalign.types.grounding import (
    Citation,
    GroundedSentence,
    Grounding,
    SourceConflict,
    SourcePassage,
    WordKind,
)
from tokalign.types.relations import ConflictKind

PLAIN = {
    ConflictKind.OPPOSITE: "opposite",
    ConflictKind.DIFFERENT_VALUE: "different value",
    ConflictKind.NEGATION: "negation",
    ConflictKind.ROLES: "roles exchanged",
    ConflictKind.DEGREE: "degree",
}
"""What a person reads for each kind of conflict."""
CHECKED = (WordKind.VALUE, WordKind.NAME, WordKind.CONTENT)
"""Kinds of words that can be unsupported."""


@dataclass(slots=True)
class CitedSource:
    """A sentence of a passage that is cited.

    Attributes
    ----------
    number : int
        From 1, in the order in which the answer cites.
    passage : SourcePassage
    start, end : int
        Half-open range of the passage's text.
    cited : list of (int, Citation)
        0-based sentences of the answer that cite it, and how.
    """

    number: int
    passage: SourcePassage
    start: int
    end: int
    cited: list[tuple[int, Citation]] = field(default_factory=list)

    @property
    def text(self) -> str:
        """The sentence."""
        return self.passage.text[self.start : self.end]

    @property
    def line(self) -> int:
        """Number of the passage's line where it begins, from 1."""
        return self.passage.text.count("\n", 0, self.start) + 1


def sources_of(grounding: Grounding) -> dict[tuple[str, int], CitedSource]:
    """Return the cited sentences by passage and start, in the order of their numbers."""
    passages = {passage.id: passage for passage in grounding.passages}
    found: dict[tuple[str, int], CitedSource] = {}
    for number, sentence in enumerate(grounding.sentences):
        for citation in sentence.citations:
            key = citation.passage, citation.start
            if key not in found:
                passage = passages[citation.passage]
                found[key] = CitedSource(len(found) + 1, passage, citation.start, citation.end)
            found[key].cited.append((number, citation))
    return found


def conflicts_of(grounding: Grounding) -> list[SourceConflict]:
    """Return all conflicts in the order of the answer."""
    return [conflict for sentence in grounding.sentences for conflict in sentence.conflicts]


def source_of(sources: dict[tuple[str, int], CitedSource], conflict: SourceConflict) -> CitedSource:
    """Return the cited sentence that a conflict is with."""
    return next(
        source
        for source in sources.values()
        if source.passage.id == conflict.passage
        and source.start <= conflict.passage_start
        and conflict.passage_end <= source.end
    )


def uncovered(grounding: Grounding) -> Iterator[tuple[str, GroundedSentence | None]]:
    """Yield the answer in pieces: each sentence, and what stands before and after (None)."""
    at = 0
    for sentence in grounding.sentences:
        yield grounding.answer[at : sentence.start], None
        yield grounding.answer[sentence.start : sentence.end], sentence
        at = sentence.end
    yield grounding.answer[at:], None


Marking = Sequence[tuple[int, int]]
"""Half-open ranges of a text that are marked in one way; they may overlap."""
MarkedPiece = tuple[int, int, tuple[tuple[int, ...], ...]]


def pieces(start: int, end: int, layers: Sequence[Marking]) -> Iterator[MarkedPiece]:
    """Yield the longest pieces of a text that have the same marks.

    Parameters
    ----------
    start, end : int
        Half-open range of the text.
    layers : sequence of sequences of (int, int)

    Yields
    ------
    (start, end, marks)
        With the positions, in each layer, of the ranges that hold the piece.

    Examples
    --------
    >>> for piece in pieces(0, 9, [[(2, 6)], [(4, 9), (5, 9)]]):
    ...     print(piece)
    (0, 2, ((), ()))
    (2, 4, ((0,), ()))
    (4, 5, ((0,), (0,)))
    (5, 6, ((0,), (0, 1)))
    (6, 9, ((), (0, 1)))
    """
    cuts = {start, end}
    starting: dict[int, list[tuple[int, int]]] = {}
    ending: dict[int, list[tuple[int, int]]] = {}
    for depth, layer in enumerate(layers):
        for position, (first, last) in enumerate(layer):
            first, last = max(first, start), min(last, end)
            if first >= last:
                continue
            cuts |= {first, last}
            starting.setdefault(first, []).append((depth, position))
            ending.setdefault(last, []).append((depth, position))
    here: list[set[int]] = [set() for _ in layers]
    ordered = sorted(cuts)
    for first, last in pairwise(ordered):
        for depth, position in ending.get(first, ()):
            here[depth].discard(position)
        for depth, position in starting.get(first, ()):
            here[depth].add(position)
        yield first, last, tuple(tuple(sorted(each)) for each in here)
