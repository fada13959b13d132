"""The measured figures, lab/figures.json, and all that shows them.

    python -m lab.figures            (make docs)

writes them into the pages and draws the chart. `lab.measurements` measures them. In a page a
comment follows the figures that it names: ``90.3<!--KEY-->``, or, in the cells of a table,
``90.3 | 40.2<!--PREFIX: f1 exact_match-->``. Readers do not see it. A figure that nothing shows
fails a test.
"""

from __future__ import annotations

import json
import logging
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from tokalign.errors import FormatError

from lab import chart

ROOT = Path(__file__).resolve().parents[1]
FIGURES = ROOT / "lab" / "figures.json"
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]

RELEASE = "release."
"""Begins the keys of rows of the test half, which lab.measurements.release writes once."""
NOT_RUN = "–"
"""Stands for a figure of the test half until then."""
_FIGURE = rf"(?:[+-]?\d[\d,]*(?:\.\d+)?|{NOT_RUN})"
PLACE = re.compile(rf"((?:{_FIGURE} \| )*{_FIGURE})<!--([\w.+-]+)(?:: ([\w.+ -]+))?-->")
"""The figures of a page, and the comment that names them."""

logger = logging.getLogger(__name__)


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


def keys_of(place: re.Match[str]) -> list[str]:
    """Return the keys that a place names."""
    _, name, several = place.groups()
    return [f"{name}.{each}" for each in several.split()] if several else [name]


def filled(page: str, figures: Mapping[str, Mapping[str, Any]]) -> str:
    """Return a page with the figures of now in its places.

    Raises
    ------
    KeyError
        If there is no such figure.
    ValueError
        If a place has fewer figures than its comment names.
    """

    def fill(place: re.Match[str]) -> str:
        keys = keys_of(place)
        before = place[1].split(" | ")
        if len(before) < len(keys):
            raise ValueError(f"{place[0]}: wanted {len(keys)} figures, separated by ' | '")
        now = before[: -len(keys)] + [
            NOT_RUN if key.startswith(RELEASE) and key not in figures else shown(figures[key])
            for key in keys
        ]
        return " | ".join(now) + place[0][len(place[1]) :]

    return PLACE.sub(fill, page)


def keys_in(page: str) -> Iterator[str]:
    """Yield the keys that the places of a page name."""
    for place in PLACE.finditer(page):
        yield from keys_of(place)


def keys_read() -> set[str]:
    """Return the keys of the figures that a page, the header of a model or the chart shows."""
    read = {key for page in PAGES for key in keys_in(page.read_text(encoding="utf-8"))}
    return read.union(chart.KEYS, *(keys.values() for keys in KEYS.values()))


def accuracy_keys(what: str, key: str) -> dict[str, str]:
    """Return name in the header -> key of F1 and exact match, of one data set and one model.

    Examples
    --------
    >>> accuracy_keys("X dev, joint", "x-dev.en")
    {'F1 on X dev, joint': 'x-dev.en.f1', 'exact match on X dev, joint': 'x-dev.en.exact_match'}
    """
    return {f"F1 on {what}": f"{key}.f1", f"exact match on {what}": f"{key}.exact_match"}


KEYS: dict[str, dict[str, str]] = {
    "en-rte2": accuracy_keys("RTE2 dev, 5 folds, sure, joint", "rte2-folds.en-rte2"),
    "en-research": accuracy_keys("RTE2 dev, 5 folds, sure, joint, strict", "styles.strict")
    | accuracy_keys("MTRef dev, sure+possible, joint, free", "mtref-dev.en-research")
    | accuracy_keys("Wiki dev, sure+possible, joint, edits", "wiki-dev.en-research"),
    "en": accuracy_keys("RTE2 dev, sure, joint, strict", "rte2-dev.en")
    | accuracy_keys("MTRef dev, sure+possible, joint, free", "mtref-dev.en")
    | accuracy_keys("Wiki dev, sure+possible, joint, edits", "wiki-dev.en"),
    "en-rte2-neural": accuracy_keys(
        "RTE2 dev, 5 folds nested, sure, joint", "rte2-nested.en-rte2-neural"
    ),
    **{
        name: accuracy_keys("RTE2 dev, a fifth, sure, joint, strict", f"rte2-fifth.{name}")
        | accuracy_keys("MTRef dev, sure+possible, joint, free", f"mtref-dev.{name}")
        | accuracy_keys("Wiki dev, sure+possible, joint, edits", f"wiki-dev.{name}")
        for name in ("en-neural", "en-neural-large")
    },
    "en-neural-open": accuracy_keys("RTE2 dev, sure, joint, strict", "rte2-dev.en-neural-open")
    | accuracy_keys("MTRef dev, sure+possible, joint, free", "mtref-dev.en-neural-open")
    | accuracy_keys("Wiki dev, sure+possible, joint, edits", "wiki-dev.en-neural-open"),
}
"""Model -> name of a figure in its header -> key in lab/figures.json."""


def read_figures(keys: Mapping[str, str], path: Path = FIGURES) -> dict[str, float]:
    """Return the measured values of some figures, by the name that a header gives them.

    Parameters
    ----------
    keys : mapping of str to str
        Name in the header -> key in the file. Figures that are not in the file, or all if there is
        no file, are left out, and a warning is logged for each.
    path : Path

    Raises
    ------
    FormatError
        If the file is not an object of objects that each have a number as their value.
    """
    try:
        measured = dict(json.loads(path.read_text(encoding="utf-8")) if path.exists() else {})
        found = {
            name: float(measured[key]["value"]) for name, key in keys.items() if key in measured
        }
    except (ValueError, KeyError, TypeError) as error:
        raise FormatError(f"is not an object of measured figures: {error!r}", path=path) from error
    for name, key in keys.items():
        if name not in found:
            logger.warning("%s has no %s: the header goes without %r", path.name, key, name)
    return found


def main() -> None:
    """Fill the pages, and draw the chart."""
    figures = load_figures()
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        page.write_text(filled(text, figures), encoding="utf-8")
    chart.CHART.write_text(chart.svg(figures), encoding="utf-8")


if __name__ == "__main__":
    main()
