"""Reading of a text before its tokens are found: the normal form of its letters, and its marks."""

from tokalign.english.reading.marks import MarkKind as MarkKind
from tokalign.english.reading.marks import TextMark as TextMark
from tokalign.english.reading.text_reading import marks_of as marks_of
