"""Annotated sentences as arrays: what one process sends another, and what sentences view there."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from tokalign.types.sentence import SentenceColumns


@dataclass(slots=True)
class WordTable:
    """Words by number; see tokalign.types.sentence.WordColumns."""

    tokens: list[str]
    lemmas: list[str]
    tags: tuple[str, ...]


@dataclass(slots=True, eq=False)
class SentenceTable:
    """Sentences without trees; see tokalign.types.sentence.SentenceColumns.

    Attributes
    ----------
    offsets : int64 array, shape (n_sentences + 1,)
        Sentence k has the tokens from ``offsets[k]`` to before ``offsets[k + 1]``.
    starts, ends, numbers : int32 array, shape (n_tokens,)
        Of each token its place in the text, and the number of its word.
    tag_numbers : uint8 array, shape (n_tokens,)
    words : WordTable
    """

    offsets: NDArray[np.int64]
    starts: NDArray[np.int32]
    ends: NDArray[np.int32]
    numbers: NDArray[np.int32]
    tag_numbers: NDArray[np.uint8]
    words: WordTable

    @classmethod
    def of(cls, columns: SentenceColumns) -> Self:
        """Return the sentences of columns, with those words alone that occur in them."""
        offsets, starts, ends, numbers = columns.columns()
        distinct, places = np.unique(numbers, return_inverse=True)
        words = columns.words
        tokens, lemmas = words.tokens, words.lemmas
        known = distinct.tolist()
        table = WordTable([tokens[k] for k in known], [lemmas[k] for k in known], words.tags)
        return cls(offsets, starts, ends, places.astype(np.int32), columns.tags(), table)

    def n_tokens(self, index: int) -> int:
        """Return the number of tokens of a sentence."""
        return int(self.offsets[index + 1] - self.offsets[index])

    def columns(
        self,
    ) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.int32], NDArray[np.int32]]:
        """Return offsets, starts, ends and numbers."""
        return self.offsets, self.starts, self.ends, self.numbers

    def tags(self) -> NDArray[np.uint8]:
        """Return of each token the number of its tag."""
        return self.tag_numbers

    def field(self, index: int, name: str) -> Any:
        """Return a field of a sentence."""
        span = slice(self.offsets[index], self.offsets[index + 1])
        if name in ("heads", "relations"):
            return None
        if name in ("starts", "ends"):
            return tuple(getattr(self, name)[span].tolist())
        if name == "tags":
            return tuple([self.words.tags[k] for k in self.tag_numbers[span].tolist()])
        strings = self.words.tokens if name == "tokens" else self.words.lemmas
        return tuple([strings[k] for k in self.numbers[span].tolist()])
