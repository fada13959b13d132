"""Inputs of the support of a word.

Each input is in [0, 1], and those of evidence never fall when a passage is added: they are the
largest, or a union, over the sentences that are aligned, or say what any sentence holds. A passage
of which no sentence is aligned changes none. Names of inputs:

    COLUMN, COLUMN-union    the largest over the candidates, and 1 - product of (1 - value)
    second-mass             the second largest
    placed-mass             the largest MASS * COVER
    left-, right-           of the content word before or after
    near-                   mean over the content words around, of weight 1 / distance
    held                    whether any sentence holds the word's stem; also for each kind of word
    holders                 how many do: log(1 + n) / log(10), at most 1
    joined-left, -right     whether the word stands beside the next word to that side in a sentence
    run                     how many words around stand beside one another in the sources: 1 - 1 / n
    beside-left, -right     whether a sentence holds the word and the content word before or after
    company                 of the sentences that hold the word, the largest share of the answer's
                            sentence held
    union-cover, held-cover share of the answer's sentence that has partners, or is held
    value                   whether the sources hold the value that the word is a part of
    idf, is-KIND, length    of the word and its sentence, whatever the sources
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from tokalign.decoding.evidence import COLUMNS, SupportColumn
from tokalign.grounding.candidates import AlignedCandidate, AnswerWords
from tokalign.grounding.sources import Sources
from tokalign.grounding.words import KINDS
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
EVIDENCE_INPUTS: tuple[str, ...] = (
    *COLUMNS,
    *(f"{COLUMNS[each]}-union" for each in _UNIONS),
    "second-mass", "placed-mass", "union-cover",
    "left-mass", "right-mass", "near-mass", "near-same",
    "held", *(f"held-{kind}" for kind in KINDS[:N_HELD_KINDS]),
    "holders", "near-held", "left-held", "right-held",
    "joined-left", "joined-right", "run", "beside-left", "beside-right", "company",
    "held-cover", "value",
)  # fmt: skip
"""Inputs that never fall when sources are added."""
WORD_INPUTS: tuple[str, ...] = (
    "idf", *(f"is-{kind}" for kind in KINDS), "is-noun", "is-verb", "is-adjective", "is-adverb",
    "length",
)  # fmt: skip
"""Inputs of the word and its sentence alone."""
INPUTS = EVIDENCE_INPUTS + WORD_INPUTS
REACH = 4
"""Content words to each side that are near."""
_MASS, _SAME = int(SupportColumn.MASS), int(SupportColumn.SAME)
_COVER = int(SupportColumn.COVER)
_TAGS = ("N", "V", "J", "R")


def support_inputs(
    words: AnswerWords, candidates: Sequence[AlignedCandidate], sources: Sources
) -> NDArray[np.float32]:
    """Return the inputs of each word, shape (n_words, n_inputs)."""
    n_words = len(words.kinds)
    near = _nearness(words)
    passages = sorted({sources.sentences[each.number].passage for each in candidates})
    columns = [
        *_of_columns(n_words, candidates),
        *_of_alignments(words, candidates, near),
        *_of_stems(words, sources, passages, near),
        *_of_words(words),
    ]
    return np.stack(columns, axis=1).astype(np.float32)


class _Near:
    """Which content words stand around each word."""

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
    """Return which content words stand around each word."""
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
    words: AnswerWords, sources: Sources, passages: Sequence[int], near: _Near
) -> list[NDArray[np.float64]]:
    n_words = len(words.kinds)
    weights = words.weights
    parts = [words.holders[:, sources.starts[p] : sources.starts[p + 1]] for p in passages]
    holders = np.concatenate([np.zeros((n_words, 1), np.bool_), *parts], axis=1)
    value = np.zeros(n_words, np.bool_)
    for each in words.values:
        if sources.hold_value(each, passages):
            value[each.start : each.end] = True
    held = (holders.any(axis=1) | value).astype(np.float64)
    kinds = words.of_kind[:, :N_HELD_KINDS].T
    whole = max(float(weights.sum()), 1e-9)
    company = (holders * (weights @ holders / whole)).max(axis=1)
    both = holders.astype(np.float64)
    beside_left = near.with_left(both)
    beside_right = near.with_right(both)
    joined_left, joined_right, run = _runs(words, sources, passages)
    covered = weights @ held / whole
    return [
        held, *(held * kinds),
        np.minimum(np.log1p(holders.sum(axis=1)) / math.log(10.0), 1.0),
        near.mean(held), near.left(held), near.right(held),
        joined_left, joined_right, run, beside_left, beside_right, company,
        np.full(n_words, covered), value.astype(np.float64),
    ]  # fmt: skip


def _runs(
    words: AnswerWords, sources: Sources, passages: Sequence[int]
) -> list[NDArray[np.float64]]:
    """Return whether each word stands beside its neighbours in the sources, and in how long a run.

    Marks are passed over.
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
        *words.of_kind.T,
        *(np.array([each == tag for each in tags], np.float64) for tag in _TAGS),
        np.full(n_words, min(n_words / 40.0, 1.0)),
    ]
