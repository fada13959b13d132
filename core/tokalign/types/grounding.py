"""Evidence for an answer in source passages, and checks of passages."""

import enum
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, TypeAlias

from tokalign.errors import InputError, ServerError, quoted
from tokalign.showing.text import one_line
from tokalign.types.display import Shown, plain
from tokalign.types.fields import FeatureContribution
from tokalign.types.inputs import Frame, can_iterate, cells_of, text_bytes
from tokalign.types.relations import ConflictKind


class WordKind(enum.StrEnum):
    """Kinds of words of an answer.

    ``value``: numbers, money, dates, times. ``name``: parts of proper names. ``content``: other
    nouns, verbs, adjectives and adverbs. ``function``: all other words, pronouns too. ``mark``:
    punctuation. Only values, names and content words can be unsupported.
    """

    VALUE = "value"
    NAME = "name"
    CONTENT = "content"
    FUNCTION = "function"
    MARK = "mark"


@dataclass(frozen=True, slots=True)
class SourcePassage:
    """A text that may support an answer.

    Attributes
    ----------
    id : str
        The caller's id, unique among passages; citations name it.
    text : str
        Of any number of sentences.
    """

    id: str
    text: str


@dataclass(frozen=True, slots=True)
class CitationLink:
    """A link between a word of the answer and a word of the cited sentence.

    Attributes
    ----------
    word : int
        0-based position among the words of the answer's sentence.
    start, end : int
        Half-open range of the partner in the passage's text.
    confidence : float
        Of the link, in [0, 1].
    """

    word: int
    start: int
    end: int
    confidence: float


@dataclass(frozen=True, slots=True)
class Citation:
    """A sentence of a passage that supports a sentence of the answer.

    Attributes
    ----------
    passage : str
        Id of the passage.
    start, end : int
        Half-open range of the sentence in the passage's text.
    cover : float
        Share of the answer's sentence that it supports, in [0, 1], with words weighted by rarity.
        It does not depend on the other citations.
    links : tuple of CitationLink
        Ordered by word.
    says_also : bool
        Whether it adds nothing to the citations before it: they support what it supports, too.
    """

    passage: str
    start: int
    end: int
    cover: float
    links: tuple[CitationLink, ...] = ()
    says_also: bool = False


@dataclass(frozen=True, slots=True)
class GroundedWord:
    """A word of the answer.

    Attributes
    ----------
    start, end : int
        Half-open range of the answer.
    kind : WordKind
    support : float
        Probability that the passages support it, in [0, 1], calibrated on claims of Wikipedia
        (docs/grounding.md). Evidence, not a verdict on truth.
    citation : int or None
        0-based position of its best citation among the sentence's; None if no citation has a
        partner of the word.
    partners : tuple of (int, int)
        Half-open ranges of its linked words in that citation's passage.
    evidence : tuple of FeatureContribution
        By falling absolute contribution, if asked for; they sum to the log odds of the support.
    """

    start: int
    end: int
    kind: WordKind
    support: float
    citation: int | None = None
    partners: tuple[tuple[int, int], ...] = ()
    evidence: tuple[FeatureContribution, ...] = ()


@dataclass(frozen=True, slots=True)
class UnsupportedSpan:
    """A run of words that the passages do not support, including function words inside.

    Attributes
    ----------
    start, end : int
        Half-open range of the answer.
    support : float
        Mean support of its values, names and content words, in [0, 1].
    """

    start: int
    end: int
    support: float


@dataclass(frozen=True, slots=True)
class SourceConflict:
    """A place where the answer and a passage contradict each other.

    Attributes
    ----------
    kind : ConflictKind
    start, end : int
        Half-open range of the answer.
    passage : str
        Id of the passage.
    passage_start, passage_end : int
        Half-open range of the passage's text.
    probability : float
        That people call it a conflict, in [0, 1].
    """

    kind: ConflictKind
    start: int
    end: int
    passage: str
    passage_start: int
    passage_end: int
    probability: float


@dataclass(frozen=True, slots=True)
class GroundedSentence:
    """A sentence of an answer, with the evidence for it.

    Attributes
    ----------
    start, end : int
        Half-open range of the answer.
    support : float or None
        Mean support of its values, names and content words, weighted by rarity, in [0, 1]; None for
        a sentence without any, such as "No.": there is nothing to support.
    words : tuple of GroundedWord
        All tokens in order.
    citations : tuple of Citation
        The best first, each by what it adds to those before; empty if nothing is covered.
    unsupported : tuple of UnsupportedSpan
        In order.
    conflicts : tuple of SourceConflict
        Conflicts with cited sentences, in the order of the answer; only the strongest of each word
        and kind.
    error : ServerError or None
        From a server: why there is no evidence; all fields but `start` and `end` are then empty or
        0.
    """

    start: int
    end: int
    support: float | None
    words: tuple[GroundedWord, ...]
    citations: tuple[Citation, ...]
    unsupported: tuple[UnsupportedSpan, ...]
    conflicts: tuple[SourceConflict, ...]
    error: ServerError | None = None


@dataclass(frozen=True, slots=True, repr=False)
class Grounding(Shown):
    """An answer with the evidence for each of its sentences.

    Attributes
    ----------
    answer : str
    passages : tuple of SourcePassage
    sentences : tuple of GroundedSentence
        In order; empty for a blank answer.
    model, version : str
        Name and version of the model.
    """

    _drawn_by: ClassVar[str] = "tokalign.grounding.evidence"
    answer: str
    passages: tuple[SourcePassage, ...]
    sentences: tuple[GroundedSentence, ...]
    model: str
    version: str

    def __repr__(self) -> str:
        sizes = f"{len(self.sentences)} sentences, {len(self.passages)} passages"
        return f"<Grounding {one_line(self.answer)!r}: {sizes}>"

    def to_dict(self) -> dict[str, Any]:
        """Return the evidence; docs/ground.schema.json describes it."""
        return {"model": self.model, "version": self.version, "sentences": plain(self.sentences)}

    def _table(self) -> dict[str, list[Any]]:
        """Return a row for each sentence, with what lacks support and what conflicts."""
        rows = [
            {
                "start": each.start,
                "end": each.end,
                "text": self.answer[each.start : each.end],
                "support": each.support,
                "cited": [citation.passage for citation in each.citations],
                "unsupported": [self.answer[span.start : span.end] for span in each.unsupported],
                "conflicts": [conflict.kind.value for conflict in each.conflicts],
            }
            for each in self.sentences
        ]
        names = ("start", "end", "text", "support", "cited", "unsupported", "conflicts")
        return {name: [row[name] for row in rows] for name in names}

    def _row(self) -> dict[str, Any]:
        """Return the least support of a sentence, and all that lacks support or conflicts."""
        table = self._table()
        found = [each for each in table["support"] if each is not None]
        row: dict[str, Any] = {"answer": self.answer, "support": min(found, default=None)}
        for name in ("cited", "unsupported", "conflicts"):
            row[name] = list(dict.fromkeys(each for cell in table[name] for each in cell))
        return row


PassageLike: TypeAlias = str | tuple[str, str] | SourcePassage | Mapping[str, Any]
"""A text, (id, text), a passage, or a mapping with `text` and optionally `id`; the default id is
the position, as "0"."""


def check_passages(passages: Iterable[PassageLike]) -> tuple[SourcePassage, ...]:
    """Return a caller's passages, checked.

    InputError is raised if they are one text or a mapping, one of them is not a text or not valid
    Unicode, or two share an id. The field is ``passages``, ``passages[i]``, ``passages[i].id`` or
    ``passages[i].text``.
    """
    if isinstance(passages, str | Mapping) or not can_iterate(passages):
        wanted = ", one text; wanted several" if isinstance(passages, str) else "; wanted texts"
        raise InputError(f"the passages are {quoted(passages)}{wanted} in a list", field="passages")
    frame = Frame.of(passages)
    if frame is not None:
        texts = frame.texts()
        ids = frame.columns.get("id", map(str, range(len(texts))))
        passages = [(str(name), text) for name, text in zip(ids, texts, strict=True) if text]
    checked = tuple(_checked(each, number) for number, each in enumerate(cells_of(passages)))
    seen: dict[str, int] = {}
    for number, passage in enumerate(checked):
        if (before := seen.setdefault(passage.id, number)) != number:
            field = f"passages[{number}].id"
            raise InputError(
                f"{field} is {quoted(passage.id)}, as of passage {before}; wanted another for each",
                field=field,
            )
    return checked


def _checked(passage: PassageLike, number: int) -> SourcePassage:
    field = f"passages[{number}]"
    if isinstance(passage, Mapping) and "text" in passage:
        passage = SourcePassage(passage.get("id", str(number)), passage["text"])
    elif isinstance(passage, str):
        passage = SourcePassage(str(number), passage)
    elif isinstance(passage, tuple) and len(passage) == 2:
        passage = SourcePassage(*passage)
    if not isinstance(passage, SourcePassage):
        raise InputError(
            f"{field} is {quoted(passage)}; wanted text, (id, text), a mapping with text or a "
            "SourcePassage",
            field=field,
        )
    for name, value in (("id", passage.id), ("text", passage.text)):
        text_bytes(value, f"{field}.{name}")
    return passage
