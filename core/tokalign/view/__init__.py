"""Viewers of alignments and their scores: a self-contained page, or text in the terminal.

A page is one HTML file that holds its data and needs no network; its script writes the data as
text, so that no token can become markup. For a terminal, alignments are grids of characters, and
tables and edits are lines.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import asdict
from importlib.resources import files
from typing import Any, TypeAlias

from tokalign.edits import edits_between
from tokalign.evaluate import Calibration, LinkChoice, list_errors
from tokalign.evaluate.report import Compared, ReportTable, cells_of
from tokalign.showing.painting import page_data, page_of, page_text
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


Relations: TypeAlias = Mapping[tuple[int, int], str]
"""Kinds of relations by link."""
_MODULES = (
    "dom.js", "stage.js", "matrix.js", "copies.js", "figures.js", "judging.js", "view_page.js",
)  # fmt: skip


def page_pairs(
    pairs: Sequence[GoldPair],
    predictions: Sequence[Links | Mapping[tuple[int, int], float]],
    *,
    choice: LinkChoice = LinkChoice.SURE,
    other: Sequence[Links] | None = None,
    has_gold: bool = True,
    has_edits: bool = False,
    relations: Sequence[Relations] = (),
) -> list[dict[str, Any]]:
    """Return the pairs of a page as its script reads them.

    `choice` says which links count for the harm of each pair, the sum of that of its errors (see
    `tokalign.evaluate.LinkError`). `other` are the links of a second system. Unless the pairs' own
    links are gold, sure links are left out, and possible ones are those of the links that are only
    possible. Edits are those of the links, and tags those of both sentences if they have them.
    """
    harm: defaultdict[int, float] = defaultdict(float)
    if has_gold:
        for error in list_errors(pairs, [frozenset(links) for links in predictions], choice):
            harm[error.pair] += error.harm
    found: list[dict[str, Any]] = []
    for index, (pair, links) in enumerate(zip(pairs, predictions, strict=True)):
        confidence = links if isinstance(links, Mapping) else dict.fromkeys(links, 1.0)
        kinds = relations[index] if relations else {}
        edits = edits_between(pair.source, pair.target, confidence) if has_edits else ()
        tags = pair.source.tags, pair.target.tags
        found.append(
            {
                "id": pair.id,
                "source": pair.source.tokens,
                "target": pair.target.tokens,
                "texts": (pair.source.text, pair.target.text),
                "links": [(i, j, round(float(p), 4)) for (i, j), p in sorted(confidence.items())],
                "sure": sorted(pair.sure) if has_gold else [],
                "possible": sorted(pair.possible),
                "other": None if other is None else sorted(other[index]),
                "harm": harm[index],
                "edits": [(each.kind, each.source, each.target) for each in edits]
                if has_edits
                else None,
                "systems": None,
                "relations": [(i, j, kind) for (i, j), kind in sorted(kinds.items())],
                "tags": None if None in tags else tags,
            }
        )
    return found


def compared_pairs(
    pairs: Sequence[GoldPair],
    systems: Sequence[Sequence[Links | Mapping[tuple[int, int], float]]],
    *,
    choice: LinkChoice = LinkChoice.SURE,
    relations: Sequence[Sequence[Relations]] = (),
) -> list[dict[str, Any]]:
    """Return the pairs of a page with the links of several systems, by system, then by pair; the
    reader chooses the two systems to show."""
    known = relations or [()] * len(systems)
    pages = [
        page_pairs(pairs, predictions, choice=choice, relations=kinds)
        for predictions, kinds in zip(systems, known, strict=True)
    ]
    second = 1 if len(pages) > 1 else 0
    return [
        each[0]
        | {
            "other": [(i, j) for i, j, _ in each[second]["links"]],
            "systems": [(one["links"], one["harm"], one["relations"]) for one in each],
        }
        for each in zip(*pages, strict=True)
    ]


# Eight parameters, since each is an optional part of the page.
def render_page(
    title: str,
    note: str,
    pairs: Sequence[Mapping[str, Any]],
    *,
    tables: Sequence[ReportTable] = (),
    calibration: Calibration | None = None,
    choice: LinkChoice = LinkChoice.SURE,
    has_gold: bool = True,
    systems: Sequence[Compared] = (),
) -> str:
    """Return the HTML of a self-contained page.

    It recounts by `choice` when its threshold moves, and plots the calibration and the F1 of
    `systems`, which are those of the pairs. `note` stands under the title.
    """
    data = {
        "title": title,
        "note": note,
        "choice": choice.value,
        "has_gold": has_gold,
        "has_confidence": any(
            p != 1.0
            for pair in pairs
            for links, *_ in pair["systems"] or ((pair["links"],),)
            for _, _, p in links
        ),
        "tables": [_table(table) for table in tables],
        "calibration": None if calibration is None else asdict(calibration),
        "systems": [
            {"name": row.name, "f1": row.result.scores.f1, "interval": row.result.intervals["f1"]}
            for row in systems
        ],
        "signs": RELATION_SIGNS,
        "pairs": pairs,
    }
    body = files("tokalign.view").joinpath("body.html").read_text(encoding="utf-8")
    body += page_data(data)
    return page_of("view", page_text(title), body, "tokalign.view", _MODULES)


def _table(table: ReportTable) -> dict[str, object]:
    names, *rows = cells_of(table)
    return {
        "title": table.title,
        "columns": names,
        "rows": rows,
        "note": table.note,
        "is_open": table.is_open,
    }
