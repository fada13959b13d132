"""Options of aligning and ranking."""

from __future__ import annotations

import enum
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

from tokalign.errors import InputError, quoted


class Direction(enum.StrEnum):
    """Which side's tokens are labelled, each with one token of the other side or NULL."""

    SOURCE_TO_TARGET = "s2t"
    TARGET_TO_SOURCE = "t2s"


class Symmetrization(enum.StrEnum):
    """Ways to make one alignment of the two directions.

    ``s2t`` and ``t2s`` take one direction alone, so that each source (target) token has at most
    one link. ``joint`` takes every link whose mean posterior over both directions is high enough
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


DEFAULT_SYMMETRIZATION = Symmetrization.JOINT
"""The symmetrization of an alignment that asks for none."""


class LinkChoice(enum.StrEnum):
    """Which gold links count.

    ``sure``: sure links are right, possible links are wrong (the seed papers' convention).
    ``sure+possible``: both are right and both must be found.
    ``ignore-possible``: predicted links that are possible count neither way.
    """

    SURE = "sure"
    SURE_AND_POSSIBLE = "sure+possible"
    IGNORE_POSSIBLE = "ignore-possible"


class RankBy(enum.StrEnum):
    """Scores that candidates can be ranked by.

    ``answer`` is how likely a candidate answers the question (tokalign.decoding.evidence),
    or supports a query that is no question; ``score`` and ``similarity`` are the alignment's.
    ``auto`` takes ``answer`` where the query is a question, ``score`` otherwise.
    """

    AUTO = "auto"
    ANSWER = "answer"
    SCORE = "score"
    SIMILARITY = "similarity"

    @classmethod
    def of(cls, value: str) -> Self:
        """Return the member of a value, or raise InputError."""
        try:
            return cls(value)
        except ValueError:
            raise InputError(
                f"by is {quoted(value)}; wanted one of {', '.join(cls)}", field="by"
            ) from None


class OffsetUnit(enum.StrEnum):
    """Units of offsets into a text: those that strings are indexed by where offsets are used.

    ``code-points`` suits Python and Ruby, ``utf-8`` (bytes) C++, Go and Rust, ``utf-16`` (16-bit
    units) JavaScript, Java and C#.
    """

    CODE_POINTS = "code-points"
    UTF8_BYTES = "utf-8"
    UTF16_UNITS = "utf-16"


class Priority(enum.StrEnum):
    """Whether somebody waits for an answer of a server, or bulk work is done.

    ``interactive`` requests go between the parts of ``bulk`` ones. ``auto`` is ``interactive`` for
    single pairs, small batches and rankings of up to some 200 candidates.
    """

    AUTO = "auto"
    INTERACTIVE = "interactive"
    BULK = "bulk"


class Detail(enum.StrEnum):
    """Parts of each alignment that an answer holds.

    ``links`` leaves out both sentences, ``scores`` all but score, similarity and distance.
    """

    FULL = "full"
    LINKS = "links"
    SCORES = "scores"


@dataclass(frozen=True, slots=True, kw_only=True)
class BaseOptions:
    """Base of options, which are given as a value, by name, or both."""

    @classmethod
    def of(cls, options: Self | None, changes: Mapping[str, Any]) -> Self:
        """Return `options`, or the defaults, with some of them changed.

        Raises
        ------
        InputError
            If a name is not an option's, a value is out of range, or `options` are none.
        """
        for name in changes:
            if name not in cls.__dataclass_fields__:
                known = ", ".join(cls.__dataclass_fields__)
                raise InputError(
                    f"no option {quoted(name)}; wanted one of {known}",
                    field=f"options.{name}",
                )
        if options is None:
            return cls(**changes)
        if not isinstance(options, cls):
            raise InputError(
                f"the options are {quoted(options)}; wanted {cls.__name__}, or its fields by name",
                field="options",
            )
        return replace(options, **changes) if changes else options

    def _check_flags(self, names: Iterable[str]) -> None:
        """Raise InputError if a value is neither true nor false, as "no" is."""
        for name in names:
            value = getattr(self, name)
            if value is not True and value is not False and value not in (True, False):
                raise InputError(
                    f"{name} is {quoted(value)}; wanted True or False", field=f"options.{name}"
                )


_FLAGS = ("related", "posteriors", "explain", "phrases", "relations", "edits", "truncate")


@dataclass(frozen=True, slots=True, kw_only=True)
class AlignOptions(BaseOptions):
    """Options of an alignment, checked when they are made.

    Attributes
    ----------
    symmetrization : Symmetrization
        Its value as a str is taken, too.
    style : str
        Name of the convention to follow, out of the model's styles; empty for its default, which
        is ``auto`` where the model chooses a style for each pair.
    related : bool
        Whether the two sentences are known to say the same, or one to answer the other. Then the
        model's style for such pairs decides, so no other may be named.
    min_confidence : float
        Links of a lower confidence are left out. In [0, 1].
    posteriors : bool
        Whether to return the matrix of link posteriors.
    explain : bool
        Whether to explain every link.
    phrases : bool
        Whether to return phrase links: the maximal blocks of links, each with a confidence of its
        own (tokalign.types.phrases).
    relations : bool
        Whether to say of every link, and of every phrase link, how its two sides are related
        (tokalign.types.relations). Conflicts are given always.
    edits : bool
        Whether to say what changed from the source to the target (tokalign.types.edits).
    offsets : OffsetUnit
        What the offsets of an alignment's sentences count. Its value as a str is taken, too.
    detail : Detail
        How much of each alignment a server sends; the library gives everything. Its value as a
        str is taken, too. ``scores`` goes with no posteriors, phrases, relations or edits.
    truncate : bool
        Whether a sentence that is too long is cut at the limit instead of refused.
    priority : Priority
        Whether a server answers between the parts of larger requests; in the library it changes
        nothing. Its value as a str is taken, too.
    effort : float
        Of a model with an encoder: about the share of pairs that its encoder reads, in [0, 1].
        The others are aligned as `en` does (tokalign.decoding.cascade). 1 reads all of them, 0
        none.

    Raises
    ------
    InputError
        If a value is out of range; its field is ``options.`` and the name.
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

    def __post_init__(self) -> None:
        self._check_flags(_FLAGS)
        self._choose("symmetrization", Symmetrization)
        self._choose("offsets", OffsetUnit)
        self._choose("detail", Detail)
        self._choose("priority", Priority)
        if self.detail is Detail.SCORES:
            for name in ("posteriors", "phrases", "relations", "edits"):
                if getattr(self, name):
                    raise InputError(
                        f"detail is scores, and {name} are asked for; ask for links or full",
                        field="options.detail",
                    )
        self._check_share("min_confidence")
        self._check_share("effort")

    def _check_share(self, name: str) -> None:
        """Raise InputError if a value is no number in [0, 1]."""
        value = getattr(self, name)
        try:
            is_share = 0.0 <= value <= 1.0 and not isinstance(value, bool)  # NaN is none
        except TypeError:
            is_share = False
        if not is_share:
            raise InputError(
                f"{name} is {quoted(value)}; wanted a number in [0, 1]", field=f"options.{name}"
            )

    def _choose(self, name: str, kind: type[enum.StrEnum]) -> None:
        """Put a member of an enumeration in the place of its value, or raise InputError."""
        value = getattr(self, name)
        if type(value) is kind:
            return
        try:
            object.__setattr__(self, name, kind(value))
        except ValueError:
            raise InputError(
                f"no {name} {quoted(value)}; wanted one of {', '.join(kind)}",
                field=f"options.{name}",
            ) from None

    def check_effort(self, model: str, *, takes_effort: bool) -> None:
        """Raise InputError if a model that takes no effort but 1 is asked for less."""
        if self.effort < 1.0 and not takes_effort:
            raise InputError(
                f"effort is {self.effort:g}; {model} takes 1 alone: of the shipped models "
                "en-neural and en-neural-large take less",
                field="options.effort",
            )


@dataclass(frozen=True, slots=True, kw_only=True)
class RankOptions:
    """How candidates are ranked; AlignOptions says how each is aligned.

    Attributes
    ----------
    by : RankBy or str
        What to rank by. By default, a question's candidates by how likely they answer it, those
        of another sentence by alignment score.
    top_k : int
        How many to return; 0 returns all.
    passages : bool
        Whether a candidate that is a str is a text of any number of sentences. Each is aligned,
        and the best one's score is the passage's.
    priors : sequence of float or None, optional
        A score of yours for each candidate, the larger the better, in any unit; None for a
        candidate without one. They are weighed with the rest (tokalign.ranking.judge).
    shortlist : int
        How many candidates to look at: those that share the rarest words with the question
        (tokalign.ranking.passages). The others are left out. 0 looks at all.
    highlights : bool
        Whether to return which spans of each candidate match the question.

    Raises
    ------
    InputError
        If `by` is unknown, or a number is negative.
    """

    by: RankBy = RankBy.AUTO
    top_k: int = 0
    passages: bool = False
    priors: Sequence[float | None] | None = None
    shortlist: int = 0
    highlights: bool = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "by", RankBy.of(self.by))
        for name in ("top_k", "shortlist"):
            if (number := getattr(self, name)) < 0:
                raise InputError(f"{name} is {number}; wanted 0 (all) or more", field=name)

    @classmethod
    def taken_from(cls, changes: dict[str, Any]) -> Self:
        """Return the options found among keyword arguments, which lose them."""
        return cls(
            **{name: changes.pop(name) for name in cls.__dataclass_fields__ if name in changes}
        )
