"""Learning of the choice among decisions on groups of cells (tokalign.decoding.second_pass).

Boosted trees learn which decision on a group of MTRef's development pairs is that of gold, by what
second passes say that have not seen the pair. Of unrelated pairs it is the one without links, where
a group is known to hold none. What is reported comes from trees of other folds.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.ensemble import HistGradientBoostingClassifier
from tokalign.types import Links

from lab.kernels.doors import group_candidates
from lab.recipes.held_out import HeldOutPair, links_at
from lab.recipes.second_pass import STYLE, UNRELATED

THRESHOLD = 0.5
"""From which on a cell by itself is a link; the decisions on groups are compared with that."""
SETTINGS: dict[str, Any] = {
    "max_iter": 120, "learning_rate": 0.06, "max_leaf_nodes": 8, "min_samples_leaf": 60,
    "l2_regularization": 5.0, "max_features": 0.5, "early_stopping": False, "random_state": 0,
}  # fmt: skip

GroupCandidates = tuple[NDArray[np.int32], NDArray[np.bool_], NDArray[np.float32]]
"""Its cells, the decisions that compete, and their inputs; see group_candidates."""


def groups_of(pair: HeldOutPair) -> list[GroupCandidates]:
    """Return the groups of a pair that a second pass revised."""
    means = pair.means[STYLE].astype(np.float64)
    return group_candidates(means, _matrix(links_at(means, THRESHOLD, THRESHOLD), means.shape))


def learned(pairs: Sequence[HeldOutPair], groups: Sequence[Sequence[GroupCandidates]]) -> Any:
    """Return trees that tell which decisions are right.

    Parameters
    ----------
    pairs : sequence of HeldOutPair
        Those of the style and unrelated ones teach, others do not.
    groups : sequence of sequence of GroupCandidates
        Of each pair.
    """
    inputs, is_right, weights = [], [], []
    for pair, some in zip(pairs, groups, strict=True):
        if pair.style not in ("", STYLE):
            continue
        gold = _matrix(pair.gold.sure | pair.gold.possible, pair.unlike.shape)
        for cells, decisions, rows in some:
            if not (pair.style or pair.impossible[*cells.T].all()):
                continue
            inputs.append(rows)
            is_right.append((decisions == gold[*cells.T]).all(axis=1))
            weights.append(np.full(len(rows), 1.0 if pair.style else UNRELATED))
    trees = HistGradientBoostingClassifier(**SETTINGS)
    return trees.fit(np.concatenate(inputs), np.concatenate(is_right), np.concatenate(weights))


def chosen(pair: HeldOutPair, groups: Sequence[GroupCandidates], trees: Any) -> HeldOutPair:
    """Return a pair with its links as trees choose them."""
    means = pair.means[STYLE]
    linked = _matrix(links_at(means, THRESHOLD, THRESHOLD), means.shape)
    for cells, decisions, rows in groups:
        linked[*cells.T] = decisions[trees.decision_function(rows).argmax()]
    links = frozenset((int(i), int(j)) for i, j in np.argwhere(linked))
    return replace(pair, links={**pair.links, STYLE: links})


def _matrix(links: Links, shape: tuple[int, ...]) -> NDArray[np.bool_]:
    found = np.zeros(shape, dtype=bool)
    for link in links:
        found[link] = True
    return found
