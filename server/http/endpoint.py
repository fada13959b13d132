"""An endpoint: a method that takes a JSON body, as an ASGI application."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import TypeAlias, cast

from starlette.types import Receive, Scope, Send
from tokalign.codec.reasons import ErrorReason
from tokalign.server.http.call import HttpCall
from tokalign.server.rpc.calls import Calls
from tokalign.server.rpc.receiving import Context
from tokalign.server.status import Failure

SERVICE = "http"
"""The service of these calls in metrics and traces; their method is the path."""

JsonMethod: TypeAlias = Callable[[bytes, HttpCall], Awaitable[bytes]]

STOPPED = Failure(
    ErrorReason.SERVER_STOPPING, "the server is stopping; try again, maybe at another one"
)


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

        self._answer = calls.answering(SERVICE, path.lstrip("/"), answer)

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
