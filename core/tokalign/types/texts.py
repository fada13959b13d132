"""Texts of any number of sentences."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class SentenceSpan:
    """A sentence, and where it stands in its text.

    Attributes
    ----------
    start, end : int
        Half-open range of code points of the text.
    text : str
        What stands there: not empty, without white space at either end. Line breaks inside stay.
    """

    start: int
    end: int
    text: str
