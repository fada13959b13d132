"""Alignments and evidence over Arrow columns, for the engines that people run on many machines.

The objects here are small and picklable: their state is their options. Each thread that uses one
loads an aligner of its own, once. Needs the extra ``arrow``. See docs/engines.md.
"""

import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, is_dataclass
from operator import attrgetter
from typing import Any, ClassVar, Self, TypeVar, get_args, get_origin, get_type_hints

import numpy as np
from numpy.typing import NDArray

from tokalign.aligner import Aligner
from tokalign.errors import InputError, MissingPackageError, ShapeError, located, renewed
from tokalign.types import Alignment
from tokalign.types.columns import columns_of
from tokalign.types.grounding import GroundedSentence
from tokalign.types.options import AlignOptions, GroundOptions

try:
    import pyarrow as pa
except ImportError as error:  # the extra is missing
    raise MissingPackageError.of("tokalign.arrow", error, "arrow") from None

__all__ = ["LINKS", "SENTENCES", "TOKENS", "Align", "Ground", "PerPair", "PerRow", "Similarity"]

_TYPES = {int: pa.int32(), float: pa.float32(), bool: pa.bool_()}


def _type_of(hint: Any) -> pa.DataType:
    """Return the type of a field: structures of dataclasses, lists of tuples, else strings."""
    if is_dataclass(hint):
        types = get_type_hints(hint)
        types.pop("error", None)  # there is none here
        return pa.struct([pa.field(name, _type_of(kind)) for name, kind in types.items()])
    inner = get_args(hint)
    if get_origin(hint) is tuple:
        return _list_of(_type_of(inner[0]))
    return _type_of(inner[0]) if inner else _TYPES.get(hint, pa.string())  # inner: it may be None


def _list_of(kind: pa.DataType) -> pa.DataType:
    """Return the type of lists; "element" is what Parquet gives back."""
    return pa.list_(pa.field("element", kind))


LINKS = _list_of(
    pa.struct([("source", _TYPES[int]), ("target", _TYPES[int]), ("confidence", _TYPES[float])])
)
"""Type of a column of links: token indices, and the posterior in [0, 1]."""
TOKENS = _list_of(pa.string())
SENTENCES = _list_of(_type_of(GroundedSentence))
"""Type of a column of answers' sentences, with the fields of the JSON (docs/grounding.md); the
evidence of words is null unless it was asked for."""

Table = TypeVar("Table", pa.RecordBatch, pa.Table)

_Part = tuple[pa.DataType, Callable[[Alignment], Any]]

_aligners = threading.local()


@dataclass(frozen=True, kw_only=True)
class PerRow(ABC):
    """Base of the objects that add columns to a table.

    A bad row (null, empty, too long) is null in all columns but `error`; the other rows are not
    affected.

    Parameters
    ----------
    model, annotator : str
        As of Aligner.load.
    options : AlignOptions or GroundOptions, or a mapping of its fields
    """

    model: str = "en"
    annotator: str = "native"
    options: Any = None
    _kind: ClassVar[Any] = AlignOptions

    def __post_init__(self) -> None:
        given = {} if self.options is None else self.options
        is_mapping = isinstance(given, Mapping)
        made = self._kind.of(None, given) if is_mapping else self._kind.of(given, {})
        object.__setattr__(self, "options", made)

    @property
    def schema(self) -> pa.Schema:
        """The added columns, `error` last."""
        made = [pa.field(name, kind) for name, kind in self._types.items()]
        return pa.schema([*made, pa.field("error", pa.string())])

    @property
    @abstractmethod
    def _types(self) -> Mapping[str, pa.DataType]:
        """The types of the added columns except `error`."""

    @property
    @abstractmethod
    def _read(self) -> tuple[str, ...]:
        """The columns that are read."""

    @abstractmethod
    def check(self) -> Self:
        """Return this object if this machine can load its model and its model knows its options.

        Call it where a job is started; otherwise the workers are the first to notice.

        InputError is raised if the model does not support an option; ModelError or ResourceError,
        if the model, or what it needs, cannot be loaded.
        """

    @abstractmethod
    def columns(self, first: Any, second: Any) -> pa.StructArray:
        """Return the added columns of two arrays as one; for Spark, Dask and DuckDB.

        Parameters
        ----------
        first, second : Array or ChunkedArray
            Of strings: sources and targets, or answers. Of lists: the passages of each answer.

        ShapeError is raised if one is longer than the other.
        """

    def __call__(self, table: Table) -> Table:
        """Return a record batch or table with the columns added; Ray Data, datasets, polars.

        InputError is raised if it is something else, lacks a column, or already has one of the
        added columns.
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
        added = self.columns(*self._sides(table))
        for position, made in enumerate(self.schema):
            table = table.append_column(made, added.field(position))
        return table

    def stream(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Yield record batches with the columns added; Spark's mapInArrow."""
        return map(self.__call__, batches)

    def _sides(self, table: Table) -> Sequence[Any]:
        """Return the two arrays of a table that has the columns to read."""
        return [table.column(name) for name in self._read]

    def _aligner(self) -> Aligner:
        """Return this thread's aligner."""
        loaded: dict[tuple[str, str], Aligner] = _aligners.__dict__.setdefault("loaded", {})
        name = self.model, self.annotator
        if name not in loaded:
            loaded[name] = Aligner.load(self.model, annotator=self.annotator)
        return loaded[name]

    def _structs(self, made: Mapping[str, Any]) -> pa.StructArray:
        """Return columns, by name, as one array."""
        arrays = [pa.array(made[each.name], each.type) for each in self.schema]
        return pa.StructArray.from_arrays(arrays, fields=list(self.schema))


@dataclass(frozen=True, kw_only=True)
class PerPair(PerRow):
    """Base of the objects that add columns to pairs of sentences.

    Parameters
    ----------
    source, target : str
        Columns that hold the sentences.
    options : AlignOptions, or a mapping of its fields
    batch_size : int
        Rows aligned at a time.
    """

    source: str = "source"
    target: str = "target"
    batch_size: int = 256

    def check(self) -> Self:
        list(self._aligner().pipe((), self.options))
        return self

    @property
    @abstractmethod
    def _parts(self) -> Mapping[str, _Part]:
        """The added columns except `error`: the type of each, and what it has of an alignment."""

    @property
    def _types(self) -> Mapping[str, pa.DataType]:
        return {name: kind for name, (kind, _) in self._parts.items()}

    @property
    def _read(self) -> tuple[str, ...]:
        return self.source, self.target

    def columns(self, first: Any, second: Any) -> pa.StructArray:
        rows = _rows_of(first, second, ("sources", "targets"))
        errors = [_unusable(source, target) for source, target in rows]
        pairs = (row for row, error in zip(rows, errors, strict=True) if error is None)
        outcomes = self._aligner().pipe(
            pairs, self.options, batch_size=self.batch_size, errors="return"
        )
        alignments: list[Alignment | None] = []
        for row, error in enumerate(errors):
            outcome = None if error else next(outcomes)
            if outcome is not None and not isinstance(outcome, Alignment):
                errors[row] = located(outcome)
                outcome = None
            alignments.append(outcome)
        made = {
            name: _links(alignments)
            if kind is LINKS
            else [each and value_of(each) for each in alignments]
            for name, (kind, value_of) in self._parts.items()
        }
        return self._structs(made | {"error": errors})


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
    def _parts(self) -> Mapping[str, _Part]:
        made: dict[str, _Part] = {
            "links": (LINKS, _link_columns),
            "score": (pa.float32(), attrgetter("score")),
        }
        if self.options.relations:
            made["relations"] = (TOKENS, _kinds)
        if self.options.effort < 1.0:
            made["encoded"] = (pa.bool_(), attrgetter("encoded"))
        for side in ("source", "target") if self.tokens else ():
            made[f"{side}_tokens"] = (TOKENS, attrgetter(f"{side}.tokens"))
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

    def _sides(self, table: Table) -> Sequence[Any]:
        found: Sequence[Any] = super()._sides(table)
        return found if self.one is None else [pa.repeat(pa.scalar(self.one), len(table)), *found]

    @property
    def _parts(self) -> Mapping[str, _Part]:
        return {name: (pa.float32(), attrgetter(name)) for name in ("similarity", "agreement")}


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
    _kind: ClassVar[Any] = GroundOptions

    def check(self) -> Self:
        self._aligner().ground("Dogs bark.", ["Dogs bark."], self.options)
        return self

    @property
    def _types(self) -> Mapping[str, pa.DataType]:
        return {"sentences": SENTENCES}

    @property
    def _read(self) -> tuple[str, ...]:
        return self.answer, self.passages

    def columns(self, first: Any, second: Any) -> pa.StructArray:
        aligner = self._aligner()
        sentences: list[list[dict[str, Any]] | None] = []
        errors: list[str | None] = []
        for answer, texts in _rows_of(first, second, ("answers", "lists of passages")):
            try:
                found = aligner.ground(answer, _passages(answer, texts), self.options)
                sentences.append(found.to_dict()["sentences"])
                errors.append(None)
            except InputError as error:
                if error.field == "model" or error.field.startswith("options"):
                    raise
                sentences.append(None)
                errors.append(located(error))
        return self._structs({"sentences": sentences, "error": errors})


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


def _rows_of(first: Any, second: Any, names: tuple[str, str]) -> list[tuple[Any, Any]]:
    """Return the values of two arrays, row by row; ShapeError if one is longer than the other."""
    if len(first) != len(second):
        raise ShapeError(
            f"{len(first)} {names[0]} and {len(second)} {names[1]}; wanted as many of both"
        )
    return list(zip(_values_of(first), _values_of(second), strict=True))


def _values_of(array: Any) -> list[Any]:
    """Return the values of an array, with an InputError for each that is not valid UTF-8.

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
    """Return why a side is not a text, or None."""
    for name, side in (("source", source), ("target", target)):
        if side is None:
            return f"the {name} is null"
        if isinstance(side, InputError):
            return f"the {name} is {side}"
    return None


def _links(alignments: Sequence[Alignment | None]) -> pa.Array:
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
    return [link.relation.kind.value if link.relation else None for link in alignment.links]


def _link_columns(alignment: Alignment) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
    columns, number = columns_of(alignment)
    span = slice(columns.offsets[number], columns.offsets[number + 1])
    return columns.source[span], columns.target[span], columns.confidence[span]
