"""Results sent from a worker to its parent as columns; the parent reads views of them.

Pickling and unpickling an Alignment takes as long as aligning a pair: it has an object for each
token and link. The columns of a batch are a few arrays. A word is sent once; later batches send its
number. Sentences stay pickled until one of them is asked for, since all workers wait for the
parent.
"""

from __future__ import annotations

import pickle
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from tokalign.types import Alignment, Sentence
from tokalign.types.columns import AlignmentColumns, EncoderFigures
from tokalign.types.sentence import SentenceColumns, WordColumns

PROTOCOL = 5
"""Pickle protocol, which copies arrays as they are."""

ColumnPlace: TypeAlias = tuple[int, int]
"""Number of the columns object, and index in it."""


@dataclass(slots=True)
class WordTable:
    """Words by number; see WordColumns. New words are appended."""

    tokens: list[str]
    lemmas: list[str]
    tags: tuple[str, ...]


class SentenceArrays(NamedTuple):
    """Sentences without trees.

    Sentence k has the tokens from ``offsets[k]`` to before ``offsets[k + 1]``; each has its place
    in the text, the number of its word and that of its tag.
    """

    offsets: NDArray[np.int64]
    starts: NDArray[np.int32]
    ends: NDArray[np.int32]
    numbers: NDArray[np.int32]
    tag_numbers: NDArray[np.uint8]


class SentenceTable:
    """Sentences by their arrays and words; see SentenceColumns."""

    __slots__ = ("arrays", "words")

    def __init__(self, arrays: SentenceArrays, words: WordTable) -> None:
        self.arrays = arrays
        self.words = words

    def n_tokens(self, index: int) -> int:
        """Return the number of tokens of a sentence."""
        return int(self.arrays.offsets[index + 1] - self.arrays.offsets[index])

    def columns(
        self,
    ) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.int32], NDArray[np.int32]]:
        """Return offsets, starts, ends and numbers."""
        return self.arrays[:4]

    def tags(self) -> NDArray[np.uint8]:
        """Return the tag number of each token."""
        return self.arrays.tag_numbers

    def field(self, index: int, name: str) -> Any:
        """Return a field of a sentence."""
        arrays, words = self.arrays, self.words
        span = slice(arrays.offsets[index], arrays.offsets[index + 1])
        if name in ("heads", "relations"):
            return None
        if name in ("starts", "ends"):
            return tuple(getattr(arrays, name)[span].tolist())
        if name == "tags":
            return tuple([words.tags[k] for k in arrays.tag_numbers[span].tolist()])
        strings = words.tokens if name == "tokens" else words.lemmas
        return tuple([strings[k] for k in arrays.numbers[span].tolist()])


class NewWords(NamedTuple):
    """Words that the receiver does not have yet."""

    number: int  # of the words that they belong to
    n_known: int
    tokens: list[str]
    lemmas: list[str]
    tags: tuple[str, ...]


class PackedColumns(NamedTuple):
    """The columns of alignments without their sentences, and these as PackedSentences."""

    columns: AlignmentColumns
    sentences: bytes
    compared: EncoderFigures | None


class PackedSentences(NamedTuple):
    """Sentences of both sides of pairs: views as their places, other sentences as they are."""

    tables: list[tuple[int, SentenceArrays]]  # with the number of its words
    places: list[ColumnPlace | Sentence]
    texts: list[str]

    def views(self, words: dict[int, WordTable]) -> list[Sentence]:
        """Return the sentences, of tables as views."""
        tables = [SentenceTable(arrays, words[number]) for number, arrays in self.tables]
        return [
            place
            if isinstance(place, Sentence)
            else Sentence.of(tables[place[0]], place[1], text=text, heads=None)
            for place, text in zip(self.places, self.texts, strict=True)
        ]


class PackedResults(NamedTuple):
    """Results of a batch, for the Receiver of those that one Sender sends: the new words of
    their sentences, the columns, the place there of each alignment (None of another), and the
    others."""

    words: list[NewWords]
    columns: list[PackedColumns]
    places: list[ColumnPlace | None]
    others: list[Any]


@dataclass(slots=True)
class _Sent:
    """A table of words; the first `n` of them are sent."""

    number: int
    words: WordColumns
    n: int = 0


@dataclass(slots=True)
class Sender:
    """Makes messages of results; the receiver must have got all earlier ones."""

    _sent: dict[int, _Sent] = field(default_factory=dict)  # by the words' id()
    _n_words: int = 0

    def __call__(self, results: Sequence[Any]) -> PackedResults:
        """Return the message of a batch; results without columns are pickled as they are."""
        columns, places, others = _sorted(results)
        used: dict[int, _Sent] = {}
        packed = [self._packed(each, used) for each in columns]
        self._sent = used  # the receiver forgets the others as well
        return PackedResults(list(map(_new_words, used.values())), packed, places, others)

    def _packed(self, columns: AlignmentColumns, used: dict[int, _Sent]) -> PackedColumns:
        tables: list[tuple[int, SentenceArrays]] = []
        numbers: dict[int, int] = {}
        places: list[ColumnPlace | Sentence] = []
        sentences = [*columns.sources, *columns.targets]
        for sentence in sentences:
            viewed = sentence.viewed()
            if viewed is None or sentence.heads is not None:
                places.append(sentence)
                continue
            number = numbers.get(id(viewed[0]))
            if number is None:
                number = numbers[id(viewed[0])] = len(tables)
                tables.append(self._table(viewed[0], used))
            places.append((number, viewed[1]))
        packed = PackedSentences(tables, places, [each.text for each in sentences])
        bare = replace(columns, sources=(), targets=(), compare=None)
        return PackedColumns(bare, pickle.dumps(packed, PROTOCOL), columns.compared())

    def _table(
        self, columns: SentenceColumns, used: dict[int, _Sent]
    ) -> tuple[int, SentenceArrays]:
        words = columns.words
        if id(words) not in used:
            if id(words) not in self._sent:
                self._sent[id(words)] = _Sent(self._n_words, words)
                self._n_words += 1
            used[id(words)] = self._sent[id(words)]
        return used[id(words)].number, SentenceArrays(*columns.columns(), columns.tags())


def _new_words(sent: _Sent) -> NewWords:
    n_known, sent.n = sent.n, len(sent.words.tokens)
    new = slice(n_known, sent.n)
    words = sent.words
    return NewWords(sent.number, n_known, words.tokens[new], words.lemmas[new], words.tags)


def _sorted(
    results: Sequence[Any],
) -> tuple[list[AlignmentColumns], list[ColumnPlace | None], list[Any]]:
    """Return the columns of results, the place of each there, and the others."""
    columns: list[AlignmentColumns] = []
    numbers: dict[int, int] = {}
    places: list[ColumnPlace | None] = []
    others: list[Any] = []
    for result in results:
        viewed = result.viewed() if isinstance(result, Alignment) else None
        if viewed is None or not isinstance(viewed[0], AlignmentColumns):
            places.append(None)
            others.append(result)
            continue
        number = numbers.get(id(viewed[0]))
        if number is None:
            number = numbers[id(viewed[0])] = len(columns)
            columns.append(viewed[0])
        places.append((number, viewed[1]))
    return columns, places, others


class Receiver:
    """Makes results of the messages of one Sender, which come in order."""

    def __init__(self) -> None:
        self._words: dict[int, WordTable] = {}

    def __call__(self, message: PackedResults) -> list[Any]:
        """Return the results of a batch."""
        self._words = {each.number: self._with(each) for each in message.words}
        columns = [_restored(each, self._words) for each in message.columns]
        rest = iter(message.others)
        return [
            next(rest) if place is None else columns[place[0]].alignment(place[1])
            for place in message.places
        ]

    def _with(self, new: NewWords) -> WordTable:
        words = self._words[new.number] if new.n_known else WordTable([], [], new.tags)
        words.tokens += new.tokens
        words.lemmas += new.lemmas
        return words


def _restored(packed: PackedColumns, words: dict[int, WordTable]) -> AlignmentColumns:
    """Return columns with their sentences and with the encoder's results."""
    columns, unread = packed.columns, _Unread(packed.sentences, words)
    columns.sources, columns.targets = (_Side(unread, side, len(columns)) for side in (0, 1))
    if packed.compared is not None:
        columns.keep_compared(packed.compared)
    return columns


class _Unread:
    """Pickled sentences of both sides of pairs, unpickled when one of them is asked for."""

    def __init__(self, data: bytes, words: dict[int, WordTable]) -> None:
        self._data: tuple[bytes, dict[int, WordTable]] | None = (data, words)
        self._sides: tuple[list[Sentence], list[Sentence]] | None = None

    def sides(self) -> tuple[list[Sentence], list[Sentence]]:
        """Return the sentences; of threads that ask at once, each may make its own."""
        if (unread := self._data) is not None:
            packed: PackedSentences = pickle.loads(unread[0])
            views = packed.views(unread[1])
            half = len(views) // 2
            self._sides = views[:half], views[half:]
            self._data = None  # behind the line above, for the sake of other threads
        assert self._sides is not None
        return self._sides


class _Side(Sequence[Sentence]):
    """The sentences of one side of pairs."""

    def __init__(self, unread: _Unread, side: int, n: int) -> None:
        self._unread, self._side, self._n = unread, side, n

    def __len__(self) -> int:
        return self._n

    def __getitem__(self, index: Any) -> Any:
        return self._unread.sides()[self._side][index]
