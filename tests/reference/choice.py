"""Slow, obvious twin of the inputs of the choice of a style."""

from __future__ import annotations

import math
from functools import cache

from tokalign.english.lexicon.word_lists import token_weight

from reference.pair import ReferencePair, Side


def choice_inputs(pair: ReferencePair) -> list[float]:
    """Twin of lab.kernels.doors.choice_inputs_of."""
    source, target = ([word.lower for word in side.words] for side in (pair.source, pair.target))
    n_source, n_target = len(source), len(target)

    @cache
    def in_order(i: int, j: int) -> int:
        """Return the longest common subsequence of the first i and j words."""
        if not i or not j:
            return 0
        if source[i - 1] == target[j - 1]:
            return in_order(i - 1, j - 1) + 1
        return max(in_order(i - 1, j), in_order(i, j - 1))

    best_source = [max(pair.V(i, j) for j in range(n_target)) for i in range(n_source)]
    best_target = [max(pair.V(i, j) for i in range(n_source)) for j in range(n_target)]
    of_source = [word in target for word in source]
    of_target = [word in source for word in target]
    ratio = math.log(n_source / n_target)
    both_marks = pair.source.words[-1].kind == pair.target.words[-1].kind == "mark"
    return [
        in_order(n_source, n_target) / min(n_source, n_target),
        in_order(n_source, n_target) / max(n_source, n_target),
        sum(of_source) / n_source,
        sum(of_target) / n_target,
        ratio,
        abs(ratio),
        float(source[0] == target[0]),
        _share(pair, pair.source, of_source),
        _share(pair, pair.target, of_target),
        math.log(n_source),
        math.log(n_target),
        float(both_marks),
        _share(pair, pair.source, [best >= 0.69 for best in best_source]),
        _share(pair, pair.target, [best >= 0.69 for best in best_target]),
        _share(pair, pair.source, [best >= 0.4 for best in best_source]),
        _share(pair, pair.target, [best >= 0.4 for best in best_target]),
    ]


def _share(pair: ReferencePair, side: Side, counted: list[bool]) -> float:
    """Return the share of a side's tokens, by weight, or by number where none weighs anything."""
    assert pair.frequencies is not None
    weights = [
        token_weight(word.form, word.raw_tag, pair.frequencies.idf(word.lemma))
        for word in side.words
    ]
    if not any(weights):
        weights = [1.0] * len(weights)
    return sum(w for w, is_counted in zip(weights, counted, strict=True) if is_counted) / sum(
        weights
    )
