"""What a worker does with a shard: parse, annotate, align, serialise. No grpc in here."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from google.protobuf.message import DecodeError
from tokalign.errors import InputError, LimitError
from tokalign.server import frames, translate
from tokalign.server.config import Limits
from tokalign.server.logs import Quoting
from tokalign.server.status import failure_of
from tokalign.types import DEFAULT_SYMMETRIZATION, Alignment, Sentence, SentenceLike, Symmetrization
from tokalign.v1 import align_pb2

STAGES = ("parse", "annotate", "align", "serialise")


@dataclass(frozen=True, slots=True)
class EngineSettings:
    """What a worker loads: models (names or paths), annotators, and the limits it enforces."""

    models: tuple[str, ...]
    annotators: tuple[str, ...]
    limits: Limits


class Engine(Protocol):
    """Answers shards; made once a worker by an EngineFactory."""

    @property
    def models(self) -> tuple[frames.ModelInfo, ...]:
        """The loaded models, the default first."""

    def run(self, job: frames.Job) -> tuple[list[frames.Answer], dict[str, float]]:
        """Return one answer a pair, in order, and the seconds spent by stage."""


EngineFactory = Callable[[EngineSettings], Engine]


class Aligning(Protocol):
    """The part of tokalign.Aligner that serving needs."""

    def annotate(self, sentences: Sequence[SentenceLike]) -> list[Sentence]:
        """Return the sentences with the columns filled that the model reads."""

    def encode(self, pairs: Sequence[tuple[Sentence, Sentence]]) -> Sequence[Any]:
        """Return what the model's encoder says of pairs, None for each where it has none."""

    def align(
        self,
        source: SentenceLike,
        target: SentenceLike,
        *,
        encoded: Any = ...,
        symmetrization: Symmetrization | str = ...,
        min_confidence: float = ...,
        posteriors: bool = ...,
        explain: bool = ...,
    ) -> Alignment:
        """Return the alignment of one pair."""


class AlignerEngine:
    """An engine over one aligner for each pair of a model and an annotator.

    Parameters
    ----------
    aligners : dict from (model name, annotator name) to aligner
    models : tuple of frames.ModelInfo
    limits : Limits
    """

    def __init__(
        self,
        aligners: dict[tuple[str, str], Aligning],
        models: tuple[frames.ModelInfo, ...],
        limits: Limits,
    ) -> None:
        self.models = models
        self._aligners = aligners
        self._limits = limits

    def run(self, job: frames.Job) -> tuple[list[frames.Answer], dict[str, float]]:
        """Return one answer a pair, in order, and the seconds spent by stage."""
        seconds = dict.fromkeys(STAGES, 0.0)
        answers: list[frames.Answer] = []
        for options, pairs in job.runs:
            answers += self._run(options, pairs, seconds)
        return answers, seconds

    def _run(
        self, options: translate.Options, pairs: Sequence[bytes], seconds: dict[str, float]
    ) -> list[frames.Answer]:
        aligner = self._aligners[options.model, options.annotator]
        work = [_Item(pair) for pair in pairs]
        annotated: dict[SentenceLike, Sentence | Exception] = {}

        def take_annotations(item: _Item) -> None:
            item.source = _annotated(annotated, item.sides[0], "source")
            item.target = _annotated(annotated, item.sides[1], "target")

        def check(item: _Item) -> None:
            self._check_product(len(item.source), len(item.target))

        def align(item: _Item) -> None:
            item.alignment = aligner.align(
                item.source,
                item.target,
                encoded=item.encoded,
                symmetrization=options.symmetrization or DEFAULT_SYMMETRIZATION,
                min_confidence=options.min_confidence,
                posteriors=options.posteriors,
                explain=options.explain,
            )

        def annotate() -> None:
            annotated.update(_annotate_all(aligner, work))
            _each(work, take_annotations)
            _each(work, check)

        def encode_and_align() -> None:
            _encode_all(aligner, work)
            _each(work, align)

        stages: tuple[Callable[[], None], ...] = (
            lambda: _each(work, self._parse),
            annotate,
            encode_and_align,
            lambda: _each(work, lambda item: _serialise(item, options.phrases)),
        )
        began = time.perf_counter()
        for name, stage in zip(STAGES, stages, strict=True):
            stage()
            ended = time.perf_counter()
            seconds[name] += ended - began
            began = ended
        return [item.answer for item in work if item.answer is not None]

    def _check_product(self, n_source: int, n_target: int) -> None:
        limit = self._limits.max_token_product
        if n_source * n_target > limit:
            raise LimitError(
                f"{n_source} times {n_target} tokens; the server takes pairs of at most {limit}: "
                "shorten or split a sentence",
                field="source.tokens" if n_source > n_target else "target.tokens",
            )

    def _parse(self, item: _Item) -> None:
        try:
            pair = align_pb2.Pair.FromString(item.data)
        except DecodeError as error:
            raise InputError("the pair is not a valid tokalign.v1.Pair") from error
        item.sides = (
            translate.sentence(pair.source, side="source", limits=self._limits),
            translate.sentence(pair.target, side="target", limits=self._limits),
        )


class _Item:
    """A pair on its way through the stages; `answer` is None until it is aligned or has failed."""

    __slots__ = ("alignment", "answer", "data", "encoded", "sides", "source", "target")

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.answer: frames.Answer | None = None
        self.sides: tuple[SentenceLike, SentenceLike]
        self.source: Sentence
        self.target: Sentence
        self.encoded: Any = None
        self.alignment: Alignment


def _each(work: Sequence[_Item], step: Callable[[_Item], None]) -> None:
    """Run one stage over the items that have not failed; an exception fails its item alone."""
    for item in work:
        if item.answer is None:
            try:
                step(item)
            except Exception as error:
                failure = failure_of(error, pair=Quoting(translate.texts, item.data))
                item.answer = frames.Answer(
                    b"", code=failure.code, message=failure.message, field=failure.field
                )


def _serialise(item: _Item, with_phrases: bool) -> None:
    message = translate.alignment(item.alignment, phrases=with_phrases)
    item.answer = frames.Answer(message.SerializeToString(), score=item.alignment.score)


def _annotate_all(
    aligner: Aligning, work: Sequence[_Item]
) -> dict[SentenceLike, Sentence | Exception]:
    """Return each distinct sentence of the shard annotated, or the exception it raised.

    Candidates of one question share it, so it is annotated once. A sentence that makes the whole
    batch fail is found by annotating one by one.
    """
    distinct = list(dict.fromkeys(side for item in work if not item.answer for side in item.sides))
    try:
        return dict(zip(distinct, aligner.annotate(distinct), strict=True))
    except Exception:
        return {sentence: _annotate_one(aligner, sentence) for sentence in distinct}


def _encode_all(aligner: Aligning, work: Sequence[_Item]) -> None:
    """Ask the model's encoder, if it has one, about all pairs at once.

    If one makes the batch fail, none is marked: aligning asks again, pair by pair.
    """
    alive = [item for item in work if item.answer is None]
    try:
        encoded = aligner.encode([(item.source, item.target) for item in alive])
    except Exception:
        encoded = [None] * len(alive)
    for item, said in zip(alive, encoded, strict=True):
        item.encoded = said


def _annotate_one(aligner: Aligning, sentence: SentenceLike) -> Sentence | Exception:
    try:
        return aligner.annotate([sentence])[0]
    except Exception as error:
        return error


def _annotated(
    annotated: dict[SentenceLike, Sentence | Exception], key: SentenceLike, side: str
) -> Sentence:
    result = annotated[key]
    if isinstance(result, InputError):
        path = f"{side}.{result.field}" if result.field else side
        raise type(result)(str(result), field=path) from result
    if isinstance(result, Exception):
        raise result
    return result
