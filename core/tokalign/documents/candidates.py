"""Which sentences of two texts are worth comparing."""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from typing import NamedTuple

from tokalign.lexicon.words import Stemmer

_WORD = re.compile(r"[^\W_]+")
N_BEST = 4
BAND = 2


class TextCandidate(NamedTuple):
    """One sentence, or two neighbours, of each text.

    Attributes
    ----------
    old_first, n_old : int
        Number of the first sentence of the old text, and how many.
    new_first, n_new : int
    """

    old_first: int
    n_old: int
    new_first: int
    n_new: int

    @property
    def old(self) -> tuple[int, ...]:
        """Numbers of the sentences of the old text."""
        return tuple(range(self.old_first, self.old_first + self.n_old))

    @property
    def new(self) -> tuple[int, ...]:
        """Numbers of the sentences of the new text."""
        return tuple(range(self.new_first, self.new_first + self.n_new))


def find_candidates(
    old: Sequence[str], new: Sequence[str]
) -> tuple[list[TextCandidate], list[TextCandidate]]:
    """Return what to compare, and pairs of identical sentences, each sorted."""
    stem = Stemmer().stem
    stems: dict[str, str] = {}

    def words(text: str) -> set[str]:
        found = _WORD.findall(text.lower())
        return {stems.setdefault(word, stem(word)) for word in found}

    olds, news = [words(each) for each in old], [words(each) for each in new]
    count = Counter(word for each in (*olds, *news) for word in each)
    total = len(olds) + len(news) + 1
    idf = {word: math.log(total / n) for word, n in count.items()}
    index = defaultdict(list)
    for j, each in enumerate(news):
        for word in each:
            index[word].append(j)
    same: set[tuple[int, int]] = set()
    places = defaultdict(list)
    for j, text in enumerate(new):
        places[text].append(j)
    singles: set[tuple[int, int]] = set()
    for i, each in enumerate(olds):
        shared: dict[int, float] = defaultdict(float)
        for word in each:
            if len(index[word]) <= 50:
                for j in index[word]:
                    shared[j] += idf[word]
        best = sorted(shared, key=lambda j: (-shared[j], j))[:N_BEST]
        middle = i * len(news) // max(1, len(olds))
        near = range(max(0, middle - BAND), min(len(news), middle + BAND + 1))
        for j in (*best, *near, *places[old[i]][:N_BEST]):
            (same if old[i] == new[j] else singles).add((i, j))
    joined = set()
    for i, j in singles:
        for n_old, n_new, di, dj in ((1, 2, 0, 0), (1, 2, 0, -1), (2, 1, 0, 0), (2, 1, -1, 0)):
            first, start = i + di, j + dj
            if min(first, start) < 0 or first + n_old > len(old) or start + n_new > len(new):
                continue
            joined.add((first, n_old, start, n_new))
    every = {TextCandidate(i, 1, j, 1) for i, j in singles} | {
        TextCandidate(*each) for each in joined
    }
    return sorted(every), sorted(TextCandidate(i, 1, j, 1) for i, j in same)
