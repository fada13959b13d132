"""Forms of sentences: headings, cells of tables and code, which pair with their like alone."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from enum import StrEnum

_ANY = re.compile(r"^[ \t]*(?:[|#]|[-=~^\"]{3}|<h\d|<pre|\\|```|~~~)|::", re.MULTILINE)
_CELL = re.compile(r"[ \t]*\|")
_HEADING = re.compile(r"[ \t]*(?:#{1,6}[ \t]|<h[1-6]\b|\\[a-z]{0,9}section\b|={2,6} )")
_UNDERLINE = re.compile(r"[ \t]*\n[ \t]*([-=~^\"'+*.:])\1{2,}[ \t]*$", re.MULTILINE)
_OPENING = re.compile(r"[ \t]*(?:(```|~~~)|<pre\b(?!.*</pre>)|\\begin\{(verbatim|lstlisting)\})")
_DIRECTIVE = re.compile(r"\.\. (code|sourcecode|console|click:)?")


class BlockForm(StrEnum):
    """What a sentence is part of."""

    TEXT = "text"
    HEADING = "heading"
    CELL = "cell"
    CODE = "code"


def forms_of(text: str, starts: Iterable[int]) -> list[BlockForm]:
    r"""Return the form of the sentence that begins at each place of a text.

    Examples
    --------
    >>> list(map(str, forms_of("# It is\n\nSo it is.\n\n| a | b |", [0, 9, 20])))
    ['heading', 'text', 'cell']
    """
    if _ANY.search(text) is None:
        return [BlockForm.TEXT for _ in starts]
    code = list(_code(text))
    found = []
    for start in starts:
        at = bisect_right(code, (start, len(text))) - 1
        line, end = text.rfind("\n", 0, start) + 1, text.find("\n", start)
        if (at >= 0 and start < code[at][1]) or _OPENING.match(text, line):
            found.append(BlockForm.CODE)
        elif _CELL.match(text, line):
            found.append(BlockForm.CELL)
        elif _HEADING.match(text, line) or (end >= 0 and _UNDERLINE.match(text, end)):
            found.append(BlockForm.HEADING)
        else:
            found.append(BlockForm.TEXT)
    return found


def _code(text: str) -> Iterator[tuple[int, int]]:
    """Yield the ranges of code: between fences or tags, and what is indented behind two colons."""
    at = start = 0
    closing = ""
    indent = -1  # of the line with two colons; what is indented more is code
    for line in text.splitlines(keepends=True):
        depth = len(line) - len(line.lstrip())
        if closing:
            if closing in line:
                yield start, at
                closing = ""
        elif (opening := _OPENING.match(line)) is not None:
            closing = opening[1] or (f"\\end{{{opening[2]}}}" if opening[2] else "</pre>")
            start, indent = at + len(line), -1
        elif line.strip() and 0 <= indent < depth:
            yield at, at + len(line)
        elif said := line.strip():
            directive = _DIRECTIVE.match(said)
            is_code = said.endswith("::") if directive is None else directive[1] and "::" in said
            indent = depth if is_code else -1
        at += len(line)
    if closing:
        yield start, at
