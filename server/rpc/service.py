"""The five RPCs of tokalign.v1.AlignService: check, submit, reply.

Handlers take and return bytes: requests are parsed here so that nonsense is INVALID_ARGUMENT,
and answers are joined from what workers have serialised.
"""

from __future__ import annotations

import asyncio
import importlib.metadata
import time
from collections.abc import AsyncIterator, Iterator, Sequence
from dataclasses import asdict

import grpc
import grpc.aio
from tokalign import codec
from tokalign.codec import ModelInfo, RequestOptions, ServerInfo, ServerLimits
from tokalign.errors import LimitError
from tokalign.server.admission import Admission
from tokalign.server.config import Config
from tokalign.server.requests import parse
from tokalign.server.rpc.calls import Calls
from tokalign.server.rpc.wire import Joined
from tokalign.server.status import (
    OK,
    FailedError,
    Failure,
    NotServingError,
    UnknownNameError,
    classify,
    report,
)
from tokalign.server.workers import frames
from tokalign.server.workers.pool import Pool
from tokalign.types import Symmetrization
from tokalign.v1 import align_pb2

_ALIGN = Joined(align_pb2.AlignResponse)
_BATCH = Joined(align_pb2.BatchAlignResponse)
_CHUNK = Joined(align_pb2.AlignStreamResponse)
_RANKING = Joined(align_pb2.RankResponse)
_RANKED = Joined(align_pb2.RankedCandidate)
_RESULT = Joined(align_pb2.AlignResult)

SERVICE = align_pb2.DESCRIPTOR.services_by_name["AlignService"].full_name

Context = grpc.aio.ServicerContext[bytes, bytes]


class AlignService:
    """The RPC methods; they refuse calls until there is something to serve from."""

    def __init__(self, config: Config, admission: Admission) -> None:
        self._loaded: Serving | None = None
        self._config = config
        self._admission = admission

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
        request = parse(align_pb2.AlignRequest, data)
        serving = self._serving()
        options, reference = serving.choose(request.options)
        pool = serving.pool
        with self._admission.admit(1, len(data), pool.wait_s):
            (answer,) = await pool.submit(
                options, [request.pair.SerializeToString()], _deadline(context)
            )
        if answer.code != OK:
            field = f"pair.{answer.field}" if answer.field else ""
            raise FailedError(Failure(answer.code, answer.message, field))
        return _ALIGN(id=request.pair.id, alignment=answer.alignment, model=reference)

    async def batch_align(self, data: bytes, context: Context) -> bytes:
        """Align many pairs, each with its own status."""
        request = parse(align_pb2.BatchAlignRequest, data)
        serving = self._serving()
        options, reference = serving.choose(request.options)
        answers = await self._align_pairs(serving.pool, options, request.pairs, len(data), context)
        return _BATCH(results=_results(request.pairs, answers), model=reference)

    async def rank(self, data: bytes, context: Context) -> bytes:
        """Align a question with candidates and return them by falling score."""
        request = parse(align_pb2.RankRequest, data)
        serving = self._serving()
        options, reference = serving.choose(request.options)
        question = request.question.SerializeToString()
        pairs = [
            align_pb2.Pair(source=candidate.sentence, target=request.question)
            for candidate in request.candidates
        ]
        answers = await self._align_pairs(
            serving.pool,
            options,
            pairs,
            len(data) + len(pairs) * len(question),
            context,
            field="candidates",
        )
        for answer in answers:
            # A bad question fails every pair, and is the call's error, not the candidates'.
            side, _, rest = answer.field.partition(".")
            if side == "target":
                field = f"question.{rest}" if rest else "question"
                raise FailedError(Failure(answer.code, answer.message, field))
        order = sorted(
            range(len(answers)),
            key=lambda index: (answers[index].code != OK, -answers[index].score),
        )
        ranking = []
        for index in order[: request.top_k or None]:
            answer = answers[index]
            _, _, rest = answer.field.partition(".")
            if answer.field:
                answer = answer._replace(field=f"sentence.{rest}" if rest else "sentence")
            result = _result(request.candidates[index].id, answer)
            ranking.append(_RANKED(index=index, result=result))
        return _RANKING(ranking=ranking, model=reference)

    async def list_models(self, data: bytes, context: Context) -> bytes:
        """Return the loaded models, the limits and the annotators."""
        parse(align_pb2.ListModelsRequest, data)
        return self._serving().listing

    async def align_stream(self, requests: AsyncIterator[bytes], context: Context) -> None:
        """Align chunks as they arrive; at most `stream_chunks` of them are worked on at once."""
        room = asyncio.Semaphore(self._config.stream_chunks)
        writing = asyncio.Lock()

        async def answer_chunk(data: bytes) -> None:
            try:
                answer = await self._align_chunk(data, context)
                async with writing:
                    await context.write(answer)
            finally:
                room.release()

        async with asyncio.TaskGroup() as chunks:
            await room.acquire()
            async for data in requests:
                chunks.create_task(answer_chunk(data))
                await room.acquire()

    async def _align_chunk(self, data: bytes, context: Context) -> bytes:
        request = parse(align_pb2.AlignStreamRequest, data)
        try:
            serving = self._serving()
            options, reference = serving.choose(request.options)
            answers = await self._align_pairs(
                serving.pool, options, request.pairs, len(data), context
            )
        except Exception as error:
            failure = classify(error) or report(error)
            return _CHUNK(chunk_id=request.chunk_id, status=_status(failure))
        return _CHUNK(
            chunk_id=request.chunk_id,
            status=b"",
            results=_results(request.pairs, answers),
            model=reference,
        )

    async def _align_pairs(
        self,
        pool: Pool,
        options: RequestOptions,
        pairs: Sequence[align_pb2.Pair],
        n_bytes: int,
        context: Context,
        field: str = "pairs",
    ) -> list[frames.Answer]:
        limit = self._config.limits.max_pairs
        if len(pairs) > limit:
            raise LimitError(
                f"{len(pairs)} {field}; the server takes at most {limit} per request: send several",
                field=field,
            )
        with self._admission.admit(len(pairs), n_bytes, pool.wait_s):
            return await pool.submit(
                options, [pair.SerializeToString() for pair in pairs], _deadline(context)
            )

    def _serving(self) -> Serving:
        if self._loaded is None:
            raise NotServingError("the server is loading its models; try again soon")
        return self._loaded


class Serving:
    """A pool that has started, what its models' names lead to, and what is told of them.

    All that calls need of the models is made here, so that models of which it cannot be made
    never serve.

    Parameters
    ----------
    pool : Pool
    config : Config

    Attributes
    ----------
    listing : bytes
        Serialised ListModelsResponse.
    """

    def __init__(self, pool: Pool, config: Config) -> None:
        self.pool = pool
        self._annotators = config.annotators
        self._references = {
            model.name: align_pb2.ModelRef(
                name=model.name, version=model.version
            ).SerializeToString()
            for model in pool.models
        }
        self._default = self._check(align_pb2.AlignOptions())
        info = ServerInfo(
            version=importlib.metadata.version("tokalign"),
            models=tuple(
                ModelInfo(
                    **model._asdict(), directions=tuple(Symmetrization), is_default=index == 0
                )
                for index, model in enumerate(pool.models)
            ),
            annotators=config.annotators,
            limits=ServerLimits(**asdict(config.limits)),
        )
        self.listing = codec.encode_server_info(info).SerializeToString()

    def choose(self, message: align_pb2.AlignOptions) -> tuple[RequestOptions, bytes]:
        """Return checked options and a serialised ModelRef of their model.

        Raises
        ------
        InputError
            If an option is out of range, or names what is not loaded (UnknownNameError).
        """
        return self._check(message) if message.ByteSize() else self._default

    def _check(self, message: align_pb2.AlignOptions) -> tuple[RequestOptions, bytes]:
        options = codec.decode_options(
            message, model=self.pool.models[0].name, annotator=self._annotators[0]
        )
        _known(options.model, list(self._references), "model")
        _known(options.annotator, self._annotators, "annotator")
        return options, self._references[options.model]


def _known(name: str, names: Sequence[str], what: str) -> None:
    if name not in names:
        raise UnknownNameError(
            f"no {what} {name!r} here; this server has {', '.join(names)}",
            field=f"options.{what}",
        )


def _deadline(context: Context) -> float | None:
    remaining = context.time_remaining()
    return None if remaining is None else time.monotonic() + remaining


def _status(failure: Failure | frames.Answer) -> bytes:
    return align_pb2.Status(
        code=failure.code, message=failure.message, field=failure.field
    ).SerializeToString()


def _results(pairs: Sequence[align_pb2.Pair], answers: Sequence[frames.Answer]) -> Iterator[bytes]:
    for pair, answer in zip(pairs, answers, strict=True):
        yield _result(pair.id, answer)


def _result(pair_id: str, answer: frames.Answer) -> bytes:
    """Return a serialised AlignResult."""
    if answer.code == OK:
        return _RESULT(id=pair_id, status=b"", alignment=answer.alignment)
    return _RESULT(id=pair_id, status=_status(answer))
