"""Symmetrization of both directions' labels by heuristics of phrase-based MT, and constraints.

The heuristics combine the two one-directional alignments of a pair.

Constraints bind both chains. Each direction labels the tokens of one side, and obeys exactly the
constraints on its own labels: excluded labels get no weight, and posteriors and best labels are
those of the remaining sequences.

- A forbidden link, and every link of a token that must stay unlinked, is excluded in both
  directions.
- An anchored token has the label of its anchor in both; if it has several anchors, a direction
  can label it with one, and chooses.
- A token that must have a link is not labelled NULL in the direction that labels it. The other
  direction labels other tokens, and is not bound.

The combined links are then completed: anchors are in each direction's links, so every heuristic
keeps them; a token that must have a link and has none gets its likeliest one.

References
----------
Koehn, Och and Marcu (2003), NAACL: Statistical Phrase-Based Translation, section 3 (grow-diag).
Koehn et al. (2005), IWSLT: Edinburgh System Description, figure 1 (final, final-and), whose scan
order, target words outside and source words inside, decides which of two additions blocks the
other.
"""

from bisect import bisect_left
from collections.abc import Callable, Iterable, Set
from functools import partial

import numpy as np
from numpy.typing import NDArray

from tokalign.decoding.decoder import DecodedPair
from tokalign.types import Links
from tokalign.types.constraints import Constraints
from tokalign.types.options import Symmetrization

ONE_DIRECTION = (Symmetrization.SOURCE_TO_TARGET, Symmetrization.TARGET_TO_SOURCE)

# Offsets (target, source) in the order in which neighbours are tried.
_NEIGHBOURS = ((-1, 0), (0, -1), (1, 0), (0, 1), (-1, -1), (-1, 1), (1, -1), (1, 1))


def _grow(s2t: Set[tuple[int, int]], t2s: Set[tuple[int, int]]) -> set[tuple[int, int]]:
    """Return the intersection grown by neighbouring links of the union.

    A link of the union joins when it touches a chosen link, also diagonally, and links a word
    that has no link yet. The scan is repeated until nothing changes.
    """
    links = set(s2t & t2s)
    candidates = set(s2t | t2s) - links
    sources = {i for i, _ in links}
    targets = {j for _, j in links}
    # Sorted (target, source); a link that is added ahead of the scan is visited in the same sweep.
    order = sorted((j, i) for i, j in links)
    has_grown = bool(candidates)
    while has_grown:
        has_grown = False
        place = 0
        while place < len(order):
            j, i = order[place]
            for step_target, step_source in _NEIGHBOURS:
                new = (i + step_source, j + step_target)
                if new not in candidates or (new[0] in sources and new[1] in targets):
                    continue
                candidates.discard(new)
                links.add(new)
                sources.add(new[0])
                targets.add(new[1])
                key = (new[1], new[0])
                at = bisect_left(order, key)
                order.insert(at, key)
                place += at <= place
                has_grown = True
            place += 1
    return links


def _finish(s2t: Set[tuple[int, int]], t2s: Set[tuple[int, int]], *, needs_both: bool) -> Links:
    """Return grow-diag, then each union link with a word that is still unlinked, or with both so.

    These are added by target, then source: t2s is finished before s2t, as in Moses.
    """
    links = _grow(s2t, t2s)
    sources = {i for i, _ in links}
    targets = {j for _, j in links}
    for direction in (t2s - s2t, s2t - t2s):
        for i, j in sorted(direction, key=lambda link: (link[1], link[0])):
            is_new = (i not in sources, j not in targets)
            if all(is_new) or (any(is_new) and not needs_both):
                links.add((i, j))
                sources.add(i)
                targets.add(j)
    return frozenset(links)


HEURISTICS: dict[
    Symmetrization,
    Callable[[Set[tuple[int, int]], Set[tuple[int, int]]], frozenset[tuple[int, int]]],
] = {
    Symmetrization.SOURCE_TO_TARGET: lambda s2t, t2s: frozenset(s2t),
    Symmetrization.TARGET_TO_SOURCE: lambda s2t, t2s: frozenset(t2s),
    Symmetrization.INTERSECTION: lambda s2t, t2s: frozenset(s2t & t2s),
    Symmetrization.UNION: lambda s2t, t2s: frozenset(s2t | t2s),
    Symmetrization.GROW_DIAG: lambda s2t, t2s: frozenset(_grow(s2t, t2s)),
    Symmetrization.GROW_DIAG_FINAL: partial(_finish, needs_both=False),
    Symmetrization.GROW_DIAG_FINAL_AND: partial(_finish, needs_both=True),
}
"""Those made from best labels; the joint one is made from posteriors."""


def symmetrize(
    s2t: Set[tuple[int, int]], t2s: Set[tuple[int, int]], symmetrization: Symmetrization
) -> Links:
    """Return the alignment that a heuristic makes of both directions' links.

    `s2t`, `t2s`: links of each direction, both written source first. `symmetrization`: a heuristic;
    ``s2t`` and ``t2s`` return that side alone.

    The links are between the intersection and the union for every heuristic; deterministic.
    KeyError is raised if the symmetrization is not made from two sets of links.

    Examples
    --------
    >>> sorted(symmetrize({(0, 0), (1, 1)}, {(0, 0), (1, 0)}, Symmetrization.GROW_DIAG))
    [(0, 0), (1, 0), (1, 1)]
    >>> sorted(symmetrize({(0, 0), (1, 1)}, {(0, 0), (1, 0)}, Symmetrization.INTERSECTION))
    [(0, 0)]
    """
    return HEURISTICS[Symmetrization(symmetrization)](s2t, t2s)


def link_posteriors(decoded: DecodedPair, symmetrization: Symmetrization) -> NDArray[np.float64]:
    """Return the link probabilities of one direction, or their mean for the joint decision, shape
    (n_source, n_target)."""
    if symmetrization is Symmetrization.SOURCE_TO_TARGET:
        return decoded.s2t_posterior[:, 1:]
    if symmetrization is Symmetrization.TARGET_TO_SOURCE:
        return decoded.t2s_posterior[:, 1:].T
    return decoded.link_posterior


def links_by_label(
    decoded: DecodedPair, symmetrization: Symmetrization
) -> list[tuple[int, int, float]]:
    """Return the links as (source, target, posterior), sorted.

    Anchors are among each direction's links, so that every symmetrization keeps them. Other
    constraints may require links beyond these; see missing_links.
    """
    s2t_states, t2s_states = decoded.labels()
    s2t = {(i, s - 1) for i, s in enumerate(s2t_states.tolist()) if s}
    t2s = {(s - 1, j) for j, s in enumerate(t2s_states.tolist()) if s}
    if decoded.constraints is not None:
        s2t.update(decoded.constraints.anchors)
        t2s.update(decoded.constraints.anchors)
    posterior = link_posteriors(decoded, symmetrization)
    return [(i, j, float(posterior[i, j])) for i, j in sorted(symmetrize(s2t, t2s, symmetrization))]


def excluded_links(constraints: Constraints, n_source: int, n_target: int) -> NDArray[np.bool_]:
    """Return the excluded links as 1, others as 0, shape (n_source, n_target)."""
    excluded = np.zeros((n_source, n_target), dtype=np.bool_)
    if constraints.forbidden:
        excluded[tuple(np.transpose(constraints.forbidden))] = True
    excluded[list(constraints.unlinked_source), :] = True
    excluded[:, list(constraints.unlinked_target)] = True
    return excluded


def excluded_labels(
    constraints: Constraints, n_source: int, n_target: int
) -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
    """Return the excluded labels of each direction as 1, others as 0; every token keeps one.

    They are of shapes (n_source, n_target + 1) and (n_target, n_source + 1); state 0 is NULL.
    InputError is raised if sentences of these lengths cannot obey the constraints.
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
    """Return the required links that are not among the chosen ones.

    `posterior` (float64 array, shape (n_source, n_target)): mean of both directions. A token that
    must have a link gets its likeliest one; ties go to the first.
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
