"""The alignments of a batch, column by column.

All alignments are decoded in batches, which stay in arrays; an `Alignment` is a view whose links
become objects only when they are read. Writers of many alignments (the server's workers, files of
columns) read the arrays instead, without an object per link.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from operator import attrgetter
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from tokalign.types.alignment import Alignment
from tokalign.types.edits import Edit
from tokalign.types.fields import OUTPUTS, Kept, LinkExplanation, Output
from tokalign.types.links import Link, Phrase, Sides
from tokalign.types.options import OffsetUnit, Symmetrization
from tokalign.types.relations import CONFLICT_KINDS, CONFLICT_REASONS, Conflict, Relation
from tokalign.types.sentence import Sentence, in_unit

CONFLICT = np.dtype(
    [
        *((name, np.int32) for name in ("kind", "reason", "source", "target")),
        *((name, np.int32) for name in ("source_start", "source_end")),
        *((name, np.int32) for name in ("target_start", "target_end")),
        ("probability", np.float32),
    ]
)
"""Type of a conflict in a column; its kind is an index in CONFLICT_KINDS, its reason likewise."""

EncoderFigures: TypeAlias = tuple[NDArray[np.float64], NDArray[np.float64]]
"""Cosines of the two sides of pairs, in [-1, 1], and the pairs' similarities; shape (n_pairs,)."""


@dataclass(slots=True, eq=False, kw_only=True)  # frozen would cost a batch of one pair 1%
class AlignmentColumns:
    """Alignments of pairs.

    Attributes
    ----------
    sources, targets : sequence of Sentence, length n_pairs
        The aligned sentences; their offsets count code points.
    offsets : int64 array, shape (n_pairs + 1,)
        Pair k has the links from ``offsets[k]`` to before ``offsets[k + 1]``.
    source, target : int32 array, shape (n_links,)
        0-based token indices, sorted by (source, target) within each pair.
    confidence : float64 array, shape (n_links,)
        In [0, 1].
    score : float64 array, shape (n_pairs,)
        See Alignment.
    aligned_similarity : float64 array, shape (n_pairs,)
        Similarity by the alignments alone; see `similarity`.
    target_covered, covered, agreement : float64 array, shape (n_pairs,)
    conflict_offsets : int64 array, shape (n_pairs + 1,)
        Pair k has the conflicts from ``conflict_offsets[k]`` on.
    conflicts : CONFLICT array, shape (n_conflicts,)
    conflict_inputs : float32 array, shape (n_conflicts, n_inputs), or None
        Inputs of the judge of conflicts, in training; else None.
    model, version : str
    symmetrization : Symmetrization
        The same of all pairs.
    posteriors : sequence of float32 array, shapes (n_source, n_target)
        One per pair, see Alignment; empty unless asked for. So are the next three.
    explanations : sequence of tuple of LinkExplanation
    phrases : sequence of tuple of Phrase
    edits : sequence of tuple of Edit
    distance : sequence of float or None
        One per pair; empty unless the published system measures it.
    unit : OffsetUnit
        Unit of the offsets of the alignments' sentences.
    truncated : sequence of (bool, bool)
        Per pair, whether the source and the target were truncated; empty unless asked for.
    styles : sequence of str
        Name of each pair's style; empty without styles.
    relations : float32 array, shape (n_links, n_kinds), or None
        Probability of each kind of relation of each link; None unless asked for.
    compare : callable or None
        Takes these columns and returns cosines and similarities by a sentence encoder. That costs
        as much as aligning, so it is called when a similarity is first read.
    encoded : bool or None
        The same of all pairs; see Alignment.
    """

    sources: Sequence[Sentence]
    targets: Sequence[Sentence]
    offsets: NDArray[np.int64]
    source: NDArray[np.int32]
    target: NDArray[np.int32]
    confidence: NDArray[np.float64]
    score: NDArray[np.float64]
    aligned_similarity: NDArray[np.float64]
    target_covered: NDArray[np.float64]
    covered: NDArray[np.float64]
    agreement: NDArray[np.float64]
    conflict_offsets: NDArray[np.int64]
    conflicts: NDArray[np.void]
    model: str
    version: str
    symmetrization: Symmetrization
    posteriors: Sequence[NDArray[np.float32]] = ()
    explanations: Sequence[tuple[LinkExplanation, ...]] = ()
    phrases: Sequence[tuple[Phrase, ...]] = ()
    edits: Sequence[tuple[Edit, ...]] = ()
    distance: Sequence[float | None] = ()
    unit: OffsetUnit = OffsetUnit.CODE_POINTS
    truncated: Sequence[tuple[bool, bool]] = ()
    styles: Sequence[str] = ()
    relations: NDArray[np.float32] | None = None
    compare: "Callable[[AlignmentColumns], EncoderFigures] | None" = None
    encoded: bool | None = None
    conflict_inputs: NDArray[np.float32] | None = None
    _compared: EncoderFigures | None = field(default=None, init=False)

    def __len__(self) -> int:
        return len(self.score)

    def alignment(self, index: int) -> Alignment:
        """Return the alignment of a pair, a view of these columns."""
        return Alignment.of(self, index)

    def field(self, index: int, name: str) -> Any:
        """Return a field of the alignment of a pair."""
        return _FIELDS[name](self, index)

    def compared(self) -> EncoderFigures | None:
        """Return the result of `compare` for all pairs, or None without `compare`."""
        if self._compared is None and self.compare is not None:
            self._compared = self.compare(self)
        return self._compared

    def keep_compared(self, figures: EncoderFigures) -> None:
        """Keep the result of `compare` from another process."""
        self._compared = figures

    @property
    def similarity(self) -> NDArray[np.float64]:
        """Similarity of all pairs, shape (n_pairs,); see Alignment."""
        compared = self.compared()
        return self.aligned_similarity if compared is None else compared[1]

    def cosine(self, index: int) -> float | None:
        """Return the cosine of a pair's sentences, or None without an encoder."""
        compared = self.compared()
        return None if compared is None else float(compared[0][index])

    def has(self, output: Output) -> bool:
        """Return whether a pair's field may differ from its default."""
        if output.name == "cosine":
            return self.compared() is not None
        if output.kept is Kept.EACH:
            return len(getattr(self, output.column or output.name)) > 0
        return output.kept is not Kept.ONCE or getattr(self, output.name) is not None

    def links(self, index: int) -> tuple[Link, ...]:
        """Return the links of a pair."""
        span = slice(self.offsets[index], self.offsets[index + 1])
        columns = [each[span].tolist() for each in (self.source, self.target, self.confidence)]
        if self.relations is not None:
            columns.append([Relation.of(each) for each in self.relations[span].tolist()])
        return Sides.of(self, index).placed(map(Link, *columns))

    def confidences_of(self, index: int) -> dict[tuple[int, int], float]:
        """Return the confidence of each link of a pair."""
        span = slice(self.offsets[index], self.offsets[index + 1])
        source, target, confidence = (
            each[span].tolist() for each in (self.source, self.target, self.confidence)
        )
        return dict(zip(zip(source, target, strict=True), confidence, strict=True))

    def conflicts_of(self, index: int) -> tuple[Conflict, ...]:
        """Return the conflicts of a pair."""
        span = slice(self.conflict_offsets[index], self.conflict_offsets[index + 1])
        rows = self.conflicts[span].tolist()
        return tuple(
            Conflict(
                CONFLICT_KINDS[kind],
                source,
                target,
                probability,
                (spans[0], spans[1]),
                (spans[2], spans[3]),
                CONFLICT_REASONS[reason],
            )
            for kind, reason, source, target, *spans, probability in rows
        )


def _reader(output: Output) -> Callable[[AlignmentColumns, int], Any]:
    """Return a function that reads a field of a pair from columns."""
    column_of, default = attrgetter(output.column or output.name), output.default
    if output.kept is Kept.NUMBERS:
        return lambda columns, index: float(column_of(columns)[index])
    if output.kept is Kept.ONCE:
        return lambda columns, index: column_of(columns)

    def read(columns: AlignmentColumns, index: int) -> Any:
        column = column_of(columns)
        return column[index] if len(column) else default

    return read


def _truncated(side: int) -> Callable[[AlignmentColumns, int], bool]:
    return lambda columns, index: bool(columns.truncated) and columns.truncated[index][side]


_FIELDS: dict[str, Callable[[AlignmentColumns, int], Any]] = {
    **{each.name: _reader(each) for each in OUTPUTS if each.kept is not Kept.OTHERWISE},
    "source": lambda columns, index: in_unit(columns.sources[index], columns.unit),
    "target": lambda columns, index: in_unit(columns.targets[index], columns.unit),
    "links": AlignmentColumns.links,
    "similarity": lambda columns, index: float(columns.similarity[index]),
    "cosine": AlignmentColumns.cosine,
    "conflicts": AlignmentColumns.conflicts_of,
    "source_truncated": _truncated(0),
    "target_truncated": _truncated(1),
}


def _column(output: Output, value: Any) -> Any:
    """Return a column for the value of a single pair."""
    if output.kept is Kept.ONCE:
        return value
    if output.kept is Kept.NUMBERS:
        return np.array([value])
    return [] if value is None or (isinstance(value, str) and not value) else [value]


def columns_of(alignment: Alignment) -> tuple[AlignmentColumns, int]:
    """Return the columns behind an alignment, and its pair's number in them.

    An alignment that was constructed or received gets new columns.
    """
    viewed = alignment.viewed()
    if viewed is not None and isinstance(viewed[0], AlignmentColumns):
        return viewed[0], viewed[1]
    links = alignment.links
    relations = [link.relation.probabilities for link in links if link.relation is not None]
    conflicts = [
        (
            CONFLICT_KINDS.index(each.kind),
            CONFLICT_REASONS.index(each.reason),
            each.source,
            each.target,
            *each.source_span,
            *each.target_span,
            each.probability,
        )
        for each in alignment.conflicts
    ]
    columns = AlignmentColumns(
        sources=[alignment.source],
        targets=[alignment.target],
        offsets=np.array([0, len(links)], np.int64),
        source=np.array([link.source for link in links], np.int32),
        target=np.array([link.target for link in links], np.int32),
        confidence=np.array([link.confidence for link in links], np.float64),
        conflict_offsets=np.array([0, len(conflicts)], np.int64),
        conflicts=np.array(conflicts, CONFLICT),
        truncated=[(alignment.source_truncated, alignment.target_truncated)],
        relations=np.array(relations, np.float32) if relations else None,
        compare=None if alignment.cosine is None else partial(_as_made, alignment),
        **{
            each.column or each.name: _column(each, getattr(alignment, each.name))
            for each in OUTPUTS
            if each.kept is not Kept.OTHERWISE
        },
    )
    return columns, 0


def _as_made(alignment: Alignment, columns: AlignmentColumns) -> EncoderFigures:
    """Return the compared values of an alignment that was constructed."""
    return np.array([alignment.cosine], np.float64), np.array([alignment.similarity])
