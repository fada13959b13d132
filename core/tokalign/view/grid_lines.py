"""An alignment as a grid of characters."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Set

from tokalign.showing.text import coloured, visible
from tokalign.types import GoldPair
from tokalign.types.relations import RELATION_SIGNS, RelationKind

LEAST_WIDTH = 6
"""Characters of source tokens that a grid shows at the least."""
LEGEND = "● right  × wrong  ○ missing  ◌ possible in gold"
"""Meaning of the marks where there is gold."""
JUDGED_COLOURS = {"●": 32, "◌": 32, "×": 31, "○": 33}
"""Of a terminal, for each mark where there is gold."""

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
    columns: int | None = None,
    relations: Mapping[tuple[int, int], str] | None = None,
    confidences: Mapping[tuple[int, int], float] | None = None,
    is_judged_in_colour: bool = False,
) -> Iterator[str]:
    """Yield the lines of a grid, source down and target across; of a pair that is too wide for
    one, a line for each link.

    Parameters
    ----------
    pair : GoldPair
    links : set of (source, target), optional
        Predicted links, marked against the pair's gold; without them the gold itself is drawn.
    width : int
        Longer source tokens are cut to this many characters.
    columns : int, optional
        Of the terminal. A grid that does not fit cuts source tokens to LEAST_WIDTH characters at
        the least; where that is not enough, there are lines such as ``● opened = founded (0.83)``.
    relations : mapping of (source, target) to str, optional
        Kinds of relations, whose signs stand in the place of drawn links, in colour.
    confidences : mapping of (source, target) to float, optional
        Shown in lines of links.
    is_judged_in_colour : bool
        Write the marks of predicted and missing links in JUDGED_COLOURS, where links are given.

    Notes
    -----
    Target words stand above their column, one to a line, joined to it by a rule.
    """
    sources, targets = (list(map(_shown, side.tokens)) for side in (pair.source, pair.target))
    n_target = len(targets)
    kinds = relations or {}
    judged = JUDGED_COLOURS if is_judged_in_colour and links is not None else {}
    if columns is not None:
        room = columns - 2 * n_target - 1 - max(map(len, targets), default=0)
        if room < min(LEAST_WIDTH, max(map(len, sources), default=0)):
            yield from _link_lines(pair, links, sources, targets, kinds, confidences or {}, judged)
            return
        width = min(width, room)
    for j, token in enumerate(targets):
        yield " " * width + " │" * j + f" ┌{'─' * 2 * (n_target - 1 - j)} {token}"
    for i, token in enumerate(sources):
        cells = "".join(
            " " + _coloured(_mark(pair, links, (i, j)), kinds.get((i, j)), judged)
            for j in range(n_target)
        )
        shown = token if len(token) <= width else token[: width - 1] + "…"
        yield f"{shown:>{width}}{cells}"


def _shown(token: str) -> str:
    """Return a token in one line, whose control characters do nothing."""
    return " ".join(visible(token).split())


def _link_lines(
    pair: GoldPair,
    links: Set[tuple[int, int]] | None,
    sources: Sequence[str],
    targets: Sequence[str],
    kinds: Mapping[tuple[int, int], str],
    confidences: Mapping[tuple[int, int], float],
    judged: Mapping[str, int],
) -> Iterator[str]:
    """Yield a line for each link of the prediction and of the gold."""
    for link in sorted((links or set()) | pair.sure | pair.possible):
        mark = _mark(pair, links, link)
        if mark == "·":
            continue  # possible in gold, and not predicted
        i, j = link
        sure = f" ({confidences[link]:.2f})" if link in confidences else ""
        yield f"{_coloured(mark, kinds.get(link), judged)} {sources[i]} = {targets[j]}{sure}"


def legend(*, is_coloured: bool) -> str:
    """Return LEGEND, with its marks in their colours if asked for."""
    judged = JUDGED_COLOURS if is_coloured else {}
    return "".join(_coloured(each, None, judged) for each in LEGEND)


def _coloured(mark: str, kind: str | None, judged: Mapping[str, int]) -> str:
    """Return the sign of a link's relation in its colour, or the mark where there is none."""
    if kind is None or mark in ("·", "○", "×"):
        return coloured(mark, str(judged[mark])) if mark in judged else mark
    found = RelationKind(kind)
    return coloured(RELATION_SIGNS[found], str(COLOURS[found]))


def _mark(pair: GoldPair, links: Set[tuple[int, int]] | None, link: tuple[int, int]) -> str:
    is_sure, is_possible = link in pair.sure, link in pair.possible
    if links is None:
        return "●" if is_sure else "◌" if is_possible else "·"
    if link in links:
        return "●" if is_sure else "◌" if is_possible else "×"
    return "○" if is_sure else "·"
