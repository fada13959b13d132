"""An alignment as a grid of characters."""

from __future__ import annotations

from collections.abc import Iterator, Set

from tokalign.types import GoldPair

LEGEND = "● right  × wrong  ○ missing  ◌ possible in gold"
"""Meaning of the marks where there is gold."""


def grid_lines(
    pair: GoldPair, links: Set[tuple[int, int]] | None = None, *, width: int = 18
) -> Iterator[str]:
    """Yield the lines of a grid, source down and target across.

    Parameters
    ----------
    pair : GoldPair
    links : set of (source, target), optional
        Predicted links, marked against the pair's gold; without them the gold itself is drawn.
    width : int
        Longer source tokens are cut to this many characters.

    Notes
    -----
    Target words stand above their column, one to a line, joined to it by a rule.
    """
    n_target = len(pair.target)
    for j, token in enumerate(pair.target.tokens):
        yield " " * width + " │" * j + f" ┌{'─' * 2 * (n_target - 1 - j)} {token}"
    for i, token in enumerate(pair.source.tokens):
        cells = "".join(" " + _mark(pair, links, (i, j)) for j in range(n_target))
        shown = token if len(token) <= width else token[: width - 1] + "…"
        yield f"{shown:>{width}}{cells}"


def _mark(pair: GoldPair, links: Set[tuple[int, int]] | None, link: tuple[int, int]) -> str:
    is_sure, is_possible = link in pair.sure, link in pair.possible
    if links is None:
        return "●" if is_sure else "◌" if is_possible else "·"
    if link in links:
        return "●" if is_sure else "◌" if is_possible else "×"
    return "○" if is_sure else "·"
