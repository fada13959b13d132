"""Types of keyword options, for type checkers and editors.

Each class lists the fields of a set of options with their accepted values; a test compares them.
Type checkers refuse other names, and so does `BaseOptions.of` at run time.
"""

import inspect
import re
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Literal, TypeAlias, TypedDict, TypeVar

from tokalign.types.options import Detail, Markup, OffsetUnit, Priority, RankBy, Symmetrization

F = TypeVar("F", bound=Callable[..., Any])

SymmetrizationLike: TypeAlias = Symmetrization | Literal[
    "s2t", "t2s", "intersection", "union", "grow-diag", "grow-diag-final", "grow-diag-final-and",
    "joint",
]  # fmt: skip
StyleName: TypeAlias = Literal["auto", "strict", "paraphrase", "free", "edits", "questions"] | str
"""The styles of `en`, or of another model."""
OffsetUnitLike: TypeAlias = OffsetUnit | Literal["code-points", "utf-8", "utf-16"]
DetailLike: TypeAlias = Detail | Literal["full", "links", "scores"]
PriorityLike: TypeAlias = Priority | Literal["auto", "interactive", "bulk"]
MarkupLike: TypeAlias = Markup | Literal["auto", "none", "markdown", "html", "latex", "rst"]
RankByLike: TypeAlias = RankBy | Literal["auto", "answer", "score", "similarity"]
NanErrors: TypeAlias = Literal["raise", "nan"]
"""Treatment of a sentence that cannot be used."""


class AlignKeywords(TypedDict, total=False):
    """Fields of AlignOptions."""

    symmetrization: SymmetrizationLike
    style: StyleName
    related: bool
    min_confidence: float
    posteriors: bool
    explain: bool
    phrases: bool
    relations: bool
    edits: bool
    offsets: OffsetUnitLike
    detail: DetailLike
    truncate: bool
    priority: PriorityLike
    effort: float
    markup: MarkupLike


class PairKeywords(AlignKeywords, total=False):
    """Fields of AlignOptions and of Constraints, for a single pair."""

    anchors: Iterable[tuple[int, int]]
    forbidden: Iterable[tuple[int, int]]
    linked_source: Iterable[int]
    linked_target: Iterable[int]
    unlinked_source: Iterable[int]
    unlinked_target: Iterable[int]


class PipeKeywords(AlignKeywords, total=False):
    """Fields of AlignOptions, and keyword arguments of Aligner.pipe."""

    batch_size: int
    n_process: int
    columns: tuple[str, str] | None
    progress: bool


class GroundKeywords(TypedDict, total=False):
    """Fields of GroundOptions."""

    candidates: int
    threshold: float
    explain: bool
    offsets: OffsetUnitLike
    markup: MarkupLike


class RankKeywords(AlignKeywords, total=False):
    """Keyword arguments of Aligner.rank."""

    by: RankByLike
    top_k: int
    passages: bool
    priors: Sequence[float | None] | None
    shortlist: int
    highlights: bool


DEFAULT_THRESHOLD = 0.75
DEFAULT_OVERLAP = 0.3


_REPLACED = ("self", "changes")


def explained(keywords: type[Any], *described: type[Any]) -> Callable[[F], F]:
    """Return a decorator that lists and explains the keyword options of a function.

    Its signature gets them in place of ``**changes`` and without `self`, for completion, and its
    docstring gets what the docstrings of classes say of them, for help.

    `keywords`: the function's keyword options. `described`: with the options as attributes.
    """
    names = list(keywords.__annotations__)
    said: dict[str, str] = {}
    defaults: dict[str, Any] = {}
    for each in described:
        text = inspect.cleandoc(each.__doc__ or "")
        for found in re.finditer(r"^(\w+) : .*\n(?:    .*\n?)+", text, re.MULTILINE):
            said.setdefault(found[1], found[0].rstrip())
        defaults |= {name: field.default for name, field in each.__dataclass_fields__.items()}

    def explain(function: F) -> F:
        signature = inspect.signature(function)
        own = [each for name, each in signature.parameters.items() if name not in _REPLACED]
        added = [
            inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=defaults.get(name))
            for name in names
            if name not in signature.parameters
        ]
        function.__signature__ = signature.replace(parameters=[*own, *added])  # type: ignore[attr-defined]
        options = [said[name] for name in names if name in said]
        if options and function.__doc__:
            doc = inspect.cleandoc(function.__doc__)
            function.__doc__ = "\n".join([doc, "", "Options", "-------", *options])
        return function

    return explain
