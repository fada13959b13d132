"""The order in which a model reads the two sentences of a pair: the longer one first.

A model has weights of its own for each direction, and features that name a side. So that links,
conflicts and similarity do not depend on which sentence the caller names first, every pair is read
in one order, and the results are turned back. It is the order of nearly all training pairs; of two
sentences of one length, the one whose words sort first is read first.

Pairs whose sides have roles, such as a candidate and its question, are read as they stand.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tokalign.types import AnnotatedPair, Sentence
from tokalign.types.relations import TURNED_KINDS


class TurnedPair(tuple[Any, ...]):
    """The target and the source of a pair, in this order, and the constraints as they were, if any.

    ``TurnedPair((target, source))`` is the pair (source, target) as a model reads it.
    """

    __slots__ = ()


def reads_target_first(source: Sentence, target: Sentence) -> bool:
    """Return whether a model reads the target before the source."""
    n_source, n_target = len(source), len(target)
    return n_source < n_target or (n_source == n_target and source.tokens > target.tokens)


def in_reading_order(pair: AnnotatedPair) -> AnnotatedPair:
    """Return a pair as a model reads it: itself, or a TurnedPair."""
    if not reads_target_first(pair[0], pair[1]):
        return pair
    return TurnedPair((pair[1], pair[0], *pair[2:]))


def as_given(pair: AnnotatedPair) -> tuple[Sentence, Sentence]:
    """Return the caller's source and target of a pair in reading order."""
    return (pair[1], pair[0]) if isinstance(pair, TurnedPair) else (pair[0], pair[1])


def turn_back(columns: dict[str, Any], is_turned: Sequence[bool]) -> None:
    """Turn the links, relations and conflicts of some pairs of a batch, in place.

    `columns` (dict of str to array): of decide_batch; see AlignmentColumns. `is_turned` (sequence
    of bool, length n_pairs): whether a pair was read target first.
    """
    turned = np.array(is_turned)
    pair_of = np.repeat(np.arange(len(turned)), np.diff(columns["offsets"]))
    is_own = turned[pair_of]
    source = np.where(is_own, columns["target"], columns["source"])
    target = np.where(is_own, columns["source"], columns["target"])
    order = np.lexsort((target, source, pair_of))
    columns["source"], columns["target"] = source[order], target[order]
    columns["confidence"] = columns["confidence"][order]
    if columns["relations"] is not None:
        relations = _with_kinds_turned(columns["relations"], is_own)
        columns["relations"] = relations[order]
    is_own = np.repeat(turned, np.diff(columns["conflict_offsets"]))
    conflicts = columns["conflicts"].copy()
    for end in ("", "_start", "_end"):
        for side, other in (("source", "target"), ("target", "source")):
            conflicts[side + end][is_own] = columns["conflicts"][other + end][is_own]
    columns["conflicts"] = conflicts


def _with_kinds_turned(
    relations: NDArray[np.float32], is_own: NDArray[np.bool_]
) -> NDArray[np.float32]:
    """Return probabilities of kinds, in some rows as the other side sees them."""
    return np.where(is_own[:, None], relations[:, TURNED_KINDS], relations)
