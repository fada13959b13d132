"""Answers with their passages, read line by line, so that a bad line costs the others nothing."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from tokalign.cli.pairs import decode_row, id_of, read_object
from tokalign.cli.parquet import rows_of_parquet
from tokalign.cli.sources import LineSource
from tokalign.errors import FormatError, InputError, quoted
from tokalign.formats.document import require_unicode

_COLUMNS = ("answer", "passages")


@dataclass(frozen=True, slots=True)
class AnswerLine:
    """An answer and its passages.

    Attributes
    ----------
    id : str
        The object's, else the line number.
    answer : str
    passages : tuple of str or (id, text)
    """

    id: str
    answer: str
    passages: tuple[str | tuple[str, str], ...]


def read_answers(rows: LineSource) -> Iterator[tuple[int, AnswerLine | InputError]]:
    """Yield the answer of each line that is not blank, or of each row of Parquet, with its number;
    or what is wrong with it.

    Raises
    ------
    FormatError
        If a Parquet file is damaged or lacks a column.
    """
    if rows.is_parquet:
        for number, row in enumerate(rows_of_parquet(rows, _COLUMNS), 1):
            yield number, _outcome(number, row)
        return
    for number, line in enumerate(rows, 1):
        if line.strip():
            yield number, _outcome(number, line)


def _outcome(number: int, row: bytes | Mapping[str, Any]) -> AnswerLine | InputError:
    try:
        return _answer(number, read_object(decode_row(row)) if isinstance(row, bytes) else row)
    except InputError as error:
        return error


def _answer(number: int, value: Mapping[str, Any]) -> AnswerLine:
    passages = value.get("passages")
    if not isinstance(value.get("answer"), str) or not isinstance(passages, list):
        raise FormatError('wanted an object with "answer", a text, and "passages", a list')
    return AnswerLine(id_of(value, number), value["answer"], tuple(_passages(passages)))


def _passages(values: Iterable[Any]) -> Iterator[str | tuple[str, str]]:
    for number, each in enumerate(values):
        if isinstance(each, str):
            yield each
        elif isinstance(each, Mapping) and isinstance(each.get("text"), str):
            name = number if each.get("id") is None else each["id"]
            yield require_unicode(str(name), f"passages[{number}].id"), each["text"]
        else:
            raise FormatError(
                f'passages[{number}] is {quoted(each)}; wanted a text, or an object with "id" and '
                '"text"'
            )
