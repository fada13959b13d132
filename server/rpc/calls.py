"""Calls: counted, timed and traced, with exceptions turned into statuses, whatever the method."""

from __future__ import annotations

import asyncio
import math
import re
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from types import MappingProxyType, TracebackType
from typing import Self, TypeAlias, TypeVar

import grpc
import grpc.aio
from google.rpc import code_pb2
from tokalign.codec.servers import ErrorReason
from tokalign.server.observe.faults import failure_of
from tokalign.server.observe.metrics import Metrics
from tokalign.server.observe.record import AccessLog, CallRecord
from tokalign.server.observe.tracing import GRPC, SpanConvention, Tracing
from tokalign.server.quotas import reading_cost
from tokalign.server.rpc.addresses import address_of
from tokalign.server.rpc.receiving import Context, Receiving, end
from tokalign.server.rpc.refusals import Refusals
from tokalign.server.rpc.tokens import Caller
from tokalign.server.status import (
    CODES,
    Failure,
    ForbiddenError,
    UnauthenticatedError,
    code_name,
    code_number,
)

UnaryMethod = Callable[[bytes, Context], Awaitable[bytes]]
StreamMethod = Callable[[AsyncIterator[bytes], Context], Awaitable[None]]
Response = TypeVar("Response")
REQUEST_ID = "x-request-id"
SERVER_TIMING = "server-timing"
MAX_REQUEST_ID = 128

_Handler: TypeAlias = Callable[[AsyncIterator[bytes], Context], Awaitable[Response]]


class Calls:
    """Wraps RPC methods. Cheaper than interceptors, which cost tens of microseconds per call.

    Parameters
    ----------
    authenticate : callable taking an authorization header and returning Caller, optional
        Raises UnauthenticatedError if the caller may not call.
    tracing : Tracing, optional
        Makes a span of every call.
    check_memory : callable, optional
        Raises QueueFullError if there is none for another call.
    receive_timeout_s : float
        Within it the message of a unary call must arrive.
    access_log : AccessLog, optional
        By default one of refused tokens alone.

    Attributes
    ----------
    running : int
        Calls begun and not yet ended.
    """

    def __init__(
        self,
        metrics: Metrics,
        authenticate: Callable[[str], Caller] | None = None,
        tracing: Tracing | None = None,
        check_memory: Callable[[], None] | None = None,
        receive_timeout_s: float = math.inf,
        access_log: AccessLog | None = None,
    ) -> None:
        self.running = 0
        self.refusals = Refusals()
        self.receiving = Receiving(receive_timeout_s)
        self.metrics = metrics
        self._authenticate = authenticate
        self._check_memory = check_memory
        self.tracing = tracing
        self.access_log = access_log or AccessLog()

    def handler(
        self,
        service: str,
        unary: Mapping[str, UnaryMethod],
        streams: Mapping[str, StreamMethod],
        pieces: Mapping[str, StreamMethod] = MappingProxyType({}),
        parts: Mapping[str, StreamMethod] = MappingProxyType({}),
        free: Mapping[str, UnaryMethod] = MappingProxyType({}),
        for_admins: bool = False,
        check: Callable[[Context], None] | None = None,
    ) -> grpc.GenericRpcHandler:
        """Return what grpc.aio.Server.add_generic_rpc_handlers takes, from methods by name.

        A unary method returns its answer, a stream writes its answers itself; either ends by an
        exception with a rich status. Of the streams in `pieces`, the messages together are one,
        which must arrive as fast as a unary call's; of those in `parts`, each message must. Where
        tokens are asked for, a service `for_admins` takes theirs alone. `check` raises where a
        unary call is not to be answered, before its message is read; those in `free` are unary,
        too, and not checked.
        """
        handlers: dict[str, grpc.RpcMethodHandler[bytes, bytes]] = {}
        for name, method in unary.items():
            handlers[name] = grpc.stream_unary_rpc_method_handler(
                self._unary(service, name, method, for_admins, check)
            )
        for name, method in free.items():
            handlers[name] = grpc.stream_unary_rpc_method_handler(
                self._unary(service, name, method, for_admins, None)
            )
        for methods, read in (
            (streams, self.receiving.messages),
            (pieces, self.receiving.pieces),
            (parts, self.receiving.parts),
        ):
            for name, stream in methods.items():
                handlers[name] = grpc.stream_stream_rpc_method_handler(
                    self._stream(_Observer(self, service, name, for_admins), stream, read)
                )
        return grpc.method_handlers_generic_handler(service, handlers)

    def answering(
        self,
        service: str,
        name: str,
        method: UnaryMethod,
        for_admins: bool = False,
        convention: SpanConvention = GRPC,
        check: Callable[[Context], None] | None = None,
    ) -> Callable[[Context], Awaitable[bytes | Failure]]:
        """Return what takes a call and returns the method's answer, or why there is none.

        `convention` is that of its spans, `check` as for `handler`.
        """
        observer = _Observer(self, service, name, for_admins, convention)

        async def answer(context: Context) -> bytes | Failure:
            with _Observed(observer, context) as call:
                answered: bytes | Failure
                n_bytes = 0
                try:
                    self._check(call)
                    if check is not None:
                        check(context)
                    message = await self.receiving.message(context)
                    n_bytes = len(message)
                    answered = await method(message, context)
                except Exception as error:
                    answered = call.fail(error)
                    call.charge_reading(n_bytes)
                    # Its frames hold it, and the call: only the collector would free them.
                    error.__traceback__ = None
                if isinstance(answered, Failure):
                    await self.refusals.hold(call.principal, answered, context.time_remaining())
                if trailers := call.trailers():
                    context.set_trailing_metadata(trailers)
                return answered

        return answer

    def _unary(
        self,
        service: str,
        name: str,
        method: UnaryMethod,
        for_admins: bool,
        check: Callable[[Context], None] | None,
    ) -> _Handler[bytes]:
        answer = self.answering(service, name, method, for_admins, check=check)

        async def handle(requests: AsyncIterator[bytes], context: Context) -> bytes:
            answered = await answer(context)
            if not isinstance(answered, Failure):
                return answered
            if not context.done():
                await end(context, answered, context.trailing_metadata() or ())
            return b""  # for a call that has ended, and is not sent

        return handle

    def _stream(
        self,
        observer: _Observer,
        method: StreamMethod,
        read: Callable[[Context], AsyncIterator[bytes]],
    ) -> _Handler[None]:
        async def handle(requests: AsyncIterator[bytes], context: Context) -> None:
            with _Observed(observer, context) as call:
                try:
                    self._check(call)
                    await method(read(context), context)
                    if trailers := call.trailers():
                        context.set_trailing_metadata(trailers)
                    return
                except Exception as error:
                    failure = call.fail(error)
                await self.refusals.hold(call.principal, failure, context.time_remaining())
                if not context.done():
                    await end(context, failure, call.trailers())

        return handle

    def _check(self, call: _Observed) -> None:
        """Raise unless the call may have its message read."""
        if self._authenticate is None:
            call.begin_as(address_of(call.peer))
        else:
            caller = self._authenticate(str(call.metadata.get("authorization", "")))
            call.caller, call.quota = caller.name, caller.quota
            call.begin_as(caller.name)
            if caller.has_expired:
                raise UnauthenticatedError(
                    "the bearer token has expired; ask for a new one",
                    reason=ErrorReason.TOKEN_EXPIRED,
                )
            if call.is_for_admins and not caller.is_admin:
                raise ForbiddenError(
                    f"the token of {caller.name!r} lacks scope=admin, as the admin port wants",
                    reason=ErrorReason.SCOPE_MISSING,
                )
        if self._check_memory is not None:
            self._check_memory()


class _Observer:
    """The metrics and the tracing of one method."""

    __slots__ = (
        "calls",
        "convention",
        "ended",
        "is_for_admins",
        "name",
        "service",
        "started",
        "tracing",
        "usage",
    )

    def __init__(
        self,
        calls: Calls,
        service: str,
        name: str,
        is_for_admins: bool,
        convention: SpanConvention = GRPC,
    ) -> None:
        metrics = calls.metrics
        self.calls = calls
        self.convention = convention
        self.tracing = calls.tracing
        self.is_for_admins = is_for_admins
        self.service = service
        self.name = name
        self.started = metrics.started.labels(service, name)
        self.ended = metrics.ended_by
        self.ended(service, name, "OK")  # shown before the first answer
        self.usage = metrics.usage


class _Observed(CallRecord):
    """One call from its arrival to its answer: counted, timed and traced.

    Attributes
    ----------
    code, message : str
        The code it ends with, and what its caller is told.
    metadata : dict from str to str or bytes
        What the caller sent beside the message.
    """

    __slots__ = ("_began", "_context", "_observer", "code", "message", "metadata")

    def __init__(self, observer: _Observer, context: Context) -> None:
        super().__init__()
        self.code = "OK"
        self.message = ""
        self.peer = context.peer()
        self.metadata = dict(context.invocation_metadata() or ())
        self._observer = observer
        self._context = context
        self._began = time.perf_counter()

    def __enter__(self) -> Self:
        observer = self._observer
        observer.started.total += 1
        observer.calls.running += 1
        if observer.tracing is not None:
            begun = observer.convention.begun(observer.service, observer.name, self._context)
            self.trace = observer.tracing.begin(*begun, self.metadata)
        self.make_current()
        return self

    def begin_as(self, principal: str) -> None:
        """Note whom the call counts for."""
        self.principal = principal
        self._observer.calls.refusals.note(principal)

    @property
    def is_for_admins(self) -> bool:
        """Whether its method is for operators."""
        return self._observer.is_for_admins

    @property
    def request_id(self) -> str:
        """The id that the caller, or a proxy, gave the call; empty where there is none."""
        found = self.metadata.get(REQUEST_ID)
        if not isinstance(found, str) or len(found) > MAX_REQUEST_ID:
            return ""
        return found if found.isascii() and found.isprintable() else ""

    def told(self) -> dict[str, str]:
        """Return who called for what, and why it failed, as far as there is something to tell."""
        found = {
            "caller": self.caller,
            "model": self.model,
            "reason": self.reason,
            "request_id": self.request_id,
        }
        return {name: value for name, value in found.items() if value}

    @property
    def trace_id(self) -> str:
        """The id of the trace that it is part of; empty where there is none."""
        if self.trace is not None:
            return self.trace.trace_id
        parts = str(self.metadata.get("traceparent", "")).split("-")
        found = parts[1] if len(parts) == 4 else ""
        return found if re.fullmatch("[0-9a-f]{32}", found) else ""

    def line(self) -> dict[str, object]:
        """Return what the log tells of the call once it has ended."""
        observer = self._observer
        found: dict[str, object] = {
            "method": f"{observer.service}/{observer.name}",
            "code": self.code,
            **self.told(),
            "trace_id": self.trace_id,
            "pairs": self.pairs,
            "cost": self.cost,
            "queue_ms": round(1e3 * self.queue_s, 3),
            "compute_ms": round(1e3 * self.compute_s, 3),
            "total_ms": round(1e3 * (time.perf_counter() - self._began), 3),
        }
        if not self.caller:
            found["peer"] = self.peer
        return found

    def trailers(self) -> tuple[tuple[str, str], ...]:
        """Return the id of the call, and how long its work took, for its caller."""
        request_id = self.request_id
        sent = ((REQUEST_ID, request_id),) if request_id else ()
        return (*sent, (SERVER_TIMING, self.timing())) if self.has_worked else sent

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        observer = self._observer
        if isinstance(error, asyncio.CancelledError):
            self.reason = self._hung_up()
            self.code = code_name(CODES[self.reason])
        observer.calls.running -= 1
        handled, seconds = observer.ended(observer.service, observer.name, self.code)
        handled.total += 1
        seconds.observe(time.perf_counter() - self._began)
        observer.usage.add(self)
        observer.calls.access_log.note(self)
        if self.trace is not None:
            number = code_number(self.code)
            ending = observer.convention.ended(self._context, number, self.code, self.reason)
            message = f"{self.code}: {self.message}".rstrip(": ")
            self.trace.end(ending, message, self.told())

    def _hung_up(self) -> ErrorReason:
        """Return the reason of a call whose caller did not wait for its end."""
        remaining = self._context.time_remaining()
        is_late = remaining is not None and remaining <= 0
        return ErrorReason.DEADLINE_PASSED if is_late else ErrorReason.CALLER_GONE

    def charge_reading(self, n_bytes: int) -> None:
        """Charge the caller's quota for a message that was read, and refused for what it holds."""
        is_at_fault = CODES[ErrorReason(self.reason)] == code_pb2.INVALID_ARGUMENT
        if self.quota is not None and n_bytes and is_at_fault and not self.cost:
            self.quota.charge(reading_cost(n_bytes))

    def fail(self, error: BaseException) -> Failure:
        """Return what the caller is told about an exception."""
        while isinstance(error, BaseExceptionGroup):
            error = error.exceptions[0]
        if isinstance(error, grpc.aio.InternalError):
            # A write to a peer that has gone, before its cancellation came here.
            failure = Failure(self._hung_up(), "the caller has gone")
        else:
            failure = failure_of(error)
        self.reason = failure.reason
        self.code = code_name(failure.code)
        self.message = failure.message
        return failure
