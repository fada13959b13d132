"""Puts the figures of docs/figures.json into the pages.

A page holds the text with its places left open in a comment, and behind it the text with figures,
up to the next ``<!--/-->``::

    F1 is <!--={mtref-dev.en.f1}-->83.2<!--/--> there.

``{KEY}`` is a figure; ``{PREFIX: a b c}`` are the figures PREFIX.a, PREFIX.b and PREFIX.c as cells
of a table. Nobody types a figure: bench/figures.py measures it, `make docs` renders the pages.

A block of code after ``<!--from FILE-->`` is that file's part between the comments ``quick start``
and ``end of quick start``.
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
FIGURES = ROOT / "docs" / "figures.json"
_PLACE = re.compile(r"<!--=(.*?)-->.*?<!--/-->", re.DOTALL)
_FIELD = re.compile(r"\{([^{}:]+)(?:: ([^{}]+))?\}")
_EXCERPT = re.compile(r"(?<=^<!--from )(\S+)-->\n```(\w+)\n.*?(?=^```$)", re.DOTALL | re.MULTILINE)
_MARKED = re.compile(
    r"^ *// quick start\n(.*?)^ *// end of quick start\n", re.DOTALL | re.MULTILINE
)


def load_figures() -> dict[str, dict[str, Any]]:
    """Return the entries of docs/figures.json by key."""
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


def keys(field: re.Match[str]) -> list[str]:
    """Return the keys that a field of a template names."""
    name, several = field.groups()
    return [f"{name}.{each}" for each in several.split()] if several else [name]


def named(page: str) -> Iterator[str]:
    """Yield the keys that the places of a page name."""
    for place in _PLACE.finditer(page):
        for field in _FIELD.finditer(place[1]):
            yield from keys(field)


def rendered(page: str, figures: Mapping[str, Mapping[str, Any]]) -> str:
    """Return a page with figures and excerpts in place; KeyError if there is no such figure."""

    def fill(field: re.Match[str]) -> str:
        return " | ".join(shown(figures[key]) for key in keys(field))

    def quote(place: re.Match[str]) -> str:
        marked = _MARKED.search((ROOT / place[1]).read_text(encoding="utf-8"))
        if marked is None:
            raise ValueError(f"{place[1]} has no part between quick start and end of quick start")
        return f"{place[1]}-->\n```{place[2]}\n{textwrap.dedent(marked[1])}"

    page = _EXCERPT.sub(quote, page)
    return _PLACE.sub(lambda place: f"<!--={place[1]}-->{_FIELD.sub(fill, place[1])}<!--/-->", page)
