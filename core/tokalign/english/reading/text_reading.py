"""Reading of a raw text before its tokens are found: its normal form, and what in it is no word."""

import re
from bisect import bisect_left
from collections.abc import Iterable, Mapping
from contextvars import ContextVar
from typing import NamedTuple

from tokalign.english.reading.marks import MarkKind, TextMark, find_marks
from tokalign.english.reading.normal_form import NormalForm, normal_form
from tokalign.types.offsets import positions
from tokalign.types.options import Markup, OffsetUnit
from tokalign.types.sentence import Sentence

_markup: ContextVar[Markup] = ContextVar("markup", default=Markup.AUTO)

_PLAIN = re.compile(
    r"""
    [ ]{0,4}+
    (?![a-z]\) | \d{1,3}[.)] | [IVXL]{2,6}\. | (?:[SCPARIQ][a-z]+)\ (?:\d|[A-Z][.:]|[IVXL]{2}))
    (?=["'$A-Za-z0-9\u201c])
    (?: [A-Za-z0-9 ,;?!$%/)"+\u00c0-\u017f\u2013\u2014\u2018\u2019\u201c\u201d-]++
      | (?<!www)\.(?!\.{3} | \ \. | ["')\u201d\u2019]{1,8}\ [a-z])
      | '(?!ve) | (?<![dt])'
      | :(?![:/\n])
      | \n(?=[ ]{0,8}[a-z]{2})
      | \((?!(?:[Ss]our|[Rr]ef|[Cc]ita|[Pp]ass|[Dd]oc)\w | (?<=[.!?"\u201d\u2019]\()\d)
      | &(?![#A-Za-z0-9]{2,7};)
    )*+
    """,
    re.VERBOSE,
)
"""Begins with words alone: a text that is one match is plain, without that all is looked for."""


class reading_as:  # noqa: N801 (it is called as a function)
    """Read the texts of a request as one mark-up, wherever on its way they are read.

    It holds for this thread or task alone, so that annotators need no argument for it. A generator
    must not yield within it.
    """

    def __init__(self, markup: Markup) -> None:
        self._asked = markup

    def __enter__(self) -> None:
        self._before = _markup.set(self._asked)

    def __exit__(self, *exc_info: object) -> None:
        _markup.reset(self._before)


class TextReading(NamedTuple):
    """What a raw text says, and where."""

    text: str  # in its normal form
    words: str
    """The same with a space for each character of a mark, unless nothing else is left."""
    addresses: tuple[tuple[int, int], ...]
    """Starts and ends of words in the normal form that are never cut."""
    marks: tuple[TextMark, ...]  # in the text as it was sent
    form: NormalForm | None
    """Where the letters of `text` stand in the text as it was sent; None where that is `text`."""

    def places(self, start: int, end: int) -> tuple[int, int]:
        """Return where a token of the normal form stands in the text as it was sent."""
        if self.form is None:
            return start, end
        return self.form.places(start, end)


def read_text(text: str) -> TextReading | None:
    """Return the reading of a text; None where it is plain: all of it is words in normal form.

    It is read as `reading_as` says, else as any mark-up.

    Examples
    --------
    >>> read_text("- **Holm** left.[4]").words
    '    Holm   left.   '
    """
    if _PLAIN.fullmatch(text):
        return None
    form = normal_form(text)
    normal = text if form is None else form.text
    marks = find_marks(normal, _markup.get())
    if form is None and not marks:
        return None
    words, plain = _blanked(normal, marks), marks
    if not any(map(str.isalnum, words)):
        words, plain = normal, find_marks(normal, Markup.NONE)
    addresses = tuple((mark.start, mark.end) for mark in plain if mark.kind is MarkKind.ADDRESS)
    reading = TextReading(normal, words, addresses, tuple(marks), form)
    if form is None:
        return reading
    sent = tuple(TextMark(*reading.places(mark.start, mark.end), mark.kind) for mark in marks)
    return TextReading(normal, words, addresses, sent, form)


def marks_of(text: str, markup: str = Markup.AUTO) -> list[TextMark]:
    """Return the marks of a text, in order: what in it is no word, and addresses.

    It is read as a Markup or its str value; InputError for another one.

    Examples
    --------
    >>> text = "- **Holm** left.[4]"
    >>> [(text[start:end], kind.value) for start, end, kind in marks_of(text)]
    [('- ', 'label'), ('**', 'markup'), ('**', 'markup'), ('[4]', 'citation')]
    """
    with reading_as(Markup.of(markup)):
        reading = read_text(text)
    return [] if reading is None else list(reading.marks)


def marks_to_json(
    sides: Mapping[str, Sentence], markup: Markup, unit: OffsetUnit
) -> dict[str, list[tuple[int, int, str]]]:
    """Return the marks of an alignment's sentences, by side: start, end and kind of each.

    Offsets are in the sentences' unit. Sentences whose tokens were given have none.
    """
    return {name: _marks_between(side, markup, unit) for name, side in sides.items()}


def _marks_between(
    sentence: Sentence, markup: Markup, unit: OffsetUnit
) -> list[tuple[int, int, str]]:
    at = positions(sentence.text, unit)
    found = []
    for start, end, kind in marks_of(sentence.text, markup):
        before = bisect_left(sentence.starts, at[end])
        is_token = before > 0 and sentence.ends[before - 1] > at[start]
        if kind is MarkKind.ADDRESS or not is_token:
            found.append((at[start], at[end], kind.value))
    return found


def words_of(text: str) -> str:
    """Return the words of a text in its normal form, with spaces for its marks.

    Examples
    --------
    >>> words_of("The \ufb01rm**[4]**")
    'The firm       '
    """
    reading = read_text(text)
    return text if reading is None else reading.words


def without_marks(text: str) -> str:
    """Return a text as it was sent, with a space for each character of a mark.

    Examples
    --------
    >>> without_marks("2. Boil **it**.")
    '   Boil   it  .'
    """
    reading = read_text(text)
    return text if reading is None else _blanked(text, reading.marks)


def _blanked(text: str, marks: Iterable[TextMark]) -> str:
    letters = list(text)
    for start, end, kind in marks:
        if kind is not MarkKind.ADDRESS:
            letters[start:end] = " " * (end - start)
    return "".join(letters)
