"""Tables of pairs: CSV (RFC 4180) and TSV, whose columns have names or numbers."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from tokalign.errors import FormatError, quoted
from tokalign.formats.document import whole_number

ColumnNames = tuple[str, str]
"""Columns of the source and the target: names, or numbers from 1."""
NAMES: ColumnNames = ("source", "target")
ID = "id"
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
    """

    delimiter: str
    source: int
    target: int
    id: int | None
    has_header: bool

    def records(self, numbered: Iterable[tuple[int, bytes]]) -> Iterator[tuple[int, list[str]]]:
        """Yield the records after the header, each with the number of its first line.

        Bytes that are not UTF-8 come as lone surrogates.
        """
        first = 0  # of the record that is being read

        def lines() -> Iterator[str]:
            nonlocal first
            for number, row in numbered:
                first = first or number
                yield row.decode("utf-8-sig", errors="surrogateescape")

        records = _reader(lines(), self.delimiter)
        is_header = self.has_header
        while True:
            first = 0
            try:
                record = next(records, None)
            except csv.Error:
                record = []
            if record is None:
                return
            if not is_header:
                yield first, record
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
        Numbers or names; without them a header has to name source and target.

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
        wanted = columns or NAMES
        numbers = [whole_number(column) for column in wanted] if columns else []
        if columns and delimiter in head and all(numbers):
            source, target = (number - 1 for number in numbers if number)
            return PairTable(delimiter, source, target, None, has_header=False)
        if all(name in names for name in wanted):
            source, target = (names.index(name) for name in wanted)
            identity = names.index(ID) if ID in names else None
            return PairTable(delimiter, source, target, identity, has_header=True)
    if columns:
        raise FormatError(
            f"the first line, {quoted(head.rstrip())}, names no columns {' and '.join(columns)}"
        )
    return None


def _reader(lines: Iterable[str], delimiter: str) -> Iterator[list[str]]:
    csv.field_size_limit(MAX_FIELD)
    if delimiter == "\t":
        return csv.reader(lines, delimiter=delimiter, quoting=csv.QUOTE_NONE)
    return csv.reader(lines, delimiter=delimiter)


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
