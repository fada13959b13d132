"""Messages on their way: read once a call may be made, and only for a limited time.

grpc would read a unary call's whole message before it shows the call. Here unary methods are
registered as methods whose requests stream, which look the same on the wire. So a call is seen as
soon as its headers are, and if it is refused, grpc keeps no more than its flow-control window.
"""

from __future__ import annotations

import asyncio
import math
import random
import time
from collections.abc import AsyncIterator, Iterable
from typing import TypeAlias

import grpc
import grpc.aio
from grpc_status import rpc_status
from tokalign.codec.servers import ErrorReason
from tokalign.errors import quoted
from tokalign.server.status import FailedError, Failure

Context: TypeAlias = "grpc.aio.ServicerContext[bytes, bytes]"

SWEEP_S = 1.0
PUSHBACK_KEY = "grpc-retry-pushback-ms"

NO_MESSAGE = Failure(ErrorReason.MESSAGE_INCOMPLETE, "the call ended before its message was whole")


class Receiving:
    """Calls whose next message has not arrived whole.

    Parameters
    ----------
    timeout_s : float
        After so long a unary call, or one whose messages are pieces or parts, is given up, give or
        take SWEEP_S.
    """

    def __init__(self, timeout_s: float) -> None:
        self._timeout_s = timeout_s
        self._since: dict[Context, float] = {}
        self._ending: dict[Context, tuple[Failure, asyncio.Task[None]]] = {}
        self._sweeper: asyncio.TimerHandle | None = None

    def __len__(self) -> int:
        return len(self._since)

    async def message(self, context: Context) -> bytes:
        """Return the one message of a unary call.

        Raises
        ------
        FailedError
            If it does not come. After end_all or a timeout the call has been ended.
        """
        self._start_sweeping()
        message = await self._next(context, time.monotonic())
        if message is None:
            raise FailedError(NO_MESSAGE)
        return message

    async def pieces(self, context: Context) -> AsyncIterator[bytes]:
        """Yield the messages of a stream that are pieces of one; all must arrive in time.

        Raises
        ------
        FailedError
            After end_all or a timeout, which has ended the call.
        """
        self._start_sweeping()
        spent_s = 0.0  # without the time in which the caller of this does something else
        began = time.monotonic()
        while (message := await self._next(context, began - spent_s)) is not None:
            spent_s += time.monotonic() - began
            yield message
            began = time.monotonic()

    async def parts(self, context: Context) -> AsyncIterator[bytes]:
        """Yield the messages of a stream that holds what came before; each must arrive in time.

        Raises
        ------
        FailedError
            After end_all or a timeout, which has ended the call.
        """
        self._start_sweeping()
        while (message := await self._next(context, time.monotonic())) is not None:
            yield message
            self._start_sweeping()

    async def messages(self, context: Context) -> AsyncIterator[bytes]:
        """Yield the messages of a stream, which may be silent for any time.

        Raises
        ------
        FailedError
            After end_all, which has ended the call.
        """
        while (message := await self._next(context, math.inf)) is not None:
            yield message

    async def _next(self, context: Context, since: float) -> bytes | None:
        self._since[context] = since
        message = None
        try:
            message = await context.read()
        except grpc.aio.AbortError:
            pass
        finally:
            del self._since[context]
        if context in self._ending:
            failure, abortion = self._ending.pop(context)
            await abortion
            raise FailedError(failure)
        return message if isinstance(message, bytes) else None

    def end_all(self, failure: Failure) -> None:
        """End every call whose next message is not whole."""
        for context in self._since:
            self._end(context, failure)

    def _start_sweeping(self) -> None:
        if self._sweeper is None:
            self._sweeper = asyncio.get_running_loop().call_later(SWEEP_S, self._sweep)

    def _sweep(self) -> None:
        self._sweeper = None
        latest = time.monotonic() - self._timeout_s
        failure = Failure(
            ErrorReason.MESSAGE_TIMEOUT,
            f"the message did not arrive within {self._timeout_s:g} s; send it faster",
        )
        for context, since in self._since.items():
            if since < latest:
                self._end(context, failure)
        if self._since:
            self._start_sweeping()

    def _end(self, context: Context, failure: Failure) -> None:
        # The read is not cancelled: grpc would write into memory that is gone. It returns because
        # the call has ended.
        if context not in self._ending:
            task = asyncio.create_task(end(context, failure))
            self._ending[context] = (failure, task)


class UnknownMethods(grpc.GenericRpcHandler):
    """Refuses the calls that no other handler takes, with the reason; add it last."""

    def service(self, details: grpc.HandlerCallDetails) -> grpc.RpcMethodHandler[bytes, bytes]:
        """Return the handler of a method that the server does not have."""
        message = f"no method {quoted(details.method)} here; is the server older than its client?"
        failure = Failure(ErrorReason.METHOD_UNKNOWN, message)

        async def refuse(requests: AsyncIterator[bytes], context: Context) -> None:
            await end(context, failure)

        return grpc.stream_stream_rpc_method_handler(refuse)


async def end(
    context: Context, failure: Failure, trailers: Iterable[tuple[str, str | bytes]] = ()
) -> None:
    """End a call with a rich status; what its handler returns after that is not sent."""
    status = rpc_status.to_status(failure.to_proto())
    metadata = (*(status.trailing_metadata or ()), *pushback(failure), *trailers)
    try:
        await context.abort(status.code, status.details or "", metadata)
    except grpc.aio.AbortError as aborted:
        # grpc keeps the error with the call. Its frames would hold the call and the request until
        # the garbage collector finds them.
        aborted.__traceback__ = aborted.__context__ = None
    except grpc.aio.InternalError:
        pass  # the peer is gone


def pushback(failure: Failure) -> tuple[tuple[str, str], ...]:
    """Return the metadata that tells grpc's own retries how long to wait (its proposal A6).

    The time is up to half more than is needed, at random, so that callers who were refused together
    do not come back together.
    """
    if not failure.retry_after_s:
        return ()
    wait_ms = failure.retry_after_s * random.uniform(1000, 1500)
    return ((PUSHBACK_KEY, str(math.ceil(wait_ms))),)
