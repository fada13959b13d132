"""Tables of a report for papers and spreadsheets: LaTeX, Markdown, CSV."""

import csv
import io
import re
from collections.abc import Callable, Mapping, Sequence

from tokalign.evaluate.tables import ReportTable

_SPECIAL = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    **{each: f"\\{each}" for each in "&%$#_{}"},
}


def cells_of(table: ReportTable) -> list[list[str]]:
    """Return the head of a table and its rows, as a page shows them."""
    head = [column.name for column in table.columns]
    rows = [
        [
            column.cell.format(value) if value != "" else ""
            for column, value in zip(table.columns, row, strict=True)
        ]
        for row in table.rows
    ]
    return [head, *rows]


def latex(table: ReportTable) -> str:
    """Return a tabular that needs the package booktabs."""
    head, *rows = ([_escaped(cell) for cell in row] for row in cells_of(table))
    lines = [
        f"\\begin{{tabular}}{{l{'r' * (len(head) - 1)}}}",
        "\\toprule",
        f"{' & '.join(head)} \\\\",
        "\\midrule",
        *(f"{' & '.join(row)} \\\\" for row in rows),
        "\\bottomrule",
        "\\end{tabular}",
    ]
    return "\n".join(lines)


def _escaped(cell: str) -> str:
    cell = re.sub(r"[\\~^&%$#_{}]", lambda found: _SPECIAL[found[0]], cell)
    return re.sub(r"(?<=\d) to (?=\d)", "--", cell)


def markdown(table: ReportTable) -> str:
    """Return a table of GitHub's Markdown."""
    head, *rows = ([cell.replace("|", "\\|") for cell in row] for row in cells_of(table))
    rule = ["---", *["---:"] * (len(head) - 1)]
    return "\n".join(f"| {' | '.join(row)} |" for row in (head, rule, *rows))


def records_of(rows: Sequence[Sequence[object]]) -> str:
    """Return rows as CSV, without the last line break."""
    written = io.StringIO()
    csv.writer(written, lineterminator="\n").writerows(rows)
    return written.getvalue().removesuffix("\n")


MARKUP: Mapping[str, Callable[[ReportTable], str]] = {
    "latex": latex,
    "markdown": markdown,
    "csv": lambda table: records_of(cells_of(table)),
}
"""Writers of tables, by the name of the format."""
