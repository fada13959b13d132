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
    number = 0
    stands_alone = False
    for line in _LINE.finditer(text):
        if stands_alone and line.start() < len(text):
            yield line.start()
        marker = _MARKER.match(line[0])
        begins = marker is not None
        if marker is not None and marker[1] and marker[1][0].isdecimal():
            found = int(marker[1][:-1])
            begins = found in (1, number + 1)
            number = found if begins else number
        if begins and not stands_alone:
            yield line.start()
        stands_alone = marker is not None and marker[2] is not None


def cut_at_items(text: str, sentences: Iterable[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Yield sentences, cut where an item or a heading begins in them.

    The number of an item that was split from its text as if it ended a sentence is joined to it.

    Parameters
    ----------
    text : str
    sentences : iterable of (start, end)
        In order, with nothing but white space between them.
    """
    starts = list(item_starts(text))
    number: tuple[int, int] | None = None
    for piece in _cut(text, sentences, starts):
        if number is not None:
            if text[number[1] : piece[0]].strip(" \t"):
                yield number  # it has no text
            else:
                piece = (number[0], piece[1])
            number = None
        if piece[1] - piece[0] < 5 and _BARE.fullmatch(text, *piece):
            number = piece
        else:
            yield piece
    if number is not None:
        yield number


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
