"""Forms of sentences: headings, rows of tables and code, which pair with their like alone; labels,
which are numbered anew; and cells, which change one by one."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from enum import StrEnum
from itertools import pairwise
from typing import TypeAlias

TextRange: TypeAlias = tuple[int, int]
"""A half-open range of code points of a text."""

_ANY = re.compile(r"^[ \t]*(?:[|#]|[-=~^\"]{3}|<h\d|<pre|\\|```|~~~)|::", re.MULTILINE)
_CELL = re.compile(r"[ \t]*\|")
_HEADING = re.compile(r"[ \t]*(?:#{1,6}[ \t]|<h[1-6]\b|\\[a-z]{0,9}section\b|={2,6} )")
_UNDERLINE = re.compile(r"[ \t]*\n[ \t]*([-=~^\"'+*.:])\1{2,}[ \t]*$", re.MULTILINE)
_OPENING = re.compile(r"[ \t]*(?:(```|~~~)|<pre\b(?!.*</pre>)|\\begin\{(verbatim|lstlisting)\})")
_DIRECTIVE = re.compile(r"\.\. (code|sourcecode|console|click:)?")

_NAME = (
    r"(?i:section|article|chapter|part|clause|rule|appendix|annex|schedule|step|paragraph"
    r"|subsection|table|figure|sec\.|art\.|\u00a7\u00a7?)\s{0,3}"
)
_DOTTED = r"\d{1,3}(?:\.\d{1,3}){0,5}"
_TITLE = r"\**\s+[*_`\"\u201c(A-Z]"
_LABEL = re.compile(
    rf"[\s>#*_=-]{{0,12}}({_NAME}(?:{_DOTTED}|[A-Z]|[IVXLC]{{1,6}})(?:[.:)](?=[\s*])|(?={_TITLE}|\s*\Z))"
    rf"|\d{{1,3}}(?:\.\d{{1,3}}){{1,5}}(?={_TITLE})|(?<=#\s)\d{{1,3}}(?={_TITLE})"
    rf"|(?:{_DOTTED}|[IVXLC]{{1,6}})[.)](?=[\s*])|\(?(?:[a-z]|[ivxl]{{1,5}}|\d{{1,3}})\)(?=[\s*]))"
)
_EMPHASIS = re.compile(r"[*_]*")
_BAR = re.compile(r"(?<!\\)\|")
_REFERENCE = re.compile(rf"{_NAME}\(?\Z")


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


def label_of(text: str) -> TextRange | None:
    """Return the range of the label with which a block begins, or None.

    Examples
    --------
    >>> text = "## Section 4.2 Fees"
    >>> text[slice(*label_of(text))]
    'Section 4.2'
    >>> label_of("4.2 million people came."), label_of("12 people came.")
    (None, None)
    """
    found = _LABEL.match(text)
    return None if found is None else found.span(1)


def labels_of(old: str, new: str) -> tuple[TextRange, TextRange] | None:
    """Return the ranges of the labels with which both texts of a block begin; None if one lacks."""
    labels = label_of(old), label_of(new)
    return None if labels[0] is None or labels[1] is None else (labels[0], labels[1])


def number_of(label: str) -> str:
    """Return a label without its name and its signs: Section 4.2 is 4.2."""
    return label.split()[-1].strip(".():*§")


def follows_name(text: str, at: int) -> bool:
    """Whether a place of a text stands behind the name of a label, as in "see Section 4"."""
    return _REFERENCE.search(text[max(0, at - 16) : at]) is not None


def is_of_label(span: TextRange, text: str, label: TextRange) -> bool:
    """Whether a range is within the label of a block, or the marks beside it: **3.**"""
    emphasis = _EMPHASIS.match(text, label[1])
    return span[1] <= (label[1] if emphasis is None else emphasis.end())


def cells_of(row: str) -> list[TextRange]:
    """Return the range of what stands in each cell of a row; a text that is no row has none.

    Examples
    --------
    >>> row = "| Red |  | 40 beds |"
    >>> [row[start:end] for start, end in cells_of(row)]
    ['Red', '', '40 beds']
    """
    bars = [each.start() for each in _BAR.finditer(row)]
    if len(bars) < 2 or row[: bars[0]].strip() or "\n" in row.strip():
        return []
    if row[bars[-1] + 1 :].strip():
        bars.append(len(row))
    cells = []
    for bar, end in pairwise(bars):
        said = row[bar + 1 : end].strip()
        start = row.index(said, bar + 1)
        cells.append((start, start + len(said)))
    return cells
