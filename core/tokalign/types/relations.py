"""Relations of linked words, phrases and chunks, and conflicts of sentences.

Chunks are those of interpretable similarity: Agirre, Gonzalez-Agirre, Lopez-Gazpio, Maritxalar,
Rigau and Uria (2016), SemEval: Task 2, Interpretable Semantic Textual Similarity.
"""

import enum
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Self, TypeAlias

from tokalign.errors import InputError
from tokalign.types.display import Shown, plain
from tokalign.types.sentence import Sentence


class RelationKind(enum.StrEnum):
    """Kinds of relations between the two sides of a link or phrase link, from the source's view.

    ``same``: the same meaning here. ``narrower``: the source is more specific (dog, animal).
    ``wider``: the target is. ``similar``: similar in meaning otherwise (car, lorry). ``related``:
    on one subject (doctor, hospital). ``opposite``: one denies the other (rise, fall).
    ``different-value``: different numbers, dates, or names of one kind.
    """

    SAME = "same"
    NARROWER = "narrower"
    WIDER = "wider"
    SIMILAR = "similar"
    RELATED = "related"
    OPPOSITE = "opposite"
    DIFFERENT_VALUE = "different-value"


RELATION_KINDS: tuple[RelationKind, ...] = tuple(RelationKind)

TURNED_KINDS = (0, 2, 1, 3, 4, 5, 6)
"""Number of each kind as the target sees it: narrower and wider change places."""


RELATION_SIGNS: dict[str, str] = {
    RelationKind.SAME: "=",
    RelationKind.NARROWER: "<",
    RelationKind.WIDER: ">",
    RelationKind.SIMILAR: "≈",
    RelationKind.RELATED: "~",
    RelationKind.OPPOSITE: "!",
    RelationKind.DIFFERENT_VALUE: "≠",
}
"""Sign of each kind for drawn links."""


@dataclass(frozen=True, slots=True)
class Relation(Shown):
    """How the two sides of a link or phrase link are related.

    Attributes
    ----------
    probabilities : tuple of float
        One for each kind, in the order of RelationKind; they sum to one. An older server sends
        fewer, a newer one more, with new kinds last.
    """

    probabilities: tuple[float, ...]

    @classmethod
    def of(cls, probabilities: Sequence[float]) -> Self:
        """Return the relation with these probabilities."""
        return cls(tuple(probabilities))

    @property
    def kind(self) -> RelationKind:
        """The likeliest kind.

        InputError is raised if only a newer server knows that kind.
        """
        found = self.known_kind()
        if found is None:
            number = self.probabilities.index(self.probability) + 1
            raise InputError(
                f"relation kind {number} is unknown; wanted a value of tokalign.v1.RelationKind: "
                "the server is newer than this tokalign, which knows "
                f"{', '.join(RELATION_KINDS)}; update it",
                field="relations",
            )
        return found

    def turned(self) -> Self:
        """Return the relation as the target sees it."""
        return type(self)(tuple(self.probabilities[k] for k in TURNED_KINDS))

    def known_kind(self) -> RelationKind | None:
        """Return the likeliest kind, or None if only a newer server knows it."""
        place = self.probabilities.index(self.probability)
        return RELATION_KINDS[place] if place < len(RELATION_KINDS) else None

    @property
    def probability(self) -> float:
        """The probability of the likeliest kind."""
        return max(self.probabilities)

    @property
    def name(self) -> str:
        """The likeliest kind, also one that only a newer server knows."""
        return self.known_kind() or "unknown"

    def lines(self, *, is_coloured: bool = False) -> list[str]:
        return [f"{self.name} ({self.probability:.2f})"]

    def to_dict(self) -> dict[str, Any]:
        """Return the likeliest kind, its probability, and those of all kinds."""
        found: dict[str, Any] = plain(self._row())
        return found | {"probabilities": plain(dict(zip(*self._table().values(), strict=True)))}

    def _table(self) -> dict[str, list[Any]]:
        n = len(self.probabilities)
        kinds = [*RELATION_KINDS[:n], *["unknown"] * (n - len(RELATION_KINDS))]
        return {"kind": list(map(str, kinds)), "probability": list(self.probabilities)}

    def _row(self) -> dict[str, Any]:
        return {"kind": str(self.name), "probability": self.probability}


class ConflictKind(enum.StrEnum):
    """Kinds of what two sentences say that cannot both hold.

    ``value``: different numbers, dates, amounts of money or measures. ``name``: different names.
    ``negation``: only one side denies. ``modality``: must, should, may. ``quantity``: all, some,
    only. ``opposite``: opposites. ``roles``: who does it to whom, or what is compared with what, is
    exchanged. ``condition``: if, unless, until. ``code``: different identifiers, versions, numbers
    of parts.
    """

    VALUE = "value"
    NAME = "name"
    NEGATION = "negation"
    MODALITY = "modality"
    QUANTITY = "quantity"
    OPPOSITE = "opposite"
    ROLES = "roles"
    CONDITION = "condition"
    CODE = "code"


CONFLICT_KINDS: tuple[ConflictKind, ...] = tuple(ConflictKind)


class ConflictReason(enum.StrEnum):
    """How a conflict was seen.

    ``other-value``, ``other-sign``, ``other-unit``: values that are not equal, of which one has a
    minus, or of which only the unit differs. ``other-code``, ``other-name``: where both have one.
    ``opposites``: of WordNet or our table. ``other-degree``: words of one scale (must, may; all,
    some). ``denied``: one side denies the word. ``other-doer``: who does it to whom is exchanged.
    ``other-comparison``: what is more than what is exchanged. ``other-place``: two words changed
    places. ``one-sided``: the other side lacks the modal, word of quantity or condition.
    ``other-thing``: things of one class (rice, pasta).
    """

    VALUE = "other-value"
    SIGN = "other-sign"
    UNIT = "other-unit"
    CODE = "other-code"
    NAME = "other-name"
    OPPOSITES = "opposites"
    DEGREE = "other-degree"
    DENIED = "denied"
    DOER = "other-doer"
    COMPARISON = "other-comparison"
    PLACE = "other-place"
    ONE_SIDED = "one-sided"
    THING = "other-thing"


CONFLICT_REASONS: tuple[ConflictReason, ...] = tuple(ConflictReason)


@dataclass(frozen=True, slots=True)
class Conflict:
    """One conflict.

    Attributes
    ----------
    kind : ConflictKind
    source, target : int
        0-based tokens that show it; for a negation the word that one side denies, and its partner;
        for roles the word whose roles are exchanged, and its partner; for a word that the other
        side lacks the partner of what it governs.
    probability : float
        That people call it a conflict, in [0, 1].
    source_span, target_span : (int, int)
        Half-open ranges of all tokens to show: a value with its unit and sign, a whole name, a
        negation with the word that it denies.
    reason : ConflictReason
    """

    kind: ConflictKind
    source: int
    target: int
    probability: float
    source_span: tuple[int, int]
    target_span: tuple[int, int]
    reason: ConflictReason


@dataclass(frozen=True, slots=True)
class InputContribution:
    """One input of an explained relation; contributions and the base sum to the score."""

    name: str
    value: float
    contribution: float


@dataclass(frozen=True, slots=True)
class RelationExplanation:
    """Explanation of the relation of two words or phrases.

    Attributes
    ----------
    source, target : tuple of int
        The compared tokens: those of the link, and of links that share tokens with it.
    relation : Relation
    kind : RelationKind
        The explained kind.
    score : float
        Score of that kind, before softmax.
    inputs : tuple of InputContribution
        Inputs that changed the score, by falling absolute contribution; as the longer sentence of
        the pair sees them.
    """

    source: tuple[int, ...]
    target: tuple[int, ...]
    relation: Relation
    kind: RelationKind
    score: float
    inputs: tuple[InputContribution, ...]

    def turned(self) -> Self:
        """Return the explanation with source and target exchanged; inputs stay as they are."""
        relation = self.relation.turned()
        return replace(
            self, source=self.target, target=self.source, relation=relation, kind=relation.kind
        )


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
