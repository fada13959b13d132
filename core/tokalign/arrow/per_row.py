"""Base of the objects that add columns to tables, row by row."""

from __future__ import annotations

import threading
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Self, TypeVar

import pyarrow as pa

from tokalign.aligner import Aligner
from tokalign.errors import InputError, ShapeError
from tokalign.types.grounding import GroundOptions
from tokalign.types.options import AlignOptions

Table = TypeVar("Table", pa.RecordBatch, pa.Table)
OptionsT = TypeVar("OptionsT", AlignOptions, GroundOptions)

_aligners = threading.local()


def thread_aligner(model: str, annotator: str) -> Aligner:
    """Return this thread's aligner."""
    loaded: dict[tuple[str, str], Aligner] = _aligners.__dict__.setdefault("loaded", {})
    if (model, annotator) not in loaded:
        loaded[model, annotator] = Aligner.load(model, annotator=annotator)
    return loaded[model, annotator]


@dataclass(frozen=True, kw_only=True)
class PerRow(ABC):
    """Base of the objects that add columns to a table.

    A bad row is null in all columns but `error`; the other rows are not affected.
    """

    @property
    @abstractmethod
    def schema(self) -> pa.Schema:
        """The added columns, `error` last."""

    @abstractmethod
    def check(self) -> Self:
        """Return this object if this machine can load its model and its model knows its options.

        Call it where a job is started; otherwise the workers are the first to notice.

        Raises
        ------
        InputError
            If the model does not support an option.
        ModelError, ResourceError
            If the model, or what it needs, cannot be loaded.
        """

    @property
    @abstractmethod
    def _read(self) -> tuple[str, ...]:
        """The columns that are read."""

    @abstractmethod
    def _added(self, table: Table) -> pa.StructArray:
        """Return the added columns of a table that has the columns to read."""

    def __call__(self, table: Table) -> Table:
        """Return a record batch or table with the columns added; Ray Data, datasets, polars.

        Raises
        ------
        InputError
            If it is something else, lacks a column, or already has one of the added columns.
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


def options_of(kind: type[OptionsT], given: Any) -> OptionsT:
    """Return options that were given as an object, or as a mapping of its fields."""
    return kind.of(None, given) if isinstance(given, Mapping) else kind.of(given, {})


def rows_of(first: Any, second: Any, names: tuple[str, str]) -> list[tuple[Any, Any]]:
    """Return the values of two arrays, row by row.

    Raises
    ------
    ShapeError
        If one is longer than the other; `names` are the arrays' names in the message.
    """
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
