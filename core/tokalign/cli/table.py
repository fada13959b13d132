"""Tables of pairs: CSV (RFC 4180) and TSV, whose columns have names or numbers."""

from __future__ import annotations

import csv
import logging
import re
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from tokalign.errors import FormatError, quoted
from tokalign.formats.document import whole_number
from tokalign.types.inputs import plain_name, side_names

ColumnNames = tuple[str, str]
"""Columns of the source and the target: names, or numbers from 1."""
NAMES: ColumnNames = ("source", "target")
_IDS = ("id", "pairid")
_COLUMN_NAME = re.compile(r"[^\W\d]\w*")

logger = logging.getLogger(__name__)
# A field of more characters cannot be aligned; csv would stop at 128 KiB.
MAX_FIELD = 1 << 24


@dataclass(frozen=True, slots=True)
class PairTable:
    """Where the pairs stand in a table.

    Attributes
    ----------
    delimiter : str
        Fields between commas may be in double quotes, with breaks in them; between tabs not.
    source, target, id : int or None
        Positions from 0.
    has_header : bool
    names : tuple of str
        Of the columns; empty without a header.
    """

    delimiter: str
    source: int
    target: int
    id: int | None
    has_header: bool
    names: tuple[str, ...] = ()

    def records(
        self, numbered: Iterable[tuple[int, bytes]]
    ) -> Iterator[tuple[int, list[str] | FormatError]]:
        """Yield the records after the header, each with the number of its first line.

        Bytes that are not UTF-8 come as lone surrogates. Where quotes are wrong, an error takes the
        place of the line in which they open, and the lines after it are read on their own.
        """
        again: deque[tuple[int, bytes]] = deque()
        taken: list[tuple[int, bytes]] = []  # lines of the record that is being read
        pending = iter(numbered)

        def lines() -> Iterator[str]:
            while (here := again.popleft() if again else next(pending, None)) is not None:
                taken.append(here)
                yield here[1].decode("utf-8-sig", errors="surrogateescape")

        records = _reader(lines(), self.delimiter)
        is_header = self.has_header
        while True:
            taken.clear()
            record: list[str] | FormatError | None
            try:
                record = next(records, None)
            except csv.Error as error:
                record = _quotes_error(error, taken)
                again.extendleft(reversed(taken[1:]))
                records = _reader(lines(), self.delimiter)
            if record is None:
                return
            if not is_header:
                yield taken[0][0], record
            is_header = False

    def fields(self, line: int, record: list[str]) -> tuple[str, str, str]:
        """Return a record's id (by default its line), source and target.

        Raises
        ------
        FormatError
            If it lacks one, or is not UTF-8.
        """
        wanted = max(self.source, self.target)
        if len(record) <= wanted:
            raise FormatError(f"saw {len(record)} fields; wanted {wanted + 1} or more")
        values = [record[self.source], record[self.target]]
        has_id = self.id is not None and self.id < len(record) and record[self.id]
        name = record[self.id] if has_id and self.id is not None else str(line)
        for value in (name, *values):
            try:
                value.encode()
            except UnicodeEncodeError:
                raise FormatError("not UTF-8; convert the file with iconv") from None
        return name, *values  # type: ignore[return-value]  # two values


def table_of(head: str, columns: ColumnNames | None) -> PairTable | None:
    """Return how to read a file by its first line, or None if it is no table.

    Parameters
    ----------
    head : str
    columns : (str, str), optional
        Numbers or names; without them a header has to name source and target, or other usual names.

    Raises
    ------
    FormatError
        If a named column is not in the header.
    """
    for delimiter in ("\t", ","):
        try:
            names = next(_reader([head.rstrip("\r\n")], delimiter), [])
        except csv.Error:  # a field that is too long for the name of a column
            names = []
        numbers = [whole_number(column) for column in columns or ()]
        if columns and delimiter in head and all(numbers):
            source, target = (number - 1 for number in numbers if number)
            return PairTable(delimiter, source, target, None, has_header=False)
        wanted = columns or usual_columns(names)
        if wanted and all(name in names for name in wanted):
            source, target = (names.index(name) for name in wanted)
            identity = id_column(names)
            place = None if identity is None else names.index(identity)
            return PairTable(delimiter, source, target, place, has_header=True, names=tuple(names))
    if columns:
        raise FormatError(
            f"the first line, {quoted(head.rstrip())}, names no columns {' and '.join(columns)}"
        )
    return None


def usual_columns(names: Sequence[str]) -> ColumnNames | None:
    """Return the columns that hold source and target by their names; None if none has usual ones.

    A warning says so if they are not called "source" and "target".
    """
    for found in side_names(names):
        if found != NAMES:
            logger.warning("columns %r and %r are read as source and target", *found)
        return found
    return None


def id_column(names: Sequence[str]) -> str | None:
    """Return the name of the column of ids, if there is one."""
    return next((name for name in names if plain_name(name) in _IDS), None)


def seems_header(first: Sequence[str], second: Sequence[str]) -> bool:
    """Whether the first two rows of a file are several names, above sentences."""
    has_names = all(_COLUMN_NAME.fullmatch(field.strip()) for field in first)
    return has_names and len(first) > 1 and all(len(field.split()) > 2 for field in second)


def _quotes_error(error: csv.Error, taken: Sequence[tuple[int, bytes]]) -> FormatError:
    """Return what to say of a record that csv cannot read."""
    first, last = taken[0][0], taken[-1][0]
    where = f"line {first}" if first == last else f"lines {first} to {last}"
    if "unexpected end" in str(error):
        return FormatError(f"a quote opens that is not closed up to the end of the file ({where})")
    if "expected after" in str(error):
        return FormatError(
            f"a quote closes before the end of a field ({where}); wanted two quotes for one inside "
            "a field"
        )
    return FormatError(f"no record of a table: {error} ({where})")


def _reader(lines: Iterable[str], delimiter: str) -> Iterator[list[str]]:
    csv.field_size_limit(MAX_FIELD)
    if delimiter == "\t":
        return csv.reader(lines, delimiter=delimiter, quoting=csv.QUOTE_NONE)
    return csv.reader(lines, delimiter=delimiter, strict=True)


def columns_from(text: str) -> ColumnNames:
    """Return the columns of "SOURCE,TARGET"; FormatError if there are not two."""
    source, comma, target = text.partition(",")
    if not comma or not source or not target or "," in target:
        raise FormatError(f"saw {quoted(text)}; wanted two columns with a comma between them")
    if (whole_number(source) is None) != (whole_number(target) is None):
        raise FormatError(f"saw {quoted(text)}; wanted two names or two numbers from 1")
    if "0" in (source, target):
        raise FormatError(f"saw {quoted(text)}; columns are numbered from 1")
    return source, target
