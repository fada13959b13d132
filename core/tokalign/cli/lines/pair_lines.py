"""Sentence pairs, read line by line from text, JSON and tables."""

import csv
import itertools
import logging
import re
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

from tokalign.cli.lines.sources import MAX_LINE
from tokalign.errors import FormatError, InputError, quoted
from tokalign.types import Pair, Sentence, SentenceLike
from tokalign.types.constraints import NAMES
from tokalign.types.inputs import (
    plain_name,
    read_object,
    require_unicode,
    side_names,
    split_tokens,
    whole_number,
)
from tokalign.types.objects import pair_from_json

ColumnNames = tuple[str, str]
"""Columns of the source and the target: names, or numbers from 1."""
SIDES: ColumnNames = ("source", "target")
_IDS = ("id", "pairid")
_COLUMN_NAME = re.compile(r"[^\W\d]\w*")

logger = logging.getLogger(__name__)
# Longer fields cannot be aligned; the default limit of csv is 128 KiB.
MAX_FIELD = 1 << 24


class PairTable(NamedTuple):
    """Columns of a table that hold the pairs, as positions from 0; names are empty without a
    header.

    Fields between commas, not tabs, may be quoted and hold line breaks.
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
        """Return a record's id (by default its line), source and target; FormatError if it lacks
        one, or is not UTF-8."""
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
    """Return the PairTable of a file, from its first line, or None if it is not a table.

    Without columns, a header has to name source and target, or other usual names. FormatError if a
    named column is not in the header.
    """
    for delimiter in ("\t", ","):
        try:
            names = next(_reader([head.rstrip("\r\n")], delimiter), [])
        except csv.Error:  # too long for a column name
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
    """Return the columns of source and target by their usual names; None without such names.

    Warns if they are not called "source" and "target".
    """
    for found in side_names(names):
        if found != SIDES:
            logger.warning(
                "columns %r and %r are read as source and target; --columns %s,%s turns them",
                *found,
                *reversed(found),
            )
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
    """Return the error message for a record that csv cannot read."""
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


SEPARATOR = " ||| "
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"

_OF_PAIRS = {"id", "source", "target", *NAMES}
"""Fields of an object that make its pair."""


class InputLine(NamedTuple):
    """One line of input, from 1: a pair, or the reason why it is bad.

    The id is the object's, else the line number. A table's columns are in `row`, as text, and the
    other fields of an object in `fields`.
    """

    line: int
    id: str
    pair: Pair | None
    error: str = ""
    row: Mapping[str, str] | None = None
    fields: Mapping[str, Any] | None = None

    def cells(self) -> dict[str, str]:
        """Return the cells of the input's columns by name; of a pair that is in no table, its id
        and its texts."""
        if self.row is not None:
            return dict(self.row)
        source, target = map(_text, (self.pair or ("", ""))[:2])
        return {"id": self.id, "source": source, "target": target}


def _text(side: SentenceLike) -> str:
    if isinstance(side, Sentence):
        return side.text
    return side if isinstance(side, str) else " ".join(side)


def read_lines(
    rows: Iterable[bytes], *, is_tokenized: bool, columns: ColumnNames | None = None
) -> Iterator[InputLine]:
    """Yield an InputLine for every line, or for every record of a table.

    The lines are objects where the first that is not blank opens one; a table where columns are
    given or the first line is a header with "source" and "target", or other usual names; else text,
    which is tokens between white space if it is tokenized. FormatError if the header lacks a
    column.
    """
    head, n_blank, numbered = _opened(rows)
    if columns is None and head.startswith(b"{"):
        yield from _lines(numbered, partial(_line_from_json, is_tokenized=is_tokenized))
        return
    table = table_of(head.decode(errors="replace"), columns) if head else None
    if table is None:
        noted = _header_noted(numbered)
        yield from _lines(noted, partial(_line_from_text, is_tokenized=is_tokenized))
        return
    for _ in range(n_blank):
        next(numbered)
    yield from _lines_from_table(table, numbered, is_tokenized)


def _opened(rows: Iterable[bytes]) -> tuple[bytes, int, Iterator[tuple[int, bytes]]]:
    """Return the first non-blank line, the number of lines before it, and all lines numbered."""
    pending = iter(rows)
    blank: list[bytes] = []
    first = b""
    for row in pending:
        if row.strip():
            first = row
            break
        blank.append(row)
    head = first.removeprefix(_BYTE_ORDER_MARK).lstrip()
    numbered = enumerate(itertools.chain(blank, [first] if first else [], pending), 1)
    return head, len(blank), numbered


def _lines(
    numbered: Iterable[tuple[int, bytes]], read: Callable[[int, str], InputLine]
) -> Iterator[InputLine]:
    for line, row in numbered:
        try:
            yield read(line, decode_row(row))
        except InputError as error:
            yield InputLine(line, str(line), None, str(error))


def _header_noted(numbered: Iterable[tuple[int, bytes]]) -> Iterator[tuple[int, bytes]]:
    """Yield the lines of text, and warn if the first one seems to name columns."""
    first: list[str] = []
    for line, row in numbered:
        if line <= 2:
            fields = split_fields(row.decode(errors="replace"))
            if line == 2 and len(first) == 2 == len(fields) and seems_header(first, fields):
                logger.warning(
                    "line 1 is aligned as a pair, but %s and %s look like names of columns; name "
                    "them with --columns if they are",
                    *map(quoted, first),
                )
            first = [field.strip() for field in fields]
            if line == 1 and len(first) == 1 and seems_header(names := first[0].split(","), []):
                logger.warning(
                    "line 1 looks like names of columns, %s, of which no two are known for source "
                    "and target; name them with --columns if they are",
                    ", ".join(map(quoted, names)),
                )
        yield line, row


def _lines_from_table(
    table: PairTable, numbered: Iterable[tuple[int, bytes]], is_tokenized: bool
) -> Iterator[InputLine]:
    names = table.names
    for line, record in table.records(numbered):
        name = str(line)
        row: dict[str, str] = dict.fromkeys(names, "")
        try:
            if isinstance(record, FormatError):
                raise record
            names = names or tuple(str(number) for number in range(1, len(record) + 1))
            row |= zip(names, record, strict=False)
            name, *fields = table.fields(line, record)
            yield InputLine(line, name, pair_of(fields, is_tokenized), row=row)
        except InputError as error:
            row = {key: value.encode(errors="replace").decode() for key, value in row.items()}
            yield InputLine(line, name, None, str(error), row)


def decode_row(row: bytes) -> str:
    """Return the text of a line without its break; FormatError if it is not UTF-8, or too long."""
    if len(row) > MAX_LINE:
        raise FormatError(f"more than {MAX_LINE >> 20} MiB without a line break")
    try:
        return row.decode("utf-8-sig").rstrip("\r\n")
    except UnicodeDecodeError as error:
        raise FormatError(
            f"byte {error.start} of the line is not UTF-8; convert the file with iconv"
        ) from error


def split_fields(line: str) -> list[str]:
    """Return the fields between tabs, or between triple bars in a line without tabs."""
    return line.split("\t") if "\t" in line else line.split(SEPARATOR)


def _line_from_text(line: int, text: str, is_tokenized: bool) -> InputLine:
    fields = split_fields(text)
    if len(fields) != 2:
        raise FormatError(
            f"saw {len(fields)} fields; wanted source and target with a tab or ' ||| ' "
            "between them, or --columns"
        )
    return InputLine(line, str(line), pair_of(fields, is_tokenized))


def pair_of(sides: Sequence[Any], is_tokenized: bool) -> tuple[SentenceLike, SentenceLike]:
    """Return a pair from two cells of a table: texts, or lists of tokens. FormatError if one is
    null or empty."""
    for name, side in zip(("source", "target"), sides, strict=True):
        if side is None or (isinstance(side, list) and None in side):
            raise FormatError(f"the {name} is null")
        if not (side if isinstance(side, list) else side.strip()):
            raise FormatError(f"the {name} is empty")
    source, target = (_sentence(side, is_tokenized) for side in sides)
    return source, target


def _sentence(side: str | list[str], is_tokenized: bool) -> SentenceLike:
    if isinstance(side, list):
        return side
    return split_tokens(side) if is_tokenized else side.strip()


def id_of(value: Mapping[str, Any], number: int) -> str:
    """Return the id of an object as text; the line number if the id is missing or null."""
    found = value.get("id")
    return require_unicode(str(number if found is None else found), "id")


def _line_from_json(line: int, text: str, is_tokenized: bool) -> InputLine:
    value = read_object(text)
    name = id_of(value, line)
    fields = {key: each for key, each in value.items() if key not in _OF_PAIRS}
    try:
        pair = pair_from_json(value, is_tokenized=is_tokenized)
    except InputError as error:
        return InputLine(line, name, None, str(error), fields=fields)
    return InputLine(line, name, pair, fields=fields)
