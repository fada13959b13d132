"""Results sent from a worker to its parent as columns; the parent reads views of them.

Pickling and unpickling an Alignment takes as long as aligning a pair: it has an object for each
token and link. The columns of a batch are a few arrays, and a word of a batch is sent once.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
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


class ColumnPlace(NamedTuple):
    """Number of a columns object, and index in it."""

    number: int
    row: int


@dataclass(slots=True)
class _Distinct:
    """Columns objects, each once."""

    found: list[Any] = field(default_factory=list)
    numbers: dict[int, int] = field(default_factory=dict)

    def place(self, columns: object, index: int) -> ColumnPlace:
        """Return the place of a value that is a view of columns."""
        number = self.numbers.setdefault(id(columns), len(self.found))
        if number == len(self.found):
            self.found.append(columns)
        return ColumnPlace(number, index)


class PackedColumns(NamedTuple):
    """Columns without their sentences; and these, views as places in tables, with their texts."""

    columns: AlignmentColumns
    tables: list[SentenceTable]
    sentences: list[ColumnPlace | Sentence]
    texts: list[str]

    def unpack(self) -> AlignmentColumns:
        """Return the columns with their sentences."""
        found = [
            Sentence.of(self.tables[each.number], each.row, text=text, heads=None)
            if isinstance(each, ColumnPlace)
            else each
            for each, text in zip(self.sentences, self.texts, strict=True)
        ]
        half = len(found) // 2
        self.columns.sources, self.columns.targets = found[:half], found[half:]
        return self.columns


class PackedResults(NamedTuple):
    """Results of a batch: alignments as places in columns, others as they are."""

    columns: list[PackedColumns]
    results: list[Any]


def pack(results: Sequence[Any]) -> PackedResults:
    """Return results for another process."""
    columns, packed = _Distinct(), []
    for result in results:
        viewed = result.viewed() if isinstance(result, Alignment) else None
        is_view = viewed is not None and isinstance(viewed[0], AlignmentColumns)
        packed.append(columns.place(*viewed) if viewed and is_view else result)
    return PackedResults(list(map(_packed, columns.found)), packed)


def _packed(columns: AlignmentColumns) -> PackedColumns:
    tables, packed = _Distinct(), []
    sentences = [*columns.sources, *columns.targets]
    for sentence in sentences:
        viewed = sentence.viewed()
        is_table = viewed is not None and sentence.heads is None
        packed.append(tables.place(*viewed) if viewed and is_table else sentence)
    bare = replace(columns, sources=(), targets=(), compare=None)
    if (compared := columns.compared()) is not None:
        bare.keep_compared(compared)
    texts = [each.text for each in sentences]
    return PackedColumns(bare, list(map(SentenceTable.of, tables.found)), packed, texts)


def unpack(message: PackedResults) -> list[Any]:
    """Return the results that were packed."""
    columns = [each.unpack() for each in message.columns]
    return [
        columns[each.number].alignment(each.row) if isinstance(each, ColumnPlace) else each
        for each in message.results
    ]
