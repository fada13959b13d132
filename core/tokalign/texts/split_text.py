"""The sentences of a text for alignment with another one; also of a growing text.

Headings, items of lists and fences of code begin on a line of their own and are sentences, too.
Sentences may continue over line breaks; without this rule, a list whose items have no periods would
be one sentence, and a heading part of the text below it.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator

from tokalign.english.annotate.prepared import pieces
from tokalign.english.annotate.sentence_splitter import Sentences
from tokalign.errors import InputError, LimitError, quoted
from tokalign.types.lengths import MAX_TEXT_SENTENCES
from tokalign.types.texts import SentenceSpan

_LINE = re.compile(r"[^\r\n]*(?:\r\n?|\n|$)")
_MARKER = re.compile(r"[ \t]*(?:([-*+•>|]|\d{1,3}[.)])(?=[ \t])|(#{1,6}(?=[ \t])|```|~~~))")
_SPACE = re.compile(r"\s*")
_BARE = re.compile(r"\d{1,3}[.)]")


def item_starts(text: str) -> Iterator[int]:
    """Yield the offsets of lines that do not continue the line before.

    A number begins an item if it is 1, or follows the number of the item before: lines of wrapped
    text may begin with numbers, too.

    Examples
    --------
    >>> list(item_starts("To do:\\n- sweep\\n- mop and\\n  dry\\nin\\n12. May"))
    [7, 15]
    """
    return ItemCuts().starts(text, len(text))


def cut_at_items(text: str, sentences: Iterable[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Yield sentences, cut at items and headings that begin in them.

    The number of an item, which looks like a sentence, is joined to the item's text.

    Parameters
    ----------
    text : str
    sentences : iterable of (start, end)
        In order, with only white space between them.
    """
    items = ItemCuts()
    yield from items.cut(text, sentences, list(item_starts(text)))
    yield from items.rest()


class ItemCuts:
    """Cuts the sentences of a text as `cut_at_items` does, incrementally."""

    def __init__(self) -> None:
        self._line = 0  # offset of the last line read
        self._is_read = False
        self._number = 0
        self._stands_alone = False
        self._bare: tuple[int, int] | None = None  # a number whose text may follow

    def starts(self, text: str, end: int) -> Iterator[int]:
        """Yield the next lines that begin before `end` and do not continue the line before.

        The text may have grown after the previous `end`, if that was not its end.
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
        """Yield the number kept back, if there is one."""
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
            if starts[k] > start:  # not if only white space comes before
                yield start, start + len(text[start : starts[k]].rstrip())
                start = _SPACE.match(text, starts[k], end).end()  # type: ignore[union-attr]
        yield start, end


MOST_TOKENS = 384
"""Most tokens of a sentence, or of two joined ones: fewer than the limit of a side, since another
annotator may find more."""


def split_text(text: str) -> list[SentenceSpan]:
    """Return the sentences of a text, split as for alignment; see tokalign.split."""
    if not isinstance(text, str):
        raise InputError(f"text is {quoted(text)}; wanted text", field="text")
    return [SentenceSpan(start, end, text[start:end]) for start, end in Sentences(text)]


def sentences_of(text: str, name: str) -> tuple[SentenceSpan, ...]:
    """Return the sentences of a text; a blank text has none.

    A heading and an item of a list are sentences. One of more than MOST_TOKENS is cut; its pieces
    count as sentences.

    Parameters
    ----------
    text : str
    name : str
        Name of the field in errors.

    Raises
    ------
    InputError
        If the text holds lone surrogates.
    LimitError
        If there are more than MAX_TEXT_SENTENCES.
    """
    _require_unicode(text, name)
    spans: list[SentenceSpan] = []
    for sentence in cut_at_items(text, Sentences(text)):
        _add_pieces(spans, text, sentence, name)
    return tuple(spans)


class GrowingText:
    """A growing text, whose sentences are found as soon as more text cannot change them.

    In the end they are those that `sentences_of` finds in the whole text.

    Parameters
    ----------
    name : str
        Name of the field in errors.

    Attributes
    ----------
    text : str
        The text so far.
    """

    def __init__(self, name: str) -> None:
        self.text = ""
        self._name = name
        self._items = ItemCuts()
        self._read = 0  # end of the final sentences
        self._spans: list[SentenceSpan] = []

    def add(self, piece: str) -> list[SentenceSpan]:
        """Return the sentences that the next piece of the text completes.

        Raises
        ------
        InputError
            If the piece holds lone surrogates.
        LimitError
            If there are more than MAX_TEXT_SENTENCES.
        """
        _require_unicode(piece, self._name)
        self.text += piece
        return self._next(is_whole=False)

    def end(self) -> list[SentenceSpan]:
        """Return the sentences that the end of the text completes; errors are as of `add`."""
        return self._next(is_whole=True)

    def _next(self, *, is_whole: bool) -> list[SentenceSpan]:
        first, n_before = self._read, len(self._spans)
        found: list[tuple[int, int]] = []
        rest = Sentences(self.text[first:])
        for start, end in rest:
            if rest.is_open and not is_whole:
                break
            found.append((first + start, first + end))
            self._read = first + end
        starts = list(self._items.starts(self.text, self._read)) if found else []
        for sentence in self._items.cut(self.text, found, starts):
            _add_pieces(self._spans, self.text, sentence, self._name)
        if is_whole:
            for sentence in self._items.rest():
                _add_pieces(self._spans, self.text, sentence, self._name)
        return self._spans[n_before:]


def _require_unicode(text: str, name: str) -> None:
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise InputError(f"{name} is not valid Unicode: {error}", field=name) from error


def _add_pieces(spans: list[SentenceSpan], text: str, sentence: tuple[int, int], name: str) -> None:
    """Add a sentence, or the pieces of a long one, to those of a text."""
    start, end = sentence
    for first, last in pieces(text[start:end], MOST_TOKENS):
        if len(spans) == MAX_TEXT_SENTENCES:
            raise LimitError(
                f"{name} has more than {MAX_TEXT_SENTENCES} sentences; align it in parts",
                field=name,
            )
        piece = text[start + first : start + last]
        spans.append(SentenceSpan(start + first, start + last, piece))
