"""Sentences, column by column, and the types accepted in their place.

Sentences and alignments are views of columns: their fields are made when they are first read.
Limits of length are checked before tokenising and tagging, whose time and memory grow with the
text. Offsets can be in the units by which other languages index strings.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate
from typing import TYPE_CHECKING, Any, Protocol, Self, TypeAlias, overload

from tokalign.errors import InputError, LimitError, ShapeError, quoted
from tokalign.showing.text import one_line
from tokalign.types.constraints import Constraints
from tokalign.types.options import OffsetUnit

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class FieldColumns(Protocol):
    """A batch of values stored column by column; each value is a view of it."""

    def field(self, index: int, name: str) -> Any:
        """Return a field of the value of that index."""


class View:
    """Base of values whose fields may be made when they are first read.

    A view is made by `View.of`; a value made by its constructor has its fields from the start.
    Either way, equality, hash, printing, copying and pickling only use the fields.
    """

    __slots__ = ("_columns", "_index")
    _columns: FieldColumns | None  # None if it was made by its constructor
    _index: int

    @classmethod
    def of(cls, columns: FieldColumns, index: int, **fields: Any) -> Self:
        """Return the value with an index in columns; `fields` are already known ones."""
        view = cls.__new__(cls)
        assign = object.__setattr__  # the values are frozen
        assign(view, "_columns", columns)
        assign(view, "_index", index)
        for name in fields:
            assign(view, name, fields[name])
        return view

    def viewed(self) -> tuple[Any, int] | None:
        """Return the columns that the value is a view of and its index, or None."""
        columns = self._columns
        return None if columns is None else (columns, self._index)

    if not TYPE_CHECKING:  # else every name would be an attribute

        def __getattr__(self, name):
            """Fill a slot that is still empty."""
            if name == "_columns":
                return None  # the fast path: sentences are read several times for each pair
            if name not in self.__dataclass_fields__:
                raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
            value = self._columns.field(self._index, name)
            object.__setattr__(self, name, value)
            return value


class SentenceColumns(FieldColumns, Protocol):
    """Annotated sentences stored column by column, without trees; a `Sentence` may view one."""

    words: "WordColumns"  # tokens, lemmas and tags by their numbers

    def n_tokens(self, index: int) -> int:
        """Return the number of tokens of a sentence."""

    def columns(
        self,
    ) -> "tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.int32], NDArray[np.int32]]":
        """Return offsets, shape (n_sentences + 1,), and each token's start and end in the text and
        the number of its word."""

    def tags(self) -> "NDArray[np.uint8]":
        """Return the tag number of each token."""


class WordColumns(Protocol):
    """Words by number."""

    tokens: list[str]  # by the number of a word, as lemmas
    lemmas: list[str]
    tags: tuple[str, ...]  # by the number of a tag


@dataclass(frozen=True, slots=True, repr=False)
class Sentence(View):
    """A tokenised sentence, or a text of several, column by column.

    It is a sequence of its tokens: ``sentence[0]`` is the first one, ``sentence[:2]`` a tuple of
    two, ``for token in sentence`` iterates over all, and ``"dog" in sentence`` tests for a token.

    Attributes
    ----------
    text : str
        The original text.
    tokens : tuple of str, length n
    starts, ends : tuple of int, length n
        Half-open character (code point) offsets of each token in `text`. If a token was rewritten
        (a Penn quote), ``text[start:end]`` is the original. In an alignment with another
        OffsetUnit, they are in that unit; such a sentence cannot be aligned again.
    tags : tuple of str, length n, or None
        Penn Treebank part-of-speech tags.
    lemmas : tuple of str, length n, or None
    heads : tuple of int, length n, or None
        0-based index of each token's syntactic head, -1 for a root.
    relations : tuple of str, length n, or None
        Dependency relation to the head. Present exactly when `heads` is.
    """

    text: str
    tokens: tuple[str, ...]
    starts: tuple[int, ...]
    ends: tuple[int, ...]
    tags: tuple[str, ...] | None = None
    lemmas: tuple[str, ...] | None = None
    heads: tuple[int, ...] | None = None
    relations: tuple[str, ...] | None = None

    @classmethod
    def from_tokens(
        cls,
        tokens: Sequence[str],
        *,
        text: str | None = None,
        tags: Sequence[str] | None = None,
        lemmas: Sequence[str] | None = None,
        heads: Sequence[int] | None = None,
        relations: Sequence[str] | None = None,
    ) -> Self:
        """Return a checked sentence with given tokens.

        Parameters
        ----------
        tokens : sequence of str
            Non-empty strings.
        text : str, optional
            The text that holds the tokens in order; offsets point into it. By default the
            tokens joined by single spaces.
        tags, lemmas, heads, relations : optional
            One entry per token; see the class.

        ShapeError is raised if a column's length is not the number of tokens; InputError, if a
        token is empty or not found in `text`, or a head is out of range, its own head, or part of a
        cycle; or if only one of heads and relations is given.
        """
        tokens = tuple(tokens)
        n_tokens = len(tokens)
        columns = {"tags": tags, "lemmas": lemmas, "heads": heads, "relations": relations}
        for name, column in columns.items():
            if column is not None and len(column) != n_tokens:
                raise ShapeError(
                    f"{len(column)} {name} for {n_tokens} tokens; give one per token", field=name
                )
        if (heads is None) != (relations is None):
            raise InputError(
                "heads and relations come together; one of them is missing",
                field="relations" if relations is None else "heads",
            )
        if heads is not None:
            _check_tree(heads)
        text, starts, ends = _locate(tokens, text)
        given: dict[str, Any] = {
            name: None if column is None else tuple(column) for name, column in columns.items()
        }
        return cls(text, tokens, starts, ends, **given)

    def __repr__(self) -> str:
        return f"<Sentence {one_line(self.text)!r}: {len(self)} tokens>"

    def __str__(self) -> str:
        return self.text

    if TYPE_CHECKING:

        def viewed(self) -> tuple[SentenceColumns, int] | None: ...

    def __len__(self) -> int:
        columns: Any = self._columns
        return len(self.tokens) if columns is None else int(columns.n_tokens(self._index))

    @overload
    def __getitem__(self, index: int) -> str: ...

    @overload
    def __getitem__(self, index: slice) -> tuple[str, ...]: ...

    def __getitem__(self, index: int | slice) -> str | tuple[str, ...]:
        return self.tokens[index]

    def __iter__(self) -> Iterator[str]:
        return iter(self.tokens)

    def first(self, n_tokens: int) -> Self:
        """Return the sentence with only its first tokens, or itself if it has no more.

        All of the text is kept. A token whose head is cut off becomes a root.
        """
        if len(self) <= n_tokens:
            return self
        names = ("tokens", "starts", "ends", "tags", "lemmas", "relations")
        columns = {name: getattr(self, name) for name in names}
        cut = {name: column and column[:n_tokens] for name, column in columns.items()}
        heads = self.heads and tuple(h if h < n_tokens else -1 for h in self.heads[:n_tokens])
        return replace(self, heads=heads, **cut)

    def replace(self, **columns: object) -> Self:
        """Return a copy with some columns replaced (not checked again)."""
        return replace(self, **columns)  # type: ignore[arg-type]


SentenceLike: TypeAlias = str | Sequence[str] | Sentence
"""Raw text, a sequence of tokens, or a sentence with some columns filled."""

Pair: TypeAlias = tuple[SentenceLike, SentenceLike, *tuple[Constraints, ...]]
"""Source and target, and at most one Constraints."""

PairLike: TypeAlias = Pair | Mapping[str, Any]
"""A pair, or a mapping with its sentences by name; see tokalign.types.inputs.SIDE_NAMES."""

AnnotatedPair: TypeAlias = tuple[Sentence, Sentence, *tuple[Constraints, ...]]
"""The same with both sides annotated."""


def _locate(
    tokens: tuple[str, ...], text: str | None
) -> tuple[str, tuple[int, ...], tuple[int, ...]]:
    starts, ends, position = [], [], 0
    if text is None:
        text = " ".join(tokens)
    for index, token in enumerate(tokens):
        if not token:
            raise InputError(f"token {index} is empty", field="tokens")
        start = text.find(token, position)
        if start < 0:
            raise InputError(
                f"token {index} {quoted(token)} does not occur in the text after offset {position}",
                field="tokens",
            )
        position = start + len(token)
        starts.append(start)
        ends.append(position)
    return text, tuple(starts), tuple(ends)


def _check_tree(heads: Sequence[int]) -> None:
    n_tokens = len(heads)
    for index, head in enumerate(heads):
        if not -1 <= head < n_tokens or head == index:
            raise InputError(
                f"token {index} has head {head}; wanted another token of 0..{n_tokens - 1} or -1",
                field="heads",
            )
    reaches_root = [head == -1 for head in heads]
    for index in range(n_tokens):
        path: list[int] = []
        node = index
        while not reaches_root[node] and len(path) <= n_tokens:
            path.append(node)
            node = heads[node]
        if not reaches_root[node]:
            raise InputError(f"token {index} is part of a cycle of heads", field="heads")
        for visited in path:
            reaches_root[visited] = True


_WIDTHS: dict[OffsetUnit, Callable[[str], int]] = {
    OffsetUnit.UTF8_BYTES: lambda c: 1 + (c > "\x7f") + (c > "\u07ff") + (c > "\uffff"),
    OffsetUnit.UTF16_UNITS: lambda c: 1 + (c > "\uffff"),
}


def positions(text: str, unit: OffsetUnit) -> range | list[int]:
    """Return the offset of each code point of a text, and of the text's end, in a unit.

    Examples
    --------
    >>> positions("a\u00e9\N{DOG}", OffsetUnit.UTF8_BYTES)
    [0, 1, 3, 7]
    >>> positions("a\u00e9\N{DOG}", OffsetUnit.UTF16_UNITS)
    [0, 1, 2, 4]
    """
    if unit is OffsetUnit.CODE_POINTS or text.isascii():
        return range(len(text) + 1)
    return list(accumulate(map(_WIDTHS[unit], text), initial=0))


def place(text: str, at: int, unit: OffsetUnit) -> int:
    """Return the offset of a code point of a text, in a unit; see `positions`."""
    if unit is OffsetUnit.CODE_POINTS or text.isascii():
        return at
    before = text[:at]
    if unit is OffsetUnit.UTF8_BYTES:
        return len(before.encode(errors="surrogatepass"))
    return len(before.encode("utf-16-le", errors="surrogatepass")) // 2


def in_unit(sentence: Sentence, unit: OffsetUnit) -> Sentence:
    """Return a sentence with offsets converted from code points to a unit."""
    if unit is OffsetUnit.CODE_POINTS or sentence.text.isascii():
        return sentence
    at = positions(sentence.text, unit)
    return sentence.replace(
        starts=tuple([at[start] for start in sentence.starts]),
        ends=tuple([at[end] for end in sentence.ends]),
    )


def places(text: str, offsets: Iterable[int], unit: OffsetUnit) -> Iterator[int]:
    """Yield rising offsets in code points of a text in a unit, reading each code point once."""
    before = start = 0
    for offset in offsets:
        before += place(text[start:offset], offset - start, unit)
        start = offset
        yield before


MAX_TOKENS = 512
MAX_CHARACTERS = 100_000
"""Code points of a text, or of all given tokens in total."""

MAX_TEXT_SENTENCES = 20_000
"""Most sentences of a text in sentence alignment and grounding."""


def require_short(sentence: SentenceLike) -> None:
    """Raise LimitError if a sentence is too long, as far as is known before tokenising."""
    if not isinstance(sentence, str):
        if isinstance(sentence, Sentence) and sentence.viewed() is not None:
            return  # of annotated sentences
        require_few_tokens(len(sentence))
    n_characters = _n_characters(sentence)
    if n_characters > MAX_CHARACTERS:
        raise LimitError(
            f"a sentence has {n_characters} characters, more than {MAX_CHARACTERS}; split it, or "
            "ask for truncate"
        )


def require_few_tokens(n_tokens: int) -> None:
    """Raise LimitError if a sentence has too many tokens."""
    if n_tokens > MAX_TOKENS:
        raise LimitError(
            f"a sentence has {n_tokens} tokens, more than {MAX_TOKENS}; split it, or ask for "
            "truncate"
        )


def shortened(sentence: SentenceLike) -> SentenceLike:
    """Return the beginning of a sentence within both limits, as far as that is known.

    Text is cut before a word that does not fit, unless it is the first. A first token that does not
    fit stays, to be refused.
    """
    if isinstance(sentence, str):
        if len(sentence) <= MAX_CHARACTERS:
            return sentence
        start = sentence[: MAX_CHARACTERS + 1]
        words = start.split()
        is_cut_word = len(words) > 1 and not start[-1].isspace()
        return start[: -len(words[-1])] if is_cut_word else start[:MAX_CHARACTERS]
    if len(sentence) <= MAX_TOKENS and _n_characters(sentence) <= MAX_CHARACTERS:
        return sentence
    if not isinstance(sentence, Sentence):
        sentence = Sentence.from_tokens(sentence)
    return sentence.first(_n_fitting(sentence.tokens[:MAX_TOKENS]))


def is_cut(sentence: Sentence) -> bool:
    """Whether a sentence has the limit's length and its text continues after its tokens."""
    is_full = len(sentence) == MAX_TOKENS or len(sentence.text) > MAX_CHARACTERS
    return is_full and bool(sentence.text[sentence.ends[-1] :].strip())


def _n_characters(sentence: SentenceLike) -> int:
    if isinstance(sentence, str):
        return len(sentence)
    return sum(map(len, sentence.tokens if isinstance(sentence, Sentence) else sentence))


def _n_fitting(tokens: Sequence[str]) -> int:
    """Return the number of first tokens within the limit of characters, at least one."""
    left = MAX_CHARACTERS
    for number, token in enumerate(tokens):
        left -= len(token)
        if left < 0:
            return max(number, 1)
    return len(tokens)
