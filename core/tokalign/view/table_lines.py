"""The tables of an evaluation, and edits, as lines for a terminal."""

from collections.abc import Iterable, Iterator

from tokalign.edits import edits_between
from tokalign.evaluate.markup import cells_of
from tokalign.evaluate.tables import ReportTable
from tokalign.showing.text import in_line
from tokalign.types import GoldPair, Links


def table_lines(tables: Iterable[ReportTable]) -> Iterator[str]:
    """Yield each table: its title, its columns one below the other, and its note."""
    for table in tables:
        rows = cells_of(table)
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        yield table.title
        for first, *others in rows:
            cells = map(str.rjust, others, widths[1:])
            yield "  " + "  ".join([first.ljust(widths[0]), *cells]).rstrip()
        if table.note:
            yield f"    note: {table.note}"


def edit_lines(pair: GoldPair, links: Links) -> Iterator[str]:
    """Yield a line for each edit: its kind, and its words of both sides."""
    for edit in edits_between(pair.source, pair.target, dict.fromkeys(links, 1.0)):
        before = " ".join(in_line(pair.source.tokens[i]) for i in edit.source)
        after = " ".join(in_line(pair.target.tokens[j]) for j in edit.target)
        yield f"{edit.kind:<4}" + " → ".join(filter(None, (before, after)))
