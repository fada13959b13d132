"""HTTP/1.1 requests over one connection, one after another, answers read by httptools."""

from __future__ import annotations

import contextlib
import json
from collections import deque
from http import HTTPStatus

from tokalign.client.load.calls import DEADLINE_EXCEEDED, IntendedCall, LoadRequest, Outcome
from tokalign.client.load.transport import NOT_NOW, PLAIN, Security, connect, received
from tokalign.errors import MissingPackageError

try:
    from httptools import HttpParserError, HttpResponseParser
except ImportError as error:
    raise MissingPackageError.of("bench over HTTP", error, "http") from None

CODES = {
    HTTPStatus.TOO_MANY_REQUESTS: "RESOURCE_EXHAUSTED",
    HTTPStatus.SERVICE_UNAVAILABLE: "UNAVAILABLE",
    HTTPStatus.GATEWAY_TIMEOUT: DEADLINE_EXCEEDED,
}
"""Of answers that do not say which, as those of proxies."""


class HttpConnection:
    """One connection, which holds a call at a time; others wait.

    Where the server hangs up, it connects again. `socket` is then another one.

    Parameters
    ----------
    address : str
        ``http://HOST:PORT`` or ``https://HOST:PORT``, perhaps with a path before the methods'.
    """

    def __init__(self, address: str, security: Security = PLAIN) -> None:
        self._authority, self._prefix = split_url(address)
        self._security = security
        self._waiting: deque[IntendedCall] = deque()
        self._current: IntendedCall | None = None
        self._heads: dict[LoadRequest, bytes] = {}
        self._ended: list[tuple[str, str]] = []
        self._body: list[bytes] = []
        self._out = bytearray()
        self._connect()

    def _connect(self) -> None:
        self.socket = connect(self._authority, self._security, "http/1.1")
        self._parser = HttpResponseParser(self)
        self._is_last = False
        self._out.clear()
        self._body.clear()

    @property
    def has_room(self) -> bool:
        """Whether a call would be sent at once."""
        return self._current is None

    @property
    def is_busy(self) -> bool:
        """Whether calls have not ended."""
        return self._current is not None or bool(self._waiting)

    @property
    def pending(self) -> list[IntendedCall]:
        """The calls that have not ended."""
        return [*([self._current] if self._current else []), *self._waiting]

    def call(self, request: LoadRequest, intended_at: float) -> None:
        """Start a call, or have it wait for the one before it; flush() sends it."""
        call = IntendedCall(request, intended_at)
        if self._current is not None:
            self._waiting.append(call)
            return
        head = self._heads.get(request)
        if head is None:
            head = self._heads[request] = self._head(request, request.timeout_s)
        self._start(call, head)

    def forget(self) -> None:
        """Give up the calls that have not ended."""
        self._current = None
        self._waiting.clear()

    def flush(self) -> None:
        """Send what the socket takes."""
        if self._out:
            with contextlib.suppress(*NOT_NOW):
                del self._out[: self.socket.send(self._out)]

    @property
    def wants_to_write(self) -> bool:
        """Whether there is something to send."""
        return bool(self._out)

    def receive(self, now: float) -> list[Outcome]:
        """Read what has arrived and return the calls that it ends."""
        ended: list[Outcome] = []
        data, is_over = received(self.socket)
        try:
            self._parser.feed_data(data)
        except HttpParserError as error:
            raise ConnectionError(f"{self._authority} does not speak HTTP/1.1: {error}") from error
        if is_over and self._current is not None and not self._ended:
            self._ended.append(("UNAVAILABLE", "CONNECTION_CLOSED"))
        for code, reason in self._ended:
            if (call := self._current) is not None:
                latency_s = now - call.intended_at
                ended.append(
                    Outcome(call.intended_at, latency_s, not code, call.request, code, reason)
                )
            self._current = None
        self._ended.clear()
        if is_over or self._is_last:
            self.socket.close()
            self._connect()
        self._next(now, ended)
        self.flush()
        return ended

    def _next(self, now: float, ended: list[Outcome]) -> None:
        """Start the first waiting call that still has time; the others have ended."""
        while self._waiting and self._current is None:
            call = self._waiting.popleft()
            if (late := call.given_up(now)) is not None:
                ended.append(late)
            else:
                self._start(call, self._head(call.request, call.timeout_s(now)))

    def _start(self, call: IntendedCall, head: bytes) -> None:
        self._current = call
        self._out += head
        self._out += call.request.body

    def _head(self, request: LoadRequest, timeout_s: float) -> bytes:
        lines = [
            f"POST {self._prefix}{request.path} HTTP/1.1",
            f"host: {self._authority}",
            "content-type: application/json",
            f"content-length: {len(request.body)}",
        ]
        if timeout_s:
            lines.append(f"request-timeout: {timeout_s:.3f}")
        if self._security.token:
            lines.append(f"authorization: Bearer {self._security.token}")
        return ("\r\n".join(lines) + "\r\n\r\n").encode()

    def on_headers_complete(self) -> None:
        """Note whether the server hangs up after the answer; httptools knows only now."""
        self._is_last = not self._parser.should_keep_alive()

    def on_body(self, body: bytes) -> None:
        """Take a piece of an answer's body; httptools calls it."""
        self._body.append(body)

    def on_message_complete(self) -> None:
        """Take the end of an answer; httptools calls it."""
        status = self._parser.get_status_code()
        self._ended.append(_status(status, b"".join(self._body)))
        self._body.clear()


def split_url(address: str) -> tuple[str, str]:
    """Return HOST:PORT of a URL, and the path behind it without a slash at its end.

    Examples
    --------
    >>> split_url("http://localhost:8080")
    ('localhost:8080', '')
    >>> split_url("https://example.com/tokalign/")
    ('example.com:443', '/tokalign')
    """
    scheme, _, rest = address.partition("://")
    authority, slash, path = rest.partition("/")
    if ":" not in authority.rpartition("]")[2]:
        authority += ":443" if scheme == "https" else ":80"
    return authority, (slash + path).rstrip("/")


def _status(status: int, body: bytes) -> tuple[str, str]:
    """Return the name of a code and the reason beside it; both are empty for an answer."""
    if status < HTTPStatus.BAD_REQUEST:
        return "", ""
    code = CODES.get(HTTPStatus(status)) if status in set(HTTPStatus) else None
    try:
        problem = json.loads(body)
        return str(problem["code"]), str(problem["reason"])
    except (ValueError, TypeError, KeyError):
        return code or "UNKNOWN", f"HTTP_{status}"
