"""Mutable sentences: the columns of Sentence, filled one by one while it is annotated."""

from __future__ import annotations

from collections.abc import Sequence, Sized
from dataclasses import dataclass, fields
from operator import attrgetter

from tokalign.errors import InputError
from tokalign.types import Sentence


@dataclass(slots=True)
class MutableSentence:
    """The columns of a `Sentence`, to be assigned; `sentence` freezes them."""

    text: str
    tokens: tuple[str, ...]
    starts: tuple[int, ...]
    ends: tuple[int, ...]
    tags: tuple[str, ...] | None = None
    lemmas: tuple[str, ...] | None = None
    heads: tuple[int, ...] | None = None
    relations: tuple[str, ...] | None = None

    def fill(
        self,
        *,
        tags: tuple[str, ...],
        lemmas: tuple[str, ...],
        heads: tuple[int, ...] | None,
        relations: tuple[str, ...] | None,
    ) -> None:
        """Assign the columns that are not there yet."""
        if self.tags is None:
            self.tags = tags
        if self.lemmas is None:
            self.lemmas = lemmas
        if self.heads is None:
            self.heads, self.relations = heads, relations

    def __len__(self) -> int:
        return len(self.tokens)

    def sentence(self) -> Sentence:
        """Return the columns as a sentence, unchecked."""
        return Sentence(*_columns_of(self))


_columns_of = attrgetter(*(field.name for field in fields(Sentence)))
"""The values of a sentence's columns, in its order: of a `Sentence`, or of `MutableSentence`."""


def given_columns(sentence: Sequence[str] | Sentence) -> MutableSentence:
    """Return the columns that a caller's tokens or sentence already have.

    Parameters
    ----------
    sentence : sequence of str, or Sentence

    Raises
    ------
    InputError
        If a token is empty.
    """
    given = sentence if isinstance(sentence, Sentence) else Sentence.from_tokens(sentence)
    return MutableSentence(*_columns_of(given))


def require_tokens(batch: Sequence[Sized]) -> None:
    """Raise InputError, with the index where there are several, if a sentence has no token."""
    for index, sentence in enumerate(batch):
        if not len(sentence):
            which = "the sentence" if len(batch) == 1 else f"sentence {index}"
            raise InputError(f"{which} has no token; give text with at least one word")
