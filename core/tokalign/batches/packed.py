"""Results sent from a worker to its parent as columns; the parent reads views of them.

Pickling and unpickling an Alignment takes as long as aligning a pair: it has an object for each
token and link. The columns of a batch are a few arrays, and a word of a batch is sent once.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from tokalign.types import Alignment, Sentence
from tokalign.types.columns import AlignmentColumns
from tokalign.types.sentence import SentenceColumns


class WordTable(NamedTuple):
    """Words by number; see WordColumns."""

    tokens: list[str]
    lemmas: list[str]
    tags: tuple[str, ...]


class SentenceTable(NamedTuple):
    """Sentences without trees; see SentenceColumns.

    Sentence k has the tokens from ``offsets[k]`` to before ``offsets[k + 1]``; each has its place
    in the text, the number of its word and that of its tag.
    """

    words: WordTable
    offsets: NDArray[np.int64]
    starts: NDArray[np.int32]
    ends: NDArray[np.int32]
    numbers: NDArray[np.int32]
    tag_numbers: NDArray[np.uint8]

    @classmethod
    def of(cls, columns: SentenceColumns) -> Self:
        """Return the sentences of columns, with the words that they have alone."""
        offsets, starts, ends, numbers = columns.columns()
        used, places = np.unique(numbers, return_inverse=True)
        tokens, lemmas, tags = columns.words.tokens, columns.words.lemmas, columns.words.tags
        chosen = used.tolist()
        words = WordTable([tokens[k] for k in chosen], [lemmas[k] for k in chosen], tags)
        places = places.astype(np.int32)
        return cls(words, *map(np.asarray, (offsets, starts, ends, places, columns.tags())))

    def n_tokens(self, index: int) -> int:
        return int(self.offsets[index + 1] - self.offsets[index])

    def columns(
        self,
    ) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.int32], NDArray[np.int32]]:
        """Return offsets, starts, ends and numbers."""
        return self.offsets, self.starts, self.ends, self.numbers

    def tags(self) -> NDArray[np.uint8]:
        """Return the tag number of each token."""
        return self.tag_numbers

    def field(self, index: int, name: str) -> Any:
        span = slice(self.offsets[index], self.offsets[index + 1])
        if name in ("heads", "relations"):
            return None
        if name in ("starts", "ends"):
            return tuple(getattr(self, name)[span].tolist())
        if name == "tags":
            return tuple([self.words.tags[k] for k in self.tag_numbers[span].tolist()])
        strings: list[str] = getattr(self.words, name)
        return tuple([strings[k] for k in self.numbers[span].tolist()])


class Places(NamedTuple):
    """Values of a batch: views as numbers of columns objects and rows in them, others as they are,
    where the number is -1."""

    numbers: list[int]
    rows: list[int]
    others: list[Any]

    @classmethod
    def of(
        cls, values: Sequence[Any], views: Sequence[tuple[Any, int] | None]
    ) -> tuple[Self, list[Any]]:
        """Return the places of values, by the columns and the row of each view, and the columns."""
        found: dict[int, tuple[int, Any]] = {}
        places = cls([], [], [])
        for value, viewed in zip(values, views, strict=True):
            if viewed is None:
                places.others.append(value)
            columns, row = viewed or (None, 0)
            number = (
                -1 if columns is None else found.setdefault(id(columns), (len(found), columns))[0]
            )
            places.numbers.append(number)
            places.rows.append(row)
        return places, [columns for _, columns in found.values()]

    def values(self, view: Callable[[int, int], Any]) -> list[Any]:
        """Return the values; `view` takes the number of columns and a row."""
        others = iter(self.others)
        pairs = zip(self.numbers, self.rows, strict=True)
        return [next(others) if number < 0 else view(number, row) for number, row in pairs]


class PackedColumns(NamedTuple):
    """Columns without their sentences; and these, views as places in tables, with their texts."""

    columns: AlignmentColumns
    tables: list[SentenceTable]
    sentences: Places
    texts: list[str]

    def unpack(self) -> AlignmentColumns:
        """Return the columns with their sentences."""
        texts = iter(self.texts)
        found = self.sentences.values(
            lambda number, row: Sentence.of(self.tables[number], row, text=next(texts), heads=None)
        )
        half = len(found) // 2
        self.columns.sources, self.columns.targets = found[:half], found[half:]
        return self.columns


class PackedResults(NamedTuple):
    """Results of a batch: alignments as places in columns, others as they are."""

    columns: list[PackedColumns]
    results: Places


def pack(results: Sequence[Any]) -> PackedResults:
    """Return results for another process."""
    views = [each.viewed() if isinstance(each, Alignment) else None for each in results]
    views = [each if each and isinstance(each[0], AlignmentColumns) else None for each in views]
    places, columns = Places.of(results, views)
    return PackedResults(list(map(_packed, columns)), places)


def _packed(columns: AlignmentColumns) -> PackedColumns:
    sentences = [*columns.sources, *columns.targets]
    views = [each.viewed() if each.heads is None else None for each in sentences]
    places, tables = Places.of(sentences, views)
    bare = replace(columns, sources=(), targets=(), compare=None)
    if (compared := columns.compared()) is not None:
        bare.keep_compared(compared)
    texts = [each.text for each, viewed in zip(sentences, views, strict=True) if viewed]
    return PackedColumns(bare, list(map(SentenceTable.of, tables)), places, texts)


def unpack(message: PackedResults) -> list[Any]:
    """Return the results that were packed."""
    columns = [each.unpack() for each in message.columns]
    return message.results.values(lambda number, row: columns[number].alignment(row))
