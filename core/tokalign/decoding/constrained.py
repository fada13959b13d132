"""Constraints: how they bind the two chains, and what joins their result.

Each direction labels the tokens of one side, so it obeys what can be said of its own labels, and
exactly: the labels that are excluded get no weight, and posteriors and best labels are those of the
sequences that are left.

- A forbidden link, and every link of a token that may have none, is excluded in both directions.
- An anchored token has the label of its anchor in both; of several anchors of one token a direction
  can give one, and chooses among them.
- A token that must have a link is not labelled NULL in the direction that labels it. The other one
  gives its labels to other tokens, and is not bound.

What is combined of both directions is then completed: anchors are part of each direction's links,
so every heuristic keeps them; a token that must have a link and got none gets its likeliest one.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from tokalign.types.constraints import Constraints


def excluded_links(constraints: Constraints, n_source: int, n_target: int) -> NDArray[np.bool_]:
    """Return which links may not be, shape (n_source, n_target)."""
    excluded = np.zeros((n_source, n_target), dtype=np.bool_)
    if constraints.forbidden:
        excluded[tuple(np.transpose(constraints.forbidden))] = True
    excluded[list(constraints.unlinked_source), :] = True
    excluded[:, list(constraints.unlinked_target)] = True
    return excluded


def excluded_labels(
    constraints: Constraints, n_source: int, n_target: int
) -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
    """Return which labels are excluded in each direction, 1 or 0; every token keeps one.

    Returns
    -------
    s2t : uint8 array, shape (n_source, n_target + 1)
        State 0 is NULL.
    t2s : uint8 array, shape (n_target, n_source + 1)

    Raises
    ------
    InputError
        If sentences of so many tokens cannot obey.
    """
    constraints.check(n_source, n_target)
    links = excluded_links(constraints, n_source, n_target)
    mirrored = [(j, i) for i, j in constraints.anchors]
    return (
        _excluded_states(links, constraints.anchors, constraints.linked_source),
        _excluded_states(links.T, mirrored, constraints.linked_target),
    )


def _excluded_states(
    links: NDArray[np.bool_], anchors: Iterable[tuple[int, int]], linked: Iterable[int]
) -> NDArray[np.uint8]:
    n_tokens, n_others = links.shape
    excluded = np.zeros((n_tokens, n_others + 1), dtype=np.uint8)
    excluded[:, 1:] = links
    excluded[list(linked), 0] = 1
    anchors = list(anchors)
    excluded[[token for token, _ in anchors], :] = 1
    for token, other in anchors:
        excluded[token, other + 1] = 0
    return excluded


def missing_links(
    constraints: Constraints, links: Iterable[tuple[int, int]], posterior: NDArray[np.float64]
) -> set[tuple[int, int]]:
    """Return the links that are required and not among those chosen.

    Parameters
    ----------
    constraints : Constraints
    links : iterable of (source, target)
    posterior : float64 array, shape (n_source, n_target)
        Mean of both directions, by which a token that must have a link gets its likeliest one; of
        equals, the first.
    """
    chosen = set(links)
    missing = set(constraints.anchors) - chosen
    allowed = np.where(excluded_links(constraints, *posterior.shape), -1.0, posterior)
    for i in constraints.linked_source:
        if not any(source == i for source, _ in chosen | missing):
            missing.add((i, int(allowed[i].argmax())))
    for j in constraints.linked_target:
        if not any(target == j for _, target in chosen | missing):
            missing.add((int(allowed[:, j].argmax()), j))
    return missing


def pinned(constraints: Constraints, confidence: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return links' confidences, with 1 for anchors and 0 for excluded links."""
    result = np.where(excluded_links(constraints, *confidence.shape), 0.0, confidence)
    for i, j in constraints.anchors:
        result[i, j] = 1.0
    return result
