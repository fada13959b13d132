"""Alignments and similarities as lines."""

from __future__ import annotations

import abc
import json
from dataclasses import dataclass
from typing import Any, ClassVar

from tokalign.cli.flags import flag
from tokalign.cli.forms import format_flag
from tokalign.errors import FormatError, quoted
from tokalign.types import Alignment, Sentence
from tokalign.types.objects import (
    FIGURES,
    alignment_to_json,
    conflicts_to_json,
    figures_to_json,
)

PARQUET = "parquet"
CHUNKS = "ists"
CSV = "csv"
FORMATS = ("pharaoh", "jsonl", "tsv", CSV, PARQUET, CHUNKS)
SIMILARITY_FORMATS = ("text", "jsonl", CSV, PARQUET)
SIMILARITY_COLUMNS = ("id", *FIGURES, "error")
ALIGNMENT_COLUMNS = ("id", "source_tokens", "target_tokens", "links", *SIMILARITY_COLUMNS[1:])
_OBJECTS = ("jsonl", PARQUET)
KEEP: dict[str, Any] = {
    "help": 'Keep the input\'s other columns or fields, as "input" (jsonl only; csv has them).',
    "default": False,
}
_BREAKS = frozenset("\t\r\n")


class Lines(abc.ABC):
    """How alignments become lines, in the format of the attribute `format`."""

    __slots__ = ()
    format: str
    keep: bool
    table_columns: ClassVar[tuple[str, ...]]
    cell_names: ClassVar[tuple[str, ...]]

    @property
    def columns(self) -> tuple[str, ...]:
        """Columns of the table that the lines are rows of, as JSON; none where they are text."""
        return self.table_columns if self.format == PARQUET else ()

    @abc.abstractmethod
    def line(self, name: str, alignment: Alignment) -> str:
        """Return the line of an alignment, without its break.

        Raises
        ------
        FormatError
            If the format cannot hold it.
        """

    @abc.abstractmethod
    def cells(self, alignment: Alignment) -> list[str]:
        """Return what CSV holds of an alignment, under `cell_names` but for the last, "error"."""

    def bad_line(self, name: str, line: int, error: str) -> str:
        """Return what stands for a pair that could not be aligned."""
        return bad_object(name, line, error) if self.format in _OBJECTS else ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Layout(Lines):
    """How alignments become lines: the format, and what is written besides links."""

    table_columns = ALIGNMENT_COLUMNS
    cell_names = ("source_tokens", "target_tokens", "links", "similarity", "score", "error")
    format: str = format_flag(
        "What to write. pharaoh: links. tsv: score, links and tokens. jsonl: everything, as JSON "
        "objects. csv: the input's columns, tokens, links and scores. parquet: a table. ists: "
        "chunks, in the format of interpretable similarity.",
        FORMATS,
        "pharaoh",
    )
    confidences: bool = flag("Write the confidence of each link, as in 0-0:0.9731.", default=False)
    chunks: bool = flag(
        "Align chunks instead of words: those in brackets, or tokalign's own (ists only).",
        default=False,
    )
    keep: bool = flag(**KEEP)
    phrases: bool = False
    edits: bool = False

    def line(self, name: str, alignment: Alignment) -> str:
        if self.format in _OBJECTS:
            value = alignment_to_json(name, alignment, phrases=self.phrases, edits=self.edits)
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


@dataclass(frozen=True, slots=True, kw_only=True)
class SimilarityLayout(Lines):
    """How similarities become lines: a number each, or objects that hold the score as well."""

    table_columns = SIMILARITY_COLUMNS
    cell_names = (*FIGURES, "error")
    format: str = format_flag(
        "What to write. text: a number. jsonl, csv, parquet: also its parts, and the score; csv "
        "behind the input's columns.",
        SIMILARITY_FORMATS,
        "text",
    )
    keep: bool = flag(**KEEP)

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


def bad_object(name: str, line: int, error: str) -> str:
    """Return the line of JSON that stands for a bad line."""
    return json.dumps({"id": name, "line": line, "error": error}, ensure_ascii=False)
