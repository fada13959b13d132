"""Words of sentences as numbers, weighted by their rarity in both texts."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tokalign.english.lexicon.word_lists import remembered
from tokalign.english.reading.text_reading import words_of as read_words
from tokalign.english.spelling.same_spelling import stem

_WORD = re.compile(r"[^\W_]+")
known_stem = remembered(stem)


@dataclass(frozen=True, slots=True, eq=False)
class TextWords:
    """The distinct stems of each sentence of a text."""

    # [n_sentences + 1]; sentence k has the stems from offsets[k] to before offsets[k + 1]
    offsets: NDArray[np.int64]
    stems: NDArray[np.int32]  # [n_stems] numbers of stems, of each sentence rising


class WordNumbers:
    """Numbers of stems, in order of first occurrence.

    `find` returns the words of a lower-case text in order, by default runs of letters and digits;
    `stem_of` the stem of a word.
    """

    def __init__(
        self,
        find: Callable[[str], list[str]] = _WORD.findall,
        stem_of: Callable[[str], str] = known_stem,
    ) -> None:
        self._find = find
        self._stem_of = stem_of
        self._of_stem: dict[str, int] = {}
        self._of_word: dict[str, int] = {}

    def __len__(self) -> int:
        """Return the number of stems."""
        return len(self._of_stem)

    def add(self, text: str) -> list[int]:
        """Return the numbers of a raw text's words in order; new stems are numbered."""
        known = self._of_word
        words = self._find(read_words(text).lower())
        for word in words:
            if word not in known:
                known[word] = self._of_stem.setdefault(self._stem_of(word), len(self._of_stem))
        return [known[word] for word in words]

    def numbers(self, token: str) -> list[int]:
        """Return the numbers of the words in a token, in order; -1 for unknown stems."""
        return [
            self._of_stem.get(self._stem_of(word), -1) if number is None else number
            for word in self._find(token.lower())
            for number in (self._of_word.get(word),)
        ]


def have_same_words(old: str, new: str) -> bool:
    """Whether two texts are equal but for white space between words."""
    return old == new or old.split() == new.split()


def words_of(
    old: Sequence[str], new: Sequence[str]
) -> tuple[TextWords, TextWords, NDArray[np.float64]]:
    """Return the words of both texts' sentences, and the weight of each stem: its inverse document
    frequency, log(sentences / sentences with the stem), at least 0. Sentences without words do not
    count."""
    numbers = WordNumbers()
    sides = [
        _as_arrays([sorted(set(numbers.add(text))) if text else [] for text in sentences])
        for sentences in (old, new)
    ]
    held = np.bincount(np.concatenate([side.stems for side in sides]), minlength=len(numbers))
    n_sentences = sum(np.count_nonzero(np.diff(side.offsets)) for side in sides)
    return sides[0], sides[1], np.log((n_sentences + 1.0) / np.maximum(held, 1))


def total_weights(side: TextWords, weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the sum of the weights of each sentence's stems, shape (n_sentences,)."""
    sums = np.concatenate([[0.0], np.cumsum(weights[side.stems])])
    totals: NDArray[np.float64] = sums[side.offsets[1:]] - sums[side.offsets[:-1]]
    return totals


def _as_arrays(sentences: Sequence[Sequence[int]]) -> TextWords:
    offsets = np.zeros(len(sentences) + 1, np.int64)
    np.cumsum([len(each) for each in sentences], out=offsets[1:])
    return TextWords(offsets, np.array([stem for each in sentences for stem in each], np.int32))
