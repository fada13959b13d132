"""Options of aligning and ranking."""

import enum
import operator
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, Self, TypeVar

from tokalign.errors import InputError, quoted

T = TypeVar("T")
EnumT = TypeVar("EnumT", bound=enum.StrEnum)


def member(kind: type[EnumT], name: str, value: str, field: str = "") -> EnumT:
    """Return the member of an enumeration with a value, or raise InputError."""
    try:
        return kind(value)
    except ValueError:
        raise InputError(
            f"{name} is {quoted(value)}; wanted one of {', '.join(kind)}", field=field or name
        ) from None


class Direction(enum.StrEnum):
    """Direction of labelling: one side's tokens are labelled with tokens of the other, or NULL."""

    SOURCE_TO_TARGET = "s2t"
    TARGET_TO_SOURCE = "t2s"

    @property
    def turned(self) -> "Direction":
        """The other direction."""
        return next(each for each in Direction if each is not self)


class Symmetrization(enum.StrEnum):
    """Ways to combine the two directions into one alignment.

    ``s2t`` and ``t2s`` use one direction alone, so that each source (target) token has at most one
    link. ``joint`` takes every link whose mean posterior over both directions is high enough
    (tokalign.decoding.link_decision). The others combine the best labellings
    (tokalign.decoding.symmetrize).
    """

    SOURCE_TO_TARGET = "s2t"
    TARGET_TO_SOURCE = "t2s"
    INTERSECTION = "intersection"
    UNION = "union"
    GROW_DIAG = "grow-diag"
    GROW_DIAG_FINAL = "grow-diag-final"
    GROW_DIAG_FINAL_AND = "grow-diag-final-and"
    JOINT = "joint"

    @property
    def turned(self) -> "Symmetrization":
        """The way that has the same result on a pair whose sentences are exchanged."""
        if self is Symmetrization.SOURCE_TO_TARGET:
            return Symmetrization.TARGET_TO_SOURCE
        if self is Symmetrization.TARGET_TO_SOURCE:
            return Symmetrization.SOURCE_TO_TARGET
        return self


DEFAULT_SYMMETRIZATION = Symmetrization.JOINT
"""The default symmetrization."""


class LinkChoice(enum.StrEnum):
    """Which gold links count.

    ``sure``: sure links are right, possible links are wrong (the seed papers' convention).
    ``sure+possible``: both are right and both must be found.
    ``ignore-possible``: predicted possible links count neither way.
    """

    SURE = "sure"
    SURE_AND_POSSIBLE = "sure+possible"
    IGNORE_POSSIBLE = "ignore-possible"


class RankBy(enum.StrEnum):
    """Scores that candidates can be ranked by.

    ``answer`` is the probability that a candidate answers the question
    (tokalign.decoding.evidence), or supports a query that is not a question; ``score`` and
    ``similarity`` are the alignment's. ``auto`` means ``answer`` for questions, else ``score``.
    Where most candidates repeat a question, ``answer`` of one in other words is raised.
    """

    AUTO = "auto"
    ANSWER = "answer"
    SCORE = "score"
    SIMILARITY = "similarity"


class OffsetUnit(enum.StrEnum):
    """Units of offsets into a text, for languages that index strings differently.

    ``code-points`` suits Python and Ruby, ``utf-8`` (bytes) C++, Go and Rust, ``utf-16`` (16-bit
    units) JavaScript, Java and C#.
    """

    CODE_POINTS = "code-points"
    UTF8_BYTES = "utf-8"
    UTF16_UNITS = "utf-16"


class Priority(enum.StrEnum):
    """Whether somebody waits for a server's answer, or it is bulk work.

    ``interactive`` requests are served between the parts of ``bulk`` ones. ``auto`` means
    ``interactive`` for single pairs, small batches and rankings of up to some 200 candidates.
    """

    AUTO = "auto"
    INTERACTIVE = "interactive"
    BULK = "bulk"


class Markup(enum.StrEnum):
    """Mark-up that raw text is read as.

    ``auto`` takes the signs of all of them for mark-up where they stand as such, and ``none`` takes
    nothing for it, nor for a citation mark or a label. The others take citation marks, labels and
    the signs of one language. Tokens that are given are kept in any case.
    """

    AUTO = "auto"
    NONE = "none"
    MARKDOWN = "markdown"
    HTML = "html"
    LATEX = "latex"
    RST = "rst"

    @classmethod
    def of(cls, value: str) -> Self:
        """Return the member with a value, or raise InputError."""
        return member(cls, "markup", value)


class Detail(enum.StrEnum):
    """Parts of each alignment in an answer.

    ``links`` leaves out both sentences, ``scores`` all but score, similarity and distance.
    """

    FULL = "full"
    LINKS = "links"
    SCORES = "scores"


MAX_COUNT = (1 << 31) - 1
"""Largest number that counts something."""


def check_count(value: object, name: str, least: int, field: str = "") -> None:
    """Raise InputError unless a value is a whole number from `least` to MAX_COUNT."""
    if (
        isinstance(value, bool)
        or not hasattr(value, "__index__")
        or not (least <= operator.index(value) <= MAX_COUNT)
    ):
        wanted = f"at least {least}" if least else "0 (all) or more"
        raise InputError(
            f"{name} is {quoted(value)}; wanted {wanted}, at most {MAX_COUNT}", field=field or name
        )


def check_flag(value: object, name: str, field: str) -> None:
    """Raise InputError if a value is neither true nor false, as "no" is."""
    if value is not True and value is not False and value not in (True, False):
        raise InputError(f"{name} is {quoted(value)}; wanted True or False", field=field)


@cache
def _defaults(kind: type[T]) -> T:
    """Return options of a kind with their defaults, made and checked once."""
    return kind()


@dataclass(frozen=True, slots=True, kw_only=True)
class BaseOptions:
    """Base of options, which are given as an object, by name, or both."""

    @classmethod
    def of(cls, options: Self | None, changes: Mapping[str, Any]) -> Self:
        """Return `options`, or the defaults, with some of them changed.

        InputError is raised if a name is unknown, a value is out of range, or `options` has another
        type.
        """
        for name in changes:
            if name not in cls.__dataclass_fields__:
                known = ", ".join(cls.__dataclass_fields__)
                raise InputError(
                    f"no option {quoted(name)}; wanted one of {known}", field=f"options.{name}"
                )
        if options is None:
            return cls(**changes) if changes else _defaults(cls)  # type: ignore[arg-type]  # a class is
        if not isinstance(options, cls):
            raise InputError(
                f"the options are {quoted(options)}; wanted {cls.__name__}, or its fields by name",
                field="options",
            )
        return replace(options, **changes) if changes else options

    def _check_flags(self, names: Iterable[str]) -> None:
        """Raise InputError if a value is neither true nor false, such as "no"."""
        for name in names:
            check_flag(getattr(self, name), name, f"options.{name}")

    def _check_share(self, name: str) -> None:
        """Raise InputError if a value is not a number in [0, 1]."""
        value = getattr(self, name)
        try:
            is_share = 0.0 <= value <= 1.0 and not isinstance(value, bool)  # NaN fails
        except TypeError:
            is_share = False
        if not is_share:
            raise InputError(
                f"{name} is {quoted(value)}; wanted a number in [0, 1]", field=f"options.{name}"
            )

    def _choose(self, name: str, kind: type[enum.StrEnum]) -> None:
        """Replace a value by the member of an enumeration, or raise InputError."""
        value = getattr(self, name)
        if type(value) is not kind:
            object.__setattr__(self, name, member(kind, name, value, f"options.{name}"))


_FLAGS = ("related", "posteriors", "explain", "phrases", "relations", "edits", "truncate")


@dataclass(frozen=True, slots=True, kw_only=True)
class AlignOptions(BaseOptions):
    """Options of an alignment, checked when they are made.

    Attributes
    ----------
    symmetrization : Symmetrization
        Accepts its str value.
    style : str
        Name of one of the model's styles; empty for its default, which is ``auto`` if the model
        chooses a style for each pair.
    related : bool
        Whether the two sentences are known to belong together, as paraphrases do, or question and
        answer. Then the model expects more words to have a partner.
    min_confidence : float
        Links below this confidence are left out. In [0, 1].
    posteriors : bool
        Whether to return the matrix of link posteriors.
    explain : bool
        Whether to explain every link.
    phrases : bool
        Whether to return phrase links: the maximal blocks of links, each with its own confidence
        (tokalign.types.links).
    relations : bool
        Whether to return the relation of every link and phrase link (tokalign.types.relations).
        Conflicts are always returned.
    edits : bool
        Whether to return the edits from the source to the target (tokalign.types.edits).
    offsets : OffsetUnit
        Unit of the offsets of an alignment's sentences. Accepts its str value.
    detail : Detail
        Parts of each alignment that a server sends; the library returns all. Accepts its str value.
        ``scores`` excludes posteriors, phrases, relations and edits.
    truncate : bool
        Whether a sentence that is too long is truncated instead of refused.
    priority : Priority
        Whether a server answers between the parts of larger requests; ignored by the library.
        Accepts its str value.
    effort : float
        For a model with an encoder: approximate share of pairs that the encoder reads, in [0, 1]; 1
        means all, 0 none. The others are aligned without it (tokalign.decoding.cascade).
    markup : Markup
        Mark-up that raw text is read as (tokalign.english.reading). Accepts its str value.

    InputError is raised if a value is out of range; its field is ``options.`` and the name.
    """

    symmetrization: Symmetrization = DEFAULT_SYMMETRIZATION
    style: str = ""
    related: bool = False
    min_confidence: float = 0.0
    posteriors: bool = False
    explain: bool = False
    phrases: bool = False
    relations: bool = False
    edits: bool = False
    offsets: OffsetUnit = OffsetUnit.CODE_POINTS
    detail: Detail = Detail.FULL
    truncate: bool = False
    priority: Priority = Priority.AUTO
    effort: float = 1.0
    markup: Markup = Markup.AUTO

    def __post_init__(self) -> None:
        self._check_flags(_FLAGS)
        self._choose("symmetrization", Symmetrization)
        self._choose("offsets", OffsetUnit)
        self._choose("detail", Detail)
        self._choose("priority", Priority)
        self._choose("markup", Markup)
        if self.detail is Detail.SCORES:
            for name in ("posteriors", "phrases", "relations", "edits"):
                if getattr(self, name):
                    raise InputError(
                        f"detail is scores, and {name} are asked for; ask for links or full",
                        field="options.detail",
                    )
        self._check_share("min_confidence")
        self._check_share("effort")

    def check_effort(self, model: str, *, takes_effort: bool) -> None:
        """Raise InputError if an effort below 1 is asked of a model that only supports 1."""
        if self.effort < 1.0 and not takes_effort:
            raise InputError(
                f"effort is {self.effort:g}; {model} takes 1 alone: of the shipped models "
                "en-neural, en-neural-open and en-neural-large take less",
                field="options.effort",
            )


@dataclass(frozen=True, slots=True, kw_only=True)
class RankOptions:
    """How candidates are ranked; AlignOptions says how each is aligned.

    Attributes
    ----------
    by : RankBy or str
        Score to rank by. By default, the probability of answering for a question, the alignment
        score for another sentence.
    top_k : int
        Number of candidates to return; 0 for all.
    passages : bool
        Whether a str candidate is a text of any number of sentences. Each is aligned, and the best
        score is the passage's.
    priors : sequence of float or None, optional
        The caller's own score of each candidate, larger is better, in any unit; None for a
        candidate without one. They add to the other evidence (tokalign.ranking.judge).
    shortlist : int
        Number of candidates to align: those that share the rarest words with the question
        (tokalign.ranking.passages). The others are left out. 0 for all.
    highlights : bool
        Whether to return the spans of each candidate that match the question.

    InputError is raised if `by` is unknown, or a number is negative.
    """

    by: RankBy = RankBy.AUTO
    top_k: int = 0
    passages: bool = False
    priors: Sequence[float | None] | None = None
    shortlist: int = 0
    highlights: bool = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "by", member(RankBy, "by", self.by))
        for name in ("top_k", "shortlist"):
            check_count(getattr(self, name), name, 0)
        for name in ("passages", "highlights"):
            check_flag(getattr(self, name), name, name)

    @classmethod
    def taken_from(cls, changes: dict[str, Any]) -> Self:
        """Remove the options from keyword arguments and return them."""
        return cls(
            **{name: changes.pop(name) for name in cls.__dataclass_fields__ if name in changes}
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class GroundOptions(BaseOptions):
    """Options of grounding, checked when they are made.

    Attributes
    ----------
    candidates : int
        Most sentences of each passage to align with a sentence of the answer, at least 1.
    threshold : float
        Words with less support are unsupported, in [0, 1] (docs/grounding.md).
    explain : bool
        Whether to explain each word's support by evidence.
    offsets : OffsetUnit
        Unit of all offsets; accepts its str value.
    markup : Markup
        Mark-up that the answer and the passages are read as; accepts its str value.

    InputError is raised if a value is out of range; the field is ``options.`` and the name.
    """

    candidates: int = 3
    threshold: float = 0.5
    explain: bool = False
    offsets: OffsetUnit = OffsetUnit.CODE_POINTS
    markup: Markup = Markup.AUTO

    def __post_init__(self) -> None:
        self._check_flags(("explain",))
        check_count(self.candidates, "candidates", 1, "options.candidates")
        self._check_share("threshold")
        self._choose("offsets", OffsetUnit)
        self._choose("markup", Markup)
