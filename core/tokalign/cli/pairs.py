"""Sentence pairs, read line by line, so that a bad line costs the others nothing."""

from __future__ import annotations

import itertools
import json
import logging
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any

from tokalign.cli.sources import MAX_LINE
from tokalign.cli.table import ColumnNames, PairTable, seems_header, table_of
from tokalign.errors import FormatError, InputError, quoted
from tokalign.formats.document import json_error, require_unicode, split_tokens
from tokalign.formats.jsonl import pair_from_json, sentence_like
from tokalign.types import Pair, Sentence, SentenceLike
from tokalign.types.constraints import NAMES, Constraints
from tokalign.types.objects import sentence_to_json

SEPARATOR = " ||| "
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"

_OF_PAIRS = {"id", "source", "target", *NAMES}
"""Fields of an object that its pair is made of."""

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class InputLine:
    """One line of input: a pair, or why it is none.

    Attributes
    ----------
    line : int
        1-based.
    id : str
        The object's, else the line number.
    pair : Pair or None
    error : str
        Empty where there is a pair.
    row : mapping, optional
        Columns of a table, as text.
    fields : mapping, optional
        Of an object, but for those that the pair is made of.
    """

    line: int
    id: str
    pair: Pair | None
    error: str = ""
    row: Mapping[str, str] | None = None
    fields: Mapping[str, Any] | None = None

    def content(self) -> bytes:
        """Return the bytes of all that the answer depends on."""
        sides = [_plain(side) for side in self.pair or ()]
        return json.dumps([self.id, self.error, sides]).encode()


def _plain(value: SentenceLike | Constraints) -> Any:
    if isinstance(value, Constraints):
        return asdict(value)
    return sentence_to_json(value) if isinstance(value, Sentence) else value


def read_lines(
    rows: Iterable[bytes], *, is_tokenized: bool, columns: ColumnNames | None = None
) -> Iterator[InputLine]:
    """Yield what every line holds, or every record of a table.

    The lines are objects where the first that is not blank opens one; a table where columns are
    given or the first line is a header with "source" and "target", or other usual names; else text.

    Parameters
    ----------
    rows : iterable of bytes
        Lines, with or without their breaks.
    is_tokenized : bool
        Text is tokens between white space instead of raw text.
    columns : (str, str), optional
        Of source and target: names in the header, or numbers from 1 where there is none.

    Raises
    ------
    FormatError
        If the header lacks a column.
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


def read_sentences(
    rows: Iterable[bytes], one: SentenceLike, *, is_tokenized: bool
) -> Iterator[InputLine]:
    """Yield a pair of one sentence with the sentence of every line.

    The lines are objects with "text" or "tokens" where the first that is not blank opens one; else
    each is text as a whole.

    Parameters
    ----------
    rows : iterable of bytes
    one : SentenceLike
        The source of every pair.
    is_tokenized : bool
        Text is tokens between white space instead of raw text.
    """
    head, _, numbered = _opened(rows)

    def read(line: int, text: str) -> InputLine:
        value = read_object(text) if head.startswith(b"{") else {"text": text}
        name = id_of(value, line)
        try:
            other = sentence_like(value, "text", is_tokenized=is_tokenized)
        except InputError as error:
            return InputLine(line, name, None, str(error))
        return InputLine(line, name, (one, other))

    yield from _lines(numbered, read)


def _opened(rows: Iterable[bytes]) -> tuple[bytes, int, Iterator[tuple[int, bytes]]]:
    """Return the first line that is not blank, how many come before it, and all with numbers."""
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
    """Return what stands between tabs, or, in a line without any, between triple bars."""
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
    """Return the pair of two values of a table: texts, or lists of tokens.

    Raises
    ------
    FormatError
        If one is null or empty.
    """
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


def read_object(text: str) -> dict[str, Any]:
    """Return the object of a line of JSON; FormatError if it holds none."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise FormatError(f"{json_error(error)}; wanted one object per line") from error
    if not isinstance(value, dict):
        raise FormatError(f"saw {type(value).__name__}; wanted an object")
    return value


def id_of(value: Mapping[str, Any], number: int) -> str:
    """Return the id of an object as text; its number where it has none, or null."""
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
