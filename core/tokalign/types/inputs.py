"""Checks of the sentences, pairs and candidates that callers give."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TypeVar

from tokalign.errors import InputError, quoted
from tokalign.types.constraints import Constraints
from tokalign.types.sentence import Pair, Sentence, SentenceLike

T = TypeVar("T")


def require_pair(pair: Pair) -> Pair:
    """Return what a caller gave as a pair of sentences, or raise InputError."""
    try:
        if isinstance(pair, str):
            raise TypeError("two letters are no two sentences")
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


def _is_sentence_like(side: object) -> bool:
    if isinstance(side, str | Sentence):
        return True
    if isinstance(side, Mapping) or not hasattr(side, "__len__") or not isinstance(side, Iterable):
        return False
    return all(isinstance(token, str) for token in side)
