"""Reading of a raw text before its tokens are found: its normal form, and what in it is no word."""

from __future__ import annotations

from dataclasses import dataclass

from tokalign.english.reading.marks import Mark, MarkKind, find_marks
from tokalign.english.reading.normal_form import NormalForm, normal_form


@dataclass(frozen=True, slots=True)
class TextReading:
    """What a raw text says, and where.

    Attributes
    ----------
    text : str
        In its normal form.
    words : str
        The same with a space for each character of a mark. Where nothing else is left, the marks
        are the words.
    addresses : tuple of (start, end)
        Words in the normal form that are never cut.
    marks : tuple of Mark
        In the text as it was sent.
    form : NormalForm or None
        Where the characters of `text` stand in the text as it was sent; None where that is `text`.
    """

    text: str
    words: str
    addresses: tuple[tuple[int, int], ...]
    marks: tuple[Mark, ...]
    form: NormalForm | None

    def places(self, start: int, end: int) -> tuple[int, int]:
        """Return where a token of the normal form stands in the text as it was sent."""
        if self.form is None:
            return start, end
        return self.form.starts[start], self.form.ends[end - 1]


def read_text(text: str) -> TextReading | None:
    """Return the reading of a text; None where it is plain: all of it is words in normal form.

    Examples
    --------
    >>> read_text("- **Holm** left.[4]").words
    '    Holm   left.   '
    """
    form = normal_form(text)
    normal = text if form is None else form.text
    marks = find_marks(normal)
    if form is None and not marks:
        return None
    words = normal
    blanks = [mark for mark in marks if mark.kind is not MarkKind.ADDRESS]
    if blanks:
        letters = list(normal)
        for start, end, _ in blanks:
            letters[start:end] = " " * (end - start)
        words = "".join(letters)
        if not any(map(str.isalnum, words)):
            words = normal
    addresses = tuple((mark.start, mark.end) for mark in marks if mark.kind is MarkKind.ADDRESS)
    reading = TextReading(normal, words, addresses, tuple(marks), form)
    if form is None:
        return reading
    sent = tuple(Mark(*reading.places(mark.start, mark.end), mark.kind) for mark in marks)
    return TextReading(normal, words, addresses, sent, form)
