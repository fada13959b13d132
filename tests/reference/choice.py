"""Slow, obvious twin of the inputs of the choice of a style."""

from __future__ import annotations

import math
from functools import cache

from tokalign.english.lexicon.word_lists import token_weight

from reference.pair import ReferencePair, Side
from reference.words import Word


def choice_inputs(pair: ReferencePair) -> list[float]:
    """Twin of lab.kernels.doors.choice_inputs_of."""
    sides = _without_last_marks(pair.source), _without_last_marks(pair.target)
    source, target = ([word.lower for word in words] for words in sides)
    n_source, n_target = len(source), len(target)

    @cache
    def in_order(i: int, j: int) -> int:
        """Return the longest common subsequence of the first i and j words."""
        if not i or not j:
            return 0
        if source[i - 1] == target[j - 1]:
            return in_order(i - 1, j - 1) + 1
        return max(in_order(i - 1, j), in_order(i, j - 1))

    best_source = [
        max(pair.V(i, j) for j in range(len(pair.target.words))) for i in range(n_source)
    ]
    best_target = [
        max(pair.V(i, j) for i in range(len(pair.source.words))) for j in range(n_target)
    ]
    of_source = [word in target for word in source]
    of_target = [word in source for word in target]
    ratio = math.log(n_source / n_target)
    return [
        in_order(n_source, n_target) / min(n_source, n_target),
        in_order(n_source, n_target) / max(n_source, n_target),
        sum(of_source) / n_source,
        sum(of_target) / n_target,
        ratio,
        abs(ratio),
        float(source[0] == target[0]),
        _share(pair, sides[0], of_source),
        _share(pair, sides[1], of_target),
        math.log(n_source),
        math.log(n_target),
        _share(pair, sides[0], [best >= 0.69 for best in best_source]),
        _share(pair, sides[1], [best >= 0.69 for best in best_target]),
        _share(pair, sides[0], [best >= 0.4 for best in best_source]),
        _share(pair, sides[1], [best >= 0.4 for best in best_target]),
    ]


def _without_last_marks(side: Side) -> list[Word]:
    """Return a side's words but for the marks that end it, at least one."""
    words = list(side.words)
    while len(words) > 1 and words[-1].kind == "mark":
        words.pop()
    return words


def _share(pair: ReferencePair, words: list[Word], counted: list[bool]) -> float:
    """Return the share of these words, by weight, or by number where none weighs anything."""
    assert pair.frequencies is not None
    weights = [
        token_weight(word.form, word.raw_tag, pair.frequencies.idf(word.lemma)) for word in words
    ]
    if not any(weights):
        weights = [1.0] * len(weights)
    return sum(w for w, is_counted in zip(weights, counted, strict=True) if is_counted) / sum(
        weights
    )
