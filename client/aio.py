"""The asyncio client: the methods of tokalign.client.sync.Client, awaited."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterable, AsyncIterator, Iterable, Sequence
from typing import Any, Self, Unpack

import grpc
import grpc.aio
from grpc_health.v1 import health_pb2, health_pb2_grpc
from tokalign.client import translate
from tokalign.client.chunks import Chunks, check_sizes, chunked_async
from tokalign.client.errors import (
    DeadlineError,
    UnavailableError,
    closed,
    from_call,
    late,
    not_ready,
)
from tokalign.client.options import Connection, Limits, Retry, Tls
from tokalign.client.results import AlignResult, ServerInfo
from tokalign.client.sync import POLL_S
from tokalign.client.translate import AlignOptions, Options, Pair
from tokalign.types import Alignment, SentenceLike
from tokalign.v1 import align_pb2, align_pb2_grpc


class AsyncClient:
    """A connection to a tokalign server for one event loop.

    Parameters, methods and exceptions are those of tokalign.client.Client; methods are
    coroutines, `align_stream` an asynchronous iterator. A call whose task is cancelled is
    cancelled at the server too.
    """

    def __init__(
        self,
        address: str,
        *,
        timeout_s: float = 10.0,
        retry: Retry | None = Retry(),  # noqa: B008 (frozen)
        limits: Limits = Limits(),  # noqa: B008 (frozen)
        tls: Tls | None = None,
        token: str | None = None,
    ) -> None:
        self._connection = Connection(
            address=address, retry=retry, limits=limits, tls=tls, token=token
        )
        self.address = address
        self.timeout_s = timeout_s
        self._channel: grpc.aio.Channel | None = None
        self._is_closed = False

    def _connected(self) -> grpc.aio.Channel:
        """Return the channel, made at the first call, since it belongs to the running loop."""
        if self._is_closed:
            raise closed(self.address)
        if self._channel is None:
            self._channel = self._connection.channel(
                grpc.aio.secure_channel, grpc.aio.insecure_channel
            )
        return self._channel

    @property
    def _stub(self) -> Any:
        return align_pb2_grpc.AlignServiceStub(self._connected())

    async def align(
        self,
        source: SentenceLike,
        target: SentenceLike,
        *,
        timeout_s: float | None = None,
        **options: Unpack[AlignOptions],
    ) -> Alignment:
        """Return the alignment of one pair; see Client.align."""
        checked = Options.checked(**options)
        pair = (source, target)
        request = translate.align_request(pair, checked)
        response = await self._call(self._stub.Align, request, timeout_s)
        return translate.alignment(response.alignment, response.model, pair, checked)

    async def batch_align(
        self,
        pairs: Iterable[Pair],
        *,
        timeout_s: float | None = None,
        **options: Unpack[AlignOptions],
    ) -> list[AlignResult]:
        """Return one result a pair, in order; see Client.batch_align."""
        checked = Options.checked(**options)
        pairs = list(pairs)
        request = translate.batch_request(pairs, checked)
        response = await self._call(self._stub.BatchAlign, request, timeout_s)
        return translate.batch_results(response, pairs, checked)

    async def rank(
        self,
        question: SentenceLike,
        candidates: Sequence[SentenceLike],
        *,
        top_k: int = 0,
        timeout_s: float | None = None,
        **options: Unpack[AlignOptions],
    ) -> list[AlignResult]:
        """Return the candidates by falling alignment score; see Client.rank."""
        checked = Options.checked(**options)
        request = translate.rank_request(question, candidates, top_k, checked)
        response = await self._call(self._stub.Rank, request, timeout_s)
        return translate.ranking(response, question, candidates, checked)

    def align_stream(
        self,
        pairs: Iterable[Pair] | AsyncIterable[Pair],
        *,
        chunk_size: int = 64,
        max_in_flight: int = 8,
        ordered: bool = True,
        timeout_s: float | None = None,
        **options: Unpack[AlignOptions],
    ) -> AsyncIterator[AlignResult]:
        """Yield one result a pair for any number of pairs; see Client.align_stream.

        `pairs` may also be asynchronous; it is read by a task of this loop.
        """
        check_sizes(chunk_size, max_in_flight)
        checked = Options.checked(**options)
        limit_s = self.timeout_s if timeout_s is None else timeout_s
        chunks = chunked_async(pairs, chunk_size)
        return self._stream(chunks, checked, ordered, max_in_flight, limit_s)

    async def _stream(
        self,
        chunks: AsyncIterator[list[Pair]],
        options: Options,
        ordered: bool,
        max_in_flight: int,
        timeout_s: float,
    ) -> AsyncIterator[AlignResult]:
        book = Chunks(options, ordered)
        room = asyncio.Semaphore(max_in_flight)
        call = self._stub.AlignStream()

        async def send() -> None:
            async for chunk in chunks:
                await room.acquire()
                await call.write(book.request(chunk))
            await call.done_writing()

        sender = asyncio.create_task(send())
        reader = asyncio.create_task(call.read())
        try:
            while True:
                await asyncio.wait(
                    {reader} if sender.done() else {reader, sender},
                    timeout=max(book.remaining_s(timeout_s), 0.0),
                    return_when=asyncio.FIRST_COMPLETED,
                )
                if sender.done():
                    _raise_from_pairs(sender)
                if reader.done():
                    response = self._received(reader)
                    if response is grpc.aio.EOF:
                        book.check_complete()
                        return
                    reader = asyncio.create_task(call.read())
                    for results in book.accept(response):
                        for result in results:
                            yield result
                        room.release()
                elif book.remaining_s(timeout_s) <= 0:
                    raise late(self.address, timeout_s)
        except grpc.RpcError as error:
            raise from_call(error, self.address) from error
        finally:
            call.cancel()
            for task in (sender, reader):
                task.cancel()
            await asyncio.gather(sender, reader, return_exceptions=True)

    def _received(self, reader: asyncio.Task[Any]) -> Any:
        """Return what a read gave; a read that closing the client cancelled raises that."""
        if reader.cancelled():
            raise closed(self.address)
        return reader.result()

    async def list_models(self, *, timeout_s: float | None = None) -> ServerInfo:
        """Return the server's models, annotators, limits and version."""
        request = align_pb2.ListModelsRequest()
        return translate.server_info(await self._call(self._stub.ListModels, request, timeout_s))

    async def health(self, *, timeout_s: float | None = None) -> str:
        """Return the server's state; see Client.health."""
        stub = health_pb2_grpc.HealthStub(self._connected())
        check = stub.Check  # type: ignore[attr-defined]
        response = await self._call(check, health_pb2.HealthCheckRequest(), timeout_s)
        return health_pb2.HealthCheckResponse.ServingStatus.Name(response.status)

    async def wait_ready(self, timeout_s: float = 30.0) -> None:
        """Return once the server is serving; see Client.wait_ready."""
        deadline = time.monotonic() + timeout_s
        seen = ""
        while True:
            remaining_s = max(deadline - time.monotonic(), POLL_S)
            try:
                seen = await self.health(timeout_s=remaining_s)
            except UnavailableError as error:
                seen = str(error)
            except DeadlineError:
                seen = seen or "no answer"
            if seen == "SERVING":
                return
            if time.monotonic() >= deadline:
                raise not_ready(self.address, timeout_s, seen)
            await asyncio.sleep(POLL_S)

    async def close(self) -> None:
        """Close the connection; running calls end with CancelledError."""
        self._is_closed = True
        if self._channel is not None:
            await self._channel.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *exc_info: object) -> None:
        await self.close()

    async def _call(self, method: Any, request: Any, timeout_s: float | None) -> Any:
        try:
            return await method(request, timeout=self.timeout_s if timeout_s is None else timeout_s)
        except grpc.RpcError as error:
            raise from_call(error, self.address) from error
        except asyncio.CancelledError:
            task = asyncio.current_task()
            if self._is_closed and task is not None and not task.cancelling():
                raise closed(self.address) from None  # not the task was cancelled, but the call
            raise


def _raise_from_pairs(sender: asyncio.Task[None]) -> None:
    """Raise what reading the pairs raised; that the call broke, its reader tells better."""
    error = None if sender.cancelled() else sender.exception()
    if error is not None and not isinstance(error, grpc.RpcError | asyncio.InvalidStateError):
        raise error
