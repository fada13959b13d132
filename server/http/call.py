"""One HTTP request as methods see a call, and the endpoints that answer such requests.

An answer is JSON, or a stream of events.
"""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import Awaitable, Callable, Iterable, Mapping
from http import HTTPStatus
from typing import Any, TypeAlias, cast

from google.rpc import code_pb2
from starlette.types import Message, Receive, Scope, Send
from tokalign.codec.servers import ErrorReason
from tokalign.errors import quoted
from tokalign.server.http.problems import Headers, Problem, status_of
from tokalign.server.observe.tracing import SERVER_FAULTS, Ending
from tokalign.server.rpc.calls import Calls
from tokalign.server.rpc.receiving import Context
from tokalign.server.status import FailedError, Failure

# So much of an answer is written at a time; the next waits until the peer has read.
PIECE_BYTES = 1 << 16
EVENTS: Headers = [
    (b"content-type", b"text/event-stream; charset=utf-8"),
    (b"cache-control", b"no-store"),
    # Otherwise nginx keeps events back until it has some kilobytes.
    (b"x-accel-buffering", b"no"),
]
TIMEOUT = b"request-timeout"
JSON: Headers = [(b"content-type", b"application/json")]
# The page's own policy names what may run; these cannot stand in a page.
PAGE: Headers = [
    (b"content-type", b"text/html; charset=utf-8"),
    (b"content-security-policy", b"frame-ancestors 'none'"),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"cache-control", b"no-cache"),
]


class HttpCall:
    """A request, with what methods ask of a call (see receiving.Context).

    Parameters
    ----------
    scope, receive, send
        Of ASGI.
    max_bytes : int
        Largest body.

    Attributes
    ----------
    is_gone : bool
        Whether the peer hung up.
    wants_page : bool
        Whether the header accept is that of HTML alone; methods that have a page for people then
        answer with it, and say so by setting `headers`.
    headers : sequence of (bytes, bytes)
        Type of the answer, and what goes with it.
    """

    def __init__(self, scope: Scope, receive: Receive, send: Send, max_bytes: int) -> None:
        self.is_gone = False
        self.wants_page = (b"accept", b"text/html") in scope["headers"]
        self.headers = JSON
        self._scope = scope
        self._receive = receive
        self._send = send
        self._max_bytes = max_bytes
        self._incoming: asyncio.Task[Message] | None = None
        self._watcher: asyncio.Task[None] | None = None
        self._callbacks: list[Callable[[HttpCall], None]] = []
        self._status = 0
        self._trailers: Headers = []
        self._timeout = ", ".join(
            [value.decode("latin1") for name, value in scope["headers"] if name == TIMEOUT]
        )
        within_s = _seconds(self._timeout)
        self._until = None if within_s is None else time.monotonic() + within_s
        self._has_begun = False
        self._is_done = False

    @property
    def scope(self) -> Scope:
        """ASGI's of the request."""
        return self._scope

    def status(self, code: int, reason: str) -> int:
        """Return the status of the answer to a call that ends with a google.rpc.Code."""
        if self._has_begun or code == code_pb2.OK:
            return HTTPStatus.OK
        return self._status or int(status_of(code, reason))

    def peer(self) -> str:
        """Return the connection's address."""
        host, port = self._scope.get("client") or ("", 0)
        return f"{host}:{port}"

    def invocation_metadata(self) -> tuple[tuple[str, str], ...]:
        """Return the headers."""
        headers = self._scope["headers"]
        return tuple([(name.decode("latin1"), value.decode("latin1")) for name, value in headers])

    def time_remaining(self) -> float | None:
        """Return the seconds left of those that the request allows; None if it has no deadline."""
        return None if self._until is None else self._until - time.monotonic()

    def done(self) -> bool:
        """Return whether nothing more is sent."""
        return self._is_done or self.is_gone

    def set_trailing_metadata(self, trailers: Iterable[tuple[str, str]]) -> None:
        """Send headers with the answer; a stream that has begun sends none."""
        self._trailers = [
            (name.encode("latin1"), value.encode("latin1")) for name, value in trailers
        ]

    def add_done_callback(self, callback: Callable[[HttpCall], None]) -> None:
        """Have a function called once the answer is written."""
        self._callbacks.append(callback)

    async def read(self) -> bytes | None:
        """Return the body; None if it does not come whole.

        From then on, the task that asked is cancelled if the peer hangs up.

        Raises
        ------
        FailedError
            If the body is larger than it may be, or is packed.
        """
        self._check_headers()
        parts, n_bytes, is_whole = [], 0, False
        while not is_whole:
            message = await self._next()
            if message is None:
                return None
            parts.append(message.get("body", b""))
            n_bytes += len(parts[-1])
            if n_bytes > self._max_bytes:
                raise self._too_large(f"more than {self._max_bytes}")
            is_whole = not message.get("more_body", False)
        working = asyncio.current_task()
        assert working is not None
        self._watcher = asyncio.create_task(self._watch(working))
        return b"".join(parts)

    async def abort(self, code: object, message: str, metadata: object) -> None:
        """Read no more of the body; the answer is what the reader makes of that."""
        if self._incoming is not None:
            self._incoming.cancel()

    async def write(self, events: bytes) -> None:
        """Write events, once the peer has read enough of those before."""
        if not self._has_begun:
            await self._begin(HTTPStatus.OK, EVENTS)
        await self._send({"type": "http.response.body", "body": events, "more_body": True})

    async def respond(self, answer: bytes | Failure) -> None:
        """Send what is to be sent at the end: an answer, or why there is none."""
        if self.is_gone:
            return
        body, headers, status = answer, self.headers, int(HTTPStatus.OK)
        if isinstance(answer, Failure):
            problem = Problem(answer, self._status)
            body, headers, status = problem.body, problem.headers, problem.status
        assert isinstance(body, bytes)
        if self._has_begun:  # a stream
            if status != HTTPStatus.OK:
                await self.write(event("error", body))
            body = b""
        else:
            length = (b"content-length", str(len(body)).encode())
            await self._begin(status, [*headers, *self._trailers, length])
        for start in range(0, len(body), PIECE_BYTES):
            piece = body[start : start + PIECE_BYTES]
            await self._send({"type": "http.response.body", "body": piece, "more_body": True})
        await self._send({"type": "http.response.body", "body": b""})

    def finish(self) -> None:
        """Call what waits for the end."""
        self._is_done = True
        if self._watcher is not None:
            self._watcher.cancel()
        for callback in self._callbacks:
            callback(self)
        # Their frames and contexts hold this call, so that only the collector would free it; under
        # load that stops all others for a fifth of a second at a time.
        self._watcher = self._incoming = None
        self._callbacks = []

    async def _begin(self, status: int, headers: Headers) -> None:
        self._has_begun = True
        await self._send({"type": "http.response.start", "status": status, "headers": headers})

    async def _next(self) -> Message | None:
        """Return the next part of the body; None if there is none."""
        self._incoming = incoming = asyncio.ensure_future(self._receive())
        try:
            await asyncio.wait({incoming})
        except asyncio.CancelledError:
            incoming.cancel()
            raise
        if incoming.cancelled():  # by abort
            return None
        message = incoming.result()
        if message["type"] != "http.request":
            self.is_gone = True
            return None
        return message

    async def _watch(self, working: asyncio.Task[Any]) -> None:
        await self._receive()  # returns once the peer hangs up, or the answer is complete
        if not self._is_done:
            self.is_gone = True
            working.cancel()

    def _check_headers(self) -> None:
        if self._timeout and self._until is None:
            message = (
                f"the header request-timeout is {quoted(self._timeout)}; wanted a number of "
                "seconds above 0, such as 2.5"
            )
            raise FailedError(Failure(ErrorReason.INVALID_INPUT, message))
        headers = dict(self._scope["headers"])
        length = headers.get(b"content-length", b"0")
        if int(length) > self._max_bytes:
            raise self._too_large(length.decode())
        coding = headers.get(b"content-encoding", b"identity").decode("latin1")
        if coding.lower() != "identity":
            # What is small could be unpacked to the largest allowed.
            self._status = HTTPStatus.UNSUPPORTED_MEDIA_TYPE
            message = "the body is compressed; send it as it is, without content-encoding"
            raise FailedError(Failure(ErrorReason.MALFORMED_MESSAGE, message))

    def _too_large(self, seen: str) -> FailedError:
        self._status = HTTPStatus.REQUEST_ENTITY_TOO_LARGE
        message = (
            f"a body of {seen} bytes; the server takes at most {self._max_bytes} "
            "(max_request_bytes): send several requests"
        )
        return FailedError(Failure(ErrorReason.LIMIT_EXCEEDED, message))


def _seconds(text: str) -> float | None:
    """Return the time that a header request-timeout allows; None if it is no time."""
    return float(text) or None if re.fullmatch(r"\d{1,9}(\.\d{1,9})?", text, re.ASCII) else None


def event(name: str, data: bytes) -> bytes:
    """Return an event of a stream; `data` is JSON, which has no line breaks."""
    return b"event: %s\ndata: %s\n\n" % (name.encode(), data)


SERVICE = "http"
"""The service of these calls in metrics and traces; their method is the path."""

JsonMethod: TypeAlias = Callable[[bytes, HttpCall], Awaitable[bytes]]

LATE = Failure(
    ErrorReason.DEADLINE_PASSED,
    "the answer was not ready within the seconds of the header request-timeout; allow more",
)
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
    path : str
        Names it in metrics and traces.
    method : callable taking bytes and HttpCall
        Returns JSON, or nothing once it has written events.
    max_bytes : int
        Largest body.
    check : callable, optional
        Raises where a request is not to be answered, before its body is read.
    """

    def __init__(
        self,
        calls: Calls,
        path: str,
        method: JsonMethod,
        max_bytes: int,
        check: Callable[[Context], None] | None = None,
    ) -> None:
        self._max_bytes = max_bytes

        async def answer(data: bytes, context: Context) -> bytes:
            return await method(data, cast(HttpCall, context))

        name = path.lstrip("/")
        self._answer = calls.answering(SERVICE, name, answer, convention=SPANS, check=check)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        call = HttpCall(scope, receive, send, self._max_bytes)
        try:
            answer: bytes | Failure
            left_s = call.time_remaining()
            try:
                # Timers may come a millisecond early, when some time is left.
                async with asyncio.timeout(None if left_s is None else left_s + 0.002):
                    answer = await self._answer(cast(Context, call))
            except TimeoutError:
                answer = LATE
            except asyncio.CancelledError:
                if task := asyncio.current_task():
                    task.uncancel()
                answer = STOPPED  # which is not sent to a peer that hung up
            await call.respond(answer)
        finally:
            call.finish()
