"""Texts for display: escaped, in one line, in colour, wrapped, or as HTML."""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
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
