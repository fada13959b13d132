"""Support of values: a value counts with its sentence, and its words share its support.

A word of a value may stand in the sources by chance: "The museum opens at 9." is not supported by
"The library opens at 9. The museum opens at 10." So a value is looked up with the rest of its
sentence::

    rest(c)   = cover of the answer's sentence by candidate c, without the value's words
    same(c)   = its cover by equal words alone
    stated, stated_same = largest rest(c), same(c) of the candidates with an equal value, however it
                          is written
    denied    = largest same(c) of the others that have another value in its place

A value that is denied by LEAST_DENIED, by a conflict of at least SURE, and by MARGIN more than it
is stated in the same words is supported by at most 1 - denied. Else a value that is stated in a
sentence that covers at least LEAST_REST has as much support in each of its words as in the best
one, and at least `stated`. The bounds were set on made cases; on the claims that the support was
learned from, fewer right words are flagged with them, and .2 points fewer of the wrong ones.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from tokalign.decoding.evidence import SupportColumn
from tokalign.english.values import Kind, Value, find_values
from tokalign.grounding.answer_words import SUPPORTABLE, AlignedCandidate, AnswerWords
from tokalign.types import FeatureContribution
from tokalign.types.relations import ConflictKind

LEAST_REST = 0.5
LEAST_DENIED = 0.7
SURE = 0.6
MARGIN = 0.1
_MOST = 0.99
_MASS, _SAME = int(SupportColumn.MASS), int(SupportColumn.SAME)


def contribution(before: float, after: float) -> tuple[FeatureContribution, ...]:
    """Return what a value's sentence adds to the log odds of a word's support, if anything."""
    if before == after:
        return ()
    gained = _log_odds(after) - _log_odds(before)
    return (FeatureContribution("value-in-its-sentence", 1.0, gained),)


def _log_odds(share: float) -> float:
    share = min(max(share, 1e-6), 1 - 1e-6)
    return math.log(share / (1 - share))


def with_values(
    words: AnswerWords, candidates: Sequence[AlignedCandidate], supports: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return the support of each word, changed for the words of values."""
    changed = supports.copy()
    values = [each for each in words.values if each.rank == 0]
    if not values or not candidates:
        return changed
    rows = np.array([each.rows[:, [_MASS, _SAME]] for each in candidates], np.float64)
    keys = [set(_keys(find_values(each.source.tokens))) for each in candidates]
    unlike = [
        {
            conflict.target
            for conflict in each.columns.conflicts_of(each.pair)
            if conflict.kind in (ConflictKind.VALUE, ConflictKind.CODE)
            and conflict.probability >= SURE
        }
        for each in candidates
    ]
    for value in values:
        own = range(value.start, value.end)
        weights = words.weights.copy()
        weights[own.start : own.stop] = 0.0
        whole = weights.sum()
        held = [at for at in own if words.kinds[at] in SUPPORTABLE]
        if not whole or not held:
            continue
        covers = np.minimum(np.einsum("cwk,w->ck", rows, weights) / whole, 1.0)
        said = set(_keys(each for each in words.values if _place(each) == _place(value)))
        stated = stated_same = denied = 0.0
        for (rest, same), has, other in zip(covers.tolist(), keys, unlike, strict=True):
            if has & said:
                stated, stated_same = max(stated, rest), max(stated_same, same)
            elif not other.isdisjoint(own):
                denied = max(denied, same)
        if denied >= LEAST_DENIED and denied > stated_same + MARGIN:
            changed[held] = np.minimum(changed[held], 1.0 - min(denied, _MOST))
        elif stated >= LEAST_REST:
            least = max(float(supports[held].max()), min(stated, _MOST))
            changed[held] = np.maximum(changed[held], least)
    return changed


def _place(value: Value) -> tuple[int, int]:
    """Return the tokens of a value."""
    return value.start, value.end


def _keys(values: Iterable[Value]) -> Iterator[tuple[int, str]]:
    """Yield what equal values have in common; the ends of a range are no values of their own."""
    values = list(values)
    ranges = {_place(each) for each in values if each.kind in (Kind.RANGE, Kind.SCORE)}
    for each in values:
        if each.rank == 0 or _place(each) not in ranges:
            yield each.kind, each.key
