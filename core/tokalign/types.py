"""Plain values that everything else passes around.

Indices are 0-based token positions and always ordered (source, target). In question answering
and entailment data the source is the passage or premise, the target the question or hypothesis.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Protocol, Self, TypeAlias

from tokalign.constraints import Constraints
from tokalign.edits import Edit, phrase_edits
from tokalign.errors import InputError, ShapeError, quoted
from tokalign.options import Direction, RankBy, Symmetrization
from tokalign.phrases import Phrase

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class Columns(Protocol):
    """A batch of values kept column by column, of which each value is a view."""

    def field(self, index: int, name: str) -> Any:
        """Return a field of the value of that index."""


class View:
    """Base of values whose fields may be made when they are first asked for.

    A view is made by `View.of`; a value made by its constructor has its fields from the start.
    Either way they are equal, hashed, printed, copied and pickled by their fields alone.
    """

    __slots__ = ("_columns", "_index")
    _columns: Columns | None  # None where it was made by its constructor
    _index: int

    @classmethod
    def of(cls, columns: Columns, index: int, **fields: Any) -> Self:
        """Return the value of an index of columns, of which some fields are there already."""
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
                return None  # a cheap answer: sentences are asked several times for each pair
            if name not in self.__dataclass_fields__:
                raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
            value = self._columns.field(self._index, name)
            object.__setattr__(self, name, value)
            return value


@dataclass(frozen=True, slots=True)
class Sentence(View):
    """A tokenised sentence, column by column.

    Attributes
    ----------
    text : str
        The original text.
    tokens : tuple of str, length n
    starts, ends : tuple of int, length n
        Half-open character (code point) offsets of each token in `text`. Where a token was
        rewritten (a Penn quote), ``text[start:end]`` is what stood in the text. In an alignment
        that was asked for in another OffsetUnit, of that unit; such a sentence is not for
        aligning again.
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

        Raises
        ------
        ShapeError
            If a column's length is not the number of tokens.
        InputError
            If a token is empty or not found in `text`, or a head is out of range, its own
            head, or part of a cycle; or if only one of heads and relations is given.
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
        return cls(
            text=text,
            tokens=tokens,
            starts=starts,
            ends=ends,
            tags=None if tags is None else tuple(tags),
            lemmas=None if lemmas is None else tuple(lemmas),
            heads=None if heads is None else tuple(heads),
            relations=None if relations is None else tuple(relations),
        )

    def __len__(self) -> int:
        viewed = self.viewed()
        return len(self.tokens) if viewed is None else viewed[0].n_tokens(viewed[1])

    def first(self, n_tokens: int) -> Self:
        """Return the sentence with its first so many tokens, or itself if it has no more.

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


@dataclass(frozen=True, slots=True, order=True)
class Link:
    """One aligned token pair.

    Attributes
    ----------
    source, target : int
        0-based token indices.
    confidence : float
        In [0, 1]. Of a model, the probability of the link: the posterior, calibrated where the
        model has styles. Of a system of the literature, what docs/systems.md says of it.
    """

    source: int
    target: int
    confidence: float = 1.0


@dataclass(frozen=True, slots=True)
class FeatureContribution:
    """One feature of an explained link, or piece of evidence; value * weight adds to the score."""

    name: str
    value: float
    weight: float


@dataclass(frozen=True, slots=True)
class LinkExplanation:
    """Why one token got its label in one direction, or which rule of a system linked two tokens.

    A system's explanation has one feature, named after the rule: 1 times the link's confidence,
    which is the score. Its direction is ``s2t``, its runner-up -1 and its margin 0.

    Attributes
    ----------
    source, target : int
        The explained link; the labelled side may be -1 on the other side for NULL.
    direction : Direction
        Which side was labelled.
    score : float
        Emission score of the label: the sum of value * weight over `features`.
    features : tuple of FeatureContribution
        Ordered by falling absolute contribution.
    runner_up : int
        Best other label of the same token by posterior; -1 for NULL.
    margin : float
        Log posterior of the label minus that of the runner-up, in nats.
    """

    source: int
    target: int
    direction: Direction
    score: float
    features: tuple[FeatureContribution, ...]
    runner_up: int
    margin: float


@dataclass(frozen=True, slots=True)
class Alignment(View):
    """The answer for one pair.

    Attributes
    ----------
    source, target : Sentence
        With the columns the annotator filled.
    links : tuple of Link
        Sorted by (source, target).
    score : float
        Expected share of the target's tokens that have a partner, in [0, 1]; content words
        count fully, function words and punctuation little. Both directions must support a link,
        whichever is asked for (tokalign.decoding.score.sentence_score).
    similarity : float
        How much both sentences say the same, in [0, 1]: expected share of tokens that have a
        partner, weighed by how rare they are, of the side that has less of them
        (tokalign.decoding.similarity).
    model, version : str
        Name and version of the model, or system, that decided.
    symmetrization : Symmetrization
    posteriors : float32 array, shape (n_source, n_target), or None
        Probability of every link, in [0, 1], where asked for.
    explanations : tuple of LinkExplanation
        Empty unless asked for.
    phrases : tuple of Phrase
        The maximal blocks of links by where they start, each link in at least one; see
        tokalign.phrases. Empty unless asked for.
    source_truncated, target_truncated : bool
        Whether the sentence's end was cut off, as AlignOptions.truncate asks.
    distance : float or None
        Of the two sentences, at least 0, where the system that decided measures one.
    """

    source: Sentence
    target: Sentence
    links: tuple[Link, ...]
    score: float
    similarity: float
    model: str
    version: str
    symmetrization: Symmetrization
    posteriors: NDArray[np.float32] | None = None
    explanations: tuple[LinkExplanation, ...] = ()
    phrases: tuple[Phrase, ...] = ()
    source_truncated: bool = False
    target_truncated: bool = False
    distance: float | None = None

    def to_pharaoh(self) -> str:
        """Return the links as ``"0-0 1-2"``, ordered by source, then target."""
        return " ".join(f"{link.source}-{link.target}" for link in self.links)

    def edits(self) -> tuple[Edit, ...]:
        """Return the alignment as phrase edits; see tokalign.edits.

        Words are equal by lemma where both sentences have lemmas, else by token.
        """
        links = [(link.source, link.target) for link in self.links]
        return edits_between(self.source, self.target, links)


def edits_between(
    source: Sentence, target: Sentence, links: Iterable[tuple[int, int]]
) -> tuple[Edit, ...]:
    """Return links of two sentences as phrase edits; see Alignment.edits."""
    if source.lemmas is not None and target.lemmas is not None:
        return phrase_edits(source.lemmas, target.lemmas, links)
    return phrase_edits(source.tokens, target.tokens, links)


@dataclass(frozen=True, slots=True)
class Judgement:
    """What a candidate of a ranking got, and why.

    Attributes
    ----------
    by : RankBy
        What the score is; never ``auto``.
    score : float
        In [0, 1]. By ``answer``, the probability that the candidate answers where as many
        candidates do as do not: sigmoid of the sum of value * weight over all evidence.
    evidence : tuple of FeatureContribution
        Fields of tokalign.questions.Evidence and a bias, by falling absolute contribution; empty
        unless asked for, and where `by` is not ``answer``.
    """

    by: RankBy
    score: float
    evidence: tuple[FeatureContribution, ...] = ()


@dataclass(frozen=True, slots=True)
class PassageSentence:
    """Which sentence of a passage was ranked.

    Attributes
    ----------
    index : int
        0-based position of the sentence in the passage.
    n_sentences : int
        Number of sentences that the passage was split into.
    start, end : int
        Half-open range of the passage's text that the sentence is. A token's place in the passage
        is `start` plus its place in the sentence.
    passage_truncated : bool
        Whether sentences at the passage's end were not looked at, as AlignOptions.truncate asks of
        a server.
    """

    index: int
    n_sentences: int
    start: int
    end: int
    passage_truncated: bool = False


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
    sure: frozenset[tuple[int, int]]
    possible: frozenset[tuple[int, int]] = frozenset()


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
