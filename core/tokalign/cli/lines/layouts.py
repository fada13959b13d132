"""Alignments and similarities as lines of text, JSON or CSV."""

import abc
import csv
import io
import json
import re
from collections.abc import Sequence
from typing import Any, ClassVar

from tokalign.cli.flags import OUTPUT, flag, flagged
from tokalign.cli.lines.file_flags import bad_object, format_flag
from tokalign.cli.lines.pair_lines import InputLine
from tokalign.english.reading.text_reading import marks_to_json
from tokalign.errors import FormatError, quoted
from tokalign.types import Alignment, Sentence
from tokalign.types.display import free_names
from tokalign.types.objects import FIGURES, alignment_to_json, conflicts_to_json, figures_to_json
from tokalign.types.options import Markup, OffsetUnit

_FORMULA = re.compile(r"(?![+-]?[\d.]+$)[=+\-@\t\r\n＝＋－＠]")  # as OWASP has them


def record_of(cells: Sequence[str], *, is_safe: bool = False) -> str:
    r"""Return a record of CSV, without the line break behind it.

    If it is to be safe, cells that a spreadsheet would take for formulas begin with an apostrophe.

    Examples
    --------
    >>> record_of(["a", "b, c", "=1+1", "-0.5"], is_safe=True)
    'a,"b, c",\'=1+1,-0.5'
    """
    if is_safe:
        cells = [f"'{cell}" if _FORMULA.match(cell) else cell for cell in cells]
    written = io.StringIO()
    csv.writer(written).writerow(cells)  # whose line break decides which fields are quoted
    return written.getvalue().removesuffix("\r\n")


def with_input(line: str, item: InputLine) -> str:
    """Return a line of JSON with the input's columns or other fields under "input"."""
    found = item.row or item.fields
    if not found:
        return line
    kept = json.dumps(found, ensure_ascii=False)
    return f'{line.removesuffix("}")}, "input": {kept}}}'


PARQUET = "parquet"
CSV = "csv"
FORMATS = ("pharaoh", "jsonl", "tsv", CSV, PARQUET)
SIMILARITY_FORMATS = ("text", "jsonl", CSV, PARQUET)
SIMILARITY_COLUMNS = ("id", *FIGURES, "error")
ALIGNMENT_COLUMNS = ("id", "source_tokens", "target_tokens", "links", *SIMILARITY_COLUMNS[1:])
_OBJECTS = ("jsonl", PARQUET)
KEEP: dict[str, Any] = {
    "help": 'Keep the input\'s other columns or fields, as "input" (jsonl only; csv and parquet '
    "have them).",
    "default": False,
}
CSV_SAFE: dict[str, Any] = {
    "help": "Put an apostrophe before cells that a spreadsheet would take for formulas (csv only).",
    "default": False,
}
_BREAKS = frozenset("\t\r\n")


class Lines(abc.ABC):
    """How alignments become lines, in the format of the attribute `format`."""

    __slots__ = ()
    format: str
    keep: bool
    csv_safe: bool
    table_columns: ClassVar[tuple[str, ...]]
    cell_names: ClassVar[tuple[str, ...]]

    @property
    def columns(self) -> tuple[str, ...]:
        """Columns of the table whose rows the JSON lines are; empty for lines of text."""
        return self.table_columns if self.format == PARQUET else ()

    @abc.abstractmethod
    def line(self, name: str, alignment: Alignment) -> str:
        """Return the line of an alignment, without its break; FormatError if the format cannot
        hold it."""

    @abc.abstractmethod
    def cells(self, alignment: Alignment) -> list[str]:
        """Return an alignment's CSV cells, for all of `cell_names` but the last, "error"."""

    def header(self, item: InputLine) -> str:
        """Return the CSV header above an item; an added column that an input column already names
        is renamed."""
        kept = list(item.cells())
        return self.record([*kept, *free_names(kept, self.cell_names)])

    def record(self, cells: Sequence[str]) -> str:
        return record_of(cells, is_safe=self.csv_safe)

    def bad_line(self, name: str, line: int, error: str) -> str:
        """Return the line that stands for a pair that could not be aligned."""
        return bad_object(name, line, error) if self.format in _OBJECTS else ""


@flagged
class Layout(Lines):
    """How alignments become lines: the format, and the fields besides links."""

    section: ClassVar[str] = OUTPUT
    table_columns = ALIGNMENT_COLUMNS
    cell_names = ("source_tokens", "target_tokens", "links", "similarity", "score", "error")
    format: str = format_flag(
        "What to write. pharaoh: links. tsv: score, links and tokens. jsonl: everything, as JSON "
        "objects. csv: the input's columns, tokens, links and scores. parquet: a table.",
        FORMATS,
        "pharaoh",
    )
    confidences: bool = flag("Write the confidence of each link, as in 0-0:0.9731.", default=False)
    keep: bool = flag(**KEEP)
    csv_safe: bool = flag(**CSV_SAFE)
    phrases: bool = False
    edits: bool = False
    explain: bool = False
    offsets: str = OffsetUnit.CODE_POINTS
    markup: str = Markup.AUTO

    def line(self, name: str, alignment: Alignment) -> str:
        if self.format in _OBJECTS:
            value = alignment_to_json(name, alignment, phrases=self.phrases, edits=self.edits)
            if self.explain:
                sides = {"source": alignment.source, "target": alignment.target}
                value["marks"] = marks_to_json(sides, Markup(self.markup), OffsetUnit(self.offsets))
            return json.dumps(value, ensure_ascii=False)
        links = self._links(alignment)
        if self.format == "pharaoh":
            return links
        source, target = (_in_columns(side) for side in (alignment.source, alignment.target))
        return f"{alignment.score:.4f}\t{links}\t{source}\t{target}"

    def cells(self, alignment: Alignment) -> list[str]:
        sides = (" ".join(side.tokens) for side in (alignment.source, alignment.target))
        figures = (f"{each:.6f}" for each in (alignment.similarity, alignment.score))
        return [*sides, self._links(alignment), *figures]

    def _links(self, alignment: Alignment) -> str:
        if not self.confidences:
            return alignment.to_pharaoh()
        return " ".join(
            f"{link.source}-{link.target}:{link.confidence:.4f}" for link in alignment.links
        )


@flagged
class SimilarityLayout(Lines):
    """How similarities become lines: a number each, or objects that hold the score as well."""

    section: ClassVar[str] = OUTPUT
    table_columns = SIMILARITY_COLUMNS
    cell_names = (*FIGURES, "error")
    format: str = format_flag(
        "What to write. text: a number. jsonl, csv, parquet: also its parts, and the score; csv "
        "behind the input's columns.",
        SIMILARITY_FORMATS,
        "text",
    )
    keep: bool = flag(**KEEP)
    csv_safe: bool = flag(**CSV_SAFE)

    def cells(self, alignment: Alignment) -> list[str]:
        return [f"{getattr(alignment, name):.6f}" for name in FIGURES]

    def line(self, name: str, alignment: Alignment) -> str:
        if self.format == "text":
            return f"{alignment.similarity:.4f}"
        value = {"id": name, **figures_to_json(alignment), **conflicts_to_json(alignment)}
        return json.dumps(value, ensure_ascii=False)


def _in_columns(sentence: Sentence) -> str:
    """Return the tokens between spaces; FormatError where one would break columns or lines."""
    for token in sentence.tokens:
        if not _BREAKS.isdisjoint(token):
            raise FormatError(
                f"token {quoted(token)} holds a tab or a line break, which tsv cannot keep; "
                "write jsonl"
            )
    return " ".join(sentence.tokens)
