"""Steps over many items, of which a bad one costs the others nothing.

An *outcome* is a value, or the exception that stands in its place: it passes through every later
step as it is, so that outcomes stay in the order of the items.
"""

from __future__ import annotations

import copy
import logging
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TypeVar

from tokalign.constraints import Constraints
from tokalign.errors import InputError, quoted
from tokalign.types import Pair, Sentence, SentenceLike

T = TypeVar("T")
R = TypeVar("R")

AnnotatedPair = tuple[Sentence, Sentence, *tuple[Constraints, ...]]
Annotate = Callable[[Sequence[SentenceLike]], Sequence[Sentence]]

logger = logging.getLogger(__name__)


def unwrap(outcome: T | Exception) -> T:
    """Return the value, or raise the exception."""
    if isinstance(outcome, Exception):
        raise outcome
    return outcome


def attempt(step: Callable[[T], R], outcome: T | Exception) -> R | Exception:
    """Return what `step` makes of a value, or the exception that it raises."""
    if isinstance(outcome, Exception):
        return outcome
    try:
        return step(outcome)
    except Exception as error:
        return error


def each(step: Callable[[T], R], outcomes: Iterable[T | Exception]) -> list[R | Exception]:
    """Return `attempt` of every item, in order."""
    return [attempt(step, outcome) for outcome in outcomes]


def together(
    step: Callable[[Sequence[T]], Sequence[R]], outcomes: Sequence[T | Exception]
) -> list[R | Exception]:
    """Return what `step` makes of all values at once; if it fails, of each alone.

    Parameters
    ----------
    step : callable
        Takes a batch and returns a result for each, the same in any batch.
    outcomes : sequence
    """
    values = [outcome for outcome in outcomes if not isinstance(outcome, Exception)]
    if len(values) > 1:
        try:
            results = iter([result for _, result in zip(values, step(values), strict=True)])
            return [
                outcome if isinstance(outcome, Exception) else next(results) for outcome in outcomes
            ]
        except Exception as error:
            logger.debug("one item of a batch is bad; taking them one by one", exc_info=error)
    return each(lambda value: step([value])[0], outcomes)


def annotate_each(
    annotate: Annotate, sentences: Sequence[SentenceLike | Exception]
) -> list[Sentence | Exception]:
    """Return sentences annotated, distinct ones once and all together.

    Parameters
    ----------
    annotate : callable
        Annotator.annotate with its options, or Aligner.annotate.
    sentences : sequence of SentenceLike or Exception
    """
    keys = [_key(sentence) for sentence in sentences]
    distinct = dict(zip(keys, sentences, strict=True))
    # mypy takes the union that SentenceLike is for an object where it infers type variables.
    answers = together(annotate, list(distinct.values()))  # type: ignore[arg-type]
    if len(distinct) == len(keys):
        return answers
    annotated = dict(zip(distinct, answers, strict=True))
    return [annotated[key] for key in keys]


def _key(sentence: SentenceLike | Exception) -> object:
    """Return what distinct sentences differ in.

    That is their text or tokens; of a Sentence its identity, which costs less than to hash all
    of its columns.
    """
    if isinstance(sentence, str):
        return sentence
    return id(sentence) if isinstance(sentence, Sentence | Exception) else tuple(sentence)


def annotate_pairs(
    annotate: Annotate, pairs: Sequence[Pair | Exception]
) -> list[AnnotatedPair | Exception]:
    """Return pairs with both sides annotated; candidates of one question share it.

    An InputError names the side in its field: ``"source"``, ``"target.tags"``. What is no pair of
    sentences becomes one, too.
    """
    pairs = each(require_pair, pairs)
    readable = [pair for pair in pairs if not isinstance(pair, Exception)]
    sides = iter(annotate_each(annotate, [side for pair in readable for side in pair[:2]]))
    annotated = iter(each(_annotated_pair, zip(sides, sides, readable, strict=True)))
    return [pair if isinstance(pair, Exception) else next(annotated) for pair in pairs]


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


def _annotated_pair(
    parts: tuple[Sentence | Exception, Sentence | Exception, Pair],
) -> AnnotatedPair:
    source, target, pair = parts
    return _at_side("source", source), _at_side("target", target), *pair[2:]


def _at_side(side: str, outcome: Sentence | Exception) -> Sentence:
    if isinstance(outcome, Sentence):
        return outcome
    if not isinstance(outcome, InputError):
        raise outcome
    error = copy.copy(outcome)  # the sentence may be of other pairs, too
    error.field = f"{side}.{outcome.field}" if outcome.field else side
    raise error from outcome
