"""grpc.health.v1: it asks for no token, so it must cost the server little."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator
from typing import Any

import grpc
import grpc.aio
from grpc_health.v1 import health_pb2
from grpc_health.v1.health import aio as health_aio
from tokalign.codec.servers import ErrorReason
from tokalign.errors import AlignError, quoted
from tokalign.server.observe.faults import failure_of
from tokalign.server.requests.wire import parse
from tokalign.server.rpc.receiving import NO_MESSAGE, Context, end
from tokalign.server.status import FailedError, Failure, Missing, UnknownNameError

SERVICE = health_pb2.DESCRIPTOR.services_by_name["Health"].full_name

MAX_READING = 8
READ_S = 0.5
# A client that balances watches once over each of its connections.
MAX_WATCHERS = 2

_LATE = Failure(ErrorReason.MESSAGE_TIMEOUT, f"the message did not arrive within {READ_S:g} s")
_TOO_MANY = Failure(
    ErrorReason.TOO_MANY_WATCHERS,
    f"{MAX_WATCHERS} callers watch over this connection already; ask by Check",
)


class HealthService:
    """Health by service name, with bounds on what strangers can make the server hold.

    A question is a few bytes that come with its call. A question that is not whole within READ_S is
    refused. MAX_READING are read at a time, and MAX_WATCHERS calls of a connection may watch.
    """

    def __init__(self) -> None:
        self._servicer: Any = health_aio.HealthServicer()
        self._reading = asyncio.Semaphore(MAX_READING)
        self._services: set[str] = set()
        self._watchers: Counter[str] = Counter()

    def handler(self) -> grpc.GenericRpcHandler:
        """Return what grpc.aio.Server.add_generic_rpc_handlers takes."""
        return grpc.method_handlers_generic_handler(
            SERVICE,
            {
                "Check": grpc.stream_unary_rpc_method_handler(self._check),
                "Watch": grpc.stream_stream_rpc_method_handler(
                    self._watch,
                    response_serializer=health_pb2.HealthCheckResponse.SerializeToString,
                ),
            },
        )

    async def set(self, service: str, status: int) -> None:
        """Set the answer for a service from now on; "" is the whole server."""
        self._services.add(service)
        await self._servicer.set(service, status)

    async def refuse(self) -> None:
        """Answer NOT_SERVING for every service from now on."""
        await self._servicer.enter_graceful_shutdown()

    async def _check(self, requests: AsyncIterator[bytes], context: Context) -> bytes:
        try:
            question = await self._question(context)
            if question.service not in self._services:
                raise UnknownNameError(
                    f"no service {quoted(question.service)} here",
                    Missing("service", question.service),
                    reason=ErrorReason.SERVICE_NOT_FOUND,
                    field="service",
                )
        except AlignError as error:
            await _fail(context, error)
            return b""
        answer: health_pb2.HealthCheckResponse = await self._servicer.Check(question, context)
        return answer.SerializeToString()

    async def _watch(self, requests: AsyncIterator[bytes], context: Context) -> None:
        peer = context.peer()
        try:
            question = await self._question(context)
            # Over a Unix socket all callers are one peer, and no caller is a stranger.
            if self._watchers[peer] >= MAX_WATCHERS and not peer.startswith("unix:"):
                raise FailedError(_TOO_MANY)
        except AlignError as error:
            await _fail(context, error)
            return
        self._watchers[peer] += 1
        try:
            await self._servicer.Watch(question, context)
        finally:
            self._watchers[peer] -= 1
            if not self._watchers[peer]:
                del self._watchers[peer]

    async def _question(self, context: Context) -> health_pb2.HealthCheckRequest:
        """Return what is asked, or raise an AlignError."""
        async with self._reading:
            # It is not cancelled if it is late: grpc would write into memory that is gone.
            reading = asyncio.ensure_future(context.read())
            await asyncio.wait({reading}, timeout=READ_S)
            is_late = not reading.done()
            if is_late:
                await end(context, _LATE)
            try:
                data = await reading
            except grpc.aio.AbortError:
                data = b""
        if is_late or not isinstance(data, bytes):
            raise FailedError(_LATE if is_late else NO_MESSAGE)
        return parse(health_pb2.HealthCheckRequest, data)


async def _fail(context: Context, error: AlignError) -> None:
    """End a call that has not been ended yet."""
    if not context.done():
        await end(context, failure_of(error))
