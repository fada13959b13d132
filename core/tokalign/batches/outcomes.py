"""Map over a batch; an item that fails becomes its exception; protocols of what aligns a batch.

An *outcome* is a value, or the exception that stands in its place. Exceptions pass through every
later step as they are, so that outcomes keep the order of the items.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeVar, overload

from tokalign.errors import InputError, WorkerError, renewed
from tokalign.types import Alignment, AnnotatedPair, Pair, PairLike, Sentence, SentenceLike
from tokalign.types.inputs import require_pair
from tokalign.types.options import AlignOptions, Markup, RankBy

if TYPE_CHECKING:
    from tokalign.types.ranking import Judgement

T = TypeVar("T")
R = TypeVar("R")

Annotate = Callable[[Sequence[SentenceLike]], Sequence[Sentence]]


def unwrap(outcome: T | Exception) -> T:
    """Return the value, or raise the exception."""
    if isinstance(outcome, Exception):
        raise outcome
    return outcome


def try_one(step: Callable[[T], R], outcome: T | Exception) -> R | Exception:
    """Return `step` of a value, or the exception that it raises; an exception is returned as it
    is."""
    if isinstance(outcome, Exception):
        return outcome
    try:
        return step(outcome)
    except Exception as error:
        return error


def map_each(step: Callable[[T], R], outcomes: Iterable[T | Exception]) -> list[R | Exception]:
    """Return `try_one` of every item, in order."""
    return [try_one(step, outcome) for outcome in outcomes]


def map_batch(
    step: Callable[[Sequence[T]], Sequence[R]], outcomes: Sequence[T | Exception]
) -> list[R | Exception]:
    """Return `step` of all values at once; if it fails, of one value at a time.

    `step` returns a result for each item, which is the same in any batch. Exceptions keep their
    places.
    """
    given = values(outcomes)
    results: Sequence[R | Exception] | None = ()
    try:
        if given:
            results = step(given)
            if len(results) != len(given):
                raise ValueError(f"{len(results)} results for {len(given)} items")
    except Exception as error:
        if len(given) > 1:
            import logging  # takes longer than aligning a pair

            said = "one item of a batch is bad; taking them one by one"
            logging.getLogger(__name__).debug(said, exc_info=error)
        results = [error] if len(given) == 1 else None
    if results is None:  # out of the handler, or each error would name the batch's as its context
        return map_each(lambda value: step([value])[0], outcomes)
    return list(results) if len(given) == len(outcomes) else list(restore(outcomes, results))


def values(outcomes: Sequence[T | Exception]) -> list[T]:
    """Return the outcomes that are not exceptions."""
    return [outcome for outcome in outcomes if not isinstance(outcome, Exception)]


def restore(outcomes: Iterable[T | Exception], results: Iterable[R]) -> Iterator[R | Exception]:
    """Yield results of `values(outcomes)` at the places of the values, and exceptions at theirs."""
    pending = iter(results)
    for outcome in outcomes:
        yield outcome if isinstance(outcome, Exception) else next(pending)


def annotate_each(
    annotate: Annotate, sentences: Sequence[SentenceLike | Exception]
) -> list[Sentence | Exception]:
    """Return sentences annotated: distinct ones once, in one batch. `annotate` is that of an
    Annotator with its options, or of an Aligner."""
    keys = [_key(sentence) for sentence in sentences]
    distinct = dict(zip(keys, sentences, strict=True))
    # mypy takes the union that SentenceLike is for an object where it infers type variables.
    answers = map_batch(annotate, list(distinct.values()))  # type: ignore[arg-type]
    if len(distinct) == len(keys):
        return answers
    annotated = dict(zip(distinct, answers, strict=True))
    return [annotated[key] for key in keys]


def _key(sentence: SentenceLike | Exception) -> object:
    """Return the key of equal sentences: their text or tokens.

    A Sentence's key is its identity; hashing all of its columns would cost more.
    """
    if isinstance(sentence, str):
        return sentence
    return id(sentence) if isinstance(sentence, Sentence | Exception) else tuple(sentence)


def annotate_pairs(
    annotate: Annotate, pairs: Sequence[PairLike | Exception]
) -> list[AnnotatedPair | Exception]:
    """Return pairs with both sides annotated; candidates of one question share it.

    An InputError names the side in its field: ``"source"``, ``"target.tags"``. An item that is not
    a pair of sentences becomes an InputError.
    """
    checked: list[Pair | Exception] = []
    sides: list[SentenceLike | Exception] = []
    for pair in map_each(require_pair, pairs):  # type: ignore[arg-type]  # a union, as above
        checked.append(pair)
        if not isinstance(pair, Exception):
            sides += pair[:2]
    annotated = iter(annotate_each(annotate, sides))
    return [
        pair if isinstance(pair, Exception)
        else _annotated_pair(next(annotated), next(annotated), pair)
        for pair in checked
    ]  # fmt: skip


def _annotated_pair(
    source: Sentence | Exception, target: Sentence | Exception, pair: Pair
) -> AnnotatedPair | Exception:
    if isinstance(source, Exception):
        return _at_side("source", source)
    if isinstance(target, Exception):
        return _at_side("target", target)
    return source, target, *pair[2:]


def _at_side(side: str, error: Exception) -> Exception:
    """Return the error of a sentence as that of a side of a pair."""
    if not isinstance(error, InputError):
        return error
    field = f"{side}.{error.field}" if error.field else side
    return renewed(error, str(error), field=field)  # the sentence may be of other pairs, too


class ModelName(Protocol):
    """The name, the version and the styles of a model."""

    @property
    def name(self) -> str: ...

    @property
    def version(self) -> str: ...

    @property
    def styles(self) -> Sequence[Mapping[str, Any]]: ...


class AnnotatesSentences(Protocol):
    """Fills the columns of sentences, as Aligner.annotate does."""

    def annotate(
        self, sentences: Sequence[SentenceLike], *, truncate: bool = ..., markup: Markup = ...
    ) -> list[Sentence]: ...


class AlignsPairs(AnnotatesSentences, Protocol):
    """Aligns many pairs, as Aligner.pipe does."""

    @property
    def header(self) -> ModelName: ...

    @overload
    def pipe(self, pairs: Iterable[PairLike], options: AlignOptions, /) -> Iterator[Alignment]: ...

    @overload
    def pipe(
        self,
        pairs: Iterable[Any],
        options: AlignOptions,
        /,
        *,
        batch_size: int,
        n_process: int,
        errors: Literal["return"],
    ) -> Iterator[Alignment | InputError | WorkerError]: ...


class JudgesPairs(AnnotatesSentences, Protocol):
    """Aligns and judges annotated pairs, as tokalign.decoding.engine.PairEngine does."""

    def annotate_pairs(
        self, pairs: Sequence[PairLike | Exception], *, truncate: bool = ..., markup: Markup = ...
    ) -> list[AnnotatedPair | Exception]: ...

    def judge_annotated(
        self, pairs: Sequence[AnnotatedPair | Exception], options: AlignOptions, by: RankBy
    ) -> "Iterator[tuple[Alignment, Judgement] | Exception]": ...
