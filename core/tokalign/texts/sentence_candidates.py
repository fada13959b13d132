"""Candidates: the pairs of sentences of two texts to compare.

Two sentences are compared if one is among the best partners of the other by shared words, in the
whole text or between two *anchors*: pairs that surely correspond, because they are identical or
each other's best partners. All sentences of short gaps between anchors are compared, too. Two
neighbours are compared with a sentence if it shares words with each that the other lacks. Identical
sentences need no comparison, and those of the longest chain in order are compared with no others:
the words of only the rest are looked at.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from tokalign.english.annotate.prepared import is_short
from tokalign.errors import LimitError
from tokalign.texts.sentence_matching import UNITS, best_chain, best_partners, shared_beyond
from tokalign.texts.split_text import MOST_TOKENS
from tokalign.texts.text_words import TextWords, total_weights, words_of
from tokalign.types.sentence import MAX_TEXT_SENTENCES

MOST_HELD = 50
"""Stems in more sentences than this are not looked up."""
N_BEST = 3
"""Most partners of a sentence in the whole other text, and between anchors."""
LEAST_OF_BEST = 0.5
"""Least score of another partner, as a share of the best one's."""
LEAST_ANCHOR = 0.5
"""Least score of anchors."""
SHORT_GAP = 4
"""Most pairs of sentences between two anchors that are all compared."""
LEAST_BEYOND = 0.07
"""Least share of a neighbour's words that a sentence has and its partner lacks."""
Pairs: TypeAlias = NDArray[np.int32]
"""Numbers of sentences of the old text and of the new one, shape (n, 2)."""


class TextCandidate(NamedTuple):
    """One sentence, or two neighbours, of each text; or one of one and a list of the other: the
    first sentence and the number of sentences of each."""

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


@dataclass(frozen=True, slots=True, eq=False)
class _Texts:
    """Words of both texts."""

    old: TextWords
    new: TextWords
    weights: NDArray[np.float64]
    n_old: int
    n_new: int

    def partners(
        self, old_ranges: NDArray[np.int32], new_ranges: NDArray[np.int32]
    ) -> dict[tuple[int, int], float]:
        """Return the pairs in which one side is among the best partners of the other."""
        found: dict[tuple[int, int], float] = {}
        for is_old, ranges in ((True, old_ranges), (False, new_ranges)):
            sides = (self.old, self.new) if is_old else (self.new, self.old)
            partners, scores = best_partners(*sides, self.weights, ranges, MOST_HELD, N_BEST)
            is_kept = (partners >= 0) & (scores >= LEAST_OF_BEST * scores[:, :1])
            rows, columns = np.nonzero(is_kept)
            ends = partners[rows, columns].tolist()
            both = zip(rows.tolist(), ends, strict=True)
            pairs = both if is_old else ((i, j) for j, i in both)
            found.update(zip(pairs, scores[rows, columns].tolist(), strict=True))
        return found


def find_candidates(
    old: Sequence[str], new: Sequence[str]
) -> tuple[list[TextCandidate], list[TextCandidate]]:
    """Return the candidates, and the pairs of identical sentences, each sorted.

    Raises LimitError, with the field ``old_text`` or ``new_text``, if more than MAX_TEXT_SENTENCES
    of a text are not on the chain of identical ones.
    """
    same = identical(old, new)
    settled = _settled(same)
    rest = (
        _without(old, {i for i, _ in settled}, "old_text"),
        _without(new, {j for _, j in settled}, "new_text"),
    )
    if not old or not new:
        return [], []
    words = _Texts(*words_of(*rest), len(old), len(new))
    found = words.partners(_everything(len(old), len(new)), _everything(len(new), len(old)))
    found.update(dict.fromkeys(same, 1.0))
    anchors = _anchors(found)
    old_gaps = _gaps(anchors, len(old), len(new))
    new_gaps = _gaps([(j, i) for i, j in anchors], len(new), len(old))
    found.update(words.partners(old_gaps, new_gaps))
    singles = set(found) | set(_short_gaps(anchors, len(old), len(new)))
    joined = _joined(words, np.array(sorted(singles - settled), np.int32).reshape(-1, 2))
    known = set(same)
    joined |= _beside_anchors([pair for pair in anchors if pair not in known], len(old), len(new))
    joined = {each for each in joined if _is_short(old, each.old) and _is_short(new, each.new)}
    compared = [TextCandidate(i, 1, j, 1) for i, j in singles if (i, j) not in known]
    return sorted([*compared, *joined]), sorted(TextCandidate(i, 1, j, 1) for i, j in same)


def identical(old: Sequence[str], new: Sequence[str]) -> list[tuple[int, int]]:
    """Return pairs of sentences that are identical but for white space.

    Repeated sentences are paired by order of occurrence, counted from the first and from the last.
    """
    places: dict[str, tuple[list[int], list[int]]] = {}
    for side, sentences in enumerate((old, new)):
        for k, text in enumerate(sentences):
            places.setdefault(" ".join(text.split()), ([], []))[side].append(k)
    pairs: set[tuple[int, int]] = set()
    for olds, news in places.values():
        pairs.update(zip(olds, news, strict=False))
        pairs.update(zip(reversed(olds), reversed(news), strict=False))
    return sorted(pairs)


def _settled(same: Sequence[tuple[int, int]]) -> set[tuple[int, int]]:
    """Return the longest chain in order of the pairs whose sentences are in no other pair."""
    n_pairs: Counter[int] = Counter(cell for i, j in same for cell in (i, ~j))
    sure = [(i, j) for i, j in same if n_pairs[i] == n_pairs[~j] == 1]
    blocks = np.ones((len(sure), 4), np.int32)
    blocks[:, ::2] = np.array(sure, np.int32).reshape(-1, 2)
    return {sure[k] for k in best_chain(blocks, np.ones(len(sure), np.int64))}


def _without(sentences: Sequence[str], settled: set[int], name: str) -> list[str]:
    """Return the sentences of a text, with empty ones in place of those that are settled."""
    n_open = len(sentences) - len(settled)
    if n_open > MAX_TEXT_SENTENCES:
        raise LimitError(
            f"{name} has {n_open} sentences that the other text lacks; at most "
            f"{MAX_TEXT_SENTENCES} are compared: align it in parts",
            field=name,
        )
    return ["" if k in settled else text for k, text in enumerate(sentences)]


def _is_short(sentences: Sequence[str], numbers: Sequence[int]) -> bool:
    """Whether the joined sentences are short enough to align."""
    return len(numbers) == 1 or is_short(" ".join(sentences[k] for k in numbers), MOST_TOKENS)


def _everything(n: int, n_other: int) -> NDArray[np.int32]:
    return np.tile(np.array([0, n_other], np.int32), (n, 1))


def _anchors(scores: dict[tuple[int, int], float]) -> list[tuple[int, int]]:
    """Return the pairs that are each other's best partners and keep the order."""
    best: tuple[dict[int, float], dict[int, float]] = ({}, {})
    for pair, score in scores.items():
        for side, k in zip(best, pair, strict=True):
            side[k] = max(score, side.get(k, 0.0))
    anchors = sorted(
        (i, j)
        for (i, j), score in scores.items()
        if score >= LEAST_ANCHOR and score >= best[0][i] and score >= best[1][j]
    )
    blocks = np.ones((len(anchors), 4), np.int32)
    blocks[:, ::2] = np.array(anchors, np.int32).reshape(-1, 2)
    gains = np.array([round(UNITS * scores[each]) for each in anchors], np.int64)
    return [anchors[k] for k in best_chain(blocks, gains)]


def _gaps(anchors: Sequence[tuple[int, int]], n: int, n_other: int) -> NDArray[np.int32]:
    """Return, for each sentence, the range of the other text between the same anchors.

    Those of an anchor reach from the anchor before it to the one after it.
    """
    at = np.arange(n)
    here = np.array([i for i, _ in anchors], np.int64)
    there = np.array([j for _, j in anchors], np.int64)
    starts = np.append(0, there + 1)[np.searchsorted(here, at, side="left")]
    ends = np.append(there, n_other)[np.searchsorted(here, at, side="right")]
    return np.ascontiguousarray(np.column_stack([starts, ends]).astype(np.int32))


def _short_gaps(
    anchors: Sequence[tuple[int, int]], n_old: int, n_new: int
) -> list[tuple[int, int]]:
    """Return all pairs of sentences between two anchors, if these are few."""
    edges = [(-1, -1), *anchors, (n_old, n_new)]
    pairs = []
    for (i, j), (next_i, next_j) in pairwise(edges):
        if (next_i - i - 1) * (next_j - j - 1) <= SHORT_GAP:
            pairs += [(a, b) for a in range(i + 1, next_i) for b in range(j + 1, next_j)]
    return pairs


def _beside_anchors(
    anchors: Sequence[tuple[int, int]], n_old: int, n_new: int
) -> set[TextCandidate]:
    """Return anchors joined with a single unpaired neighbour."""
    found = set()
    for (i, j), (next_i, next_j) in pairwise([(-1, -1), *anchors, (n_old, n_new)]):
        if (next_i - i, next_j - j) == (1, 2):
            found |= {TextCandidate(i, 1, j, 2), TextCandidate(next_i, 1, j + 1, 2)}
        elif (next_i - i, next_j - j) == (2, 1):
            found |= {TextCandidate(i, 2, j, 1), TextCandidate(i + 1, 2, next_j, 1)}
    return {
        each
        for each in found
        if 0 <= each.old_first <= each.old[-1] < n_old
        and 0 <= each.new_first <= each.new[-1] < n_new
    }


def _joined(words: _Texts, singles: Pairs) -> set[TextCandidate]:
    """Return the candidates with two neighbours on one side."""
    ones = _with_neighbour(words.old, words.new, words.weights, singles)
    twos = _with_neighbour(words.new, words.old, words.weights, singles[:, ::-1])
    splits = {(i, j) for i, j in ones}  # sentence i beside j and j + 1
    merges = {(i, j) for j, i in twos}  # i and i + 1 beside sentence j
    found = {TextCandidate(i, 1, j, 2) for i, j in splits}
    found |= {TextCandidate(i, 2, j, 1) for i, j in merges}
    for i, j in splits:
        if (i, j + 1) in merges:  # i begins in j and ends in j + 1, where i + 1 is, too
            found.add(TextCandidate(i, 2, j, 2))
        if (i - 1, j) in merges:
            found.add(TextCandidate(i - 1, 2, j, 2))
    return found


def _with_neighbour(
    side: TextWords, other: TextWords, weights: NDArray[np.float64], pairs: Pairs
) -> list[tuple[int, int]]:
    """Return sentences of one text, each with the first of two neighbours of the other."""
    n_other = len(other.offsets) - 1
    total = total_weights(other, weights)
    found = []
    for step in (1, -1):
        beside = pairs[:, 1] + step
        rows = pairs[(beside >= 0) & (beside < n_other)]
        first, second = rows[:, 1], rows[:, 1] + step
        columns = np.column_stack([rows[:, 0], first, second]).astype(np.int32)
        back = np.column_stack([rows[:, 0], second, first]).astype(np.int32)
        share = shared_beyond(side, other, weights, columns) / np.maximum(total[second], 1e-9)
        share_back = shared_beyond(side, other, weights, back) / np.maximum(total[first], 1e-9)
        is_kept = np.minimum(share, share_back) >= LEAST_BEYOND
        found += np.column_stack([rows[:, 0], np.minimum(first, second)])[is_kept].tolist()
    return [(i, j) for i, j in found]
