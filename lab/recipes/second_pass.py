"""Learning of the second pass over cells (tokalign.decoding.second_pass) on development pairs.

Boosted trees learn which likely cells of MTRef's development pairs are links. Neither encoder nor
chains have seen these pairs. What fits a style's thresholds and maps, and what is reported, comes
from trees that have not seen the pair, nor another one with a sentence of it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray
from sklearn.ensemble import HistGradientBoostingClassifier
from tokalign.types import GoldPair

from lab.recipes.groups import sentence_groups
from lab.recipes.held_out import HeldOutPair

STYLE = "free"
"""The one style of which there are enough development pairs."""
N_FOLDS, SEED = 5, 1
UNRELATED = 0.5
"""Weight of a cell of an unrelated pair: with it such pairs get about as many links as without the
second pass; 0 gives four times as many, 1 half of the gain in F1."""
SETTINGS: dict[str, Any] = {
    "max_iter": 150, "learning_rate": 0.08, "max_leaf_nodes": 12, "min_samples_leaf": 40,
    "l2_regularization": 5.0, "max_features": 0.3, "early_stopping": False, "random_state": 0,
}  # fmt: skip

Part = TypeVar("Part")
LikelyCells = tuple[NDArray[np.int32], NDArray[np.float32]]
"""The likely cells of a pair and their inputs, as lab.kernels.doors.cell_inputs_of returns them."""


def learned(pairs: Sequence[HeldOutPair], cells: Sequence[LikelyCells]) -> Any:
    """Return trees that tell which likely cells are links: those of the style's pairs by gold, and
    of unrelated pairs those that are known to hold none."""
    inputs, is_link, weights = [], [], []
    for pair, (places, rows) in zip(pairs, cells, strict=True):
        if pair.style not in ("", STYLE):
            continue
        links = pair.gold.sure | pair.gold.possible
        kept = np.ones(len(places), dtype=bool) if pair.style else pair.impossible[*places.T]
        inputs.append(rows[kept])
        is_link += [tuple(cell) in links for cell in places[kept].tolist()]
        weights += [1.0 if pair.style else UNRELATED] * int(kept.sum())
    trees = HistGradientBoostingClassifier(**SETTINGS)
    return trees.fit(np.concatenate(inputs), is_link, weights)


def revised(pair: HeldOutPair, cells: LikelyCells, trees: Any) -> HeldOutPair:
    """Return a pair with what trees say of its likely cells in the place of their means."""
    places, inputs = cells
    means = pair.means[STYLE].copy()
    if len(places):
        means[tuple(places.T)] = trees.predict_proba(inputs)[:, 1]
    return replace(pair, means={**pair.means, STYLE: means})


def cross_fitted(
    pairs: Sequence[HeldOutPair],
    parts: Sequence[Part],
    learn: Callable[[list[HeldOutPair], list[Part]], Any],
    decide: Callable[[HeldOutPair, Part, Any], HeldOutPair],
) -> list[HeldOutPair]:
    """Return pairs as trees decide them that were learned on the other folds.

    Parameters
    ----------
    pairs : sequence of HeldOutPair
    parts : sequence
        Of each pair, what trees decide on: its likely cells, or its groups of cells.
    learn : function of pairs and their parts
        Returns trees.
    decide : function of a pair, its part and trees
        Returns the pair with the decision.
    """
    folds = folds_of(pairs)
    found = list(pairs)
    for fold in range(N_FOLDS):
        others = np.flatnonzero(folds != fold).tolist()
        trees = learn([pairs[k] for k in others], [parts[k] for k in others])
        for k in np.flatnonzero(folds == fold).tolist():
            found[k] = decide(pairs[k], parts[k], trees)
    return found


def folds_of(pairs: Sequence[HeldOutPair]) -> NDArray[np.int64]:
    """Return the fold of each pair: of the style's by sentence, of others by turns."""
    own = [k for k, pair in enumerate(pairs) if pair.style == STYLE]
    folds = np.arange(len(pairs)) % N_FOLDS
    folds[own] = folds_by_sentence([pairs[k].gold for k in own])
    return folds


def folds_by_sentence(pairs: Sequence[GoldPair]) -> NDArray[np.int64]:
    """Return the fold of each pair; pairs that share a sentence are in one."""
    group_of = sentence_groups(pairs)
    groups = [group_of[tuple(pair.source.tokens)] for pair in pairs]
    distinct = sorted(set(groups))
    numbers = np.random.default_rng(SEED).permutation(len(distinct)) % N_FOLDS
    fold_of = dict(zip(distinct, numbers.tolist(), strict=True))
    return np.array([fold_of[group] for group in groups])
