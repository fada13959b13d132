"""An endpoint: a method that takes a JSON body, as an ASGI application."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from http import HTTPStatus
from typing import Any, TypeAlias, cast

from starlette.types import Receive, Scope, Send
from tokalign.codec.reasons import ErrorReason
from tokalign.server.http.call import HttpCall
from tokalign.server.observe.tracing import SERVER_FAULTS, Ending
from tokalign.server.rpc.calls import Calls
from tokalign.server.rpc.receiving import Context
from tokalign.server.status import Failure

SERVICE = "http"
"""The service of these calls in metrics and traces; their method is the path."""

JsonMethod: TypeAlias = Callable[[bytes, HttpCall], Awaitable[bytes]]

STOPPED = Failure(
    ErrorReason.SERVER_STOPPING, "the server is stopping; try again, maybe at another one"
)


class HttpSpans:
    """Spans of HTTP, by OpenTelemetry's stable conventions."""

    def begun(self, service: str, method: str, call: Any) -> tuple[str, Mapping[str, str]]:
        """Return a span's name and first attributes; see tracing.SpanConvention."""
        scope = call.scope
        verb, route = scope["method"], f"/{method}"
        attributes = {
            "http.request.method": verb,
            "http.route": route,
            "network.protocol.version": scope["http_version"],
            "url.path": scope["path"],
            "url.scheme": scope["scheme"],
        }
        return f"{verb} {route}", attributes

    def ended(self, call: Any, code: int, name: str, reason: str) -> Ending:
        """Return how a span ends; see tracing.SpanConvention."""
        status = int(call.status(code, reason))
        is_fault = status >= HTTPStatus.INTERNAL_SERVER_ERROR
        # What a stream ends with has no status of its own.
        has_failed = is_fault or (code and status == HTTPStatus.OK)
        error = {"error.type": str(status) if is_fault else name} if has_failed else {}
        is_fault = is_fault or (status == HTTPStatus.OK and name in SERVER_FAULTS)
        return Ending({"http.response.status_code": status, **error}, is_fault)


SPANS = HttpSpans()


class JsonEndpoint:
    """Answers one path by a method.

    Parameters
    ----------
    calls : Calls
    path : str
        Names it in metrics and traces.
    method : callable taking bytes and HttpCall
        Returns JSON, or nothing once it has written events.
    max_bytes : int
        Largest body.
    """

    def __init__(self, calls: Calls, path: str, method: JsonMethod, max_bytes: int) -> None:
        self._max_bytes = max_bytes

        async def answer(data: bytes, context: Context) -> bytes:
            return await method(data, cast(HttpCall, context))

        self._answer = calls.answering(SERVICE, path.lstrip("/"), answer, convention=SPANS)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        call = HttpCall(scope, receive, send, self._max_bytes)
        try:
            try:
                answer = await self._answer(cast(Context, call))
            except asyncio.CancelledError:
                if task := asyncio.current_task():
                    task.uncancel()
                answer = STOPPED  # which is not sent to a peer that hung up
            await call.respond(answer)
        finally:
            call.finish()
