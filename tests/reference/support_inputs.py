"""Slow, obvious twin of the inputs of the model of support."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray
from tokalign.decoding.evidence import COLUMNS, SupportColumn
from tokalign.grounding.answer_words import KINDS, AlignedCandidate, AnswerWords
from tokalign.grounding.sources import Sources
from tokalign.grounding.support_inputs import PARTS
from tokalign.types.grounding import WordKind

_UNIONS = tuple(
    int(each)
    for each in (
        SupportColumn.MASS,
        SupportColumn.SAME,
        SupportColumn.ALIKE,
        SupportColumn.WINDOW,
        SupportColumn.ORDER,
    )
)
N_HELD_KINDS = 4  # all but marks
REACH = 4
_MASS, _SAME = int(SupportColumn.MASS), int(SupportColumn.SAME)
_COVER = int(SupportColumn.COVER)
_CLASSES = ("N", "V", "J", "R")


def _of_kinds(words: AnswerWords) -> NDArray[np.float64]:
    return np.eye(len(KINDS))[words.kind_numbers]


def support_inputs(
    words: AnswerWords, candidates: Sequence[AlignedCandidate], sources: Sources
) -> NDArray[np.float32]:
    """Return the inputs of each word, shape (n_words, n_inputs)."""
    n_words = len(words.kinds)
    near = _nearness(words)
    columns = [
        *_of_columns(n_words, candidates),
        *_of_alignments(words, candidates, near),
        *_of_stems(words, candidates, sources, near),
        *_of_words(words),
    ]
    return np.stack(columns, axis=1).astype(np.float32)


class _Near:
    """The content words around each word."""

    def __init__(self, mean: NDArray[np.float64], left: list[int], right: list[int]) -> None:
        self._mean = mean
        self._left = np.array(left)
        self._right = np.array(right)

    def mean(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        return self._mean @ values

    def left(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.where(self._left >= 0, values[self._left], 0.0)

    def right(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.where(self._right >= 0, values[self._right], 0.0)

    def with_left(self, holders: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return whether a sentence holds each word and the one before it."""
        return np.where(self._left >= 0, (holders * holders[self._left]).max(axis=1), 0.0)

    def with_right(self, holders: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.where(self._right >= 0, (holders * holders[self._right]).max(axis=1), 0.0)


def _nearness(words: AnswerWords) -> _Near:
    """Return the content words around each word."""
    n_words = len(words.kinds)
    content = words.content
    before, after = [-1] * n_words, [-1] * n_words
    weights = np.zeros((n_words, n_words))
    seen = 0
    for at in range(n_words):
        is_content = seen < len(content) and content[seen] == at
        left = content[max(seen - REACH, 0) : seen]
        right = content[seen + is_content : seen + is_content + REACH]
        for distance, other in enumerate(reversed(left), start=1):
            weights[at, other] = 1.0 / distance
        for distance, other in enumerate(right, start=1):
            weights[at, other] = 1.0 / distance
        before[at] = left[-1] if left else -1
        after[at] = right[0] if right else -1
        seen += is_content
    weights /= np.maximum(weights.sum(axis=1, keepdims=True), 1e-9)
    return _Near(weights, before, after)


def _of_columns(n_words: int, candidates: Sequence[AlignedCandidate]) -> list[NDArray[np.float64]]:
    if not candidates:
        return [np.zeros(n_words)] * (len(COLUMNS) + len(_UNIONS))
    rows = np.stack([each.rows for each in candidates]).astype(np.float64)
    union = 1.0 - np.prod(1.0 - rows[:, :, _UNIONS], axis=0)
    return [*rows.max(axis=0).T, *union.T]


def _of_alignments(
    words: AnswerWords, candidates: Sequence[AlignedCandidate], near: _Near
) -> list[NDArray[np.float64]]:
    n_words = len(words.kinds)
    second = placed = union = same = np.zeros(n_words)
    if candidates:
        rows = np.stack([each.rows for each in candidates]).astype(np.float64)
        mass = rows[:, :, _MASS]
        union = 1.0 - np.prod(1.0 - mass, axis=0)
        same = rows[:, :, _SAME].max(axis=0)
        placed = (mass * rows[:, :, _COVER]).max(axis=0)
        if len(candidates) > 1:
            second = np.partition(mass, -2, axis=0)[-2]
    covered = float(words.weights @ union) / max(float(words.weights.sum()), 1e-9)
    return [
        second, placed, np.full(n_words, covered),
        near.left(union), near.right(union), near.mean(union), near.mean(same),
    ]  # fmt: skip


def _of_stems(
    words: AnswerWords, candidates: Sequence[AlignedCandidate], sources: Sources, near: _Near
) -> list[NDArray[np.float64]]:
    n_words = len(words.kinds)
    weights = words.weights
    passages = sorted({sources.sentences[each.number].passage for each in candidates})
    parts = [words.holders[:, sources.starts[p] : sources.starts[p + 1]] for p in passages]
    holders = np.concatenate([np.zeros((n_words, 1), np.bool_), *parts], axis=1)
    value = np.zeros(n_words, np.bool_)
    for span, keys in words.values.items():
        if any(keys & each.keys for each in candidates):
            value[span.start : span.stop] = True
    held = (holders.any(axis=1) | value).astype(np.float64)
    kinds = _of_kinds(words)[:, :N_HELD_KINDS].T
    whole = max(float(weights.sum()), 1e-9)
    company = (holders * (weights @ holders / whole)).max(axis=1)
    both = holders.astype(np.float64)
    beside_left = near.with_left(both)
    beside_right = near.with_right(both)
    joined_left, joined_right, run = _runs(words, sources, passages)
    covered = weights @ held / whole
    best = np.zeros((2, n_words))
    if candidates:
        chosen = candidates[int(np.argmax([each.rows[0, _COVER] for each in candidates]))]
        best[0], best[1] = chosen.rows[:, _MASS], words.holders[:, chosen.number]
    return [
        held, *(held * kinds),
        np.minimum(np.log1p(holders.sum(axis=1)) / math.log(10.0), 1.0),
        near.mean(held), near.left(held), near.right(held),
        joined_left, joined_right, run, beside_left, beside_right, company,
        np.full(n_words, covered), value.astype(np.float64), *best,
    ]  # fmt: skip


def _runs(
    words: AnswerWords, sources: Sources, passages: Sequence[int]
) -> list[NDArray[np.float64]]:
    """Return whether each word is adjacent to its neighbours in the sources, and the length of its
    run. Punctuation is skipped.
    """
    n_words = len(words.kinds)
    mark = WordKind.MARK
    at = [k for k, kind in enumerate(words.kinds) if kind is not mark]
    joined = [
        sources.hold_pair((words.stems[a], words.stems[b]), passages) for a, b in pairwise(at)
    ]
    left, right, run = np.zeros(n_words), np.zeros(n_words), np.zeros(n_words)
    first = 0
    for k, word in enumerate(at):
        left[word] = k > 0 and joined[k - 1]
        right[word] = k < len(joined) and joined[k]
        if not right[word]:
            run[at[first : k + 1]] = 1.0 - 1.0 / (k + 1 - first)
            first = k + 1
    return [left, right, run]


def _of_words(words: AnswerWords) -> list[NDArray[np.float64]]:
    n_words = len(words.kinds)
    tags = [tag[:1] for tag in words.sentence.tags or ()]
    return [
        words.weights,
        *_of_kinds(words).T,
        *(np.array([each == tag for each in tags], np.float64) for tag in _CLASSES),
        np.full(n_words, min((n_words - words.kinds.count(WordKind.MARK)) / 40.0, 1.0)),
    ]


MOST = 5.0
_BY_KIND = tuple(map(KINDS.index, (WordKind.FUNCTION, WordKind.MARK, WordKind.VALUE)))
_TAGS = ("IN", "DT", "CC", "TO", "PRP", "VB", "RB", "CD", "NNP", "NNS", "JJ")
N_PARTS = len(PARTS)
_FAR = 10.0
_OPENS = frozenset((",", "IN", "TO", "CC", "WDT", "WP", "WRB"))
_BEFORE = PARTS.index("before") - 1
"""Column of the word before, among those of `_places`."""


def context_inputs(words: AnswerWords, log_odds: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the context inputs of each word's support, shape (n_words, n_context_inputs).

    Parameters
    ----------
    words : AnswerWords
    log_odds : float64 array, shape (n_words,)
        Log odds of each word by its own inputs.
    """
    n_words = len(words.kinds)
    own = np.clip(log_odds, -MOST, MOST)
    is_content = [False] * n_words
    for at in words.content:
        is_content[at] = True
    places = _places(words, is_content)
    padded = np.append(own, 0.0)  # -1 is no word
    parts = np.empty((n_words, N_PARTS))
    parts[:, 0] = own
    parts[:, 1:6] = padded[places]
    missing = np.zeros((n_words, N_PARTS - 1))
    missing[:, :5] = places < 0
    below = _least_below(words, own, is_content)
    parts[:, 6] = np.where(np.isinf(below), 0.0, below)
    missing[:, 5] = np.isinf(below)
    content = own[words.content]
    parts[:, 7] = content.mean() if len(content) else 0.0
    parts[:, 8] = content.min() if len(content) else 0.0
    missing[:, 6:] = not len(content)
    kinds = _of_kinds(words)
    of_kind = [parts * kinds[:, [kind]] for kind in _BY_KIND]
    tags = words.sentence.tags or ()
    has_tag = np.array([_tag_row(tag) for tag in tags])
    has_none = np.zeros((1, len(_TAGS)))
    after_tag = np.concatenate([has_tag, has_none])[places[:, _BEFORE]]
    is_word = np.array([kind is not WordKind.MARK for kind in words.kinds])
    order = np.cumsum(is_word) - is_word
    left = np.maximum(is_word.sum() - 1 - order, 0)
    place = np.stack(
        [
            order / max(int(is_word.sum()), 1),
            np.minimum(order / _FAR, 1),
            np.minimum(left / _FAR, 1),
        ],
        axis=1,
    )
    following = places[:, _BEFORE + 1]
    return np.concatenate(
        [
            parts, *of_kind, missing, kinds, has_tag, after_tag, place,
            *_far(own, places[:, _BEFORE]), *_far(own, following),
            *_phrases(own, tags, is_content), *_below(own, words, is_content),
        ],
        axis=1,
    )  # fmt: skip


def _far(own: NDArray[np.float64], beside: NDArray[np.int64]) -> list[NDArray[np.float64]]:
    """Return the log odds of the words two and three places to a side, 0 for none."""
    after = np.append(beside, -1)
    padded = np.append(own, 0.0)
    two = after[beside]
    return [padded[[two]].T, padded[[after[two]]].T]


def _phrases(
    own: NDArray[np.float64], tags: Sequence[str], is_content: Sequence[bool]
) -> list[NDArray[np.float64]]:
    """Return the mean and the least of the content words of each word's phrase, and if it has
    none.
    """
    opens = [at > 0 and tag in _OPENS for at, tag in enumerate(tags)]
    number = np.cumsum(opens)
    found = np.zeros((len(own), 3))
    for at in range(len(own)):
        inside = [own[k] for k in range(len(own)) if number[k] == number[at] and is_content[k]]
        found[at] = [np.mean(inside), min(inside), 0.0] if inside else [0.0, 0.0, 1.0]
    return [found]


def _below(
    own: NDArray[np.float64], words: AnswerWords, is_content: Sequence[bool]
) -> list[NDArray[np.float64]]:
    """Return the mean of the content words at and below each word, of its head, and if it has
    none.
    """
    heads = words.sentence.heads or [-1] * len(own)
    below: list[list[float]] = [[] for _ in own]
    for at in words.content:
        place = at
        while place >= 0:
            below[place].append(own[at])
            place = heads[place]
    means = np.array([np.mean(each) if each else 0.0 for each in below])
    above = np.array([head if head >= 0 else at for at, head in enumerate(heads)])
    return [np.stack([means, means[above], [float(not each) for each in below]], axis=1)]


def _places(words: AnswerWords, is_content: Sequence[bool]) -> NDArray[np.int64]:
    """Return each word's content words before, after, above, and the words beside it; else -1."""
    n_words = len(words.kinds)
    mark = WordKind.MARK
    previous, following = [-1] * n_words, [-1] * n_words
    heads = words.sentence.heads
    before, after, above = [-1] * n_words, [-1] * n_words, [-1] * n_words
    last = beside = -1
    for at in range(n_words):
        before[at], previous[at] = last, beside
        last = at if is_content[at] else last
        beside = at if words.kinds[at] is not mark else beside
        if heads is not None:
            above[at] = _above(heads, at, is_content)
    last = beside = -1
    for at in range(n_words - 1, -1, -1):
        after[at], following[at] = last, beside
        last = at if is_content[at] else last
        beside = at if words.kinds[at] is not mark else beside
    return np.array([before, after, above, previous, following]).T


@lru_cache(256)
def _tag_row(tag: str) -> tuple[float, ...]:
    """Return 1 for each of _TAGS that a tag begins with."""
    return tuple(float(tag.startswith(each)) for each in _TAGS)


def _above(heads: Sequence[int], at: int, is_content: Sequence[bool]) -> int:
    """Return the nearest content word above a word in the tree, or -1."""
    at = heads[at]
    while at >= 0 and not is_content[at]:
        at = heads[at]
    return at


def _least_below(
    words: AnswerWords, own: NDArray[np.float64], is_content: Sequence[bool]
) -> NDArray[np.float64]:
    """Return the least of the content words right below each word; infinity without any."""
    found = np.full(len(own), np.inf)
    for at, head in enumerate(words.sentence.heads or ()):
        if head >= 0 and is_content[at]:
            found[head] = min(found[head], own[at])
    return found
