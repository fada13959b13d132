"""An alignment as a grid of characters."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Set

from tokalign.types import GoldPair
from tokalign.types.relations import RELATION_SIGNS, RelationKind

LEGEND = "● right  × wrong  ○ missing  ◌ possible in gold"
"""Meaning of the marks where there is gold."""


COLOURS = {
    RelationKind.SAME: 36,
    RelationKind.NARROWER: 34,
    RelationKind.WIDER: 34,
    RelationKind.SIMILAR: 33,
    RelationKind.RELATED: 33,
    RelationKind.OPPOSITE: 31,
    RelationKind.DIFFERENT_VALUE: 35,
}
"""Of a terminal, for each kind of relation; its sign says the same without them."""
RELATIONS_LEGEND = "  ".join(f"{sign} {kind}" for kind, sign in RELATION_SIGNS.items())


def grid_lines(
    pair: GoldPair,
    links: Set[tuple[int, int]] | None = None,
    *,
    width: int = 18,
    relations: Mapping[tuple[int, int], str] | None = None,
) -> Iterator[str]:
    """Yield the lines of a grid, source down and target across.

    Parameters
    ----------
    pair : GoldPair
    links : set of (source, target), optional
        Predicted links, marked against the pair's gold; without them the gold itself is drawn.
    width : int
        Longer source tokens are cut to this many characters.
    relations : mapping of (source, target) to str, optional
        Kinds of relations, whose signs stand in the place of drawn links, in colour.

    Notes
    -----
    Target words stand above their column, one to a line, joined to it by a rule.
    """
    n_target = len(pair.target)
    for j, token in enumerate(pair.target.tokens):
        yield " " * width + " │" * j + f" ┌{'─' * 2 * (n_target - 1 - j)} {token}"
    for i, token in enumerate(pair.source.tokens):
        cells = "".join(
            " " + _coloured(_mark(pair, links, (i, j)), (relations or {}).get((i, j)))
            for j in range(n_target)
        )
        shown = token if len(token) <= width else token[: width - 1] + "…"
        yield f"{shown:>{width}}{cells}"


def _coloured(mark: str, kind: str | None) -> str:
    """Return the sign of a link's relation in its colour, or the mark where there is none."""
    if kind is None or mark in ("·", "○", "×"):
        return mark
    found = RelationKind(kind)
    return f"\x1b[{COLOURS[found]}m{RELATION_SIGNS[found]}\x1b[0m"


def _mark(pair: GoldPair, links: Set[tuple[int, int]] | None, link: tuple[int, int]) -> str:
    is_sure, is_possible = link in pair.sure, link in pair.possible
    if links is None:
        return "●" if is_sure else "◌" if is_possible else "·"
    if link in links:
        return "●" if is_sure else "◌" if is_possible else "×"
    return "○" if is_sure else "·"
