"""Reading of a raw text before its tokens are found: its normal form, and what in it is no word."""

import re
import unicodedata
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Mapping
from contextvars import ContextVar
from functools import lru_cache
from typing import NamedTuple, TypeAlias

from tokalign.english.reading.marks import MarkKind, TextMark, find_marks
from tokalign.types.options import Markup, OffsetUnit
from tokalign.types.patterns import regex
from tokalign.types.sentence import Sentence, positions

_PICTURE = "\u2600-\u27bf\u2b50\U0001f000-\U0001faff"
_STANDING = "\u0300-\u036f\u1dc4-\u1dff\ufe00-\ufe0f"
_UNSEEN = "\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufeff"
_FOLDED = (
    f"{_UNSEEN}\u2010\u2011\u2103\u2109\u212a\u212b\u2160-\u217f\u2212\u3371-\u33df"
    "\ufb00-\ufb06\uff01-\uff5e\U0001d400-\U0001d7ff"
)
_APOSTROPHES = "`\u00b4\u02b9\u02bb\u02bc\u2032\u2035\u275b\u275c\uff07"
_IS_FOLDED = regex(f"[{_FOLDED}]")
_OTHER = regex(f"[{_STANDING}{_FOLDED}{_PICTURE}{_APOSTROPHES}\u00ab\u00bb\u2039\u203a\u201e]")
_CLUSTER = regex(
    rf"(?<=[a-z])\u2010\r?\n[ \t]*(?=[a-z])|.?[{_STANDING}]{{1,30}}|[{_FOLDED}]", re.DOTALL
)
"""A word's end of a line, or a letter and what stands on it. Composing takes the square of the time
of what it composes."""
_BETWEEN = f"[{_UNSEEN}{_STANDING}]{{0,30}}+"
_GLUED = regex(f"\\w{_BETWEEN}(?=[{_PICTURE}])|[{_PICTURE}\ufe0f]{_BETWEEN}(?=\\w)")
_LOOKALIKE = regex(f"(?<=[a-zA-Z])[{_APOSTROPHES}](?=(?:s|t|d|m|ll|re|ve)\\b)", re.IGNORECASE)
_GUILLEMET = regex(r"(\s?)([\u00ab\u00bb\u2039\u203a\u201e])(\s?)")
_SAID = regex(r"[\w.,!?\u2026]")
_HIGH_CLOSING = regex(r"(?<=\S)\u201c(?!\w)")
_ENTITY = regex(r"&(?:[a-z]{2,6}|#\d{1,6}|#x[0-9a-f]{1,5});", re.IGNORECASE)
_SOME = f"['\u2019{_APOSTROPHES}]"
_TWICE = regex(rf"(?:(?<=\w{_SOME}d)|(?<=n{_SOME}t))(?={_SOME}ve\b)", re.IGNORECASE)
_INNER_STOP = regex(r"(?<=[a-z])(?=\.[\"'\u201d\u2019)\]]{1,8} [a-z])")
_Edit: TypeAlias = tuple[int, int, str]
"""Start and end in a text, and what is written there instead."""


class NormalForm(NamedTuple):
    """A text in its normal form, which knows where it differs from the text as it was sent."""

    text: str
    starts: list[int]
    """Where that was written anew, in order: code point offsets in `text`."""
    changes: list[tuple[int, int, int]]
    """For each of `starts`: end, start as sent, and end as sent, which are the same for what was
    inserted."""

    def places(self, start: int, end: int) -> tuple[int, int]:
        return self._letter(start)[0], self._letter(end - 1)[1]

    def _letter(self, at: int) -> tuple[int, int]:
        index = bisect_right(self.starts, at) - 1
        if index < 0:
            return at, at + 1
        end, sent_start, sent_end = self.changes[index]
        if at < end:
            return sent_start, sent_end
        return sent_end + at - end, sent_end + at - end + 1


def normal_form(text: str) -> NormalForm | None:
    """Return a text in its normal form; None if it is in that form already, or nothing is left.

    That is canonical composition (NFC), compatibility forms that stand for the same word
    (ligatures, full width, mathematical letters, Roman numerals of one sign), no signs that nobody
    sees, no hyphens where a line ends within a word, as in manual pages, and one form of
    apostrophes, quotation marks and entities of HTML. Superscripts, fractions and typographic marks
    stay: they say something, or the tokenizer reads them.

    Examples
    --------
    >>> normal_form("Rene\\u0301e isn`t here").text
    "Ren\\xe9e isn't here"
    """
    pieces: list[str] = []
    starts: list[int] = []
    changes: list[tuple[int, int, int]] = []
    at = length = 0
    for start, end, written in sorted(_edits(text)):
        if start < at:
            continue  # inside of what was written anew
        length += start - at
        starts.append(length)
        length += len(written)
        changes.append((length, start, end))
        pieces += (text[at:start], written)
        at = end
    normal = "".join([*pieces, text[at:]])
    return NormalForm(normal, starts, changes) if starts and normal.strip() else None


def _edits(text: str) -> Iterator[_Edit]:
    """Yield what is written in another way, pass by pass."""
    if not text.isascii() and _OTHER.search(text) is not None:
        yield from _folds(text)
        yield from _insertions(_GLUED, text, " ")
        yield from _quotations(text)
        yield from ((*found.span(), "'") for found in _LOOKALIKE.finditer(text))
    elif "`" in text:
        yield from ((*found.span(), "'") for found in _LOOKALIKE.finditer(text))
    if "'ve" in text or "`" in text or not text.isascii():
        yield from _insertions(_TWICE, text, " ")
    if "&" in text:
        import html  # a large table

        for entity in _ENTITY.finditer(text):
            sign = html.unescape(entity[0])
            if sign != entity[0]:
                yield *entity.span(), sign
    if '."' in text or ".'" in text or ".)" in text or ".\u201d" in text or ".]" in text:
        yield from _insertions(_INNER_STOP, text, " ")


def _quotations(text: str) -> Iterator[_Edit]:
    """Yield curly quotation marks for guillemets and low ones, without the space inside of them."""
    for found in _GUILLEMET.finditer(text):
        (before, sign, after), (start, end) = found.groups(), found.span(2)
        is_said = _SAID.match(text, start - 1) is not None, _SAID.match(text, end) is not None
        opens = is_said[1] if is_said[0] != is_said[1] else sign in "\u00ab\u2039\u201e"
        yield start, end, "\u201c" if opens else "\u201d"
        if opens and after:
            yield *found.span(3), ""
        elif before and not opens:
            yield *found.span(1), ""
    if "\u201e" in text:
        yield from ((*found.span(), "\u201d") for found in _HIGH_CLOSING.finditer(text))


def _insertions(pattern: re.Pattern[str], text: str, written: str) -> Iterable[_Edit]:
    return ((found.end(), found.end(), written) for found in pattern.finditer(text))


def _folds(text: str) -> Iterator[_Edit]:
    for cluster in _CLUSTER.finditer(text):
        sent, (start, end) = cluster[0], cluster.span()
        is_wrapped = len(sent) > 1 and sent[0] == "\u2010"
        folded = "" if is_wrapped else "".join(map(_fold, unicodedata.normalize("NFC", sent)))
        same = len(sent) > 1 and folded[:1] == sent[0]
        if folded != sent:
            yield start + same, end, folded[same:]


@lru_cache(4096)
def _fold(letter: str) -> str:
    """Return what a letter is written for: itself, another, several or none."""
    if letter in "\u2010\u2011\u2212":
        return "-"
    if unicodedata.category(letter) in ("Cf", "Mn"):
        # Zero width and soft hyphens; marks that NFC could not compose say nothing to a word list.
        return ""
    folded = unicodedata.normalize("NFKC", letter) if _IS_FOLDED.match(letter) else letter
    # The tokenizer would cut a.m., which is one letter.
    return letter if "." in folded[:-1] else folded


_markup: ContextVar[Markup] = ContextVar("markup", default=Markup.AUTO)

_PLAIN = re.compile(
    r"""
    [ ]{0,4}+
    (?![a-z]\) | \d{1,3}[.)] | [IVXL]{2,6}\. | (?:[SCPARIQ][a-z]+)\ (?:\d|[A-Z][.:]|[IVXL]{2}))
    (?=["'$A-Za-z0-9\u201c])
    (?: [A-Za-z0-9 ,;?!$%/)"+\u00c0-\u017f\u2013\u2014\u2018\u201c\u201d-]++
      | (?<!www)\.(?!\.{3} | \ \. | ["')\u201d\u2019]{1,8}\ [a-z])
      | ['\u2019](?!ve) | (?<![dt])['\u2019]
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
