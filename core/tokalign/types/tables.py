"""Annotated sentences as arrays: what one process sends another, and what sentences view there."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray


@dataclass(slots=True)
class WordTable:
    """Words by number; see tokalign.types.sentence.WordColumns. More may be added behind them."""

    tokens: list[str]
    lemmas: list[str]
    tags: tuple[str, ...]


class SentenceArrays(NamedTuple):
    """Sentences without trees.

    Attributes
    ----------
    offsets : int64 array, shape (n_sentences + 1,)
        Sentence k has the tokens from ``offsets[k]`` to before ``offsets[k + 1]``.
    starts, ends, numbers : int32 array, shape (n_tokens,)
        Of each token its place in the text, and the number of its word.
    tag_numbers : uint8 array, shape (n_tokens,)
    """

    offsets: NDArray[np.int64]
    starts: NDArray[np.int32]
    ends: NDArray[np.int32]
    numbers: NDArray[np.int32]
    tag_numbers: NDArray[np.uint8]


class SentenceTable:
    """Sentences by their arrays and words; see tokalign.types.sentence.SentenceColumns."""

    __slots__ = ("arrays", "words")

    def __init__(self, arrays: SentenceArrays, words: WordTable) -> None:
        self.arrays = arrays
        self.words = words

    def n_tokens(self, index: int) -> int:
        """Return the number of tokens of a sentence."""
        return int(self.arrays.offsets[index + 1] - self.arrays.offsets[index])

    def columns(
        self,
    ) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.int32], NDArray[np.int32]]:
        """Return offsets, starts, ends and numbers."""
        return self.arrays[:4]

    def tags(self) -> NDArray[np.uint8]:
        """Return of each token the number of its tag."""
        return self.arrays.tag_numbers

    def field(self, index: int, name: str) -> Any:
        """Return a field of a sentence."""
        arrays, words = self.arrays, self.words
        span = slice(arrays.offsets[index], arrays.offsets[index + 1])
        if name in ("heads", "relations"):
            return None
        if name in ("starts", "ends"):
            return tuple(getattr(arrays, name)[span].tolist())
        if name == "tags":
            return tuple([words.tags[k] for k in arrays.tag_numbers[span].tolist()])
        strings = words.tokens if name == "tokens" else words.lemmas
        return tuple([strings[k] for k in arrays.numbers[span].tolist()])
