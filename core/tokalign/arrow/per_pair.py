"""Alignments and similarities of the pairs of two columns."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from tokalign.arrow.column_types import LINKS, TOKENS
from tokalign.arrow.per_row import PerRow, Table, options_of, rows_of, thread_aligner
from tokalign.errors import InputError, located
from tokalign.types import Alignment
from tokalign.types.columns import columns_of
from tokalign.types.options import AlignOptions


@dataclass(frozen=True, kw_only=True)
class PerPair(PerRow):
    """Base of the objects that add columns to pairs of sentences.

    A row that cannot be aligned (null, empty, too long) is null in all columns but `error`, and
    costs the others nothing.

    Parameters
    ----------
    source, target : str
        Columns that hold the sentences.
    model, annotator : str
        As of Aligner.load.
    options : AlignOptions, or a mapping of its fields
    batch_size : int
        Rows aligned at a time.
    """

    source: str = "source"
    target: str = "target"
    model: str = "en"
    annotator: str = "native"
    options: AlignOptions = field(default_factory=AlignOptions)
    batch_size: int = 256

    def __post_init__(self) -> None:
        object.__setattr__(self, "options", options_of(AlignOptions, self.options))

    def check(self) -> Self:
        """Return this object if its model can be loaded and knows its options; see PerRow."""
        list(thread_aligner(self.model, self.annotator).pipe((), self.options))
        return self

    @abstractmethod
    def _columns(self, alignments: Sequence[Alignment | None]) -> Mapping[str, Any]:
        """Return the columns of the schema except `error`; null where there is no alignment."""

    @property
    def _read(self) -> tuple[str, ...]:
        """The columns that are read."""
        return self.source, self.target

    def _sides(self, table: Table) -> tuple[Any, Any]:
        """Return the sources and the targets of a table that has the columns."""
        return table.column(self.source), table.column(self.target)

    def _added(self, table: Table) -> pa.StructArray:
        return self.columns(*self._sides(table))

    def columns(self, sources: Any, targets: Any) -> pa.StructArray:
        """Return the added columns of two arrays as one; for Spark, Dask and DuckDB.

        Parameters
        ----------
        sources, targets : Array or ChunkedArray of strings

        Raises
        ------
        ShapeError
            If one is longer than the other.
        """
        aligner = thread_aligner(self.model, self.annotator)
        rows = rows_of(sources, targets, ("sources", "targets"))
        errors = [_unusable(source, target) for source, target in rows]
        pairs = (row for row, error in zip(rows, errors, strict=True) if error is None)
        outcomes = aligner.pipe(pairs, self.options, batch_size=self.batch_size, errors="return")
        alignments: list[Alignment | None] = []
        for row, error in enumerate(errors):
            outcome = None if error else next(outcomes)
            if outcome is not None and not isinstance(outcome, Alignment):
                errors[row] = located(outcome)
                outcome = None
            alignments.append(outcome)
        return self._structs(dict(self._columns(alignments)) | {"error": errors})


@dataclass(frozen=True, kw_only=True)
class Align(PerPair):
    """Adds `links`, `score` and `error`, and with `tokens` also `source_tokens`, `target_tokens`.

    Where the options ask for relations, also `relations`: the kind of each link. Where they ask for
    less effort than 1, also `encoded`: whether the encoder read the pair.

    Parameters
    ----------
    tokens : bool
        Whether to add the tokens that the links index.

    Examples
    --------
    >>> table = pa.table({"source": ["Dogs bark.", None], "target": ["The dogs bark.", "Yes."]})
    >>> Align()(table).column("error").to_pylist()
    [None, 'the source is null']
    """

    tokens: bool = False

    @property
    def schema(self) -> pa.Schema:
        """The columns that are made, `error` last."""
        made = [pa.field("links", LINKS), pa.field("score", pa.float32())]
        if self.options.relations:
            made.append(pa.field("relations", TOKENS))
        if self.options.effort < 1.0:
            made.append(pa.field("encoded", pa.bool_()))
        if self.tokens:
            made += [pa.field("source_tokens", TOKENS), pa.field("target_tokens", TOKENS)]
        return pa.schema([*made, pa.field("error", pa.string())])

    def _columns(self, alignments: Sequence[Alignment | None]) -> Mapping[str, Any]:
        made: dict[str, Any] = {
            "links": _links(alignments),
            "score": [each and each.score for each in alignments],
        }
        if self.options.relations:
            made["relations"] = [each and _kinds(each) for each in alignments]
        if self.options.effort < 1.0:
            made["encoded"] = [each and each.encoded for each in alignments]
        if self.tokens:
            made["source_tokens"] = [each and each.source.tokens for each in alignments]
            made["target_tokens"] = [each and each.target.tokens for each in alignments]
        return made


@dataclass(frozen=True, kw_only=True)
class Similarity(PerPair):
    """Adds `similarity`, `agreement` (1 without conflicts) and `error`.

    Parameters
    ----------
    one : str, optional
        A sentence that the sentences of the column `target` are compared with; no column of
        sources is read then.

    Examples
    --------
    >>> table = pa.table({"text": ["The dogs bark.", "It rained all day."]})
    >>> found = Similarity(one="Dogs bark.", target="text")(table)["similarity"]
    >>> [round(each, 1) for each in found.to_pylist()]
    [0.9, 0.0]
    """

    one: str | None = None

    @property
    def _read(self) -> tuple[str, ...]:
        return super()._read if self.one is None else (self.target,)

    def _sides(self, table: Table) -> tuple[Any, Any]:
        if self.one is None:
            return super()._sides(table)
        return pa.repeat(pa.scalar(self.one), len(table)), table.column(self.target)

    @property
    def schema(self) -> pa.Schema:
        """The columns that are made, `error` last."""
        figures = [pa.field(name, pa.float32()) for name in ("similarity", "agreement")]
        return pa.schema([*figures, pa.field("error", pa.string())])

    def _columns(self, alignments: Sequence[Alignment | None]) -> Mapping[str, Any]:
        return {
            "similarity": [each and each.similarity for each in alignments],
            "agreement": [each and each.agreement for each in alignments],
        }


def _unusable(source: Any, target: Any) -> str | None:
    """Return why a side is not a text, or None."""
    for name, side in (("source", source), ("target", target)):
        if side is None:
            return f"the {name} is null"
        if isinstance(side, InputError):
            return f"the {name} is {side}"
    return None


def _links(alignments: Sequence[Alignment | None]) -> pa.Array:
    """Return the links as one array of lists."""
    offsets: list[int | None] = []
    parts: list[list[Any]] = [[] for _ in LINKS.value_type]
    n_links = 0
    for alignment in alignments:
        offsets.append(None if alignment is None else n_links)
        if alignment is None:
            continue
        for part, column in zip(parts, _link_columns(alignment), strict=True):
            part.append(column)
        n_links += len(parts[0][-1])
    offsets.append(n_links)
    values = pa.StructArray.from_arrays(
        [
            pa.array(np.concatenate(part) if part else [], each.type)
            for part, each in zip(parts, LINKS.value_type, strict=True)
        ],
        fields=list(LINKS.value_type),
    )
    return pa.ListArray.from_arrays(pa.array(offsets, pa.int32()), values, type=LINKS)


def _kinds(alignment: Alignment) -> list[str | None]:
    """Return the kind of relation of each link."""
    return [link.relation.kind.value if link.relation else None for link in alignment.links]


def _link_columns(alignment: Alignment) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
    """Return source, target and confidence of each link."""
    columns, number = columns_of(alignment)
    span = slice(columns.offsets[number], columns.offsets[number + 1])
    return columns.source[span], columns.target[span], columns.confidence[span]
