"""Words of sentences as numbers, weighed by how few sentences of both texts hold them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tokalign.lexicon.words import Stemmer

_WORD = re.compile(r"[^\W_]+")


@dataclass(frozen=True, slots=True, eq=False)
class TextWords:
    """The distinct stems of each sentence of a text.

    Attributes
    ----------
    offsets : int64 array, shape (n_sentences + 1,)
        Sentence k has the stems from ``offsets[k]`` to before ``offsets[k + 1]``.
    stems : int32 array, shape (n_stems,)
        Numbers of stems, of each sentence rising.
    """

    offsets: NDArray[np.int64]
    stems: NDArray[np.int32]


def words_of(
    old: Sequence[str], new: Sequence[str]
) -> tuple[TextWords, TextWords, NDArray[np.float64]]:
    """Return the words of both texts' sentences, and the weight of each stem.

    Returns
    -------
    old, new : TextWords
    weights : float64 array, shape (n_stems,)
        At least 0: the logarithm of how many sentences there are for one that holds the stem.
    """
    numbers: dict[str, int] = {}
    of_word: dict[str, int] = {}
    stem = Stemmer().stem

    def number(word: str) -> int:
        return numbers.setdefault(stem(word), len(numbers))

    sides = []
    for sentences in (old, new):
        each: list[list[int]] = []
        for text in sentences:
            found = set(_WORD.findall(text.lower()))
            for word in found:  # a difference of sets would read all words so far
                if word not in of_word:
                    of_word[word] = number(word)
            each.append(sorted({of_word[word] for word in found}))
        sides.append(_as_arrays(each))
    held = np.bincount(np.concatenate([side.stems for side in sides]), minlength=len(numbers))
    n_sentences = len(old) + len(new)
    return sides[0], sides[1], np.log((n_sentences + 1.0) / np.maximum(held, 1))


def total_weights(side: TextWords, weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the sum of the weights of each sentence's stems, shape (n_sentences,)."""
    sums = np.concatenate([[0.0], np.cumsum(weights[side.stems])])
    totals: NDArray[np.float64] = sums[side.offsets[1:]] - sums[side.offsets[:-1]]
    return totals


def _as_arrays(sentences: Sequence[Sequence[int]]) -> TextWords:
    offsets = np.zeros(len(sentences) + 1, np.int64)
    np.cumsum([len(each) for each in sentences], out=offsets[1:])
    flat = [stem for each in sentences for stem in each]
    return TextWords(offsets, np.array(flat, np.int32))
