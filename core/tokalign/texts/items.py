"""Headings, items of lists and fences of code, each of which begins on a line of its own.

Sentences of wrapped lines go over line breaks. Without this, a list whose items have no periods
would be one sentence, and a heading a part of what it stands over.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator

_LINE = re.compile(r"[^\r\n]*(?:\r\n?|\n|$)")
_MARKER = re.compile(r"[ \t]*(?:([-*+•>|]|\d{1,3}[.)])(?=[ \t])|(#{1,6}(?=[ \t])|```|~~~))")
_SPACE = re.compile(r"\s*")
_BARE = re.compile(r"\d{1,3}[.)]")


def item_starts(text: str) -> Iterator[int]:
    """Yield where a line begins that is not the rest of the line before.

    A number begins an item where it is 1, or where the item before has the number before: lines of
    wrapped text begin with numbers, too.

    Examples
    --------
    >>> list(item_starts("To do:\\n- sweep\\n- mop and\\n  dry\\nin\\n12. May"))
    [7, 15]
    """
    return ItemCuts().starts(text, len(text))


def cut_at_items(text: str, sentences: Iterable[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Yield sentences, cut where an item or a heading begins in them.

    The number of an item that was split from its text as if it ended a sentence is joined to it.

    Parameters
    ----------
    text : str
    sentences : iterable of (start, end)
        In order, with nothing but white space between them.
    """
    items = ItemCuts()
    yield from items.cut(text, sentences, list(item_starts(text)))
    yield from items.rest()


class ItemCuts:
    """Cuts the sentences of a text as `cut_at_items` does, some at a time."""

    def __init__(self) -> None:
        self._line = 0  # where the last line that was read begins
        self._is_read = False
        self._number = 0
        self._stands_alone = False
        self._bare: tuple[int, int] | None = None  # a number whose text may follow

    def starts(self, text: str, end: int) -> Iterator[int]:
        """Yield the next lines that begin before `end` and not with the rest of the line before.

        The text may have grown behind the `end` of the call before, if that was not all of it.
        """
        for line in _LINE.finditer(text, self._line):
            if line.start() >= end:
                break
            if line.start() == self._line and self._is_read:
                continue
            self._line, self._is_read = line.start(), True
            if self._stands_alone:
                yield line.start()
            marker = _MARKER.match(line[0])
            begins = marker is not None
            if marker is not None and marker[1] and marker[1][0].isdecimal():
                found = int(marker[1][:-1])
                begins = found in (1, self._number + 1)
                self._number = found if begins else self._number
            if begins and not self._stands_alone:
                yield line.start()
            self._stands_alone = marker is not None and marker[2] is not None

    def cut(
        self, text: str, sentences: Iterable[tuple[int, int]], starts: list[int]
    ) -> Iterator[tuple[int, int]]:
        """Yield the next sentences, cut where lines start; a number at the end is kept back."""
        for piece in _cut(text, sentences, starts):
            if self._bare is not None:
                if text[self._bare[1] : piece[0]].strip(" \t"):
                    yield self._bare  # it has no text
                else:
                    piece = (self._bare[0], piece[1])
                self._bare = None
            if piece[1] - piece[0] < 5 and _BARE.fullmatch(text, *piece):
                self._bare = piece
            else:
                yield piece

    def rest(self) -> Iterator[tuple[int, int]]:
        """Yield the number that was kept back, if there is one."""
        if self._bare is not None:
            yield self._bare
            self._bare = None


def _cut(
    text: str, sentences: Iterable[tuple[int, int]], starts: list[int]
) -> Iterator[tuple[int, int]]:
    for start, end in sentences:
        for k in range(bisect_right(starts, start), len(starts)):
            if starts[k] >= end:
                break
            if starts[k] > start:  # not where white space alone comes before
                yield start, start + len(text[start : starts[k]].rstrip())
                start = _SPACE.match(text, starts[k], end).end()  # type: ignore[union-attr]
        yield start, end
