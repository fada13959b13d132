"""Reading of a text before its tokens are found: the normal form of its letters, and its marks."""

from tokalign.english.reading.marks import MarkKind, TextMark
from tokalign.english.reading.text_reading import (
    TextReading,
    marks_of,
    marks_to_json,
    read_text,
    reading_as,
    without_marks,
    words_of,
)

__all__ = [
    "MarkKind",
    "TextMark",
    "TextReading",
    "marks_of",
    "marks_to_json",
    "read_text",
    "reading_as",
    "without_marks",
    "words_of",
]
