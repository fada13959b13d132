"""The viewer's page: one HTML file that holds its data and needs no network.

The script writes the data as text, so that no token can become markup.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from importlib.resources import files
from typing import Any, TypeAlias

from tokalign.edits import edits_between
from tokalign.evaluate import Calibration, LinkChoice, list_errors
from tokalign.evaluate.report import Compared, ReportTable, cells_of
from tokalign.showing.page import page_data, page_of, page_text
from tokalign.types import GoldPair, Links
from tokalign.types.relations import RELATION_SIGNS

Relations: TypeAlias = Mapping[tuple[int, int], str]
"""Kinds of relations by link."""
_MODULES = (
    "dom.js",
    "stage.js",
    "matrix.js",
    "copies.js",
    "figures.js",
    "judging.js",
    "view_page.js",
)


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
        "calibration": None if calibration is None else calibration.to_json(),
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
