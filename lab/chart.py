"""The picture of docs/choosing.md: accuracy over pairs per second of each model, by effort.

`lab.figures` draws it from what `make figures ONLY=effort` measures: the mean F1 and exact match of
three corpora, each in its style, and the rate of as many pairs of each.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Any

CHART = Path(__file__).resolve().parents[1] / "docs" / "images" / "choosing.svg"
STYLES = ("strict", "free", "edits")
EFFORTS = ("0.2", "0.4", "0.6", "0.8", "1.0")
FIRST = "en-research"
LABELS_BELOW = ("en-neural",)
MODELS = ("en-neural", "en-neural-large")
NOTE = (
    "mean of development pairs of RTE2, MTRef and Wiki, over pairs per second of one core; "
    "numbers at the dots are efforts"
)

WIDTH = 760
LEFT, RIGHT = 64, 724
RATES = (20, 10_000)
TICKS = (30, 100, 300, 1000, 3000, 10_000)
STYLE = (
    ":root{--page:#fff;--ink:#1d1d1f;--faint:#d8d8dc;--note:#555;--en:#444;--a:#0072b2;"
    "--b:#b34700}@media (prefers-color-scheme:dark){:root{--page:#17181c;--ink:#eee;"
    "--faint:#3a3c44;--note:#aaa;--en:#ccc;--a:#6cb8ee;--b:#f0a050}}"
    "text{font:14px system-ui,sans-serif;fill:var(--ink)}.note{font-size:12px;fill:var(--note)}"
    ".page{fill:var(--page)}.grid{stroke:var(--faint)}.line{fill:none;stroke-width:2}"
    ".model{font-weight:600}"
    ".en{fill:var(--en)}.en-neural{fill:var(--a);stroke:var(--a)}"
    ".en-neural-large{fill:var(--b);stroke:var(--b)}text{stroke:none!important}"
)


@dataclass(frozen=True, slots=True)
class Plot:
    """One of the two halves of the picture.

    Attributes
    ----------
    measure, title : str
        Key of the figures, and its name.
    lowest, highest, step : float
        Its scale, in percent.
    top, bottom : int
        Where the scale ends, in pixels.
    """

    measure: str
    title: str
    lowest: float
    highest: float
    step: float
    top: int
    bottom: int

    def up(self, value: float) -> float:
        """Return where a figure stands."""
        share = (value - self.lowest) / (self.highest - self.lowest)
        return self.bottom - (self.bottom - self.top) * share


PLOTS = (
    Plot("f1", "F1", 92.0, 94.5, 0.5, 66, 316),
    Plot("exact_match", "Exact match", 38.0, 48.0, 2.0, 384, 634),
)
HEIGHT = PLOTS[-1].bottom + 60


def key_of(style: str, model: str, effort: str) -> str:
    """Return the first parts of the keys of a model's figures in a style at an effort."""
    return f"effort.{style}.{model}.{effort}"


POINTS = [(FIRST, "1.0"), *((model, effort) for model in MODELS for effort in EFFORTS)]
KEYS = [
    f"{key_of(style, *point)}.{measure}"
    for style in STYLES
    for point in POINTS
    for measure in (*(plot.measure for plot in PLOTS), "pairs_per_second")
]
"""The keys of all figures that are drawn."""


def across(rate: float) -> float:
    """Return where a rate stands; rates are on a logarithmic scale."""
    least, most = map(math.log, RATES)
    return LEFT + (RIGHT - LEFT) * (math.log(rate) - least) / (most - least)


def text(x: float, y: float, words: str, kind: str = "", anchor: str = "middle") -> str:
    """Return an element of text."""
    place = f'x="{x:.0f}" y="{y:.0f}" text-anchor="{anchor}"'
    return f'<text {place} class="{kind}">{escape(words)}</text>'


def grid(plot: Plot) -> list[str]:
    """Return the lines of both scales with their numbers."""
    drawn = [text(LEFT - 40, plot.top - 14, plot.title, "model", "start")]
    for rate in TICKS:
        x = across(rate)
        drawn.append(f'<path class="grid" d="M{x:.0f},{plot.top} V{plot.bottom}"/>')
        drawn.append(text(x, plot.bottom + 18, f"{rate:,}", "note"))
    for k in range(round((plot.highest - plot.lowest) / plot.step) + 1):
        value = plot.lowest + k * plot.step
        y = plot.up(value)
        drawn.append(f'<path class="grid" d="M{LEFT},{y:.0f} H{RIGHT}"/>')
        drawn.append(text(LEFT - 8, y + 4, f"{value:.1f}", "note", "end"))
    return drawn


def curve(model: str, points: Mapping[str, tuple[float, float]]) -> list[str]:
    """Return a model's curve, with a dot and a label at each effort."""
    path = " L".join(f"{x:.0f},{y:.0f}" for x, y in points.values())
    drawn = [f'<path class="line {model}" style="fill:none" d="M{path}"/>']
    below = model in LABELS_BELOW
    for effort, (x, y) in points.items():
        drawn.append(f'<circle class="{model}" cx="{x:.0f}" cy="{y:.0f}" r="4"/>')
        drawn.append(text(x, y + 19 if below else y - 10, effort.removesuffix(".0"), "note"))
    x, y = points[EFFORTS[-1]]
    drawn.append(text(x, y - (12 if below else 28), model, f"model {model}", "start"))
    return drawn


def half(figures: Mapping[str, Mapping[str, Any]], plot: Plot) -> list[str]:
    """Return the elements of a plot; KeyError if a figure was not measured."""

    def point(model: str, effort: str) -> tuple[float, float]:
        keys = [key_of(style, model, effort) for style in STYLES]
        value, seconds = (
            sum(each) / len(STYLES)
            for each in (
                [figures[f"{key}.{plot.measure}"]["value"] for key in keys],
                [1 / figures[f"{key}.pairs_per_second"]["value"] for key in keys],
            )
        )
        return across(1 / seconds), plot.up(value)

    x, y = point(FIRST, "1.0")
    drawn = grid(plot)
    for model in MODELS:
        points = {effort: point(model, effort) for effort in EFFORTS}
        drawn += curve(model, points)
        last = points[EFFORTS[0]]
        drawn.append(
            f'<path class="grid" stroke-dasharray="3 4" '
            f'd="M{last[0]:.0f},{last[1]:.0f} L{x:.0f},{y:.0f}"/>'
        )
    drawn.append(f'<circle class="{FIRST}" cx="{x:.0f}" cy="{y:.0f}" r="5"/>')
    drawn.append(text(x, y - 12, FIRST, f"model {FIRST}"))
    return drawn


def svg(figures: Mapping[str, Mapping[str, Any]]) -> str:
    """Return the picture; KeyError if a figure was not measured."""
    drawn = [text(LEFT - 40, 24, NOTE, "note", "start")]
    for plot in PLOTS:
        drawn += half(figures, plot)
    drawn.append(text((LEFT + RIGHT) / 2, PLOTS[-1].bottom + 40, "pairs per second", "note"))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{HEIGHT}" '
        f'viewBox="0 0 {WIDTH} {HEIGHT}" role="img">'
        "<title>F1 and exact match over pairs per second</title>"
        f'<style>{STYLE}</style><rect class="page" width="100%" height="100%"/>'
        + "\n".join(drawn)
        + "</svg>\n"
    )
