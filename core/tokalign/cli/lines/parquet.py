"""Parquet: rows that are pairs, and lines of JSON as rows."""

from __future__ import annotations

import json
import math
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import IO, TYPE_CHECKING, Any

from tokalign.cli.lines.pair_lines import (
    SIDES,
    ColumnNames,
    InputLine,
    id_column,
    pair_of,
    usual_columns,
)
from tokalign.cli.lines.sources import LineSource
from tokalign.errors import FormatError, InputError
from tokalign.types.display import free_names
from tokalign.types.inputs import whole_number
from tokalign.types.objects import FIGURES

if TYPE_CHECKING:
    import pyarrow as pa


_ROWS_READ = 1024
ROWS_PER_GROUP = 50_000
"""Rows buffered before they are written."""


def read_parquet(
    rows: LineSource,
    columns: ColumnNames | None,
    *,
    is_tokenized: bool,
    is_kept: bool = False,
    kept: KeptColumns | None = None,
) -> Iterator[InputLine]:
    """Yield an InputLine for every row of a Parquet file.

    The columns of source and target, names or numbers from 1, hold text or lists of tokens.
    is_kept: read the other columns too, as fields; `kept` takes all columns. FormatError if a
    column is missing or of another type, or the file is damaged.
    """
    file = open_parquet(rows)
    names = file.schema_arrow.names
    chosen = columns or usual_columns(names) or SIDES
    wanted = [_column(file.schema_arrow, column, rows.name) for column in chosen]
    name_column = id_column(names)
    read = dict.fromkeys(wanted if name_column is None else [*wanted, name_column])
    others = [name for name in names if name not in read] if is_kept else []
    number = 0
    if kept is not None:
        kept.take_schema(file.schema_arrow)
    for batch in _batches(file, rows, [*read, *others] if kept is None else names):
        if kept is not None:
            kept.add(batch)
        sides = [batch.column(name) for name in wanted]
        ids = None if name_column is None else batch.column(name_column)
        for row in range(len(batch)):
            number += 1
            name = str(number) if ids is None else str(_value(ids[row]))
            fields: dict[str, Any] | None = None
            try:
                fields = {each: _plain(_value(batch.column(each)[row])) for each in others}
                values = [_value(side[row]) for side in sides]
                yield InputLine(number, name, pair_of(values, is_tokenized), fields=fields)
            except InputError as error:
                yield InputLine(number, name, None, str(error), fields=fields)


def _batches(file: Any, rows: LineSource, columns: list[str]) -> Iterator[pa.RecordBatch]:
    import pyarrow as pa

    try:
        yield from file.iter_batches(_ROWS_READ, columns=columns)
    except (pa.ArrowException, OSError) as error:
        raise FormatError(f"damaged Parquet: {error}", path=rows.name) from error


def rows_of_parquet(rows: LineSource, columns: tuple[str, ...]) -> Iterator[dict[str, Any]]:
    """Yield the rows of a Parquet file, with the given columns and the id if there is one;
    FormatError if a column is missing, or the file is damaged."""
    file = open_parquet(rows)
    names = file.schema_arrow.names
    for column in columns:
        if column not in names:
            raise FormatError(f"no column {column!r}; there are {', '.join(names)}", path=rows.name)
    for batch in _batches(file, rows, [*columns, "id"] if "id" in names else [*columns]):
        yield from batch.to_pylist()


def open_parquet(rows: LineSource) -> Any:
    """Return the ParquetFile of a source; FormatError if it is damaged, or no file."""
    from tokalign import arrow  # noqa: F401, I001  # first: it says what to install

    import pyarrow as pa
    import pyarrow.parquet as pq

    if not rows.raw.seekable():
        raise FormatError("Parquet has its index at the end; give it as a file", path=rows.name)
    rows.raw.seek(0)
    try:
        return pq.ParquetFile(rows.raw)
    except (pa.ArrowException, OSError) as error:
        raise FormatError(f"damaged Parquet: {error}", path=rows.name) from error


def _column(schema: pa.Schema, column: str, path: str) -> str:
    """Return the name of a column given by name or number; FormatError if it holds no text."""
    import pyarrow as pa

    number = whole_number(column)
    if number is not None and number <= len(schema.names):
        column = schema.names[number - 1]
    if column not in schema.names:
        raise FormatError(f"no column {column!r}; there are {', '.join(schema.names)}", path=path)
    kind = schema.field(column).type
    for is_list in (pa.types.is_list, pa.types.is_large_list):
        kind = kind.value_type if is_list(kind) else kind
    kind = kind.value_type if pa.types.is_dictionary(kind) else kind
    if not (pa.types.is_string(kind) or pa.types.is_large_string(kind)):
        raise FormatError(
            f"column {column!r} is of {schema.field(column).type}; wanted strings, or lists of "
            "tokens",
            path=path,
        )
    return column


def _value(scalar: pa.Scalar) -> Any:
    try:
        return scalar.as_py()
    except UnicodeDecodeError:
        raise FormatError("not UTF-8; write the column as strings") from None


def _plain(value: Any) -> Any:
    """Return a value as JSON has it: no NaN, bytes as hexadecimal digits, dates as text."""
    if value is None or isinstance(value, str | int):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, list | tuple):
        return [_plain(each) for each in value]
    if isinstance(value, dict):
        return {str(key): _plain(each) for key, each in value.items()}
    return value.hex() if isinstance(value, bytes) else str(value)


class KeptColumns:
    """Columns of the input for the output: rows are added as they are read, and taken in order.

    A column called "id" is left out, since the output has the ids.
    """

    def __init__(self) -> None:
        self.schema: pa.Schema | None = None
        self._batches: deque[pa.RecordBatch] = deque()
        self._cells: deque[dict[str, str]] = deque()

    def take_schema(self, schema: pa.Schema) -> None:
        """Take the columns of a table without its rows."""
        self.schema = schema

    def add(self, batch: pa.RecordBatch) -> None:
        self._batches.append(batch)

    def over(self, items: Iterable[InputLine]) -> Iterator[InputLine]:
        """Yield the items, and add the cells of each as text."""
        import pyarrow as pa

        for item in items:
            cells = item.cells()
            if self.schema is None:
                self.schema = pa.schema([pa.field(name, pa.string()) for name in cells])
            self._cells.append(cells)
            yield item

    def take(self, n_rows: int) -> dict[str, pa.Array]:
        """Return the columns of the next rows by name."""
        import pyarrow as pa

        if self.schema is None:
            return {}
        if self._cells:
            rows = [self._cells.popleft() for _ in range(n_rows)]
            self._batches.append(
                pa.RecordBatch.from_pylist(
                    [{name: row.get(name) for name in self.schema.names} for row in rows],
                    self.schema,
                )
            )
        taken = []
        while n_rows:
            batch = self._batches.popleft()
            taken.append(batch[:n_rows])
            if len(batch) > n_rows:
                self._batches.appendleft(batch[n_rows:])
            n_rows -= len(taken[-1])
        table = pa.Table.from_batches(taken, self.schema).combine_chunks()
        arrays = zip(table.column_names, table.columns, strict=True)
        return {name: array.combine_chunks() for name, array in arrays if name != "id"}


@dataclass(slots=True)
class Packer:
    """Writes lines of JSON to a file as the rows of a Parquet table: id, kept columns, others."""

    file: IO[bytes]
    schema: pa.Schema
    kept: KeptColumns | None = None
    _batches: list[pa.RecordBatch] = field(default_factory=list)
    _writer: Any = None

    def write(self, lines: bytes) -> int:
        """Take whole lines."""
        import pyarrow as pa

        objects = [json.loads(line) for line in lines.splitlines()]
        if not objects:
            return 0
        kept = self.kept.take(len(objects)) if self.kept else {}
        name, *columns = [
            pa.array([_READ[each.name](value) for value in objects], each.type)
            for each in self.schema
        ]
        whole = [name, *kept.values(), *columns]
        self._batches.append(pa.RecordBatch.from_arrays(whole, schema=self._whole_schema()))
        if sum(map(len, self._batches)) >= ROWS_PER_GROUP:
            self._write_group()
        return len(lines)

    def _whole_schema(self) -> pa.Schema:
        """Return the schema with the kept columns behind the id."""
        import pyarrow as pa

        if self.kept is None or self.kept.schema is None:
            return self.schema
        kept = [each for each in self.kept.schema if each.name != "id"]
        names = free_names([each.name for each in kept], self.schema.names)
        added = [each.with_name(name) for each, name in zip(self.schema, names, strict=True)]
        return pa.schema([added[0], *kept, *added[1:]])

    def _write_group(self) -> None:
        import pyarrow as pa
        import pyarrow.parquet as pq

        schema = self._whole_schema()
        if self._writer is None:
            self._writer = pq.ParquetWriter(self.file, schema, compression="zstd")
        table = pa.Table.from_batches(self._batches, schema)
        self._batches.clear()
        self._writer.write_table(table, row_group_size=len(table) or None)

    def close(self) -> None:
        """Write the rest, and the index."""
        self._write_group()
        self._writer.close()


def _links(value: dict[str, Any]) -> list[dict[str, Any]] | None:
    links = value.get("links")
    names = ("source", "target", "confidence")
    return links and [dict(zip(names, link, strict=True)) for link in links]


def _tokens(side: Any) -> Any:
    """Return the tokens of a sentence as JSON: a list of them, or an object that has one."""
    return side["tokens"] if isinstance(side, dict) else side


_READ: dict[str, Callable[[dict[str, Any]], Any]] = {
    "id": lambda value: value["id"],
    "source_tokens": lambda value: _tokens(value.get("source")),
    "target_tokens": lambda value: _tokens(value.get("target")),
    "links": _links,
    "sentences": lambda value: value.get("sentences"),
    **{name: (lambda value, name=name: value.get(name)) for name in FIGURES},  # type: ignore[misc]
    "error": lambda value: value.get("error"),
}
"""Columns, and how each is read from an object of --format jsonl."""


def schema_of(names: tuple[str, ...]) -> pa.Schema:
    """Return the schema with some of the columns of `_READ`; ResourceError without pyarrow."""
    from tokalign.arrow import LINKS, SENTENCES, TOKENS  # noqa: I001  # first: as above

    import pyarrow as pa

    types = {
        "links": LINKS,
        "sentences": SENTENCES,
        "source_tokens": TOKENS,
        "target_tokens": TOKENS,
    }
    types |= dict.fromkeys(FIGURES, pa.float32())
    return pa.schema([pa.field(name, types.get(name, pa.string())) for name in names])
