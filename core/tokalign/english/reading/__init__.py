"""What a text says before its tokens are found: the normal form of its letters, and its marks."""

from tokalign.english.reading.marks import Mark, MarkKind
from tokalign.english.reading.text_reading import (
    TextReading,
    read_text,
    without_marks,
    words_of,
)

__all__ = ["Mark", "MarkKind", "TextReading", "read_text", "without_marks", "words_of"]
