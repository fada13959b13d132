"""Explanations of links, label by label, and of the relations of tokens."""

from collections.abc import Iterable, Iterator

import numpy as np
from numpy.typing import NDArray

from tokalign.decoding.decoder import DecodedPair
from tokalign.errors import InputError
from tokalign.features.feature_groups import FeatureTable
from tokalign.relations.chunks import UnitInputs
from tokalign.relations.related_units import UNIT_INPUTS, RelationModel
from tokalign.types import FeatureContribution, LinkExplanation
from tokalign.types.options import Direction, Symmetrization
from tokalign.types.relations import (
    RELATION_KINDS,
    InputContribution,
    Relation,
    RelationExplanation,
)

TINY = 1e-300


def require_indices(
    source_index: int,
    target_index: int,
    n_source: int,
    n_target: int,
    symmetrization: Symmetrization,
) -> None:
    """Raise InputError unless the indices name a link or an unaligned token that can be explained.

    `source_index`, `target_index`: 0-based tokens, one of them -1 where there is no link.
    `n_source`, `n_target`: numbers of tokens. `symmetrization`: a single direction only explains
    tokens of the side that it labels.
    """
    for name, index, n_tokens in (
        ("source_index", source_index, n_source),
        ("target_index", target_index, n_target),
    ):
        if not -1 <= index < n_tokens:
            raise InputError(
                f"{name} is {index}; wanted -1 or a token of 0..{n_tokens - 1}", field=name
            )
    if source_index < 0 and target_index < 0:
        raise InputError("both indices are -1; one must name a token", field="source_index")
    for labelling, name, index in (
        (Symmetrization.SOURCE_TO_TARGET, "source", source_index),
        (Symmetrization.TARGET_TO_SOURCE, "target", target_index),
    ):
        if symmetrization is labelling and index < 0:
            raise InputError(
                f"{symmetrization} labels {name} tokens; {name}_index must name one, not be -1",
                field=f"{name}_index",
            )


def explain_link(
    table: FeatureTable,
    decoded: DecodedPair,
    source_index: int,
    target_index: int,
    symmetrization: Symmetrization,
) -> Iterator[LinkExplanation]:
    """Explain a link, or a token's lack of one, in each direction that took part in deciding it.

    `source_index`, `target_index`: 0-based tokens of the caller's pair; -1 on one side for the
    other side's NULL. `symmetrization`: of the caller's pair. InputError is raised if the pair has
    no such tokens.
    """
    if decoded.is_turned:
        found = _explained(table, decoded, target_index, source_index, symmetrization.turned)
        yield from reversed([each.turned() for each in found])
    else:
        yield from _explained(table, decoded, source_index, target_index, symmetrization)


def _explained(
    table: FeatureTable,
    decoded: DecodedPair,
    source_index: int,
    target_index: int,
    symmetrization: Symmetrization,
) -> Iterator[LinkExplanation]:
    """Explain a link of the decoded pair as the model read it."""
    features = decoded.features(source_index, target_index)
    link = (source_index, target_index)
    if symmetrization is not Symmetrization.TARGET_TO_SOURCE and source_index >= 0:
        posterior = decoded.s2t_posterior[source_index]
        yield explain_label(table, features, posterior, *link, Direction.SOURCE_TO_TARGET)
    if symmetrization is not Symmetrization.SOURCE_TO_TARGET and target_index >= 0:
        posterior = decoded.t2s_posterior[target_index]
        yield explain_label(table, features, posterior, *link, Direction.TARGET_TO_SOURCE)


def explain_label(
    table: FeatureTable,
    features: tuple[NDArray[np.int32], NDArray[np.float32], NDArray[np.float32]],
    label_posterior: NDArray[np.float64],
    source_index: int,
    target_index: int,
    direction: Direction,
) -> LinkExplanation:
    """Return the explanation of one label of one token.

    Parameters
    ----------
    features : int32, float32 and float32 array, of shapes (n,), (n,) and (n, 2)
        Slots, values and weights of the label's feature row; see DecodedPair.features.
    label_posterior : float64 array, shape (n_states,)
        Of the labelled token; state 0 is NULL.
    source_index, target_index : int
        The link; -1 on the other side for NULL.
    direction : Direction
        SOURCE_TO_TARGET if the source token was labelled, else TARGET_TO_SOURCE.
    """
    slots, values, weights_of_both = features
    column = 0 if direction is Direction.SOURCE_TO_TARGET else 1
    state = (target_index if column == 0 else source_index) + 1
    others = label_posterior.copy()
    others[state] = -1.0
    runner_up = int(others.argmax())
    weights = weights_of_both[:, column].astype(np.float64)
    products = values * weights
    order = np.argsort(-np.abs(products), kind="stable")
    order = order[products[order] != 0]
    contributions = map(
        FeatureContribution,
        map(table.name, slots[order].tolist()),
        values[order].tolist(),
        weights[order].tolist(),
    )
    return LinkExplanation(
        source=source_index,
        target=target_index,
        direction=direction,
        score=sum(products[order].tolist()),
        features=tuple(contributions),
        runner_up=runner_up - 1,
        margin=float(
            np.log(max(label_posterior[state], TINY))
            - np.log(max(label_posterior[runner_up], TINY))
        ),
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
