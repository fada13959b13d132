"""Support of values and names: each counts with its sentence, and the words of a value share it.

A word may stand in the sources by chance: "The museum opens at 9." is not supported by "The library
opens at 9. The museum opens at 10." So a value, or a word with another one in its place, is looked
up with the rest of its sentence::

    rest(c)   = cover of the answer's sentence by candidate c, without the value's words
    same(c)   = its cover by equal words alone
    stated, stated_same = largest rest(c), same(c) of the candidates with an equal word or value,
                          however it is written
    denied    = largest same(c) of the others that have another one in its place, by a conflict

What is denied by LEAST_DENIED, and by MARGIN more than it is stated in the same words, is supported
by at most 1 - denied. A row of a table denies what only other rows have, without a conflict: a
name, if it covers LEAST_OF_ROW; a value, if it has all words but values that they share with the
answer's sentence, and another one. Else what is stated in a sentence that covers at least
LEAST_REST has as much support in each of its words as in the best one, and at least `stated`. The
bounds were set on made cases; on the claims that the support was learned from, fewer right words
are flagged with them, and .2 points fewer of the wrong ones.
"""

import math
from collections.abc import Iterable, Sequence
from itertools import groupby
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tokalign.decoding.evidence import SupportColumn
from tokalign.grounding.answer_words import SUPPORTABLE, AlignedCandidate, AnswerWords, ValueKey
from tokalign.grounding.sources import Sources
from tokalign.types import FeatureContribution
from tokalign.types.grounding import WordKind
from tokalign.types.relations import Conflict, ConflictKind

LEAST_REST = 0.5
LEAST_DENIED, LEAST_OF_ROW = 0.7, 0.9
MARGIN = 0.1
SAID = 0.5
"""Least mass of a link between equal words for the word to count as stated."""
OTHERS = (ConflictKind.VALUE, ConflictKind.NAME, ConflictKind.CODE)
"""Kinds of conflicts with another value or name."""
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


class SaidWith(NamedTuple):
    """How much of the rest of an answer's sentence is said with a value, a name or another word.

    `stated` is -1 where no candidate has it. `denied` has the cover by equal words of each of the
    candidates that deny it. Of a sentence in which a value is denied, other words are not.
    `disputed` has those of other passages that say another one with as much of the rest.
    """

    words: range
    is_value: bool
    stated: float
    denied: dict[int, float]
    disputed: set[int]


def conflicts_with(candidate: AlignedCandidate, sources: Sources) -> list[Conflict]:
    """Return the conflicts of a candidate; those of names do not count in an item of a list."""
    found = candidate.columns.conflicts_of(candidate.pair)
    is_led = sources.sentences[candidate.number].span.is_led
    return [each for each in found if not (is_led and each.kind is ConflictKind.NAME)]


def said_with(
    words: AnswerWords, candidates: Sequence[AlignedCandidate], sources: Sources
) -> list[SaidWith]:
    """Return how values and names, and words with another one there, are said with the rest."""
    blocks = [sources.sentences[each.number] for each in candidates]
    unlike = [
        {e.target for e in conflicts_with(c, sources) if e.kind in OTHERS} for c in candidates
    ]
    passages = [each.passage for each in blocks]
    table_of = [each.passage if each.span.is_row else None for each in blocks]
    spans = _spans(
        words, set[int]().union(*unlike), has_rows=any(each.span.is_row for each in blocks)
    )
    if not spans or not candidates:
        return []
    rows = np.array([each.rows[:, [_MASS, _SAME]] for each in candidates], np.float64)
    is_name = np.ones(len(words.kinds), bool)
    is_name[[at for own in words.values for at in own]] = False
    found: list[SaidWith] = []
    for own, said in spans.items():
        weights = words.weights.copy()
        weights[own.start : own.stop] = 0.0
        weights /= weights.sum() or 1.0
        covers = np.minimum(np.einsum("cwk,w->ck", rows, weights), 1.0).tolist()
        if said:
            holds = [not said.isdisjoint(each.keys) for each in candidates]
        else:
            holds = (rows[:, own, 1].min(axis=1) >= SAID).tolist()
        stated = max((covers[k][0] for k, has in enumerate(holds) if has), default=-1.0)
        stated_same = max((covers[k][1] for k, has in enumerate(holds) if has), default=0.0)
        tables = {table_of[k] for k, has in enumerate(holds) if has} - {None}
        shared = (rows[:, :, 1] >= SAID) & (weights > 0.0) & is_name
        beside = [shared[k] for k, has in enumerate(holds) if has]
        denied, disputed = dict[int, float](), set[int]()
        stating = {passages[k] for k, has in enumerate(holds) if has}
        for k, (_, same) in enumerate(covers):
            is_unlike = not unlike[k].isdisjoint(own)
            as_much = max(LEAST_DENIED, stated_same - MARGIN)
            if is_unlike and passages[k] not in stating and same >= as_much:
                disputed.add(k)
            is_of_table = table_of[k] in tables
            is_surer = same >= LEAST_DENIED and same > stated_same + MARGIN
            if not holds[k] and (
                (is_surer and (is_unlike or (is_of_table and same >= LEAST_OF_ROW)))
                or (said and is_of_table and all(_says_more(shared[k], each) for each in beside))
            ):
                denied[k] = same
        found.append(SaidWith(own, bool(said), stated, denied, disputed))
    if any(each.is_value and each.denied for each in found):
        return [each if each.is_value else each._replace(denied={}) for each in found]
    return found


def _says_more(words: NDArray[np.bool_], others: NDArray[np.bool_]) -> bool:
    """Return whether a row has all words of the answer that another one has, and more."""
    return bool((words >= others).all() and words.sum() > others.sum())


def _spans(
    words: AnswerWords, unlike: set[int], *, has_rows: bool
) -> dict[range, frozenset[ValueKey]]:
    """Return values with what equal ones have in common, and names and words that may be denied."""
    found = dict(words.values)
    known = set[int]().union(*found)
    at = 0
    for kind, run in groupby(words.kinds):
        span = range(at, at := at + len(list(run)))
        may_be_denied = has_rows or not unlike.isdisjoint(span)
        if kind is WordKind.NAME and may_be_denied and known.isdisjoint(span):
            found[span] = frozenset()
            known.update(span)
    return found | {range(at, at + 1): frozenset() for at in sorted(unlike - known)}


def with_values(
    words: AnswerWords, said: Iterable[SaidWith], supports: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return the support of each word, changed for values and for words that others deny."""
    changed = supports.copy()
    for each in said:
        held = [at for at in each.words if words.kinds[at] in SUPPORTABLE]
        if held and each.denied:
            least = 1.0 - min(max(each.denied.values()), _MOST)
            changed[held] = np.minimum(changed[held], least)
        elif held and each.stated >= LEAST_REST:
            least = max(float(supports[held].max()), min(each.stated, _MOST))
            changed[held] = np.maximum(changed[held], least)
    return changed
