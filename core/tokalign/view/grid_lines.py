"""Alignments as grids of characters, and tables and edits as lines, for a terminal."""

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set

from tokalign.edits import edits_between
from tokalign.evaluate.report import ReportTable, cells_of
from tokalign.showing.text import coloured, in_line
from tokalign.types import GoldPair, Links
from tokalign.types.relations import RELATION_SIGNS, RelationKind

LEAST_WIDTH = 6
"""Fewest characters of source tokens that a grid shows."""
LEGEND = "● right  × wrong  ○ missing  ◌ possible in gold"
"""Meaning of the marks if there is gold."""
JUDGED_COLOURS = {"●": 32, "◌": 32, "×": 31, "○": 33}
"""Terminal colours of the marks if there is gold."""

COLOURS = {
    RelationKind.SAME: 36,
    RelationKind.NARROWER: 34,
    RelationKind.WIDER: 34,
    RelationKind.SIMILAR: 33,
    RelationKind.RELATED: 33,
    RelationKind.OPPOSITE: 31,
    RelationKind.DIFFERENT_VALUE: 35,
}
"""Terminal colours of the kinds of relations, whose signs differ as well."""
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
    """Yield the lines of a grid, source down, target across; or of links, if it is too wide.

    Target words are above their columns, one per line, connected by a rule.

    Parameters
    ----------
    links : set of (source, target), optional
        Predicted links, compared with the pair's gold; by default the gold is drawn.
    width : int
        Longer source tokens are cut to this many characters.
    columns : int, optional
        Columns of the terminal. To fit, source tokens are cut, at most to LEAST_WIDTH characters;
        if that is not enough, there are lines such as ``● opened = founded (0.83)``.
    relations : mapping of (source, target) to str, optional
        Kinds of relations, whose coloured signs replace the marks of links.
    confidences : mapping of (source, target) to float, optional
        Shown in lines of links.
    is_judged_in_colour : bool
        Whether marks of predicted and missing links are in JUDGED_COLOURS, if links are given.
    """
    sources, targets = (list(map(in_line, side.tokens)) for side in (pair.source, pair.target))
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
            continue  # possible in gold, not predicted
        i, j = link
        sure = f" ({confidences[link]:.2f})" if link in confidences else ""
        yield f"{_coloured(mark, kinds.get(link), judged)} {sources[i]} = {targets[j]}{sure}"


def legend(*, is_coloured: bool) -> str:
    """Return LEGEND, with its marks in their colours if asked for."""
    judged = JUDGED_COLOURS if is_coloured else {}
    return "".join(_coloured(each, None, judged) for each in LEGEND)


def _coloured(mark: str, kind: str | None, judged: Mapping[str, int]) -> str:
    """Return the coloured sign of a link's relation, or the mark without one."""
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


def table_lines(tables: Iterable[ReportTable]) -> Iterator[str]:
    """Yield each table: its title, its columns one below the other, and its note."""
    for table in tables:
        rows = cells_of(table)
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        yield table.title
        for first, *others in rows:
            cells = map(str.rjust, others, widths[1:])
            yield "  " + "  ".join([first.ljust(widths[0]), *cells]).rstrip()
        if table.note:
            yield f"    note: {table.note}"


def edit_lines(pair: GoldPair, links: Links) -> Iterator[str]:
    """Yield a line for each edit: its kind, and its words of both sides."""
    for edit in edits_between(pair.source, pair.target, dict.fromkeys(links, 1.0)):
        before = " ".join(in_line(pair.source.tokens[i]) for i in edit.source)
        after = " ".join(in_line(pair.target.tokens[j]) for j in edit.target)
        yield f"{edit.kind:<4}" + " → ".join(filter(None, (before, after)))
