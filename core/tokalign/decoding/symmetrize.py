"""Combine the two one-directional alignments of a pair by the heuristics of phrase-based MT.

References
----------
Koehn, Och and Marcu (2003), NAACL: Statistical Phrase-Based Translation, section 3 (grow-diag).
Koehn et al. (2005), IWSLT: Edinburgh System Description, figure 1 (final, final-and), whose scan
order, target words outside and source words inside, decides where one addition blocks another.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Set

from tokalign.types import Links
from tokalign.types.options import Symmetrization

# Offsets (target, source) in the order in which neighbours are tried.
_NEIGHBOURS = ((-1, 0), (0, -1), (1, 0), (0, 1), (-1, -1), (-1, 1), (1, -1), (1, 1))


def intersection(s2t: Set[tuple[int, int]], t2s: Set[tuple[int, int]]) -> Links:
    """Return the links found in both directions."""
    return frozenset(s2t & t2s)


def union(s2t: Set[tuple[int, int]], t2s: Set[tuple[int, int]]) -> Links:
    """Return the links found in either direction."""
    return frozenset(s2t | t2s)


def grow_diag(s2t: Set[tuple[int, int]], t2s: Set[tuple[int, int]]) -> Links:
    """Return the intersection grown by neighbouring links of the union.

    A link of the union joins when it touches a chosen link, also diagonally, and links a word
    that has no link yet. The scan is repeated until nothing changes.
    """
    return frozenset(_grow(s2t, t2s))


def grow_diag_final(s2t: Set[tuple[int, int]], t2s: Set[tuple[int, int]]) -> Links:
    """Return grow-diag and then every union link of which at least one word is still unlinked."""
    links = _grow(s2t, t2s)
    _finish(links, s2t, t2s, needs_both=False)
    return frozenset(links)


def grow_diag_final_and(s2t: Set[tuple[int, int]], t2s: Set[tuple[int, int]]) -> Links:
    """Return grow-diag and then every union link of which both words are still unlinked."""
    links = _grow(s2t, t2s)
    _finish(links, s2t, t2s, needs_both=True)
    return frozenset(links)


def _grow(s2t: Set[tuple[int, int]], t2s: Set[tuple[int, int]]) -> set[tuple[int, int]]:
    links = set(s2t & t2s)
    candidates = set(s2t | t2s) - links
    sources = {i for i, _ in links}
    targets = {j for _, j in links}
    # Sorted (target, source); a link added behind the scan is visited in the same sweep.
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


def _finish(
    links: set[tuple[int, int]],
    s2t: Set[tuple[int, int]],
    t2s: Set[tuple[int, int]],
    *,
    needs_both: bool,
) -> None:
    sources = {i for i, _ in links}
    targets = {j for _, j in links}
    for i, j in _scan(t2s - s2t, s2t - t2s):
        is_new = (i not in sources, j not in targets)
        if all(is_new) or (any(is_new) and not needs_both):
            links.add((i, j))
            sources.add(i)
            targets.add(j)


def _scan(*directions: Iterable[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Yield each set's links by target, then source: t2s is finished before s2t, as in Moses."""
    for direction in directions:
        yield from sorted(direction, key=lambda link: (link[1], link[0]))


HEURISTICS: dict[
    Symmetrization,
    Callable[[Set[tuple[int, int]], Set[tuple[int, int]]], frozenset[tuple[int, int]]],
] = {
    Symmetrization.SOURCE_TO_TARGET: lambda s2t, t2s: frozenset(s2t),
    Symmetrization.TARGET_TO_SOURCE: lambda s2t, t2s: frozenset(t2s),
    Symmetrization.INTERSECTION: intersection,
    Symmetrization.UNION: union,
    Symmetrization.GROW_DIAG: grow_diag,
    Symmetrization.GROW_DIAG_FINAL: grow_diag_final,
    Symmetrization.GROW_DIAG_FINAL_AND: grow_diag_final_and,
}
"""Those that are made from best labels; the joint one is made from posteriors."""


def symmetrize(
    s2t: Set[tuple[int, int]], t2s: Set[tuple[int, int]], symmetrization: Symmetrization
) -> Links:
    """Return one alignment made of both directions' links.

    Parameters
    ----------
    s2t, t2s : set of (source, target)
        Links of each direction, both written source first.
    symmetrization : Symmetrization
        A heuristic; ``s2t`` and ``t2s`` return that side alone.

    Returns
    -------
    links : frozenset of (source, target)
        Between the intersection and the union for every heuristic; deterministic.

    Raises
    ------
    KeyError
        For one that is not made from two sets of links.

    Examples
    --------
    >>> sorted(symmetrize({(0, 0), (1, 1)}, {(0, 0), (1, 0)}, Symmetrization.GROW_DIAG))
    [(0, 0), (1, 0), (1, 1)]
    >>> sorted(symmetrize({(0, 0), (1, 1)}, {(0, 0), (1, 0)}, Symmetrization.INTERSECTION))
    [(0, 0)]
    """
    return HEURISTICS[Symmetrization(symmetrization)](s2t, t2s)
