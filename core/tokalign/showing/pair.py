"""Two sentences and the links between their words, as lines and as a picture.

Links are (source, target, confidence, note), where the note may be a kind of relation. A picture is
SVG without scripts, fonts or colours of its own, so that it fits the page around it, dark or light.
"""

from collections.abc import Sequence
from html import escape
from typing import TypeAlias

from tokalign.showing.text import ShownLink, in_line, link_lines, n_columns

_LETTER, _GAP, _LINE = 8.4, 14.0, 24.0
"""Pixels of a column of monospaced letters, between words, and of a line."""
_MARGIN, _DEPTH = 8.0, 64.0
_WIDEST = 860.0
"""Greatest width of a picture with sentences in lines; in a wider one they are columns."""


def pair_svg(source: Sequence[str], target: Sequence[str], links: Sequence[ShownLink]) -> str:
    """Return a picture of two sentences with curves for links.

    The source is above the target if both fit, else to the left of it. Surer links are darker, and
    name their words under the pointer; unaligned words are pale.

    `source`, `target`: tokens.
    """
    sides = [list(map(in_line, source)), list(map(in_line, target))]
    widths = [[_LETTER * n_columns(word) for word in side] for side in sides]
    is_flat = max((sum(own) + _GAP * len(own) for own in widths), default=0.0) <= _WIDEST
    places = _across(widths) if is_flat else _down(widths)
    linked = [{link[0] for link in links}, {link[1] for link in links}]
    parts = [
        _text(word, *places[side][k], side, is_flat, is_linked=k in linked[side])
        for side, words in enumerate(sides)
        for k, word in enumerate(words)
    ]
    lines = list(link_lines(source, target, links))
    for (i, j, confidence, _), line in zip(links, lines, strict=True):
        curve = _curve(places[0][i], places[1][j], confidence, is_flat)
        parts.append(f"{curve}<title>{escape(line)}</title></path>")
    width, height = _size(widths, is_flat)
    said = "; ".join(lines) or "no links"
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height:.0f}" '
        f'width="{width:.0f}" height="{height:.0f}" role="img" aria-label="{escape(said)}" '
        'font-family="ui-monospace, monospace" font-size="14" fill="currentColor">'
        f"{''.join(parts)}</svg>"
    )


Place: TypeAlias = tuple[float, float]


def _across(widths: Sequence[Sequence[float]]) -> list[list[Place]]:
    """Return the middle of each word; the source in a line above the target."""
    found: list[list[Place]] = []
    for side, own in enumerate(widths):
        x, places = _MARGIN, []
        for width in own:
            places.append((x + width / 2, _LINE + side * (_DEPTH + _LINE / 2)))
            x += width + _GAP
        found.append(places)
    return found


def _down(widths: Sequence[Sequence[float]]) -> list[list[Place]]:
    """Return the inner end of each word; the source in a column left of the target."""
    left = _MARGIN + max(widths[0], default=0.0)
    return [
        [(left + side * 2 * _DEPTH, _LINE * (k + 1)) for k in range(len(own))]
        for side, own in enumerate(widths)
    ]


def _size(widths: Sequence[Sequence[float]], is_flat: bool) -> tuple[float, float]:
    if is_flat:
        longest = max((sum(own) + _GAP * len(own) for own in widths), default=0.0)
        return 2 * _MARGIN + longest, 2 * _LINE + _DEPTH
    widest = sum(max(own, default=0.0) for own in widths)
    return 2 * _MARGIN + widest + 2 * _DEPTH, _LINE * (max(map(len, widths)) + 1)


def _text(word: str, x: float, y: float, side: int, is_flat: bool, *, is_linked: bool) -> str:
    anchor = "middle" if is_flat else ("end", "start")[side]
    pale = "" if is_linked else ' opacity="0.55"'
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"{pale}>{escape(word)}</text>'


def _curve(start: Place, end: Place, confidence: float, is_flat: bool) -> str:
    """Return the start of a path from a word to another."""
    if is_flat:
        (x, y), (u, v) = (start[0], start[1] + 6), (end[0], end[1] - 15)
        bends = (x, (y + v) / 2, u, (y + v) / 2)
    else:
        (x, y), (u, v) = (start[0] + 5, start[1] - 5), (end[0] - 5, end[1] - 5)
        bends = ((x + u) / 2, y, (x + u) / 2, v)
    path = f"M{x:.1f} {y:.1f}C{' '.join(f'{each:.1f}' for each in (*bends, u, v))}"
    shade = 0.25 + 0.75 * min(max(confidence, 0.0), 1.0)
    return (
        f'<path d="{path}" fill="none" stroke="currentColor" stroke-width="1.6" '
        f'opacity="{shade:.2f}">'
    )
