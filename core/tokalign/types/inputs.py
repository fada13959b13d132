"""Checks of the sentences, pairs and candidates that callers give."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence, Set
from typing import Any, TypeVar

from tokalign.errors import InputError, quoted
from tokalign.types.constraints import Constraints
from tokalign.types.sentence import Pair, PairLike, Sentence, SentenceLike

T = TypeVar("T")


SIDE_NAMES = (
    ("source", "target"),
    ("premise", "hypothesis"),
    ("passage", "question"),
    ("context", "question"),
    ("text", "hypothesis"),
    ("sentence1", "sentence2"),
    ("sentence_1", "sentence_2"),
    ("sentence_A", "sentence_B"),
    ("text1", "text2"),
    ("text_a", "text_b"),
    ("question1", "question2"),
)
"""What the two sentences of a pair are called where they have names, source first."""


def require_pair(pair: PairLike) -> Pair:
    """Return what a caller gave as a pair of sentences, or raise InputError.

    A mapping has both sentences by two of SIDE_NAMES, and may have `constraints`; what else it has,
    such as an id, is not read.
    """
    if isinstance(pair, Mapping):
        pair = _pair_of(pair)
    try:
        if isinstance(pair, str):
            raise TypeError("two letters are no two sentences")
        if isinstance(pair, Set):
            raise TypeError("a set has no first member")
        source, target, *more = pair
    except (TypeError, ValueError):
        raise InputError(f"saw {quoted(pair)}; wanted a pair (source, target)") from None
    if len(more) > 1 or not all(isinstance(each, Constraints) for each in more):
        raise InputError(
            f"saw {quoted(tuple(more))} after source and target; wanted one Constraints",
            field="constraints",
        )
    require_sentence(source, "source")
    require_sentence(target, "target")
    return source, target, *more


def _pair_of(row: Mapping[str, Any]) -> tuple[Any, ...]:
    """Return the sides of a mapping, and its constraints where it has any."""
    found = [names for names in SIDE_NAMES if all(name in row for name in names)]
    if len(found) != 1:
        seen = ", ".join(map(quoted, row)) or "none"
        raise InputError(
            f"saw the keys {seen}; wanted one pair of names such as source and target, "
            "premise and hypothesis, or sentence1 and sentence2"
        )
    constraints = row.get("constraints")
    sides = tuple(row[name] for name in found[0])
    return sides if constraints is None else (*sides, constraints)


def require_sentence(value: SentenceLike, name: str) -> SentenceLike:
    """Return what a caller gave as the sentence that errors call `name`, or raise InputError."""
    if not _is_sentence_like(value):
        raise InputError(
            f"the {name} is {quoted(value)}; wanted text, a sequence of tokens or a Sentence",
            field=name,
        )
    return value


def require_many(candidates: Iterable[T]) -> Iterable[T]:
    """Return what a caller gave as candidates of a ranking, or raise InputError for one text."""
    if isinstance(candidates, str):
        raise InputError(
            f"the candidates are {quoted(candidates)}, one text; wanted several in a list",
            field="candidates",
        )
    return candidates


def check_ranking(top_k: int, shortlist: int) -> None:
    """Raise InputError if a number of candidates is negative."""
    for name, number in (("top_k", top_k), ("shortlist", shortlist)):
        if number < 0:
            raise InputError(f"{name} is {number}; wanted 0 (all) or more", field=name)


def check_priors(
    priors: Sequence[float | None] | None, n_candidates: int
) -> list[float | None] | None:
    """Return a caller's own scores of candidates as floats; None where there are none.

    Raises
    ------
    InputError
        If there is not one for each candidate, or one is no finite number.
    """
    if priors is None:
        return None
    found = list(priors)
    if len(found) != n_candidates:
        raise InputError(
            f"{len(found)} priors for {n_candidates} candidates; wanted one for each",
            field="priors",
        )
    return [_finite(prior, f"priors[{number}]") for number, prior in enumerate(found)]


def _finite(value: float | None, name: str) -> float | None:
    if value is None:
        return None
    try:
        number = math.nan if isinstance(value, str | bytes | bool) else float(value)
    except (TypeError, ValueError, OverflowError):
        number = math.nan
    if not math.isfinite(number):
        raise InputError(f"{name} is {quoted(value)}; wanted a finite number", field=name)
    return number


def text_of(value: object) -> str:
    """Return the text of what a caller gave as a sentence; empty where it is none."""
    if isinstance(value, str):
        return value
    if isinstance(value, Sentence):
        return value.text
    return " ".join(map(str, value)) if _is_sentence_like(value) else ""  # type: ignore[call-overload]


def _is_sentence_like(side: object) -> bool:
    if isinstance(side, str | Sentence):
        return True
    if isinstance(side, Mapping | Set | bytes) or not hasattr(side, "__len__"):
        return False
    if not isinstance(side, Iterable):
        return False
    return all(isinstance(token, str) for token in side)
