"""Rendering of the pages that hold figures or excerpts.

A page with figures has a source, docs/sources/PAGE.md, where ``{{KEY}}`` stands for a figure of
lab/figures.json and ``{{PREFIX: a b c}}`` for the figures PREFIX.a, PREFIX.b and PREFIX.c as cells
of a table. A line ``{{from FILE}}`` stands for the part of that file between the comments
``quick start`` and ``end of quick start``. lab/figures.py measures the figures, `make docs`
renders the pages. The source of /README.md is docs/sources/README.md. All other pages are written
by hand and hold no such places.
"""

from __future__ import annotations

import json
import re
import textwrap
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
FIGURES = ROOT / "lab" / "figures.json"
PLACE = re.compile(r"\{\{([\w.+-]+)(?:: ([\w.+ -]+))?\}\}")
_EXCERPT = re.compile(r"^\{\{from (\S+)\}\}\n", re.MULTILINE)
_MARKED = re.compile(
    r"^ *// quick start\n(.*?)^ *// end of quick start\n", re.DOTALL | re.MULTILINE
)


def page_of(source: Path) -> Path:
    """Return the page that is rendered from a source."""
    return (ROOT if source.name == "README.md" else ROOT / "docs") / source.name


SOURCES = sorted((ROOT / "docs" / "sources").glob("*.md"))
HAND_WRITTEN = [page for page in PAGES if page not in map(page_of, SOURCES)]


def load_figures() -> dict[str, dict[str, Any]]:
    """Return the entries of lab/figures.json by key."""
    figures: dict[str, dict[str, Any]] = json.loads(FIGURES.read_text(encoding="utf-8"))
    return figures


def shown(entry: Mapping[str, Any]) -> str:
    """Return a figure as the pages write it.

    >>> shown({"value": 5400, "unit": "pairs per second"}), shown({"value": 0.2, "unit": "points"})
    ('5,400', '+0.2')
    """
    value = entry["value"]
    sign = "+" if entry["unit"] == "points" and value else ""
    return f"{value:{sign},}"


def keys(place: re.Match[str]) -> list[str]:
    """Return the keys that a place names."""
    name, several = place.groups()
    return [f"{name}.{each}" for each in several.split()] if several else [name]


def named(source: str) -> Iterator[str]:
    """Yield the keys that the places of a source name."""
    for place in PLACE.finditer(source):
        yield from keys(place)


def excerpt(name: str) -> str:
    """Return the marked part of a file of this repository."""
    marked = _MARKED.search((ROOT / name).read_text(encoding="utf-8"))
    if marked is None:
        raise ValueError(f"{name} has no part between quick start and end of quick start")
    return textwrap.dedent(marked[1])


def rendered(source: str, figures: Mapping[str, Mapping[str, Any]]) -> str:
    """Return the page of a source; KeyError if there is no such figure."""
    page = PLACE.sub(lambda place: " | ".join(shown(figures[key]) for key in keys(place)), source)
    return _EXCERPT.sub(lambda place: excerpt(place[1]), page)
