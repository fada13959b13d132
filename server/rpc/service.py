"""The five RPCs of tokalign.v1.AlignService: check, submit, reply.

Handlers take and return bytes: requests are parsed here so that nonsense is INVALID_ARGUMENT,
and answers are joined from what workers have serialised.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any, NamedTuple, ParamSpec, TypeVar

import grpc
from google.protobuf.message import Message
from tokalign import codec
from tokalign.codec import RequestOptions
from tokalign.codec._joining import Joined
from tokalign.errors import LimitError
from tokalign.server import cost, requests
from tokalign.server.admission import Admission, Admitted
from tokalign.server.answers import check_foreseen, too_large
from tokalign.server.config import Config, RequestLimits
from tokalign.server.observe.memory import MemoryBound
from tokalign.server.passages import read_candidates
from tokalign.server.requests import Item, Parts, parse
from tokalign.server.rpc.calls import Calls
from tokalign.server.rpc.receiving import Context
from tokalign.server.rpc.serving import Serving
from tokalign.server.rpc.streams import Chunk, Stream
from tokalign.server.status import (
    OK,
    FailedError,
    Failure,
    NotServingError,
    classify,
    report,
)
from tokalign.server.workers import frames
from tokalign.server.workers.pool import Pool
from tokalign.server.workers.shards import MAX_ANSWER_BYTES
from tokalign.v1 import align_pb2

_ALIGN = Joined(align_pb2.AlignResponse)
_BATCH = Joined(align_pb2.BatchAlignResponse)
_CHUNK = Joined(align_pb2.AlignStreamResponse)
_PAIR = Joined(align_pb2.Pair)
_RANKING = Joined(align_pb2.RankResponse)
_RANKED = Joined(align_pb2.RankedCandidate)
_RESULT = Joined(align_pb2.AlignResult)

SERVICE = align_pb2.DESCRIPTOR.services_by_name["AlignService"].full_name

# What is read or joined of so many bytes takes the event loop a few milliseconds at most.
LOOP_BYTES = 1 << 16
# What an answer costs beside its bytes, in bytes.
ANSWER_BYTES = 64

P = ParamSpec("P")
Value = TypeVar("Value")


class Request(NamedTuple):
    """What is asked of the workers.

    Attributes
    ----------
    options : RequestOptions
    pairs : list of bytes
        Serialised tokalign.v1.Pair messages.
    n_bytes : int
        Of the whole request.
    shared : bytes
        The serialised Pair.target of all pairs, which then hold none themselves.
    top_k : int
        How many of the pairs are answered; 0 is all.
    """

    options: RequestOptions
    pairs: list[bytes]
    n_bytes: int
    shared: bytes = b""
    top_k: int = 0


class AlignService:
    """The RPC methods; they refuse calls until there is something to serve from."""

    def __init__(self, config: Config, admission: Admission, memory: MemoryBound) -> None:
        self._loaded: Serving | None = None
        self._config = config
        self._admission = admission
        self._memory = memory

    def handler(self, calls: Calls) -> grpc.GenericRpcHandler:
        """Return what grpc.aio.Server.add_generic_rpc_handlers takes."""
        return calls.handler(
            SERVICE,
            unary={
                "Align": self.align,
                "BatchAlign": self.batch_align,
                "Rank": self.rank,
                "ListModels": self.list_models,
            },
            streams={"AlignStream": self.align_stream},
        )

    def serve_from(self, serving: Serving) -> None:
        """Answer new calls from a pool that has started."""
        self._loaded = serving

    async def align(self, data: bytes, context: Context) -> bytes:
        """Align one pair."""
        parts = Parts(align_pb2.AlignRequest, data, 0)
        serving = self._serving()
        options, reference = serving.choose(parts.message("options"))
        pair = parts.item("pair")
        request = Request(options, [pair.data], len(data))
        (answer,) = await self._answers(serving.pool, request, context)
        if answer.code != OK:
            field = f"pair.{answer.field}" if answer.field else ""
            raise FailedError(Failure(answer.code, answer.message, field))
        return self._sized(_ALIGN(id=pair.id, alignment=answer.alignment, model=reference))

    async def batch_align(self, data: bytes, context: Context) -> bytes:
        """Align many pairs, each with its own status."""
        parts = await self._cut(align_pb2.BatchAlignRequest, data)
        serving = self._serving()
        options, reference = serving.choose(parts.message("options"))
        pairs = await self._items(parts, "pairs", len(data))
        request = Request(options, [pair.data for pair in pairs], len(data))
        answers = await self._answers(serving.pool, request, context)
        return await self._joined(
            answers, lambda: _BATCH(results=_results(pairs, answers), model=reference)
        )

    async def rank(self, data: bytes, context: Context) -> bytes:
        """Align a question with candidates and return them, those that answer best first."""
        parts = await self._cut(align_pb2.RankRequest, data)
        serving = self._serving()
        options, reference = serving.choose(parts.message("options"))
        options = replace(options, rank_by=codec.decode_rank_by(parts.number("rank_by")))
        items = await self._items(parts, "candidates", len(data))
        truncate = options.align.truncate
        question = self._question(parts.message("question"), truncate)
        candidates = await _off_loop(
            len(data), read_candidates, items, self._config.limits, truncate=truncate
        )
        top_k = parts.number("top_k")
        n_answered = top_k or (len(items) if candidates.has_passages else 0)
        request = Request(options, candidates.pairs, len(data), _PAIR(target=question), n_answered)
        answers = await self._answers(serving.pool, request, context)
        for answer in answers:
            # A bad question fails every pair, and is the call's error, not the candidates'.
            side, _, rest = answer.field.partition(".")
            if side == "target":
                field = f"question.{rest}" if rest else "question"
                raise FailedError(Failure(answer.code, answer.message, field))
        answers = await _off_loop(len(data), candidates.answers, answers, options.align.offsets)
        return await self._joined(
            answers,
            lambda: _RANKING(ranking=_ranking(items, answers, top_k), model=reference),
        )

    def _question(self, question: bytes, truncate: bool) -> bytes:
        """Return a question that is within the limits, or raise for the whole ranking."""
        limits = self._config.limits
        largest = requests.max_sentence_bytes(limits)
        if len(question) > largest:
            raise LimitError(
                f"a question of {len(question)} bytes; one within the limits has at most {largest}",
                field="question",
            )
        message = parse(align_pb2.Sentence, question, "question")
        if truncate:
            requests.shorten(message, limits)
        requests.sentence(message, side="question", limits=limits)
        return question

    async def list_models(self, data: bytes, context: Context) -> bytes:
        """Return the loaded models, the limits and the annotators."""
        parse(align_pb2.ListModelsRequest, data)
        return self._serving().listing

    async def align_stream(self, messages: AsyncIterator[bytes], context: Context) -> None:
        """Align chunks as they arrive; at most `stream_chunks` of them are worked on at once."""

        async def align(data: bytes, chunk: Chunk) -> bytes:
            return await self._align_chunk(data, context, chunk)

        await Stream(context, self._config.stream_chunks).answer(messages, align)

    async def _align_chunk(self, data: bytes, context: Context, chunk: Chunk) -> bytes:
        parts = await self._cut(align_pb2.AlignStreamRequest, data)
        chunk_id = parts.text("chunk_id")
        try:
            parts.check_text("chunk_id")
            serving = self._serving()
            options, reference = serving.choose(parts.message("options"))
            pairs = await self._items(parts, "pairs", len(data))
            request = Request(options, [pair.data for pair in pairs], len(data))
            work = await self._work(request)
            n_bytes = len(data) + work.answer_bytes
            await chunk.room(n_bytes)
            admitted = await self._admission.admit_later(
                len(pairs),
                n_bytes,
                lambda: _wait_s(serving.pool, work),
                cost=sum(work.costs),
                cost_per_s=serving.pool.cost_per_s,
                peer=context.peer(),
            )
            chunk.begin(admitted)
            answers = await self._aligned(serving.pool, request, work, context, admitted)
            return await self._joined(
                answers,
                lambda: _CHUNK(
                    chunk_id=chunk_id,
                    status=b"",
                    results=_results(pairs, answers),
                    model=reference,
                ),
            )
        except Exception as error:
            failure = classify(error) or report(error)
            return _CHUNK(chunk_id=chunk_id, status=_status(failure))

    async def _cut(self, kind: type[Message], data: bytes) -> Parts:
        return await _off_loop(len(data), Parts, kind, data, self._config.limits.max_pairs)

    async def _items(self, parts: Parts, name: str, n_bytes: int) -> list[Item]:
        """Return a request's pairs or candidates, not too many of them."""
        limit = self._config.limits.max_pairs
        if parts.count(name) > limit:
            raise LimitError(
                f"more than {limit} {name}; the server takes at most {limit} per request: "
                "send several",
                field=name,
            )
        return await _off_loop(n_bytes, parts.items, name)

    async def _answers(self, pool: Pool, request: Request, context: Context) -> list[frames.Answer]:
        """Return the answers; what they and the request hold is held until they are written."""
        work = await self._work(request)
        admitted = self._admission.admit(
            len(work.costs),
            request.n_bytes + work.answer_bytes,
            _wait_s(pool, work),
            cost=sum(work.costs),
            cost_per_s=pool.cost_per_s,
            peer=context.peer(),
        )
        _hold_until_written(admitted, context)
        return await self._aligned(pool, request, work, context, admitted)

    async def _work(self, request: Request) -> cost.Work:
        """Return what a request costs; its answer's bytes as far as it may be sent."""
        limits = self._config.limits
        work = await _off_loop(request.n_bytes, _foreseen, request, limits)
        # Once more, for a stream's chunks, and for what came while others were read.
        self._memory.check()
        return cost.Work(work.costs, min(work.answer_bytes, self._largest(request)))

    def _largest(self, request: Request) -> int:
        """Return how many bytes a request's answers may have together."""
        limit = self._config.limits.max_response_bytes
        # Of a ranking's candidates that are kept, only the best are sent.
        return max(limit, MAX_ANSWER_BYTES) if request.top_k else limit

    async def _aligned(
        self, pool: Pool, request: Request, work: cost.Work, context: Context, admitted: Admitted
    ) -> list[frames.Answer]:
        """Return the answers to a request that was let in."""
        # The work counts until it is done, the bytes until the answer is written: who does not
        # read holds memory, and no worker.
        n_bytes = request.n_bytes
        try:
            answers = await pool.submit(
                request.options,
                request.pairs,
                _deadline(context),
                request.shared,
                work.costs,
                self._largest(request),
            )
            n_bytes += sum([len(answer.alignment) for answer in answers])
        finally:
            admitted.done(n_bytes)
        return answers

    async def _joined(self, answers: Sequence[frames.Answer], join: Callable[[], bytes]) -> bytes:
        """Return an answer made of the workers', in a thread where that takes long."""
        n_bytes = sum(len(answer.alignment) + ANSWER_BYTES for answer in answers)
        return self._sized(await _off_loop(n_bytes, join))

    def _sized(self, answer: bytes) -> bytes:
        """Return an answer that is not larger than it may be, or raise LimitError."""
        limit = self._config.limits.max_response_bytes
        if len(answer) > limit:
            raise too_large(limit)
        return answer

    def _serving(self) -> Serving:
        if self._loaded is None:
            raise NotServingError("the server is loading its models; try again soon")
        return self._loaded


def _wait_s(pool: Pool, work: cost.Work) -> float:
    return pool.wait_s(work.costs[0]) if work.costs else 0.0


def _deadline(context: Context) -> float | None:
    remaining = context.time_remaining()
    return None if remaining is None else time.monotonic() + remaining


def _status(failure: Failure | frames.Answer) -> bytes:
    return align_pb2.Status(
        code=failure.code, message=failure.message, field=failure.field
    ).SerializeToString()


def _hold_until_written(admitted: Admitted, context: Context) -> None:
    """Hold what a call was given until it has ended, its answer written."""
    let_go: Any = lambda _: admitted.__exit__(None, None, None)  # noqa: E731 (as grpc's stubs want)
    context.add_done_callback(let_go)
    admitted.__enter__()


async def _off_loop(
    n_bytes: int, function: Callable[P, Value], *args: P.args, **kwargs: P.kwargs
) -> Value:
    """Call a function, in a thread where it works on many bytes."""
    if n_bytes <= LOOP_BYTES:
        return function(*args, **kwargs)
    return await asyncio.to_thread(function, *args, **kwargs)


def _foreseen(request: Request, limits: RequestLimits) -> cost.Work:
    """Return what a request costs, or raise LimitError where the answer will be too large."""
    pairs, shared, options = request.pairs, request.shared, request.options.align
    check_foreseen(pairs, shared, options, limits, request.top_k)
    return cost.of_pairs(pairs, shared, options, limits)


def _ranking(
    candidates: Sequence[Item], answers: Sequence[frames.Answer], top_k: int
) -> Iterator[bytes]:
    order = sorted(
        range(len(answers)),
        key=lambda index: (answers[index].code != OK, -answers[index].score),
    )
    for index in order[: top_k or None]:
        answer = answers[index]
        yield _RANKED(index=index, result=_result(candidates[index].id, answer)) + answer.judgement


def _results(pairs: Sequence[Item], answers: Sequence[frames.Answer]) -> Iterator[bytes]:
    for pair, answer in zip(pairs, answers, strict=True):
        yield _result(pair.id, answer)


def _result(pair_id: str, answer: frames.Answer) -> bytes:
    """Return a serialised AlignResult."""
    if answer.code == OK:
        return _RESULT(id=pair_id, status=b"", alignment=answer.alignment)
    return _RESULT(id=pair_id, status=_status(answer))
