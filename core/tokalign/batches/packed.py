"""Results that go from a worker to its parent as columns; the parent gets views of these.

To pickle and unpickle an Alignment takes as long as to align a pair: it has an object for each
token and link. The columns of a batch are a few arrays.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from tokalign.types import Alignment, Sentence
from tokalign.types.columns import AlignmentColumns
from tokalign.types.tables import SentenceTable


class Packed:
    """Results of a batch, which pickle as columns and are unpickled as a list.

    Parameters
    ----------
    results : sequence
        Of which those that are alignments of columns are packed.
    """

    def __init__(self, results: Sequence[Any]) -> None:
        self._results = results

    def __reduce__(self) -> tuple[Any, ...]:
        columns: list[AlignmentColumns] = []
        numbers: dict[int, int] = {}
        places: list[tuple[int, int] | None] = []
        others: list[Any] = []
        for result in self._results:
            viewed = result.viewed() if isinstance(result, Alignment) else None
            if viewed is None or not isinstance(viewed[0], AlignmentColumns):
                places.append(None)
                others.append(result)
                continue
            number = numbers.setdefault(id(viewed[0]), len(columns))
            if number == len(columns):
                columns.append(viewed[0])
            places.append((number, viewed[1]))
        return _unpacked, ([_PackedColumns.of(each) for each in columns], places, others)


class _PackedSentences(NamedTuple):
    """Sentences as texts and places in tables; whole, if they are of no table."""

    tables: list[SentenceTable]
    sentences: list[tuple[str, int, int] | Sentence]

    @classmethod
    def of(cls, sentences: Sequence[Sentence]) -> _PackedSentences:
        tables: list[SentenceTable] = []
        numbers: dict[int, int] = {}
        packed: list[tuple[str, int, int] | Sentence] = []
        for sentence in sentences:
            viewed = sentence.viewed()
            if viewed is None or sentence.heads is not None:
                packed.append(sentence)
                continue
            number = numbers.setdefault(id(viewed[0]), len(tables))
            if number == len(tables):
                tables.append(SentenceTable.of(viewed[0]))
            packed.append((sentence.text, number, viewed[1]))
        return cls(tables, packed)

    def views(self) -> list[Sentence]:
        """Return the sentences, of tables as views."""
        return [
            each
            if isinstance(each, Sentence)
            else Sentence.of(self.tables[each[1]], each[2], text=each[0])
            for each in self.sentences
        ]


class _PackedColumns(NamedTuple):
    """The columns of alignments without their sentences, and these."""

    columns: AlignmentColumns
    sentences: _PackedSentences
    compared: Any

    @classmethod
    def of(cls, columns: AlignmentColumns) -> _PackedColumns:
        sentences = _PackedSentences.of([*columns.sources, *columns.targets])
        bare = replace(columns, sources=(), targets=(), compare=None)
        return cls(bare, sentences, columns.compared())

    def restored(self) -> AlignmentColumns:
        """Return the columns with their sentences, and with what the encoder says of them."""
        views = self.sentences.views()
        half = len(views) // 2
        columns = self.columns
        columns.sources, columns.targets = views[:half], views[half:]
        if self.compared is not None:
            columns.keep_compared(self.compared)
        return columns


def _unpacked(
    packed: list[_PackedColumns], places: list[tuple[int, int] | None], others: list[Any]
) -> list[Any]:
    """Return the results: views at places (which columns, index in them), and others."""
    columns = [each.restored() for each in packed]
    rest = iter(others)
    return [
        next(rest) if place is None else columns[place[0]].alignment(place[1]) for place in places
    ]
