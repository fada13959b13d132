"""The engine of a worker: it parses, annotates, aligns and serialises pairs. No grpc in here."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import pairwise
from typing import NamedTuple, Protocol, TypeVar

from tokalign.batches.outcomes import map_each, try_one
from tokalign.codec.alignments import encode_highlight
from tokalign.codec.reading import texts_alone
from tokalign.codec.sentences import decode_constraints
from tokalign.codec.servers import ModelInfo
from tokalign.codec.writing import AlignmentWriter, write_judgement
from tokalign.decoding.engine import PairEngine
from tokalign.errors import InputError, LimitError
from tokalign.neural.devices import DEFAULT_DEVICE
from tokalign.ranking.judge import repetition_of
from tokalign.ranking.passages import highlights_of
from tokalign.server.config import RequestLimits
from tokalign.server.observe.faults import failure_of
from tokalign.server.observe.logs import Quoting
from tokalign.server.requests import limits, wire
from tokalign.server.requests.answers import Answer
from tokalign.server.requests.wire import texts_of
from tokalign.server.workers.frames import Run
from tokalign.server.workers.ground_sentences import ground
from tokalign.types import Alignment, AnnotatedPair, Pair, SentenceLike
from tokalign.types.ranking import Judgement
from tokalign.v1 import align_pb2

T = TypeVar("T")

STAGES = ("parse", "annotate", "align", "serialise")


@dataclass(frozen=True, slots=True)
class EngineSettings:
    """What a worker loads, and the limits that it enforces.

    Attributes
    ----------
    models : tuple of str
        Names or paths.
    device : str
        Where the models' encoders run.
    """

    models: tuple[str, ...]
    annotators: tuple[str, ...]
    limits: RequestLimits
    device: str = DEFAULT_DEVICE


class Engine(Protocol):
    """Answers pairs; an EngineFactory makes one for each worker."""

    @property
    def models(self) -> tuple[ModelInfo, ...]:
        """The loaded models, the default first."""

    def run(self, runs: Sequence[Run]) -> tuple[list[Answer], dict[str, float]]:
        """Return one answer per pair, in order, and the seconds spent by stage."""


EngineFactory = Callable[[EngineSettings], Engine]


class _Side(NamedTuple):
    """A sentence of a pair, and whether its end was cut off before it was tokenised."""

    sentence: SentenceLike
    is_cut: bool


@dataclass(slots=True)
class _Extras:
    """What some pairs of a run have beside their sentences, by index.

    Attributes
    ----------
    cuts : dict from int to bytes
        Fields of the answer that say what was cut.
    constraints : dict from int to message
        Read when the numbers of tokens are known, which bound what they may take.
    """

    cuts: dict[int, bytes] = field(default_factory=dict)
    constraints: dict[int, align_pb2.Constraints] = field(default_factory=dict)


class AlignerEngine:
    """An engine over one PairEngine for each pair of a model and an annotator."""

    def __init__(
        self,
        aligners: dict[tuple[str, str], PairEngine],
        models: tuple[ModelInfo, ...],
        limits: RequestLimits,
    ) -> None:
        self.models = models
        self._aligners = aligners
        self._limits = limits

    def run(self, runs: Sequence[Run]) -> tuple[list[Answer], dict[str, float]]:
        """Return one answer per pair, in order, and the seconds spent by stage."""
        seconds = dict.fromkeys(STAGES, 0.0)
        answers: list[Answer] = []
        for run in runs:
            answers += self._run(run, seconds)
        return answers, seconds

    def _run(self, run: Run, seconds: dict[str, float]) -> list[Answer]:
        """Return the answers of a run; an exception fails its pair alone."""
        options, shared, pairs = run
        aligner = self._aligners[options.model, options.annotator]
        if options.ground is not None:
            return _answers(run, ground(aligner, run, self._limits, seconds))
        clock = time.perf_counter
        times = [clock()]
        truncate = options.align.truncate
        (target,) = map_each(partial(self._target, truncate), [shared])
        extras = _Extras()
        parsed = map_each(partial(self._parse, target, truncate, extras), enumerate(pairs))
        times.append(clock())
        annotated = map_each(
            self._check_product,
            aligner.annotate_pairs(parsed, truncate=truncate, markup=options.align.markup),
        )
        for index, message in extras.constraints.items():
            annotated[index] = try_one(partial(_constrained, message), annotated[index])
        times.append(clock())
        writer = AlignmentWriter(options.align)
        serialise = partial(_serialise, writer=writer, highlights=options.highlights)
        if options.rank_by is None:
            aligned = _all(aligner.align_annotated(annotated, options.align), len(pairs))
            times.append(clock())
            serialised = map_each(serialise, aligned)
        else:
            judged = _all(
                aligner.judge_annotated(annotated, options.align, options.rank_by), len(pairs)
            )
            times.append(clock())
            serialised = map_each(lambda both: serialise(*both), judged)
        answers = _answers(run, serialised)
        for index, cut in extras.cuts.items():
            if answers[index].alignment:
                # Joined messages are one message with the fields of both.
                answers[index] = answers[index]._replace(alignment=answers[index].alignment + cut)
        times.append(clock())
        for stage, (began, ended) in zip(STAGES, pairwise(times), strict=True):
            seconds[stage] += ended - began
        return answers

    def _check_product(self, pair: AnnotatedPair) -> AnnotatedPair:
        limit = self._limits.max_token_product
        n_source, n_target = len(pair[0]), len(pair[1])
        if n_source * n_target > limit:
            raise LimitError(
                f"{n_source} times {n_target} tokens; the server takes pairs of at most {limit}: "
                "shorten or split a sentence",
                field="source.tokens" if n_source > n_target else "target.tokens",
            )
        return pair

    def _target(self, truncate: bool, shared: bytes) -> _Side | None:
        """Return the target that a run's pairs share, decoded once, or None where each has one."""
        if not shared:
            return None
        return self._side(align_pb2.Pair.FromString(shared).target, "target", truncate)

    def _parse(
        self,
        target: _Side | Exception | None,
        truncate: bool,
        extras: _Extras,
        numbered: tuple[int, bytes],
    ) -> Pair:
        """Return the sentences of a pair; `extras` gets what else it has."""
        if isinstance(target, Exception):
            raise target
        index, data = numbered
        longest = self._limits.max_characters
        texts = texts_alone(data)
        if texts is not None and not (target is not None and target.is_cut):
            source_text, target_text = texts
            if _is_usable(source_text, longest):
                if target is not None:
                    return source_text, target.sentence
                if _is_usable(target_text, longest):
                    return source_text, target_text
        pair = wire.parse(align_pb2.Pair, data)
        source = self._side(pair.source, "source", truncate)
        if target is None:
            target = self._side(pair.target, "target", truncate)
        if source.is_cut or target.is_cut:
            extras.cuts[index] = align_pb2.Alignment(
                source_truncated=source.is_cut, target_truncated=target.is_cut
            ).SerializeToString()
        if pair.HasField("constraints"):
            extras.constraints[index] = pair.constraints
        return source.sentence, target.sentence

    def _side(self, message: align_pb2.Sentence, side: str, truncate: bool) -> _Side:
        is_cut = truncate and limits.shorten(message, self._limits)
        return _Side(limits.sentence(message, side=side, limits=self._limits), is_cut)


def _all(outcomes: Iterable[T | Exception], n_pairs: int) -> list[T | Exception]:
    """Return one outcome per pair, the same error for all where the model refuses the options."""
    try:
        return list(outcomes)
    except InputError as error:
        return [error] * n_pairs


def _constrained(message: align_pb2.Constraints, pair: AnnotatedPair) -> AnnotatedPair:
    source, target = pair[:2]
    return source, target, decode_constraints(message, len(source), len(target))


def _is_usable(text: str, longest: int) -> bool:
    return 0 < len(text) <= longest and not text.isspace()


def _serialise(
    alignment: Alignment,
    judgement: Judgement | None = None,
    *,
    writer: AlignmentWriter,
    highlights: bool,
) -> Answer:
    data = writer.write(alignment)
    if judgement is None:
        return Answer(data)
    judged = write_judgement(judgement)
    if highlights:
        found = map(encode_highlight, highlights_of(alignment))
        # Joined messages are one message with the fields of both.
        judged += align_pb2.RankedCandidate(highlights=found).SerializeToString()
    return Answer(
        data,
        score=judgement.score,
        judgement=judged,
        repetition=repetition_of(alignment, judgement.by),
    )


def _answers(run: Run, outcomes: Sequence[Answer | Exception]) -> list[Answer]:
    """Return the answers of a run, with those of pairs that failed."""
    return [
        Answer.failed(failure_of(outcome, pair=Quoting(texts_of, run.options, run.shared, pair)))
        if isinstance(outcome, Exception)
        else outcome
        for outcome, pair in zip(outcomes, run.pairs, strict=True)
    ]
