"""Forms of sentences: headings, rows of tables and code, which pair with their like alone; labels,
which are numbered anew; and cells, which change one by one."""

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from enum import StrEnum
from itertools import pairwise
from typing import TypeAlias

from tokalign.types.patterns import regex

TextRange: TypeAlias = tuple[int, int]
"""A half-open range of code points of a text."""

_ANY = regex(r"^[ \t]*(?:[|#]|[-=~^\"]{3}|<h\d|<pre|\\|```|~~~)|::", re.MULTILINE)
_CELL = regex(r"[ \t]*\|")
_HEADING = regex(r"[ \t]*(?:#{1,6}[ \t]|<h[1-6]\b|\\[a-z]{0,9}section\b|={2,6} )")
_UNDERLINE = regex(r"[ \t]*\n[ \t]*([-=~^\"'+*.:])\1{2,}[ \t]*$", re.MULTILINE)
_BELOW = regex(r"[ \t]*([-=])\1{2,}[ \t]*$", re.MULTILINE)
_OPENING = regex(r"[ \t]*(?:(```|~~~)|<pre\b(?!.*</pre>)|\\begin\{(verbatim|lstlisting)\})")
_DIRECTIVE = regex(
    r"\.\. (code|sourcecode|console|click:|doctest|graphviz|ipython|math|parsed-literal|production"
    r"|prompt|test(?:cleanup|code|output|setup))?"
)

_NAME = (
    r"(?i:section|article|chapter|part|clause|rule|appendix|annex|schedule|step|paragraph|item"
    r"|subsection|table|figure|question|phase|principle|exhibit|exercise|sec\.|art\.|\u00a7\u00a7?)\s{0,3}"
)
_DOTTED = r"\d{1,3}(?:\.\d{1,3}){0,5}"
_TITLE = r"\**\s+[*_`\"\u201c(A-Z]"
_LABEL = regex(
    r"(?:\s*<[^<>\n]{1,96}>){0,3}[\s>#*_=-]{0,12}"
    rf"((?:(?i:no|nr)\.?\s{{0,2}}|[\[(]?[A-Z]{{1,6}}[-_]){_DOTTED}(?:[.:)\]]{{1,2}}(?=[\s*])"
    rf"|(?={_TITLE}|\s[-\u2013\u2014]\s))"
    rf"|{_NAME}(?:{_DOTTED}|[A-Z]|[IVXLC]{{1,6}})(?:[.:)](?=[\s*])|(?={_TITLE}|\s[-\u2013\u2014]\s|\s*\Z))"
    rf"|\d{{1,3}}(?:\.\d{{1,3}}){{1,5}}(?={_TITLE})|(?:(?<=#\s)|(?<=<h\d>))(?:\d{{1,3}}|[A-Z][.):])(?={_TITLE})"
    rf"|\d{{1,3}}(?=[ \t]+[^\n]{{1,120}}\n[ \t]*(?:={{3}}|-{{3}}))"
    rf"|(?:{_DOTTED}|\d{{1,3}}[a-z]|[a-z]|[ivxl]{{1,5}}|[IVXLC]{{1,6}})[.)](?=[\s*])"
    r"|\d{1,3}(?:\.\d{1,3}){2,5}:(?=\s)"
    rf"|Q\d{{1,3}}[.:)](?=\s)|\d{{1,3}}(?::(?={_TITLE})|(?=\s[-\u2013\u2014]{_TITLE}))"
    rf"|\((?:[a-z]|[ivxl]{{1,5}}|\d{{1,3}})\)(?=[\s*])|\[\^?\d{{1,3}}\]:?(?=\s))"
)
_COUNTED = regex(
    r"([ \t|*>#(\[-]*(?:[A-Za-z]{1,12}[-_. ]{1,2})?)((?:\d{1,3}\.){0,4})(\d{1,3}|[A-Z])"
    r"(?=[\s.:)|\]])"
)
_FAR = 2000
"""Most characters between the numbers of two entries."""
_RUNNING_HEAD = regex(
    r"^[ \t]*(?:([\w:.+-]{1,80})\(\d\w{0,5}\).{0,200}\1|\S.{0,120}[ \t]{3}[\w:.+-]{1,80})"
    r"\(\d[a-z]{0,6}\)[ \t]*$",
    re.MULTILINE,
)
_UNREAD = regex(
    r"^.*(?:-\*-|\bvim?:).*$|^.*\bLocal Variables:(?s:.*?)\bEnd:|<(script|style)\b(?s:.*?)</\1>"
    r"|\{%.*?%\}|^Files:(?:\s+[\w*?./+-]*[*./][\w*?./+-]*)+$|^SEE ALSO\n(?:[ \t]+.*\n|\n)*"
    r"|\bVERSION\b:?(?:\s+[A-Za-z][\w-]*){0,6}\s+\d.*|\bfile://\S+"
    r"|^[ \t]*(?:This is|Changes in)\b.*\bversion \d.*|^\W*Generated on .*"
    r"|^\W*(?:19|20)\d\d-\d{2,4},? [A-Z]\w+ [A-Z][\w.].*"
    r"|^.*\blast (?:chang|edit|modifi|revis|updat)ed (?:on|at)\b.*"
    r"|^ ?-- .*<\S+@.*|^\S+ \(\S+\) [\w -]+; urgency=.*|\b\w+\.(?:[ch]|cc|cpp|hpp|js|py):\d+"
    r"|^.*\.\d+ (?i:(?:reference )?documentation)(?: \u00bb)?$",
    re.MULTILINE,
)
_COPYRIGHT = regex(
    r"^Copyright:.*(?:\n[ \t]+\S.*)*"
    r"|(?:\b\d{4}[\d ,-]*)?(?i:\bcopyright(?=\W*(?:\(c\)|\u00a9|&copy;|\d|by\b|(?-i:[A-Z])))|\(c\)"
    r"|\u00a9|&copy;)\s*.*(?:\n[ \t*#;]*\d{4}\b.*)*",
    re.MULTILINE,
)
_YEARS = regex(
    r"(?:(?i:\(c\)|\u00a9|&copy;|copyright)\s*)?\b(?:19|20)\d\d\b(?:\s?[-\u2013,]\s?\d{2,4}\b)*"
)
_EMPHASIS = regex(r"[*_]*")
_BAR = regex(r"(?<!\\)\|")
_REFERENCE = regex(rf"{_NAME}\(?\Z")
_ADMONITION = "attention|caution|danger|hint|important|note|tip|warning"
_UNTOLD = regex(
    r"(?i:\blines?\s{1,3}|\(#|\bissue\s#?"
    r"|\.\.\s{1,3}(?:version[a-z]{4,8}|deprecated)::\s|<title>[^<]*"
    r"|\b(?:new|added|changed) in version |:(?:any|doc|ref|term):`[^`\n]*"
    r"|\b(?:built|created|generated|powered)\s(?:using|with|by)\b[^\n]*(?:\n *&[^\n]*)?"
    r"|(?:\brelease(?: date)?|\blast[ -](?:updat|modif|revis|chang)\w*(?: on)?|^[^\w\n]*(?:version:"
    r"|(?:updat|modifi|revis|generat)ed\b(?: on| at)?|revision:|timestamp:"
    r"|(?-i:(?:\w+[.-])?(?:rev)?date:)))"
    r"\W*(?:<[^<>]*>)?(?:\d+ )?(?:[A-Z]\w{2,8} (?:\d+\w*, )?)?"
    rf"|^[ \t]*(?:\.\. (?!(?:{_ADMONITION})::).*|:(?:alt|depth|height|lines|maxdepth|width): .*)"
    r"|^\.(?:TH|\\\").*)\Z",
    re.MULTILINE,
)
_RELEASE = regex(r"v?\d+\.\d+\.\d")
_PLAIN = regex(r"\W{0,3}\d+(?!\.?[\dx])")
_EXAMPLE = regex(
    r"(?i:\b(?:e\.g\.|ex\.|(?:for|as an) (?:example|instance)\b|such as|writing\b)[^;()]{0,60})\Z"
)


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
    closing = above = ""
    indent = -1  # of the line with two colons; what is indented more is code
    for line in text.splitlines(keepends=True):
        depth = len(line) - len(line.lstrip())
        if closing:
            if closing in line:
                yield start, at
                closing = ""
        elif (opening := _OPENING.match(line)) is not None and not _underlines(line, above):
            closing = opening[1] or (f"\\end{{{opening[2]}}}" if opening[2] else "</pre>")
            start, indent = at + len(line), -1
        elif line.strip() and 0 <= indent < depth:
            yield at, at + len(line)
        elif said := line.strip():
            directive = _DIRECTIVE.match(said)
            is_code = said.endswith("::") if directive is None else directive[1] and "::" in said
            indent = depth if is_code else -1
        at += len(line)
        above = line
    if closing:
        yield start, at


def _underlines(line: str, above: str) -> bool:
    """Whether a line of tildes makes the line above a heading, as in reST."""
    return not line.strip().strip("~") and 0 < len(above.strip()) <= len(line.strip())


def unread(text: str) -> list[TextRange]:
    """Return the ranges of running heads of manual pages and of their lists of others, of scripts,
    styles and tags of templates, lists of files, settings of editors, and years of copyright."""
    found = [*_UNREAD.finditer(text), *(_RUNNING_HEAD.finditer(text) if "(" in text else ())]
    for each in _COPYRIGHT.finditer(text):
        found += _YEARS.finditer(text, *each.span())
    return [each.span() for each in found]


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


def unlabelled(text: str) -> str:
    """Return a block without its label; where nothing else is said, with digits that are alike.

    Examples
    --------
    >>> unlabelled("## 4.2. Fees"), unlabelled("Chapter 4")
    ('## Fees', 'Chapter 0')
    """
    label = label_of(text)
    if label is None:
        return text
    rest = text[: label[0]] + text[label[1] :].lstrip()
    return rest if any(map(str.isalpha, rest)) else re.sub(r"\d+", "0", text)


def counter_of(text: str, at: int) -> TextRange | None:
    """Return the range of what counts the entries of a list at the line of a place: the next number
    or capital letter begins a line below in the same way, or the one before it one above.

    Examples
    --------
    >>> rows = "| 7 | Red |\\n| 8 | Blue |\\n| 80 | Green |"
    >>> counter_of(rows, 16), counter_of(rows, 26)
    ((14, 15), None)
    """
    line = _COUNTED.match(text, text.rfind("\n", 0, at) + 1)
    if line is None:
        return None
    head, part, number = line.groups()
    sides = text[max(0, line.start() - _FAR) : line.start()], text[line.end() : line.end() + _FAR]
    for side, step in zip(sides, (-1, 1), strict=True):
        other = str(int(number) + step) if number.isdecimal() else chr(ord(number) + step)
        if re.search(rf"^{re.escape(head + part + other)}(?!\w)", side, re.MULTILINE):
            return line.start(2), line.end(3)
    return None


def with_underline(text: str, span: TextRange) -> str:
    """Return a range of a text, with the line below if that makes it a heading."""
    below = _BELOW.match(text, span[1])
    return text[span[0] : below.end() if below else span[1]]


def number_of(label: str) -> str:
    """Return a label without its name and its signs: Section 4.2 is 4.2."""
    return "".join(label.split()[-1:]).strip(".():*§[]^")


def follows_name(text: str, at: int) -> bool:
    """Whether a place of a text stands behind the name of a label, as in "see Section 4"."""
    return _REFERENCE.search(text[max(0, at - 16) : at]) is not None


def says_little(text: str, at: int) -> bool:
    """Whether a number at a place of a text is of a line, a stamp, a title's release or a note of
    what is new, or what an example shows: see lines 7-11, e.g. 2.1."""
    before = text[max(0, at - 200) : at]
    is_title = at < 200 and "\n" not in before.lstrip() and _RELEASE.match(text, at) is not None
    is_example = _EXAMPLE.search(before) is not None and _PLAIN.match(text, at) is None
    return is_title or is_example or _UNTOLD.search(before) is not None


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
