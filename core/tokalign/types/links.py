"""Links, their words, phrase links, and pairs aligned by hand."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Self, TypeAlias

from tokalign.errors import InputError
from tokalign.types.relations import Relation
from tokalign.types.sentence import FieldColumns, Sentence

if TYPE_CHECKING:
    import numpy as np
    from nltk.translate import AlignedSent
    from numpy.typing import NDArray


class Sides:
    """The two sentences of an alignment, read from its columns when a link's word is first read."""

    __slots__ = ("_columns", "_index", "_sentences")
    _columns: FieldColumns  # None, like the index, if sentences were given
    _index: int

    def __init__(self, source: Sentence, target: Sentence) -> None:
        self._sentences: tuple[Sentence, Sentence] | None = (source, target)

    @classmethod
    def of(cls, columns: FieldColumns, index: int) -> Self:
        """Return the sentences of a pair in columns."""
        sides = cls.__new__(cls)
        sides._columns, sides._index, sides._sentences = columns, index, None
        return sides

    def __reduce__(self) -> tuple[Any, ...]:
        return Sides, self._both()

    def _both(self) -> tuple[Sentence, Sentence]:
        if self._sentences is None:
            field = self._columns.field
            self._sentences = field(self._index, "source"), field(self._index, "target")
        return self._sentences

    def has_words(self) -> bool:
        """Return whether the answer includes its sentences."""
        return len(self._both()[0]) > 0

    def both(self) -> tuple[Sentence, Sentence]:
        """Return source and target, or raise InputError if the answer lacks them."""
        source, target = self._both()
        if not len(source):
            raise _without_words()
        return source, target

    def placed(self, links: Iterable[Link]) -> tuple[Link, ...]:
        """Return links without an alignment as links of these sentences."""
        found = tuple(links)
        for link in found:
            object.__setattr__(link, "_sides", self)
        return found


def _without_words() -> InputError:
    return InputError(
        "the link knows no words: it is of no alignment, or the sentences were left out of the "
        "answer",
        field="links",
    )


class _OfSides:
    """Base of links. Sentences are not a field, so links are compared and printed without them."""

    __slots__ = ("_sides",)
    _sides: Sides | None

    if not TYPE_CHECKING:

        def __getattr__(self, name):
            """Return None for the sentences of a link without an alignment."""
            if name == "_sides":
                return None
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")


@dataclass(frozen=True, slots=True, order=True, repr=False)
class Link(_OfSides):
    """One aligned token pair. A link of an alignment also has its words.

    Attributes
    ----------
    source, target : int
        0-based token indices.
    confidence : float
        In [0, 1]. A model's confidence is the probability of the link: the posterior, calibrated if
        the model has styles. docs/results.md explains those of published systems.
    relation : Relation or None
        Relation of the two words, if asked for; links that share tokens have one relation for all
        their words. Links are compared without it.
    source_text, target_text : str
        The tokens.
    source_span, target_span : (int, int)
        Half-open ranges of the tokens in the texts; see Sentence.
    """

    source: int
    target: int
    confidence: float = 1.0
    relation: Relation | None = field(default=None, compare=False)

    @property
    def source_text(self) -> str:
        """The token of the source."""
        return self._both()[0].tokens[self.source]

    @property
    def target_text(self) -> str:
        """The token of the target."""
        return self._both()[1].tokens[self.target]

    @property
    def source_span(self) -> tuple[int, int]:
        """Range of the source token in its text."""
        sentence = self._both()[0]
        return sentence.starts[self.source], sentence.ends[self.source]

    @property
    def target_span(self) -> tuple[int, int]:
        """Range of the target token in its text."""
        sentence = self._both()[1]
        return sentence.starts[self.target], sentence.ends[self.target]

    def __repr__(self) -> str:
        words = ""
        if self._sides is not None and self._sides.has_words():
            words = f"{self.source_text!r} = {self.target_text!r} "
        relation = ""
        if self.relation is not None:
            relation = f", {self.relation.known_kind() or 'unknown kind'}"
        return f"<Link {self.source}-{self.target} {words}({self.confidence:.2f}){relation}>"

    def _both(self) -> tuple[Sentence, Sentence]:
        if self._sides is None:
            raise _without_words()
        return self._sides.both()

    def alone(self) -> Link:
        """Return the link without its alignment."""
        return Link(self.source, self.target, self.confidence, self.relation)

    def __reduce__(self) -> tuple[Any, ...]:
        return _link, (self.source, self.target, self.confidence, self.relation, self._sides)


LinkTuple: TypeAlias = tuple[int, int, float]
"""Source, target and confidence: a cheap link, for many."""


def _link(
    source: int, target: int, confidence: float, relation: Relation | None, sides: Sides | None
) -> Link:
    """Return a link that was pickled."""
    link = Link(source, target, confidence, relation)
    object.__setattr__(link, "_sides", sides)
    return link


@dataclass(frozen=True, slots=True)
class AlignedWord:
    """A token of one side of an alignment.

    Attributes
    ----------
    index : int
        0-based, among the tokens of its side.
    text : str
        The token.
    start, end : int
        Half-open range in the text of its side; see Sentence.
    links : tuple of Link
        Its links, ordered by the other side's token.
    unlinked : float or None
        Probability that it has no partner, in [0, 1], taking its possible links as independent
        events with their posteriors. None unless posteriors were asked for.
    """

    index: int
    text: str
    start: int
    end: int
    links: tuple[Link, ...]
    unlinked: float | None


def words_of(
    sentence: Sentence, links: Iterable[Link], side: str, posteriors: NDArray[np.float32] | None
) -> tuple[AlignedWord, ...]:
    """Return the words of one side, with their links and posteriors, shape (n_tokens, n_others)."""
    own: dict[int, list[Link]] = {}
    for link in links:
        own.setdefault(getattr(link, side), []).append(link)
    unlinked: list[float] | list[None] = [None] * len(sentence)
    if posteriors is not None:
        unlinked = (1.0 - posteriors.astype(float)).prod(axis=1).tolist()
    columns = zip(sentence.tokens, sentence.starts, sentence.ends, unlinked, strict=True)
    return tuple(
        AlignedWord(index, token, start, end, tuple(own.get(index, ())), chance)
        for index, (token, start, end, chance) in enumerate(columns)
    )


Links: TypeAlias = frozenset[tuple[int, int]]
"""Links of one pair as 0-based (source, target)."""


def reads_target_first(source: Sentence, target: Sentence) -> bool:
    """Return whether a model reads the target before the source: the longer sentence is read first,
    and of two of one length the one whose words sort first."""
    n_source, n_target = len(source), len(target)
    return n_source < n_target or (n_source == n_target and source.tokens > target.tokens)


@dataclass(frozen=True, slots=True)
class GoldPair:
    """A pair aligned by hand.

    Attributes
    ----------
    id : str
    source, target : Sentence
    sure, possible : frozenset of (int, int)
        Links as (source, target). `possible` holds only the links that are not sure.
    """

    id: str
    source: Sentence
    target: Sentence
    sure: Links
    possible: Links = frozenset()

    @classmethod
    def from_nltk(cls, aligned: AlignedSent, *, id: str = "") -> Self:
        """Return an aligned sentence of NLTK, all of its links sure.

        Parameters
        ----------
        aligned : nltk.translate.AlignedSent
            From a corpus of NLTK, or from `Alignment.to_nltk`. `words` become the source, `mots`
            the target. Words linked to None have no link.
        id : str
            Name of the pair.

        InputError is raised if a word is empty.

        Examples
        --------
        >>> from nltk.translate import AlignedSent, Alignment
        >>> links = Alignment.fromstring("0-1 1-2")
        >>> aligned = AlignedSent(["Dogs", "bark"], ["A", "dog", "barks"], links)
        >>> sorted(GoldPair.from_nltk(aligned).sure)
        [(0, 1), (1, 2)]
        """
        sides = Sentence.from_tokens(aligned.words), Sentence.from_tokens(aligned.mots)
        links = ((link[0], link[1]) for link in aligned.alignment)
        return cls(id, *sides, frozenset((i, j) for i, j in links if j is not None))

    def in_reading_order(self) -> GoldPair:
        """Return the pair with the sentence that a model reads first as its source."""
        return self.turned() if reads_target_first(self.source, self.target) else self

    def turned(self) -> GoldPair:
        """Return the pair with its sides exchanged."""
        sure, possible = (frozenset((j, i) for i, j in each) for each in (self.sure, self.possible))
        return GoldPair(self.id, self.target, self.source, sure, possible)


@dataclass(frozen=True, slots=True, order=True)
class Phrase:
    """One maximal block of an alignment, possibly a single link.

    A block is a run of source tokens and a run of target tokens, in which every token is linked
    with every token of the other side. It is maximal if no other block contains it. Annotators mark
    phrases so ("shut down" with "closed"): Yao, Van Durme, Callison-Burch and Clark (2013), EMNLP:
    Semi-Markov Phrase-Based Monolingual Alignment, section 2. A model gives a block a probability
    of its own: if one word is linked with two, the direction that labels the one word divides its
    probability between two links, but the block keeps all of it.

    Attributes
    ----------
    source_start, source_end : int
        Half-open range of source tokens.
    target_start, target_end : int
        Half-open range of target tokens.
    confidence : float
        In [0, 1]. For a model, the probability that both sides are linked only within the block,
        calibrated like links; a single link keeps its own. For a published system, the least
        confidence of the block's links.
    relation : Relation or None
        Relation of both sides, if asked for. Phrases are compared without it.
    """

    source_start: int
    source_end: int
    target_start: int
    target_end: int
    confidence: float = 1.0
    relation: Relation | None = field(default=None, compare=False)

    def turned(self) -> Phrase:
        """Return the phrase with source and target exchanged."""
        return Phrase(
            self.target_start,
            self.target_end,
            self.source_start,
            self.source_end,
            self.confidence,
            self.relation and self.relation.turned(),
        )
