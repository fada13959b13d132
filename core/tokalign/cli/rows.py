"""Rows of CSV: the columns of the input, and behind them what was found."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Iterator, Sequence

from tokalign.cli.pairs import InputLine
from tokalign.types import Sentence, SentenceLike

_NO_TABLE = ("id", "source", "target")
"""Columns of pairs that do not come from a table."""


class Heading:
    """The names of the columns, which the first pair decides."""

    def __init__(self, found: Sequence[str]) -> None:
        self._found = found
        self._kept: Sequence[str] = _NO_TABLE

    def over(self, items: Iterable[InputLine]) -> Iterator[InputLine]:
        """Yield the items, and note the columns of the first."""
        for number, item in enumerate(items):
            if not number and item.row is not None:
                self._kept = tuple(item.row)
            yield item

    def line(self) -> str:
        """Return the first line; what is found gets another name than a column of the input."""
        names = list(self._kept)
        for name in self._found:
            free, number = name, 2
            while free in names:
                free, number = f"{name}_{number}", number + 1
            names.append(free)
        return record_of(names)


def kept_cells(item: InputLine) -> list[str]:
    """Return what stands in the input's columns."""
    if item.row is not None:
        return list(item.row.values())
    source, target = (item.pair or ("", ""))[:2]
    return [item.id, _text(source), _text(target)]


def _text(side: SentenceLike) -> str:
    if isinstance(side, Sentence):
        return side.text
    return side if isinstance(side, str) else " ".join(side)


def record_of(cells: Sequence[str]) -> str:
    """Return a record of CSV, without the line break behind it.

    Examples
    --------
    >>> record_of(["a", "b, c", ""])
    'a,"b, c",'
    """
    written = io.StringIO()
    csv.writer(written).writerow(cells)  # whose line break decides which ones are in quotes
    return written.getvalue().removesuffix("\r\n")


def with_input(line: str, item: InputLine) -> str:
    """Return a line of JSON with the input's columns or other fields under "input"."""
    found = item.row or item.fields
    if not found:
        return line
    kept = json.dumps(found, ensure_ascii=False)
    return f'{line.removesuffix("}")}, "input": {kept}}}'
