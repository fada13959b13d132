"""Alignments and evidence over Arrow columns, for the engines that people run on many machines.

The objects here are small and picklable: their state is their options. Each thread that uses one
loads an aligner of its own, once. Needs ``pip install 'tokalign[arrow]'``. See docs/engines.md.
"""

from __future__ import annotations

import threading
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from tokalign.aligner import Aligner
from tokalign.errors import InputError, MissingPackageError, ShapeError, located, renewed
from tokalign.evidence.form import grounding_to_dict
from tokalign.types import Alignment
from tokalign.types.columns import columns_of
from tokalign.types.grounding import GroundOptions
from tokalign.types.options import AlignOptions

try:
    import pyarrow as pa
except ImportError as error:
    raise MissingPackageError.of("tokalign.arrow", error, "arrow") from None

Table = TypeVar("Table", pa.RecordBatch, pa.Table)
OptionsT = TypeVar("OptionsT", AlignOptions, GroundOptions)

LINKS = pa.list_(
    # "element" is what Parquet gives back.
    pa.field(
        "element",
        pa.struct(
            [
                pa.field("source", pa.int32()),
                pa.field("target", pa.int32()),
                pa.field("confidence", pa.float32()),
            ]
        ),
    )
)
"""Type of a column of links: token indices, and the posterior in [0, 1]."""
TOKENS = pa.list_(pa.field("element", pa.string()))


def _lists_of(**types: pa.DataType) -> pa.DataType:
    """Return the type of lists of structures with these fields."""
    fields = [pa.field(name, kind) for name, kind in types.items()]
    return pa.list_(pa.field("element", pa.struct(fields)))


_INT, _FLOAT = pa.int32(), pa.float32()
_RANGE = {"start": _INT, "end": _INT}
SENTENCES = _lists_of(
    **_RANGE,
    support=_FLOAT,
    words=_lists_of(
        **_RANGE,
        kind=pa.string(),
        support=_FLOAT,
        citation=_INT,
        partners=pa.list_(pa.field("element", pa.list_(pa.field("element", _INT)))),
        evidence=_lists_of(name=pa.string(), value=_FLOAT, weight=_FLOAT),
    ),
    citations=_lists_of(
        passage=pa.string(),
        **_RANGE,
        cover=_FLOAT,
        links=_lists_of(word=_INT, **_RANGE, confidence=_FLOAT),
    ),
    unsupported=_lists_of(**_RANGE, support=_FLOAT),
    conflicts=_lists_of(
        kind=pa.string(),
        **_RANGE,
        passage=pa.string(),
        passage_start=_INT,
        passage_end=_INT,
        strength=_FLOAT,
    ),
)
"""Type of a column of answers' sentences, as JSON has them (docs/grounding.md); words have evidence
where it is asked for, else null."""

_aligners = threading.local()


def _aligner(model: str, annotator: str) -> Aligner:
    """Return this thread's aligner."""
    loaded: dict[tuple[str, str], Aligner] = _aligners.__dict__.setdefault("loaded", {})
    if (model, annotator) not in loaded:
        loaded[model, annotator] = Aligner.load(model, annotator=annotator)
    return loaded[model, annotator]


@dataclass(frozen=True, kw_only=True)
class PerRow(ABC):
    """What every row of a table becomes.

    A row with which something is wrong is null in all columns but `error`, and costs the others
    nothing.
    """

    @property
    @abstractmethod
    def schema(self) -> pa.Schema:
        """The columns that are made, `error` last."""

    @abstractmethod
    def check(self) -> Self:
        """Return this object if this machine can load its model and its model knows its options.

        Call it where a job is started: without, workers are the first to notice.

        Raises
        ------
        InputError
            If the options ask for what the model does not have.
        ModelError, ResourceError
            If the model, or what it needs, cannot be loaded.
        """

    @property
    @abstractmethod
    def _read(self) -> tuple[str, ...]:
        """The columns that are read."""

    @abstractmethod
    def _added(self, table: Table) -> pa.StructArray:
        """Return the columns that are made of a table that has those that are read."""

    def __call__(self, table: Table) -> Table:
        """Return a record batch or table with the columns added; Ray Data, datasets, polars.

        Raises
        ------
        InputError
            If it is something else, a column is missing, or one of the added ones is already there.
        """
        if not isinstance(table, pa.RecordBatch | pa.Table):
            raise InputError(
                f"saw a {type(table).__module__}.{type(table).__name__}; wanted a RecordBatch or a "
                "Table of pyarrow (docs/engines.md says how each engine makes one)"
            )
        names = table.schema.names
        for name in self._read:
            if name not in names:
                raise InputError(f"no column {name!r}; there are {', '.join(names)}", field=name)
        for name in self.schema.names:
            if name in names:
                raise InputError(f"there is a column {name!r} already; rename it", field=name)
        added = self._added(table)
        for position, made in enumerate(self.schema):
            table = table.append_column(made, added.field(position))
        return table

    def stream(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Yield record batches with the columns added; Spark's mapInArrow."""
        return map(self.__call__, batches)

    def _structs(self, made: Mapping[str, Any]) -> pa.StructArray:
        """Return columns, by name, as one array."""
        arrays = [pa.array(made[each.name], each.type) for each in self.schema]
        return pa.StructArray.from_arrays(arrays, fields=list(self.schema))


@dataclass(frozen=True, kw_only=True)
class PerPair(PerRow):
    """What every row of two columns of sentences becomes.

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
        Rows worked on at a time.
    """

    source: str = "source"
    target: str = "target"
    model: str = "en"
    annotator: str = "native"
    options: AlignOptions = field(default_factory=AlignOptions)
    batch_size: int = 256

    def __post_init__(self) -> None:
        object.__setattr__(self, "options", _options(AlignOptions, self.options))

    def check(self) -> Self:
        """Return this object if its model can be loaded and knows its options; see PerRow."""
        list(_aligner(self.model, self.annotator).pipe((), self.options))
        return self

    @abstractmethod
    def _columns(self, alignments: Sequence[Alignment | None]) -> Mapping[str, Any]:
        """Return the columns of the schema but `error`; null where there is no alignment."""

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
        """Return the added columns of two arrays as one; functions of Spark, Dask and DuckDB.

        Parameters
        ----------
        sources, targets : Array or ChunkedArray of strings

        Raises
        ------
        ShapeError
            If one is longer than the other.
        """
        if len(sources) != len(targets):
            raise ShapeError(
                f"{len(sources)} sources and {len(targets)} targets; wanted as many of both"
            )
        aligner = _aligner(self.model, self.annotator)
        rows = list(zip(_values(sources), _values(targets), strict=True))
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

    Where the options ask for relations, also `relations`: the kind of each link.

    Parameters
    ----------
    tokens : bool
        Whether to add what the links count.

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
    [1.0, 0.0]
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


@dataclass(frozen=True, kw_only=True)
class Ground(PerRow):
    """Adds `sentences`, the evidence for each sentence of an answer, and `error`.

    Parameters
    ----------
    answer : str
        Column of answers.
    passages : str
        Column of lists: of texts, or of structures with `id` and `text`. The id of a text is its
        position.
    model, annotator : str
        As of Aligner.load.
    options : GroundOptions, or a mapping of its fields

    Examples
    --------
    >>> table = pa.table({"answer": ["It opened in 1990."], "passages": [["It opened in 1990."]]})
    >>> (sentence,) = Ground()(table)["sentences"][0].as_py()
    >>> [each["passage"] for each in sentence["citations"]]
    ['0']
    """

    answer: str = "answer"
    passages: str = "passages"
    model: str = "en"
    annotator: str = "native"
    options: GroundOptions = field(default_factory=GroundOptions)

    def __post_init__(self) -> None:
        object.__setattr__(self, "options", _options(GroundOptions, self.options))

    def check(self) -> Self:
        """Return this object if its model can be loaded and grounds answers; see PerRow."""
        _aligner(self.model, self.annotator).ground("Dogs bark.", ["Dogs bark."], self.options)
        return self

    @property
    def schema(self) -> pa.Schema:
        """The columns that are made, `error` last."""
        return pa.schema([pa.field("sentences", SENTENCES), pa.field("error", pa.string())])

    @property
    def _read(self) -> tuple[str, ...]:
        return self.answer, self.passages

    def _added(self, table: Table) -> pa.StructArray:
        return self.columns(table.column(self.answer), table.column(self.passages))

    def columns(self, answers: Any, passages: Any) -> pa.StructArray:
        """Return the added columns of two arrays as one; functions of Spark, Dask and DuckDB.

        Parameters
        ----------
        answers : Array or ChunkedArray of strings
        passages : Array or ChunkedArray of lists

        Raises
        ------
        ShapeError
            If one is longer than the other.
        """
        if len(answers) != len(passages):
            raise ShapeError(
                f"{len(answers)} answers and {len(passages)} lists of passages; wanted as many of "
                "both"
            )
        aligner = _aligner(self.model, self.annotator)
        sentences: list[list[dict[str, Any]] | None] = []
        errors: list[str | None] = []
        for answer, texts in zip(_values(answers), _values(passages), strict=True):
            try:
                found = aligner.ground(answer, _passages(answer, texts), self.options)
                sentences.append(grounding_to_dict(found)["sentences"])
                errors.append(None)
            except InputError as error:
                if error.field == "model" or error.field.startswith("options"):
                    raise
                sentences.append(None)
                errors.append(located(error))
        return self._structs({"sentences": sentences, "error": errors})


def _options(kind: type[OptionsT], given: Any) -> OptionsT:
    """Return options that were given as a value, or by name in a mapping."""
    return kind.of(None, given) if isinstance(given, Mapping) else kind.of(given, {})


def _passages(answer: Any, values: Any) -> list[str | tuple[str, str]]:
    """Return the passages of a row; InputError if something is null or not valid UTF-8."""
    for name, value in (("answer", answer), ("passages", values)):
        if isinstance(value, InputError):
            raise renewed(value, f"the {name}: {value}")
    if answer is None or values is None:
        raise InputError(f"the {'answer is' if answer is None else 'passages are'} null")
    found: list[str | tuple[str, str]] = []
    for number, each in enumerate(values):
        text = each["text"] if isinstance(each, dict) else each
        if text is None:
            raise InputError("null; wanted a text", field=f"passages[{number}].text")
        own = each.get("id") if isinstance(each, dict) else None
        found.append(text if own is None else (str(own), text))
    return found


def _values(array: Any) -> list[Any]:
    """Return the values of an array, and InputError in place of those that are not valid UTF-8.

    Engines and files of columns do not check that texts are valid.
    """
    try:
        values: list[Any] = array.to_pylist()
    except UnicodeDecodeError:
        return [_value(each) for each in array]
    return values


def _value(scalar: Any) -> Any:
    try:
        return scalar.as_py()
    except UnicodeDecodeError as error:
        return InputError(f"not valid UTF-8: {error}")


def _unusable(source: Any, target: Any) -> str | None:
    """Return why a side is no text, or None."""
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
    """Return how the two words of each link are related."""
    return [link.relation.kind.value if link.relation else None for link in alignment.links]


def _link_columns(alignment: Alignment) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
    """Return source, target and confidence of each link."""
    columns, number = columns_of(alignment)
    span = slice(columns.offsets[number], columns.offsets[number + 1])
    return columns.source[span], columns.target[span], columns.confidence[span]
