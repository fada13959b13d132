"""The tables of an evaluation as lines for a terminal."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from tokalign.evaluate.tables import ReportTable


def table_lines(tables: Iterable[ReportTable]) -> Iterator[str]:
    """Yield each table: its heading, one line per row, and its note."""
    for table in tables:
        if table.heading:
            yield table.heading
        for row in table.rows:
            yield table.line.format(*row)
        if table.note:
            yield f"    note: {table.note}"
