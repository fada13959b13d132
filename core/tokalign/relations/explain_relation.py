"""Explanation of the relation of two words or phrases."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from tokalign.relations.chunks import UnitInputs
from tokalign.relations.related_units import UNIT_INPUTS, RelationModel
from tokalign.types.relations import (
    RELATION_KINDS,
    InputContribution,
    Relation,
    RelationExplanation,
)


def explain_relation(
    model: RelationModel,
    links: Iterable[tuple[int, int]],
    source_index: int,
    target_index: int,
    inputs: UnitInputs,
) -> RelationExplanation:
    """Return the explanation of the likeliest relation of two tokens of an aligned pair.

    `links`: of the pair's alignment. `source_index`, `target_index`: tokens, linked or not.
    """
    unit = unit_of(links, source_index, target_index)
    row = inputs([unit])[0]
    relation = Relation.of(model.probabilities(row[None])[0].tolist())
    each = model.kinds.contributions(row, RELATION_KINDS.index(relation.kind))
    order = np.argsort(-np.abs(each[:-1]), kind="stable")
    found = tuple(
        InputContribution(UNIT_INPUTS[k], float(row[k]), float(each[k])) for k in order if each[k]
    )
    return RelationExplanation(*unit, relation, relation.kind, float(each.sum()), found)


def unit_of(
    links: Iterable[tuple[int, int]], source: int, target: int
) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return the tokens of two tokens' unit: if they are linked, those of all links that share
    tokens with theirs."""
    left = list(links)
    sources, targets = {source}, {target}
    grows = (source, target) in left
    while grows:
        found = [(i, j) for i, j in left if i in sources or j in targets]
        sources.update(i for i, _ in found)
        targets.update(j for _, j in found)
        grows = bool(found)
        left = [link for link in left if link not in found]
    return tuple(sorted(sources)), tuple(sorted(targets))
