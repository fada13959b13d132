"""Passages: texts of several sentences, of which the best one stands for the passage."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Self

from tokalign.english.annotate.sentence_splitter import Sentences
from tokalign.errors import InputError
from tokalign.types import PassageSentence
from tokalign.types.offsets import place
from tokalign.types.options import OffsetUnit


@dataclass(frozen=True, slots=True)
class Passage:
    """A text and the places of its sentences.

    Attributes
    ----------
    text : str
    spans : sequence of (int, int)
        Half-open code point offsets of the sentences, at least one.
    is_cut : bool
        Whether the text has more sentences than `spans`.

    Examples
    --------
    >>> passage = Passage.split("It rains. It pours. It stops.", 2)
    >>> list(passage.sentences()), passage.is_cut
    (['It rains.', 'It pours.'], True)
    """

    text: str
    spans: Sequence[tuple[int, int]]
    is_cut: bool = False

    @classmethod
    def split(cls, text: str, most: int | None = None) -> Self:
        """Return a text with its sentences, at most `most` of them.

        Each character is read a bounded number of times, and none after one sentence too many.

        Raises
        ------
        InputError
            If the text has no sentence. Its field is ``"passage"``.
        """
        spans = list(islice(Sentences(text), None if most is None else most + 1))
        if not spans:
            raise InputError(
                "the passage has no sentence; give text with at least one word", field="passage"
            )
        return cls(text, spans[:most], most is not None and len(spans) > most)

    def sentences(self) -> Iterator[str]:
        """Yield the texts of the sentences."""
        for start, end in self.spans:
            yield self.text[start:end]

    def sentence(self, index: int, unit: OffsetUnit) -> PassageSentence:
        """Return where a sentence is, counted in a unit."""
        start, end = self.spans[index]
        return PassageSentence(
            index=index,
            n_sentences=len(self.spans),
            start=place(self.text, start, unit),
            end=place(self.text, end, unit),
            passage_truncated=self.is_cut,
        )

    def fault(self, index: int, message: str) -> str:
        """Return a message about a sentence that says which one it is, in code points."""
        start, end = self.spans[index]
        return f"sentence {index} of the passage, code points {start} to {end}: {message}"


def decides(score: float | None, best: float | None) -> bool:
    """Return whether a later sentence decides its passage in place of an earlier one.

    The first of equal scores decides, and above all the first sentence that failed.

    Parameters
    ----------
    score, best : float or None
        Of the later and of the earlier sentence; None where it failed.
    """
    return best is not None and (score is None or score > best)
