"""Chunks of two sentences and their alignment, after the task of interpretable similarity.

Agirre, Gonzalez-Agirre, Lopez-Gazpio, Maritxalar, Rigau and Uria (2016), SemEval: Task 2,
Interpretable Semantic Textual Similarity.
"""

from dataclasses import dataclass
from typing import TypeAlias

from tokalign.types.relations import Relation, RelationKind
from tokalign.types.sentence import Sentence

TokenChunk: TypeAlias = tuple[int, ...]
"""0-based tokens of a chunk, rising."""

CHUNK_TYPES: dict[RelationKind, str] = {
    RelationKind.SAME: "EQUI",
    RelationKind.NARROWER: "SPE1",
    RelationKind.WIDER: "SPE2",
    RelationKind.SIMILAR: "SIMI",
    RelationKind.RELATED: "REL",
    RelationKind.OPPOSITE: "OPPO",
    RelationKind.DIFFERENT_VALUE: "SIMI",
}
"""The task's type for each kind of relation; different values share one with another kind."""

NO_ALIGNMENT = "NOALI"
HIGHEST_SCORE = 5.0
"""Score of chunks with the same meaning."""


@dataclass(frozen=True, slots=True)
class ChunkLink:
    """Aligned chunks, or an unaligned chunk.

    Attributes
    ----------
    source, target : tuple of int
        0-based tokens of all aligned chunks, rising; empty on a side without a partner.
    type : str
        EQUI, SPE1, SPE2, SIMI, REL, OPPO or NOALI, perhaps with ``_FACT`` or ``_POL``.
    score : float or None
        Similarity, from 0 to 5; None for NIL in a file.
    probability : float
        In [0, 1]: that these chunks are aligned.
    relation : Relation or None
        Relation of the two, by a model.
    """

    source: TokenChunk
    target: TokenChunk
    type: str
    score: float | None
    probability: float = 1.0
    relation: Relation | None = None

    @property
    def is_aligned(self) -> bool:
        """Whether there are chunks on both sides."""
        return bool(self.source) and bool(self.target)


@dataclass(frozen=True, slots=True)
class ChunkedPair:
    """Two sentences with aligned chunks.

    Attributes
    ----------
    id : str
    source, target : Sentence
    links : tuple of ChunkLink
        Every token is in at most one of them.
    """

    id: str
    source: Sentence
    target: Sentence
    links: tuple[ChunkLink, ...]
