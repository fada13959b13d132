"""Connection of the asyncio client: what all of its calls go through.

Where a message is written to a call that the server has just ended, the write fails, and grpc.aio
gives the call the status INTERNAL, before or after that of the server (grpc/grpc#36066).
`ServerStatus` finds the one that the server gave.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Coroutine, Iterable
from typing import Any, TypeVar

import grpc
import grpc.aio
from google.protobuf.message import Message
from tokalign.client import calls
from tokalign.client.base import BaseClient, report_of
from tokalign.client.errors import closed
from tokalign.client.results import AlignResult
from tokalign.client.streams import Chunks
from tokalign.codec.options import RequestOptions
from tokalign.types import PairLike

AnswerT = TypeVar("AnswerT")
# The status of the server comes at once; only a process that is starved of CPU needs so long.
WAIT_S = 10.0
_NOT_WRITTEN = "Internal error from Core"


class ServerStatus:
    """The status of a call that the server gave it."""

    def __init__(self, call: Any) -> None:
        self._given: asyncio.Future[grpc.aio.AioRpcError] = asyncio.Future()
        call.add_done_callback(self._note)

    def _note(self, call: Any) -> None:
        code, details, trailing = map(_now, (call.code(), call.details(), call.trailing_metadata()))
        if details != _NOT_WRITTEN and not self._given.done():
            error = grpc.aio.AioRpcError(code, grpc.aio.Metadata(), trailing, details)
            self._given.set_result(error)

    async def of_server(self, error: grpc.aio.AioRpcError) -> grpc.aio.AioRpcError:
        """Return the error with the server's status, or as it is if that does not come."""
        if error.details() != _NOT_WRITTEN:
            return error
        await asyncio.wait([self._given], timeout=WAIT_S)
        return self._given.result() if self._given.done() else error


def _now(value: Coroutine[Any, Any, Any]) -> Any:
    """Return what a coroutine returns that does not wait, since the call has its status."""
    try:
        value.send(None)
    except StopIteration as returned:
        return returned.value
    value.close()
    raise RuntimeError("a call that is done has no status")


class AsyncConnection(BaseClient):
    """Base of the asyncio client: its channels, its state, and calls of any method."""

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
            self._methods = calls.methods(*self._channels)
        return self._methods

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
        """Make a call that streams both ways, and yield its responses; see blocking.responses.

        `timeout_s` is the deadline of the whole call.
        """
        call = self._connected()[method](
            timeout=timeout_s, metadata=self._metadata(), wait_for_ready=self._waits
        )
        status = ServerStatus(call)
        # Unlike call.read(), it reads on after a write has failed. The server's status comes after
        # its last response, so all of them must be read.
        answers = aiter(call)

        async def send() -> None:
            async for request in requests:
                await call.write(request)
            await call.done_writing()

        async def read() -> Any:
            try:
                return await anext(answers, grpc.aio.EOF)
            except grpc.aio.AioRpcError as error:
                given = await status.of_server(error)
                if given.code() is grpc.StatusCode.OK:
                    return grpc.aio.EOF
                raise given from error

        sender = asyncio.create_task(send())
        reader = asyncio.create_task(read())
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
                    reader = asyncio.create_task(read())
                    yield response
        except grpc.aio.AioRpcError as error:
            raise self._failed(method, error) from error
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

    async def _call(self, rpc: calls.Rpc[AnswerT], timeout_s: float | None) -> AnswerT:
        limit_s = self._limit_s(timeout_s)
        if not isinstance(rpc.request, Message):
            responses = self._responses(rpc.method, _each(rpc.request), timeout_s=limit_s)
            return rpc.decode([response async for response in responses])
        try:
            answer, call = await self._answered(rpc, limit_s)
        except grpc.RpcError as error:
            raise self._failed(rpc.method, error) from error
        except asyncio.CancelledError:
            task = asyncio.current_task()
            if self._is_closed and task is not None and not task.cancelling():
                raise closed(self.address) from None  # close() cancelled the call, not the task
            raise
        await self._report_async(rpc.method, call)
        return rpc.decode(answer)

    async def _answered(self, rpc: calls.Rpc[AnswerT], limit_s: float) -> tuple[Any, grpc.aio.Call]:
        """Return the answer to a call of one message, and the call."""
        method = self._connected()[rpc.method]
        attempts, metadata = self._attempts(rpc.method, limit_s), self._metadata()
        while True:
            call = method(rpc.request, metadata=metadata, **attempts.options)
            try:
                return await call, call
            except grpc.RpcError as error:
                if (failure := attempts.failed(error)) is not None:
                    raise failure from None

    async def _report_async(self, method: str, call: grpc.aio.Call) -> None:
        """Note that a call was answered, and tell `on_call`."""
        self._has_answered = True
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
