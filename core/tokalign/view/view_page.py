"""The viewer's page: one HTML file that holds its data and needs no network.

The script writes the data as text, so that no token can become markup.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from importlib.resources import files
from typing import TypeAlias

from tokalign.edits import edits_between
from tokalign.evaluate import Calibration, LinkChoice, list_errors
from tokalign.evaluate.compared import Compared
from tokalign.evaluate.markup import cells_of
from tokalign.evaluate.tables import ReportTable
from tokalign.showing.page import page_data, page_of, page_text
from tokalign.types import GoldPair, Links
from tokalign.types.relations import RELATION_SIGNS

PageSystem: TypeAlias = tuple[
    tuple[tuple[int, int, float], ...], float, tuple[tuple[int, int, str], ...]
]
"""Links, harm and relations of one system."""
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


@dataclass(frozen=True, slots=True)
class PagePair:
    """One pair of the page.

    Attributes
    ----------
    id : str
    source, target : tuple of str
    texts : (source text, target text)
        As sentences to read.
    links : tuple of (source, target, confidence)
        The links to show; confidence in [0, 1].
    sure, possible : tuple of (source, target)
        Gold links; without gold, `possible` holds those of `links` that are only possible.
    other : tuple of (source, target), or None
        Links of a second system.
    harm : float
        Summed harm of the pair's errors; see `tokalign.evaluate.LinkError`.
    edits : tuple of (kind, source tokens, target tokens), or None
        Edits of `links`, if asked for.
    systems : tuple of (links, harm, relations), or None
        One entry per system, if the reader chooses the two systems to show.
    relations : tuple of (source, target, kind)
        Relations of `links`, if known.
    tags : (source tags, target tags), or None
        Part-of-speech tags of the tokens, if both sentences have them.
    """

    id: str
    source: tuple[str, ...]
    target: tuple[str, ...]
    texts: tuple[str, str]
    links: tuple[tuple[int, int, float], ...]
    sure: tuple[tuple[int, int], ...] = ()
    possible: tuple[tuple[int, int], ...] = ()
    other: tuple[tuple[int, int], ...] | None = None
    harm: float = 0.0
    edits: tuple[tuple[str, tuple[int, ...], tuple[int, ...]], ...] | None = None
    systems: tuple[PageSystem, ...] | None = None
    relations: tuple[tuple[int, int, str], ...] = ()
    tags: tuple[tuple[str, ...], tuple[str, ...]] | None = None


def page_pairs(
    pairs: Sequence[GoldPair],
    predictions: Sequence[Links | Mapping[tuple[int, int], float]],
    *,
    choice: LinkChoice = LinkChoice.SURE,
    other: Sequence[Links] | None = None,
    has_gold: bool = True,
    has_edits: bool = False,
    relations: Sequence[Relations] = (),
) -> list[PagePair]:
    """Return the pairs of a page; `choice` says which links count for the harm of each pair.

    `other` are the links of a second system. Unless the pairs' own links are gold, sure links are
    left out.
    """
    harm: defaultdict[int, float] = defaultdict(float)
    if has_gold:
        for error in list_errors(pairs, [frozenset(links) for links in predictions], choice):
            harm[error.pair] += error.harm
    result = []
    for index, (pair, links) in enumerate(zip(pairs, predictions, strict=True)):
        confidence = links if isinstance(links, Mapping) else dict.fromkeys(links, 1.0)
        result.append(
            PagePair(
                id=pair.id,
                source=pair.source.tokens,
                target=pair.target.tokens,
                texts=(pair.source.text, pair.target.text),
                links=_links(confidence),
                sure=tuple(sorted(pair.sure)) if has_gold else (),
                possible=tuple(sorted(pair.possible)),
                other=None if other is None else tuple(sorted(other[index])),
                harm=harm[index],
                edits=_edits(pair, confidence) if has_edits else None,
                relations=_relations(relations[index]) if relations else (),
                tags=_tags(pair),
            )
        )
    return result


def compared_pairs(
    pairs: Sequence[GoldPair],
    systems: Sequence[Sequence[Links | Mapping[tuple[int, int], float]]],
    *,
    choice: LinkChoice = LinkChoice.SURE,
    relations: Sequence[Sequence[Relations]] = (),
) -> list[PagePair]:
    """Return the pairs of a page with the links of several systems, by system, then by pair."""
    known = relations or [()] * len(systems)
    pages = [
        page_pairs(pairs, predictions, choice=choice, relations=kinds)
        for predictions, kinds in zip(systems, known, strict=True)
    ]
    second = 1 if len(pages) > 1 else 0
    return [
        replace(
            each[0],
            other=tuple((i, j) for i, j, _ in each[second].links),
            systems=tuple((one.links, one.harm, one.relations) for one in each),
        )
        for each in zip(*pages, strict=True)
    ]


def _links(confidence: Mapping[tuple[int, int], float]) -> tuple[tuple[int, int, float], ...]:
    return tuple((i, j, round(float(confidence[i, j]), 4)) for i, j in sorted(confidence))


def _tags(pair: GoldPair) -> tuple[tuple[str, ...], tuple[str, ...]] | None:
    source, target = pair.source.tags, pair.target.tags
    return None if source is None or target is None else (source, target)


def _relations(kinds: Relations) -> tuple[tuple[int, int, str], ...]:
    return tuple((i, j, kinds[i, j]) for i, j in sorted(kinds))


def _edits(
    pair: GoldPair, confidence: Mapping[tuple[int, int], float]
) -> tuple[tuple[str, tuple[int, ...], tuple[int, ...]], ...]:
    edits = edits_between(pair.source, pair.target, confidence)
    return tuple((edit.kind.value, edit.source, edit.target) for edit in edits)


# Eight parameters, since each is an optional part of the page.
def render_page(
    title: str,
    note: str,
    pairs: Sequence[PagePair],
    *,
    tables: Sequence[ReportTable] = (),
    calibration: Calibration | None = None,
    choice: LinkChoice = LinkChoice.SURE,
    has_gold: bool = True,
    systems: Sequence[Compared] = (),
) -> str:
    """Return the HTML of a self-contained page.

    It recounts by `choice` when its threshold moves, and plots the calibration and the F1 of
    `systems`, which are those of `PagePair.systems`. `note` stands under the title.
    """
    data = {
        "title": title,
        "note": note,
        "choice": choice.value,
        "has_gold": has_gold,
        "has_confidence": any(
            p != 1.0
            for pair in pairs
            for links, *_ in pair.systems or ((pair.links, pair.harm),)
            for _, _, p in links
        ),
        "tables": [_table(table) for table in tables],
        "calibration": None if calibration is None else calibration.to_json(),
        "systems": [
            {
                "name": row.name,
                "f1": row.result.scores.f1,
                "interval": row.result.intervals["f1"],
            }
            for row in systems
        ],
        "signs": RELATION_SIGNS,
        "pairs": [asdict(pair) for pair in pairs],
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
