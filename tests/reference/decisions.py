"""Slow, obvious twin of what is decided of a decoded pair: one pair, NumPy, option by option."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from tokalign.decoding.symmetrize import symmetrize
from tokalign.english.lexicon.word_lists import content_weight
from tokalign.types import Sentence
from tokalign.types.constraints import Constraints
from tokalign.types.options import Symmetrization

Array = NDArray[Any]
ONE_DIRECTION = ("s2t", "t2s")


def calibrate(style: Mapping[str, Any], posterior: Array, unlike: Array) -> Array:
    """Twin of Convention.confidences: the line between the knots around each posterior, or the
    logistic map of unlike words."""
    posterior = np.asarray(posterior, dtype=np.float64)
    found = posterior
    if style.get("raw"):
        found = np.interp(posterior, style["raw"], style["calibrated"])
    if "unlike" not in style:
        return found
    slope, offset = style["unlike"]
    inside = np.clip(posterior, 1e-300, 1 - 1e-16)
    odds = (inside / (1 - inside)) ** slope * np.exp(offset)
    return np.where(unlike, np.where(posterior < 1, odds / (1 + odds), 1.0), found)


def joint_links(
    s2t: Array, t2s: Array, threshold: float, beside: float
) -> list[tuple[int, int, float]]:
    """Twin of lab.kernels.doors.joint_links."""
    mean = (s2t[:, 1:] + t2s[:, 1:].T) / 2
    taken = {cell for cell, p in np.ndenumerate(mean) if p >= threshold}
    waiting = list(taken)
    while waiting:
        i, j = waiting.pop()
        for cell in ((i - 1, j), (i + 1, j), (i, j - 1), (i, j + 1)):
            is_inside = 0 <= cell[0] < mean.shape[0] and 0 <= cell[1] < mean.shape[1]
            if is_inside and cell not in taken and mean[cell] >= beside:
                taken.add(cell)
                waiting.append(cell)
    return [(i, j, float(mean[i, j])) for i, j in sorted(taken)]


def score(s2t: Array, t2s: Array, weights: Sequence[float]) -> float:
    """Twin of the score of tokalign.decoding.link_decision."""
    covered = np.minimum(np.minimum(s2t[:, 1:], t2s[:, 1:].T).sum(axis=0), 1.0)
    return float(np.dot(covered, weights) / np.sum(weights))


def share_of_both(
    s2t: Array,
    t2s: Array,
    source_weights: Array,
    target_weights: Array,
    strength: Array | None = None,
) -> float:
    """Twin of the share linked, or, with the strengths of words, covered, of
    tokalign.decoding.link_decision."""
    mean = (s2t[:, 1:] + t2s[:, 1:].T) / 2
    if strength is not None:
        mean = np.where(strength.astype(np.float32) >= np.float32(0.69), mean, 0.3 * mean)
    shares = []
    for weights, expected in (
        (source_weights, mean.sum(axis=1)),
        (target_weights, mean.sum(axis=0)),
    ):
        used = weights if weights.any() else np.ones(len(weights))
        shares.append(float(used @ np.minimum(expected, 1.0)) / float(used.sum()))
    return min(*shares, 1.0)


def confidences(
    s2t: Array,
    t2s: Array,
    style: Mapping[str, Any],
    symmetrization: str,
    constraints: Constraints,
    unlike: Array,
) -> Array:
    """Return the confidence of every link."""
    if symmetrization == "s2t":
        found = s2t[:, 1:].copy()
    elif symmetrization == "t2s":
        found = t2s[:, 1:].T.copy()
    else:
        found = calibrate(style, (s2t[:, 1:] + t2s[:, 1:].T) / 2, unlike)
    for i, j in np.ndindex(*found.shape):
        if _is_excluded(constraints, i, j):
            found[i, j] = 0.0
        if (i, j) in constraints.anchors:
            found[i, j] = 1.0
    return found


def links(
    s2t: Array,
    t2s: Array,
    labels: tuple[Array, Array],
    style: Mapping[str, Any],
    options: Any,
    constraints: Constraints,
    unlike: Array,
) -> dict[tuple[int, int], float]:
    """Return the links of a pair with their confidences."""
    confidence = confidences(s2t, t2s, style, options.symmetrization, constraints, unlike)
    mean = (s2t[:, 1:] + t2s[:, 1:].T) / 2
    if options.symmetrization == "joint":
        beside = style.get("beside", style["threshold"])
        chosen = {(i, j) for i, j, _ in joint_links(s2t, t2s, style["threshold"], beside)}
        unpinned = calibrate(style, mean, unlike)
    else:
        by_source = {(i, int(s) - 1) for i, s in enumerate(labels[0]) if s}
        by_target = {(int(s) - 1, j) for j, s in enumerate(labels[1]) if s}
        anchors = set(constraints.anchors)
        chosen = set(
            symmetrize(
                by_source | anchors, by_target | anchors, Symmetrization(options.symmetrization)
            )
        )
        unpinned = confidences(s2t, t2s, style, options.symmetrization, Constraints(), unlike)
    chosen = {link for link in chosen if unpinned[link] >= options.min_confidence}
    chosen |= _missing(constraints, chosen, mean)
    return {link: float(confidence[link]) for link in sorted(chosen)}


def _is_excluded(constraints: Constraints, i: int, j: int) -> bool:
    return (
        (i, j) in constraints.forbidden
        or i in constraints.unlinked_source
        or j in constraints.unlinked_target
    )


def _missing(
    constraints: Constraints, chosen: set[tuple[int, int]], mean: Array
) -> set[tuple[int, int]]:
    """Return the links that constraints require beyond those chosen."""
    missing = set(constraints.anchors) - chosen
    allowed = mean.copy()
    for i, j in np.ndindex(*mean.shape):
        if _is_excluded(constraints, i, j):
            allowed[i, j] = -1.0
    for i in constraints.linked_source:
        if all(source != i for source, _ in chosen | missing):
            missing.add((i, int(allowed[i].argmax())))
    for j in constraints.linked_target:
        if all(target != j for _, target in chosen | missing):
            missing.add((int(allowed[:, j].argmax()), j))
    return missing


def content_weights(sentence: Sentence) -> list[float]:
    """Return what each token weighs in the score."""
    return [content_weight(tag) for tag in sentence.tags or ()]
