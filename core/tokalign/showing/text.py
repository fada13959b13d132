"""Texts for display: escaped, in one line, in colour, wrapped, or as HTML; pictures of pairs."""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from html import escape
from typing import TypeAlias

ShownLink: TypeAlias = tuple[int, int, float, str]
"""Source, target, confidence, and a note, which may be a kind of relation."""

_BREAKS = re.compile(r"\r\n|[\r\u0085\u2028\u2029]")
_CONTROL = re.compile(
    r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u202a-\u202e\u2060\u2066-\u2069\ufeff]"
)
_ESCAPE = re.compile(r"\x1b\[[\d;]*m")
_LONGEST = 60
"""Most characters shown of a text."""


def visible(text: str) -> str:
    """Return a text with visible, harmless control characters.

    Examples
    --------
    >>> visible("\\ufeffa\\x1b[31mb\\r\\nc\\u202ed")
    '<FEFF>a␛[31mb\\nc<202E>d'
    """
    return _CONTROL.sub(_shown_control, _BREAKS.sub("\n", text))


def _shown_control(found: re.Match[str]) -> str:
    code = ord(found[0])
    return chr(0x2400 + code) if code < 0x20 else "␡" if code == 0x7F else f"<{code:04X}>"


def with_edges(text: str) -> tuple[str, str, str]:
    """Return the leading white space, the stripped text, and the trailing white space."""
    core = text.strip()
    if not core:
        return text, "", ""
    at = text.index(core)
    return text[:at], core, text[at + len(core) :]


def one_line(text: str) -> str:
    """Return a text shortened to one line, with harmless control characters."""
    text = visible(" ".join(text.split()))
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1].rstrip() + "…"


def in_line(text: str) -> str:
    """Return all of a text in one line, which does nothing in a terminal."""
    return " ".join(visible(text).split())


def coloured(text: str, colour: str) -> str:
    """Return a text in a colour of a terminal, such as "31;4"; an empty one stays empty."""
    return f"\x1b[{colour}m{text}\x1b[0m" if text else text


def wrapped(line: str, width: int) -> Iterator[str]:
    """Yield a line in pieces of at most so many columns, broken at spaces if possible."""
    here, n_here = "", 0
    for word in re.findall(r"\s*\S+|\s+$", line):
        n = n_columns(word)
        if n_here and n_here + n > width:
            yield here
            word = word.lstrip()
            here, n_here = "", 0
            n = n_columns(word)
        here += word
        n_here += n
    yield here


def n_columns(text: str) -> int:
    """Return the number of columns of a text in a terminal."""
    return sum(map(_column, _ESCAPE.sub("", text)))


def _column(letter: str) -> int:
    if unicodedata.combining(letter) or unicodedata.category(letter) == "Cf":
        return 0
    return 2 if unicodedata.east_asian_width(letter) in "WF" else 1


_COLOURED = re.compile(r"\x1b\[([\d;]+)m(.*?)\x1b\[0m", re.DOTALL)
_STYLES = {
    "1": "font-weight:600",
    "2": "opacity:.75",
    "4": "text-decoration:underline",
    "9": "text-decoration:line-through",
    "31": "background:rgb(220 60 40/.2)",
    "32": "background:rgb(30 160 70/.22)",
    "33": "background:rgb(200 150 0/.25)",
    "35": "background:rgb(170 60 200/.2)",
    "36": "background:rgb(0 140 180/.16)",
}
"""Styles of a terminal's codes. Tints leave the letters in the page's colour."""


def html_of(lines: Iterable[str]) -> str:
    """Return lines, coloured by TerminalPainter, as an HTML fragment."""
    from html import escape  # which few commands need

    text = escape("\n".join(lines))
    return (
        '<div style="white-space:pre-wrap;overflow-wrap:anywhere;line-height:1.5;text-align:left">'
        f"{_COLOURED.sub(_element, text)}</div>"
    )


def _element(found: re.Match[str]) -> str:
    codes = found[1].split(";")
    tag = "del" if "9" in codes else "ins" if "32" in codes else "span"
    style = ";".join(_STYLES[code] for code in codes if code in _STYLES)
    return f'<{tag} style="{style}">{found[2]}</{tag}>'


def link_lines(
    source: Sequence[str], target: Sequence[str], links: Iterable[ShownLink]
) -> Iterator[str]:
    """Yield a line for each link, such as ``opened = founded (0.83)``."""
    for i, j, confidence, note in links:
        said = f"{confidence:.2f}, {note}" if note else f"{confidence:.2f}"
        yield f"{in_line(source[i])} = {in_line(target[j])} ({said})"


_LETTER, _GAP, _LINE = 8.4, 14.0, 24.0
"""Pixels of a column of monospaced letters, between words, and of a line."""
_MARGIN, _DEPTH = 8.0, 64.0
_WIDEST = 860.0
"""Greatest width of a picture with sentences in lines; in a wider one they are columns."""


def pair_svg(source: Sequence[str], target: Sequence[str], links: Sequence[ShownLink]) -> str:
    """Return a picture of two sentences with curves for links.

    It is SVG without scripts, fonts or colours of its own, so that it fits the page around it.

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
