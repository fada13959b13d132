"""The asyncio client: the methods of tokalign.client.sync.Client, awaited."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import (
    AsyncGenerator,
    AsyncIterable,
    AsyncIterator,
    Callable,
    Iterable,
    Sequence,
)
from typing import Any, Self, TypeVar, Unpack

import grpc
import grpc.aio
from google.protobuf.message import Message
from tokalign.client import rpcs
from tokalign.client.base import POLL_S, BaseClient, Waiting, pair_of, request_options
from tokalign.client.chunks import Chunks, check_sizes, chunked_async
from tokalign.client.errors import InvalidInputError, closed
from tokalign.client.grounding import GroundCalls, GrowingGround, ground_options
from tokalign.client.reports import report_of
from tokalign.client.results import AlignResult, RankedResult
from tokalign.client.statuses import Statuses
from tokalign.client.texts import TextCalls
from tokalign.codec import RequestOptions, ServerInfo
from tokalign.types import Alignment, PairLike, SentenceLike
from tokalign.types.grounding import GroundedSentence, Grounding, GroundOptions
from tokalign.types.keywords import AlignKeywords, GroundKeywords, PairKeywords, RankByLike
from tokalign.types.options import AlignOptions, RankBy
from tokalign.types.passages import PassageLike
from tokalign.types.texts import TextAlignment

AnswerT = TypeVar("AnswerT")


class AsyncClient(BaseClient):
    """A connection to a tokalign server for one event loop.

    Parameters, methods and exceptions are those of tokalign.client.Client; methods are
    coroutines, `align_stream` and `ground_stream` asynchronous iterators. A call whose task is
    cancelled is cancelled at the server too.
    """

    _channels: tuple[grpc.aio.Channel, ...] = ()

    def _connected(self) -> dict[str, Any]:
        """Return the methods. The first call makes the channels, which belong to its event loop."""
        if self._is_closed:
            raise closed(self.address)
        if not self._channels:
            make = self._settings.channel
            self._channels = (
                make(grpc.aio.secure_channel, grpc.aio.insecure_channel),
                make(grpc.aio.secure_channel, grpc.aio.insecure_channel, balanced=False),
            )
            self._methods = rpcs.methods(*self._channels)
        return self._methods

    async def align(
        self,
        source: SentenceLike,
        target: SentenceLike,
        options: AlignOptions | None = None,
        *,
        model: str = "",
        annotator: str = "",
        timeout_s: float | None = None,
        **changes: Unpack[PairKeywords],
    ) -> Alignment:
        """Return the alignment of one pair; see Client.align."""
        pair, own = pair_of(source, target, changes)
        wanted = request_options(options, model, annotator, own)
        return await self._call(rpcs.align(pair, wanted), timeout_s)

    async def batch_align(
        self,
        pairs: Iterable[PairLike],
        options: AlignOptions | None = None,
        *,
        model: str = "",
        annotator: str = "",
        timeout_s: float | None = None,
        **changes: Unpack[AlignKeywords],
    ) -> list[AlignResult]:
        """Return one result per pair, in order; see Client.batch_align."""
        wanted = request_options(options, model, annotator, changes)
        return await self._call(rpcs.batch_align(pairs, wanted), timeout_s)

    # This method and align_stream have many parameters, for the reason given in sync.py.
    async def rank(
        self,
        question: SentenceLike,
        candidates: Sequence[SentenceLike],
        options: AlignOptions | None = None,
        *,
        by: RankByLike = RankBy.AUTO,
        top_k: int = 0,
        passages: bool = False,
        priors: Sequence[float | None] | None = None,
        shortlist: int = 0,
        highlights: bool = False,
        model: str = "",
        annotator: str = "",
        timeout_s: float | None = None,
        **changes: Unpack[AlignKeywords],
    ) -> list[RankedResult]:
        """Return the candidates, those that answer best first; see Client.rank."""
        wanted = request_options(options, model, annotator, changes)
        settings = rpcs.RankSettings(by, top_k, passages, priors, shortlist, highlights)
        return await self._call(rpcs.rank(question, candidates, settings, wanted), timeout_s)

    def align_stream(
        self,
        pairs: Iterable[PairLike] | AsyncIterable[PairLike],
        options: AlignOptions | None = None,
        *,
        chunk_size: int = 64,
        max_in_flight: int = 8,
        ordered: bool = True,
        model: str = "",
        annotator: str = "",
        timeout_s: float | None = None,
        **changes: Unpack[AlignKeywords],
    ) -> AsyncIterator[AlignResult]:
        """Yield one result per pair for any number of pairs; see Client.align_stream.

        `pairs` may also be asynchronous; it is read by a task of this loop.
        """
        check_sizes(chunk_size, max_in_flight)
        wanted = request_options(options, model, annotator, changes)
        chunks = chunked_async(pairs, chunk_size)
        return self._stream(chunks, wanted, ordered, max_in_flight, self._limit_s(timeout_s))

    async def _stream(
        self,
        chunks: AsyncIterator[list[PairLike]],
        options: RequestOptions,
        ordered: bool,
        max_in_flight: int,
        timeout_s: float,
    ) -> AsyncIterator[AlignResult]:
        book = Chunks(options, ordered, self.address, timeout_s)
        room = asyncio.Semaphore(max_in_flight)

        async def requests() -> AsyncIterator[Message]:
            async for chunk in chunks:
                await room.acquire()
                yield book.request(chunk)

        answers = self._responses("AlignStream", requests(), book.remaining_s)
        async with contextlib.aclosing(answers):
            async for answer in answers:
                for results in book.accept(answer):
                    for result in results:
                        yield result
                    room.release()
        book.check_complete()

    async def _responses(
        self,
        method: str,
        requests: AsyncIterator[Message],
        remaining_s: Callable[[], float | None] = lambda: None,
        timeout_s: float | None = None,
    ) -> AsyncGenerator[Any, None]:
        """Make a call that streams both ways, and yield its responses; see threads.responses.

        `timeout_s` is the deadline of the whole call.
        """
        call = self._connected()[method](timeout=timeout_s, metadata=self._metadata())
        statuses = Statuses(call)

        async def send() -> None:
            async for request in requests:
                await call.write(request)
            await call.done_writing()

        sender = asyncio.create_task(send())
        reader = asyncio.create_task(call.read())
        try:
            while True:
                # What has come is looked at before a wait that may be over.
                if not reader.done():
                    await asyncio.wait(
                        {reader} if sender.done() else {reader, sender},
                        timeout=remaining_s(),
                        return_when=asyncio.FIRST_COMPLETED,
                    )
                if sender.done():
                    _raise_from_caller(sender)
                if reader.done():
                    response = self._received(reader)
                    if response is grpc.aio.EOF:
                        await self._report_async(method, call)
                        return
                    reader = asyncio.create_task(call.read())
                    yield response
        except grpc.aio.AioRpcError as error:
            raise self._failed(method, await statuses.of_server(error)) from error
        finally:
            call.cancel()
            for task in (sender, reader):
                task.cancel()
            await asyncio.gather(sender, reader, return_exceptions=True)

    def _received(self, reader: asyncio.Task[Any]) -> Any:
        """Return the response of a read, or raise CancelledError where the client was closed."""
        if reader.cancelled():
            raise closed(self.address)
        return reader.result()

    async def align_texts(
        self,
        old: str,
        new: str,
        options: AlignOptions | None = None,
        *,
        model: str = "",
        annotator: str = "",
        timeout_s: float | None = None,
        **changes: Unpack[AlignKeywords],
    ) -> TextAlignment:
        """Return two texts, aligned by sentences and then by words; see Client.align_texts."""
        calls = TextCalls(old, new, request_options(options, model, annotator, changes))
        if calls.is_short:
            with contextlib.suppress(InvalidInputError):
                return await self._call(calls.at_once(), timeout_s)
        return await self._call(calls.in_pieces(), timeout_s)

    async def ground(
        self,
        answer: str,
        passages: Iterable[PassageLike],
        options: GroundOptions | None = None,
        *,
        model: str = "",
        annotator: str = "",
        timeout_s: float | None = None,
        **changes: Unpack[GroundKeywords],
    ) -> Grounding:
        """Return where passages support the words of an answer; see Client.ground."""
        calls = GroundCalls(answer, passages, ground_options(options, model, annotator, changes))
        if calls.is_short:
            with contextlib.suppress(InvalidInputError):
                return await self._call(calls.at_once(), timeout_s)
        return await self._call(calls.in_pieces(), timeout_s)

    def ground_stream(
        self,
        pieces: Iterable[str] | AsyncIterable[str],
        passages: Iterable[PassageLike],
        options: GroundOptions | None = None,
        *,
        model: str = "",
        annotator: str = "",
        timeout_s: float | None = None,
        **changes: Unpack[GroundKeywords],
    ) -> AsyncIterator[GroundedSentence]:
        """Yield the sentences of an answer that is still being written; see Client.ground_stream.

        `pieces` may also be asynchronous; it is read by a task of this loop.
        """
        wanted = ground_options(options, model, annotator, changes)
        growing = GrowingGround(passages, wanted, self.address, self._limit_s(timeout_s))
        return self._ground_stream(growing, growing.requests_async(pieces))

    async def _ground_stream(
        self, growing: GrowingGround, requests: AsyncIterator[Message]
    ) -> AsyncIterator[GroundedSentence]:
        answers = self._responses("GroundStream", requests, growing.remaining_s)
        async with contextlib.aclosing(answers):
            async for answer in answers:
                for sentence in growing.accept(answer):
                    yield sentence

    async def list_models(self, *, timeout_s: float | None = None) -> ServerInfo:
        """Return the server's models, annotators, limits and version."""
        return await self._call(rpcs.list_models(), timeout_s)

    async def health(self, *, timeout_s: float | None = None) -> str:
        """Return the server's state; see Client.health."""
        return await self._call(rpcs.health(), timeout_s)

    async def wait_ready(self, timeout_s: float = 30.0) -> None:
        """Return once the server is serving; see Client.wait_ready."""
        waiting = Waiting(self.address, timeout_s)
        while True:
            with waiting.noting_failure():
                waiting.seen = await self.health(timeout_s=waiting.remaining_s)
            if waiting.is_over():
                return
            await asyncio.sleep(POLL_S)

    async def close(self) -> None:
        """Close the connection; running calls end with CancelledError."""
        self._is_closed = True
        for channel in self._channels:
            await channel.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *exc_info: object) -> None:
        await self.close()

    async def _call(self, rpc: rpcs.Rpc[AnswerT], timeout_s: float | None) -> AnswerT:
        limit_s = self._limit_s(timeout_s)
        if not isinstance(rpc.request, Message):
            responses = self._responses(rpc.method, _each(rpc.request), timeout_s=limit_s)
            return rpc.decode([response async for response in responses])
        method = self._connected()[rpc.method]
        try:
            call = method(rpc.request, timeout=limit_s, metadata=self._metadata())
            answer = await call
        except grpc.RpcError as error:
            raise self._failed(rpc.method, error) from error
        except asyncio.CancelledError:
            task = asyncio.current_task()
            if self._is_closed and task is not None and not task.cancelling():
                raise closed(self.address) from None  # close() cancelled the call, not the task
            raise
        await self._report_async(rpc.method, call)
        return rpc.decode(answer)

    async def _report_async(self, method: str, call: grpc.aio.Call) -> None:
        """Tell `on_call` of a call that was answered."""
        if self._on_call is not None:
            self._on_call(report_of(method, await call.trailing_metadata()))


async def _each(requests: Iterable[Message]) -> AsyncIterator[Message]:
    for request in requests:
        yield request


def _raise_from_caller(sender: asyncio.Task[None]) -> None:
    """Raise the error of what the caller gave, if any; the reader reports errors of the call."""
    error = None if sender.cancelled() else sender.exception()
    if error is not None and not isinstance(error, grpc.RpcError | asyncio.InvalidStateError):
        raise error
