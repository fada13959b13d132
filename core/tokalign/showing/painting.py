"""Painters of texts with nested marks, for terminals, Markdown and pages, and pages themselves.

Pages need no network, and only run and load their own style and script.

A `Look` says how one kind of mark is shown on each surface, so that a renderer only names its marks
and leaves the rest to the painter.
"""

import base64
import json
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from importlib.resources import files
from itertools import pairwise
from typing import TypeAlias

from tokalign.showing.text import coloured, visible, with_edges

_IMPORT = re.compile(r"^import .*? from \"\./[\w.]+\";\n", re.MULTILINE | re.DOTALL)
_EXPORT = re.compile(r"^export ", re.MULTILINE)


def page_of(
    kind: str,
    title: str,
    body: str,
    package: str,
    modules: Sequence[str],
    *,
    calls_home: bool = False,
    frames: Sequence[tuple[str, Sequence[str]]] = (),
) -> str:
    """Return the HTML of a page.

    Its content policy names style and script by their hashes, so nothing else can run or load.

    Parameters
    ----------
    kind : str
        Class of the page's body, for which the style sheet of all pages, ``pages.css``, has rules.
    title, body : str
        HTML; see `page_text` and `page_data`.
    package : str
        Package that holds JavaScript modules of the page.
    modules : sequence of str
        Files of the package, or of this one, that replace the page's script: each after those that
        it imports. All share one scope, so their names must differ. And style sheets of the page
        alone.
    calls_home : bool
        Whether the page may call the server that it came from.
    frames : sequence of (package, modules)
        Scripts of pages that this one may show in frames.
    """
    own_sheets = (_read(package, name) for name in modules if name.endswith(".css"))
    sheets = [_read("tokalign.showing", "pages.css"), *own_sheets]
    script = _script(package, modules)
    # Pages in frames are blobs, which inherit this policy.
    framed = " ".join(["", *(f"'{_hash(_script(*each))}'" for each in frames)])
    parts = {
        "STYLES": " ".join(f"'{_hash(sheet)}'" for sheet in sheets),
        "SCRIPTS": f"'{_hash(script)}'{framed.rstrip()}",
        "CALLS": " connect-src 'self';" * calls_home + " frame-src blob:;" * bool(frames),
        "KIND": kind,
        "TITLE": title,
        "STYLE": "\n".join(f"<style>{sheet}</style>" for sheet in sheets),
        "SCRIPT": script,
        "BODY": body,
    }
    page = _read("tokalign.showing", "page.html")
    return re.sub(r"\{\{([A-Z ]+)\}\}", lambda found: parts[found[1]], page)


def _script(package: str, modules: Sequence[str]) -> str:
    return "\n".join(_joined(package, name) for name in modules if not name.endswith(".css"))


def _read(package: str, name: str) -> str:
    return files(package).joinpath(name).read_text(encoding="utf-8")


def _joined(package: str, name: str) -> str:
    """Return a module without its imports and exports."""
    is_shared = files("tokalign.showing").joinpath(name).is_file()
    text = _read("tokalign.showing" if is_shared else package, name)
    return _EXPORT.sub("", _IMPORT.sub("", text))


def _hash(text: str) -> str:
    import hashlib  # loads OpenSSL

    digest = hashlib.sha256(text.encode()).digest()
    return f"sha256-{base64.b64encode(digest).decode()}"


def page_text(text: str) -> str:
    """Return a text escaped for a page."""
    return escape(visible(text))


def page_data(data: Mapping[str, object]) -> str:
    """Return the element with the id ``data`` that holds escaped JSON."""
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    for character in "<>&\u2028\u2029":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return f'<script type="application/json" id="data">{text}</script>'


Around: TypeAlias = tuple[str, str]
"""Opening and closing text of a mark."""
Ranges: TypeAlias = Sequence[tuple[int, int]]
"""Half-open ranges of a text with the same mark; they may overlap."""
MarkedPiece: TypeAlias = tuple[int, int, tuple[tuple[int, ...], ...]]

_SPECIAL = re.compile(r"([\\`*_~\[\]<>&|#])")
_AT_START = re.compile(r"^([ \t]*)(?:([-+=])|(\d+)([.)]))", re.MULTILINE)
_LINES = re.compile(r"[ \t]*(?:\r\n|[\n\r\u0085\u2028\u2029])\s*")
_OPENS = re.compile(r"(?:~~|\*\*)[^\w\s~*]")
_CLOSES = re.compile(r"[^\w\s~*](?:~~|\*\*)$")


@dataclass(frozen=True, slots=True)
class Look:
    """How a kind of mark is shown on each surface.

    ``{}`` in an opening or closing text stands for a note, such as the number of a move.
    """

    # Codes of a terminal, such as "31;4". In nested marks, the outer one gives the colour, and both
    # give the other codes.
    colour: str
    brackets: Around  # in a terminal without colours
    signs: Around = ("", "")  # in a terminal with colours, inside the colour
    markdown: Around = ("", "")
    tag: str = "span"  # HTML element, and its class or no class
    name: str = ""


@dataclass(frozen=True, slots=True)
class Marking:
    """Ranges of a text with the same look."""

    look: Look
    ranges: Ranges
    # Takes the positions of the ranges that hold a piece of the text, and returns the HTML around
    # it; by default, the element of the look
    element: Callable[[tuple[int, ...]], Around] | None = None


class Painter(ABC):
    """Writes texts for one surface, with marks around parts of them."""

    @abstractmethod
    def text(self, text: str) -> str:
        """Return a text without marks, escaped for the surface."""

    @abstractmethod
    def _around(self, look: Look, note: str) -> Around:
        """Return the text before and after a mark."""

    def _core(self, core: str, look: Look, note: str) -> str:
        opening, closing = self._around(look, note)
        return opening + self.text(core) + closing

    def marked(self, text: str, look: Look, note: object = "") -> str:
        """Return a text in a mark; white space at its ends stays outside."""
        before, core, after = with_edges(text)
        return self.text(before) + self._core(core, look, str(note)) + self.text(after)

    def joined(self, parts: Sequence[str]) -> str:
        """Return painted parts as one text, in which every mark means something."""
        return "".join(parts)

    def nested(self, text: str, span: tuple[int, int], layers: Sequence[Marking]) -> str:
        """Return a part of a text with its marks; later layers are inside earlier ones.

        A mark that crosses the end of an outer one is closed and opened again.

        `span`: half-open range of the text.
        """
        written: list[str] = []
        opened = [(self._key(()), "")] * len(layers)
        for start, end, marks in pieces(*span, [layer.ranges for layer in layers]):
            keys = list(map(self._key, marks))
            changed = (depth for depth, key in enumerate(keys) if key != opened[depth][0])
            same = next(changed, len(layers))
            written += [closing for _, closing in reversed(opened[same:])]
            for depth in range(same, len(layers)):
                around = self._layered(layers[depth], marks[depth]) if marks[depth] else ("", "")
                written.append(around[0])
                opened[depth] = keys[depth], around[1]
            written.append(self.text(text[start:end]))
        written += [closing for _, closing in reversed(opened)]
        return "".join(written)

    def _key(self, marks: tuple[int, ...]) -> object:
        """Return a key that is equal for pieces in the same marks of a layer."""
        return bool(marks)

    def _layered(self, layer: Marking, marks: tuple[int, ...]) -> Around:
        return self._around(layer.look, "")


class TerminalPainter(Painter):
    """Writes for a terminal, in colours or in brackets."""

    def __init__(self, *, is_coloured: bool) -> None:
        self.is_coloured = is_coloured

    def text(self, text: str) -> str:
        return visible(text)

    def coloured(self, text: str, colour: str) -> str:
        """Return the renderer's own text in a colour, or without one."""
        return coloured(text, colour) if self.is_coloured else text

    def _around(self, look: Look, note: str) -> Around:
        opening, closing = look.signs if self.is_coloured else look.brackets
        return opening.replace("{}", note), closing.replace("{}", note)

    def _core(self, core: str, look: Look, note: str) -> str:
        text = super()._core(core, look, note)
        return coloured(text, look.colour) if self.is_coloured else text

    def nested(self, text: str, span: tuple[int, int], layers: Sequence[Marking]) -> str:
        """Return a part of a text with its marks: their colours combined, or brackets."""
        if not self.is_coloured:
            return super().nested(text, span, layers)
        written = ""
        for start, end, marks in pieces(*span, [layer.ranges for layer in layers]):
            looks = [layer.look for layer, own in zip(layers, marks, strict=True) if own]
            before, core, after = map(visible, with_edges(text[start:end]))
            colour = _combined([look.colour for look in looks])
            written += before + (coloured(core, colour) if colour else core) + after
        return written


class MarkdownPainter(Painter):
    """Writes Markdown in which the text is escaped."""

    def text(self, text: str) -> str:
        r"""Return a text in one line, escaped for Markdown.

        Examples
        --------
        >>> print(MarkdownPainter().text("- a *b*\n<c>"))
        \- a \*b\* \<c\>
        """
        before, core, after = with_edges(text)
        core = _SPECIAL.sub(r"\\\1", _LINES.sub(" ", core))
        return " " * bool(before) + _AT_START.sub(_escaped_start, core) + " " * bool(after)

    def _around(self, look: Look, note: str) -> Around:
        opening, closing = look.markdown
        return opening.replace("{}", note), closing.replace("{}", note)

    def _core(self, core: str, look: Look, note: str) -> str:
        return super()._core(core, look, note) if core or note else ""

    def joined(self, parts: Sequence[str]) -> str:
        """Return painted parts as one text, in which every mark means something.

        Markdown ignores a mark between a letter and a sign, so a space is put there; what has the
        same mark as the text before it goes on in that.
        """
        text = ""
        for part in parts:
            if text[-2:] == part[:2] and part[:2] in ("**", "~~"):
                text, part = text[:-2], part[2:]
            is_tight = text[-1:].isalnum() and _OPENS.match(part)
            if is_tight or (part[:1].isalnum() and _CLOSES.search(text)):
                text += " "
            text += part
        return text


class HtmlPainter(Painter):
    """Writes HTML in which the text is escaped."""

    def text(self, text: str) -> str:
        return escape(visible(text))

    def _around(self, look: Look, note: str) -> Around:
        named = f' class="{look.name}"' if look.name else ""
        return f"<{look.tag}{named}{note}>", f"</{look.tag}>"

    def _key(self, marks: tuple[int, ...]) -> object:
        return marks

    def _layered(self, layer: Marking, marks: tuple[int, ...]) -> Around:
        return layer.element(marks) if layer.element else self._around(layer.look, "")


def attributes(**values: object) -> str:
    """Return the attributes of an element, in order: ``data_n`` is written as ``data-n``.

    Examples
    --------
    >>> attributes(data_n=3, title='a "b"')
    ' data-n="3" title="a &quot;b&quot;"'
    """
    return "".join(
        f' {name.replace("_", "-")}="{escape(str(value))}"' for name, value in values.items()
    )


def pieces(start: int, end: int, layers: Sequence[Ranges]) -> Iterator[MarkedPiece]:
    """Yield the longest pieces of a text that have the same marks.

    `start`, `end`: half-open range of the text.

    Each item is (start, end, marks): with the positions, in each layer, of the ranges that hold the
    piece.

    Examples
    --------
    >>> for piece in pieces(0, 9, [[(2, 6)], [(4, 9), (5, 9)]]):
    ...     print(piece)
    (0, 2, ((), ()))
    (2, 4, ((0,), ()))
    (4, 5, ((0,), (0,)))
    (5, 6, ((0,), (0, 1)))
    (6, 9, ((), (0, 1)))
    """
    cuts = {start, end}
    starting: dict[int, list[tuple[int, int]]] = {}
    ending: dict[int, list[tuple[int, int]]] = {}
    for depth, layer in enumerate(layers):
        for position, (first, last) in enumerate(layer):
            first, last = max(first, start), min(last, end)
            if first >= last:
                continue
            cuts |= {first, last}
            starting.setdefault(first, []).append((depth, position))
            ending.setdefault(last, []).append((depth, position))
    here: list[set[int]] = [set() for _ in layers]
    for first, last in pairwise(sorted(cuts)):
        for depth, position in ending.get(first, ()):
            here[depth].discard(position)
        for depth, position in starting.get(first, ()):
            here[depth].add(position)
        yield first, last, tuple(tuple(sorted(each)) for each in here)


def _combined(colours: Sequence[str]) -> str:
    """Return the codes of nested marks, with the colour of the outermost.

    Examples
    --------
    >>> _combined(["31;4", "35;1"])
    '31;4;1'
    """
    codes: list[str] = []
    for colour in colours:
        has_colour = any(map(_is_colour, codes))
        codes += [code for code in colour.split(";") if not (has_colour and _is_colour(code))]
    return ";".join(codes)


def _is_colour(code: str) -> bool:
    return len(code) == 2 and code[0] == "3"


def _escaped_start(found: re.Match[str]) -> str:
    space, sign, number, point = found.groups()
    return f"{space}\\{sign}" if sign else f"{space}{number}\\{point}"
