"""The order in which a model reads the two sentences of a pair: the longer one first.

A model has weights of its own for each direction, and features that name a side. So that links,
conflicts and similarity do not depend on which sentence the caller names first, every pair is read
in one order, in training too, and `decide_batch` turns the results back. Of two sentences of one
length, the one whose words sort first is read first.

Pairs whose sides have roles, such as a candidate and its question, are read as they stand.
"""

from typing import Any

from tokalign.types import AnnotatedPair, Sentence
from tokalign.types.links import reads_target_first


class TurnedPair(tuple[Any, ...]):
    """The target and the source of a pair, in this order, and the constraints as they were, if any.

    ``TurnedPair((target, source))`` is the pair (source, target) as a model reads it.
    """

    __slots__ = ()


def in_reading_order(pair: AnnotatedPair) -> AnnotatedPair:
    """Return a pair as a model reads it: itself, or a TurnedPair."""
    if not reads_target_first(pair[0], pair[1]):
        return pair
    return TurnedPair((pair[1], pair[0], *pair[2:]))


def as_given(pair: AnnotatedPair) -> tuple[Sentence, Sentence]:
    """Return the caller's source and target of a pair in reading order."""
    return (pair[1], pair[0]) if isinstance(pair, TurnedPair) else (pair[0], pair[1])
