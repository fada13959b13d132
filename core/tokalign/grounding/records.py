r"""Tables and JSON in passages: rows and objects as sentences in which cells have their names.

A cell says something only with the name of its row and of its column. So a row is read with the
header's cell before each of its own, and an object with the key before each value::

    | City | People  |          City Ulm, People 128,928
    | ---- | ------- |
    | Ulm  | 128,928 |

    {"name": "Ulm", "mayor": {"name": "Ann"}}      name Ulm    and    Ulm, mayor name Ann

Tables are those of Markdown and HTML, runs of lines with equally many tabs, and passages that are
CSV without quotation marks; JSON is a whole passage, or has an object on each line. A long text in
a cell is read as text. An item of a list is read behind the words that lead to the list: "You may
not rent it" of "You may not:" and "(a) rent it". Each code point that is read has its place in the
passage.
"""

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby, zip_longest
from typing import NamedTuple, Self

from tokalign.english.annotate.prepared import pieces
from tokalign.texts.split_text import MOST_TOKENS, sentences_of

MOST_CELLS = 12
"""Of a row that are read together; further ones are read behind the row's name again."""
MOST_NAMES = 3
"""Of what an object is part of, before its own cells."""
MOST_WORDS, MOST_LETTERS = 20, 200
"""Of a cell that is read with its names; a longer one is text."""
_UNITS = ("unit", "units", "currency")
"""Labels that are not read between a number and its unit."""
_FIRST = re.compile(r"\s*[\[{]|[^\n,]*,[^\n,]*,")
_ANY = re.compile(r"\t|\|[ \t]*:?-|-[ \t]*\||<t[hdr]\b", re.IGNORECASE)
"""What a passage with a table or JSON begins with, or holds beside one of _SIGNS."""
_SIGNS = ("\t", "|", "<")
_PIPE = re.compile(r"(?<!\\)\|")
_OPENING = re.compile(r"<table\b", re.IGNORECASE)
_CLOSING = re.compile(r"</table>", re.IGNORECASE)
_ROW = re.compile(r"<tr\b[^>]*>(.*?)(?=</tr>|<tr\b|</table>)", re.DOTALL | re.IGNORECASE)
_CELL = re.compile(
    r"<t([hd])\b[^>]*>(.*?)(?=</t[hd]>|<t[hdr]\b|</tr>|\Z)", re.DOTALL | re.IGNORECASE
)
_JSON = re.compile(r'[{}\[\],:]|"(?:[^"\\]|\\.)*"|[^\s{}\[\],:"]+')
_MARKER = re.compile(r"([-*+\u2022\u2013]|\(?(?:\d{1,3}|[a-z]|[ivx]{1,5})[.)])\s+")
_COUNT = re.compile(r"\d+|[a-z]+")
_LEADS = re.compile(r"\s*(?::|\.\.\.|\u2026)[*_`]*\Z")
_WORDS = re.compile(r"\w")
_BLANK = re.compile(r"\n[ \t]*\n")
_LETTER = re.compile(r"\\u[dD][89abAB]\w\w\\u[dD][c-fC-F]\w\w|\\u\w{4}|\\.|[^\\]", re.DOTALL)


@dataclass(frozen=True, slots=True)
class PassageBlock:
    """A sentence, row or object of a passage."""

    start: int  # half-open range of the passage
    end: int
    text: str  # as it is read
    # Place in the passage of each code point of the text, and of its end; None where the text is
    # the range
    places: Sequence[int] | None = None
    is_led: bool = False  # an item of a list, read behind what leads to the list

    @property
    def is_row(self) -> bool:
        """Whether this is a row of a table, read behind words of its header."""
        return not self.is_led and self.places is not None and self.places[0] < self.start

    def range_of(self, start: int, end: int) -> tuple[int, int]:
        """Return the range of the passage that a range of the text stands for."""
        if self.places is None:
            return self.start + start, self.start + end
        return self.places[start], self.places[end]


class _Cell(NamedTuple):
    """A part of a passage: what is read, the place of each code point and of the end, and the range
    of the part with its quotation marks."""

    text: str
    places: Sequence[int]
    start: int
    end: int

    @classmethod
    def of(cls, text: str, start: int, end: int) -> Self:
        while start < end and text[start].isspace():
            start += 1
        while start < end and text[end - 1].isspace():
            end -= 1
        return cls(text[start:end], range(start, end + 1), start, end)

    @property
    def is_short(self) -> bool:
        """Whether it is read with its names, and not as text."""
        return len(self.text) <= MOST_LETTERS and len(self.text.split()) <= MOST_WORDS


_Named = tuple[_Cell | None, _Cell]
"""A cell behind its label, if it has one."""
_Table = tuple[int, int, list[list[_Cell]], bool]
"""The range of a table, its rows, and whether the first is a header."""


@dataclass(slots=True)
class _Object:
    """An object or a list of JSON that is being read."""

    is_list: bool
    key: _Cell | None
    names: list[_Cell]
    cells: list[_Named] = field(default_factory=list)


def blocks_of(text: str, name: str) -> list[PassageBlock]:
    """Return the sentences, rows and objects of a passage, in order; errors are as of sentences_of.

    `name`: name of the field in errors.
    """
    objects = _objects(text)
    if objects:
        return objects
    has_any = _FIRST.match(text) or (any(map(text.__contains__, _SIGNS)) and _ANY.search(text))
    tables = [*_html_tables(text), *_line_tables(text)] if has_any else []
    if not tables:
        every = sentences_of(text, name)
        return list(_led(text, (PassageBlock(each.start, each.end, each.text) for each in every)))
    found: list[PassageBlock] = []
    at = 0
    for start, end, rows, has_header in sorted(tables, key=lambda table: table[:2]):
        if start >= at:
            found += _led(text, _sentences(_Cell.of(text, at, start)))
            found += _of_rows(rows, has_header)
            at = end
    return [*found, *_led(text, _sentences(_Cell.of(text, at, len(text))))]


def _led(text: str, sentences: Iterable[PassageBlock]) -> Iterator[PassageBlock]:
    """Yield sentences, those that begin an item of a list behind what leads to the list.

    Items have one kind of marker in one column. Those of a list in a list are not led.
    """
    lead: PassageBlock | None = None
    form: tuple[int, str] | None = None  # of the list's items
    end = 0
    for each in sentences:
        gap, end = text[end : each.start], each.end
        marker = _MARKER.match(each.text) if "\n" in gap else None
        if marker is None:
            if form is None or _BLANK.search(gap):
                lead = form = None
        elif lead is not None:
            column = each.start - text.rfind("\n", 0, each.start)
            own = column, _COUNT.sub(lambda each: "1" if each[0].isdigit() else "a", marker[1])
            form = form or own
            if own == form:
                yield _behind(lead, each, marker.end())
                continue
            if column <= form[0]:
                lead = form = None
        leads = _LEADS.search(each.text)
        if lead is None and leads and ":" not in each.text[: leads.start()]:
            lead = each if len(each.text.split()) <= MOST_WORDS else None
        yield each


def _behind(lead: PassageBlock, item: PassageBlock, start: int) -> PassageBlock:
    """Return an item that is read from a place of its text on, behind its lead without marks."""
    first, last = _WORDS.search(lead.text), _LEADS.search(lead.text)
    if first is None or last is None or first.start() >= last.start():
        return item
    shown = slice(first.start(), last.start())
    places = [
        *range(lead.start + shown.start, lead.start + shown.stop + 1),
        *range(item.start + start, item.end + 1),
    ]
    text = f"{lead.text[shown]} {item.text[start:]}"
    return PassageBlock(item.start, item.end, text, places, is_led=True)


def _sentences(cell: _Cell) -> Iterator[PassageBlock]:
    for each in sentences_of(cell.text, "text", None):
        places = cell.places[each.start : each.end + 1]
        yield PassageBlock(places[0], places[-1], each.text, places)


def _html_tables(text: str) -> Iterator[_Table]:
    end = 0
    for opening in _OPENING.finditer(text):
        if opening.start() < end:
            continue  # a table in a table
        closing = _CLOSING.search(text, opening.end())
        if closing is None:
            return
        start, end = opening.start(), closing.end()
        rows = [list(_CELL.finditer(text, *row.span(1))) for row in _ROW.finditer(text, start, end)]
        has_header = bool(rows) and all(cell[1] in "hH" for cell in rows[0])
        cells = [[_Cell.of(text, *each.span(2)) for each in row] for row in rows]
        yield start, end, cells, has_header


def _line_tables(text: str) -> Iterator[_Table]:
    """Yield the tables of Markdown, of lines with tabs, and of CSV."""
    lines = [each.span() for each in re.finditer(r"[^\n]+", text)]
    used = 0
    for number in range(1, len(lines)):
        if number < used or not _is_rule(text[slice(*lines[number])]):
            continue
        if not _PIPE.search(text, *lines[number - 1]):
            continue
        used = number + 1
        while used < len(lines) and _PIPE.search(text, *lines[used]):
            if lines[used][0] - lines[used - 1][1] > 1:  # a blank line
                break
            used += 1
        rows = [lines[number - 1], *lines[number + 1 : used]]
        yield rows[0][0], lines[used - 1][1], [_piped(text, *row) for row in rows], True
    counts = [text.count("\t", *line) for line in lines]
    for n, group in groupby(range(len(lines)), key=counts.__getitem__):
        run = [lines[number] for number in group]
        if len(run) * n > 2 and not any(text[start] == "\t" for start, _ in run):
            yield _separated(text, run, "\t")
    n_commas = {text.count(",", *line) for line in lines}
    if len(lines) > 2 and len(n_commas) == 1 and min(n_commas) > 1 and '"' not in text:
        yield _separated(text, lines, ",")


def _is_rule(line: str) -> bool:
    """Whether a line is that between the header and the rows of a table in Markdown."""
    return "-" in line and "|" in line and not line.strip("|-: \t\r")


def _separated(text: str, lines: Sequence[tuple[int, int]], mark: str) -> _Table:
    """Return a table; its first row is a header if it alone has no digit."""
    rows = [_between(text, *line, re.compile(mark)) for line in lines]
    first, *rest = [any(re.search(r"\d", cell.text) for cell in row) for row in rows]
    return lines[0][0], lines[-1][1], rows, not first and any(rest)


def _between(text: str, start: int, end: int, mark: re.Pattern[str]) -> list[_Cell]:
    """Return the cells between marks."""
    cuts = [start, *(at for each in mark.finditer(text, start, end) for at in each.span()), end]
    return [_Cell.of(text, *both) for both in zip(cuts[::2], cuts[1::2], strict=True)]


def _piped(text: str, start: int, end: int) -> list[_Cell]:
    line = _Cell.of(text, start, end)
    start = line.start + line.text.startswith("|")
    end = line.end - (line.text.endswith("|") and not line.text.endswith("\\|"))
    return _between(text, start, max(start, end), _PIPE)


def _of_rows(rows: Sequence[Sequence[_Cell]], has_header: bool) -> Iterator[PassageBlock]:
    """Yield the rows of a table, a header as it stands."""
    labels: Sequence[_Cell] = ()
    for number, row in enumerate(rows):
        named = zip_longest(labels[: len(row)], row)
        yield from _read([(label, cell) for label, cell in named], [])
        if has_header and not number:
            labels = row


def _read(cells: Sequence[_Named], names: Sequence[_Cell]) -> Iterator[PassageBlock]:
    """Yield the blocks of a row or an object: its short cells behind their labels, then its texts.

    `names`: of what the object is part of; they stand before its cells.
    """
    short = [each for each in cells if each[1].text and each[1].is_short]
    for at in range(0, len(short), MOST_CELLS):
        some = [*names, *((short[0][1],) if at else ())]
        yield from _joined(some, short[at : at + MOST_CELLS])
    for _, cell in cells:
        if not cell.is_short:
            yield from _sentences(cell)


def _joined(names: Sequence[_Cell], cells: Sequence[_Named]) -> Iterator[PassageBlock]:
    """Yield what is read of cells behind some names, in pieces if it is long; a label that several
    have is read once."""
    text, places, end, known = "", list[int](), 0, None
    for label, cell in [*((None, each) for each in names), *cells]:
        is_unit = label is not None and label.text.lower() in _UNITS and text[-1:].isdigit()
        own = None if label is known or is_unit else label
        for each, gap in ((own, ", "), (cell, " " if is_unit or own is not None else ", ")):
            if each is not None and each.is_short:
                places += [end] * len(gap) if text else []
                text += (gap if text else "") + each.text
                places += each.places[:-1]
                end = each.places[-1]
        known = label
    key, first = cells[0]
    is_key = key is not None and key.end < first.start and key.start < key.places[0]  # in JSON
    start = key.start if key is not None and is_key else first.start
    places.append(end)
    for begin, stop in pieces(text, MOST_TOKENS):
        yield PassageBlock(start, cells[-1][1].end, text[begin:stop], places[begin : stop + 1])


def _objects(text: str) -> list[PassageBlock]:
    """Return the objects of a text that is JSON, or has JSON on each line; none of other text."""
    if text.lstrip()[:1] not in ("{", "["):
        return []
    for each in ([text], text.split("\n")):
        try:
            read = [json.loads(part) for part in each if part.strip()]
        except (ValueError, RecursionError):
            continue
        if all(isinstance(part, dict | list) for part in read):
            return sorted(_walk(text), key=lambda block: (block.start, block.end))
    return []


def _walk(text: str) -> Iterator[PassageBlock]:
    """Yield the objects of JSON as they end."""
    open_ones: list[_Object] = []
    key: _Cell | None = None
    for token in _JSON.finditer(text):
        said = token[0]
        here = open_ones[-1] if open_ones else _Object(True, None, [])
        if said in ("{", "["):
            label = key or (here.key if here.is_list else None)
            own = [] if here.is_list else [cell for _, cell in here.cells[:1]]
            open_ones.append(_Object(said == "[", label, [*here.names, *own][-MOST_NAMES:]))
        elif said in ("}", "]"):
            open_ones.pop()
            label = None if here.is_list else here.key
            yield from _read(here.cells, [*here.names, *([] if label is None else [label])])
        elif said == ":":
            key = here.cells.pop()[1]
            continue
        elif said not in (",", "null"):
            here.cells.append((key or (here.key if here.is_list else None), _value(text, token)))
        key = None


def _value(text: str, token: re.Match[str]) -> _Cell:
    start, end = token.span()
    if token[0][0] != '"':
        return _Cell.of(text, start, end)
    letters, places = "", list[int]()
    for each in _LETTER.finditer(text, start + 1, end - 1):
        read = json.loads(f'"{each[0]}"') if each[0][0] == "\\" else each[0]
        read = "\ufffd" if "\ud800" <= read <= "\udfff" else read  # half of a pair
        letters += read
        places += [each.start()] * len(read)
    return _Cell(letters, [*places, end - 1], start, end)
