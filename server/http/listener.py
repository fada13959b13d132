"""The HTTP port: uvicorn's protocol, with bounds on what a peer can make the server hold."""

from __future__ import annotations

import asyncio
import logging
import socket
import time
from email.utils import formatdate
from http import HTTPStatus
from typing import Any

import httptools
import uvicorn
from tokalign.codec.servers import ErrorReason
from tokalign.errors import InputError
from tokalign.server.config import Config, authority
from tokalign.server.http.problems import Problem
from tokalign.server.rpc import security
from tokalign.server.status import Failure
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol
from uvicorn.server import ServerState

log = logging.getLogger(__name__)

SWEEP_S = 1.0
# Of a request's line and headers.
MAX_HEAD_BYTES = 16 << 10
# Beside a body, so many bytes are parsed at a time, which may be the heads of forty requests.
PARSED_BYTES = 1 << 10
# So many bytes of a connection wait for the answers to requests before them; then it is not read.
MAX_WAITING_BYTES = 1 << 16
BACKLOG = 512

_NO_HTTP = Failure(ErrorReason.MALFORMED_MESSAGE, "this is no HTTP/1.1 request")
_LONG_HEAD = Failure(
    ErrorReason.LIMIT_EXCEEDED, f"the request's headers have more than {MAX_HEAD_BYTES} bytes"
)
_SLOW_HEAD = Failure(
    ErrorReason.MESSAGE_TIMEOUT, "the request's headers did not arrive in time; send them faster"
)


class Listener:
    """Listens for HTTP/1.1, and answers by an application."""

    def __init__(self, config: Config, application: Any) -> None:
        self._config = config
        self._state = ServerState()
        self._protocol = uvicorn.Config(
            application,
            http=Connection,
            ws="none",
            lifespan="off",
            log_config=None,
            # Its lines would be caused by strangers, one each.
            log_level=logging.CRITICAL + 1,
            access_log=False,
            proxy_headers=False,
            timeout_keep_alive=round(config.max_connection_idle_s) or 1,
        )
        self._protocol.load()
        self._server: asyncio.Server | None = None
        self._sweeper: asyncio.Task[None] | None = None

    async def start(self, port: int) -> int:
        """Listen, and return the bound port.

        Raises
        ------
        InputError
            If the port cannot be bound, or the TLS files cannot be used.
        """
        host = self._config.tcp_host
        certificates = security.certificates(self._config)
        tls = None if certificates is None else certificates.context()
        timeout_s = None if tls is None else self._config.handshake_timeout_s
        bounds = ConnectionBounds(self._config)
        loop = asyncio.get_running_loop()
        try:
            bound = _bound(host, port)
            self._server = await loop.create_server(
                lambda: Connection(self._protocol, self._state, bounds),
                sock=bound,
                backlog=BACKLOG,
                ssl=tls,
                ssl_handshake_timeout=timeout_s,
            )
        except OSError as error:
            raise InputError(
                f"cannot listen on {authority(host, port)}; is the port taken?", field="http_port"
            ) from error
        self._sweeper = asyncio.create_task(self._sweep())
        return int(bound.getsockname()[1])

    async def stop(self, grace_s: float) -> None:
        """Take no new requests, give running ones a time to finish, and hang up."""
        if self._server is None:
            return
        self._server.close()
        for connection in list(self._state.connections):
            connection.shutdown()
        until = time.monotonic() + grace_s
        while self._state.tasks and (left_s := until - time.monotonic()) > 0:
            await asyncio.wait(self._state.tasks, timeout=left_s)
        for task in self._state.tasks:
            task.cancel()
        if self._state.tasks:
            await asyncio.wait(self._state.tasks, timeout=SWEEP_S)
        for connection in list(self._state.connections):
            connection.transport.abort()
        if self._sweeper is not None:
            self._sweeper.cancel()

    async def _sweep(self) -> None:
        """Write the date, and end connections that are out of bounds."""
        while True:
            self._state.default_headers = [(b"date", formatdate(usegmt=True).encode())]
            now = time.monotonic()
            for connection in list(self._state.connections):
                assert isinstance(connection, Connection)
                connection.check(now)
            await asyncio.sleep(SWEEP_S)


def _bound(host: str, port: int) -> socket.socket:
    """Return a socket bound to an address that no other one shares."""
    kind, _, _, _, address = socket.getaddrinfo(
        host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
    )[0]
    bound = socket.socket(kind, socket.SOCK_STREAM)
    try:
        bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        bound.bind(address)
    except OSError:
        bound.close()
        raise
    return bound


class ConnectionBounds:
    """Times and numbers that connections keep to.

    Attributes
    ----------
    head_s, body_s, unread_s : float
        In which a request's headers must arrive, its body, and a peer must read some of what it was
        sent.
    age_s : float
        After which a connection takes no more requests; 0 is never.
    """

    def __init__(self, config: Config) -> None:
        self.max_connections = config.max_connections
        self.head_s = config.handshake_timeout_s
        self.body_s = config.receive_timeout_s
        self.unread_s = config.keepalive_timeout_s
        self.age_s = config.max_connection_age_s


class Connection(HttpToolsProtocol):
    """A connection that is ended where its peer leaves the bounds.

    A peer may send requests without waiting for answers (pipelining). What comes behind a whole
    request is parsed once that is answered.
    """

    def __init__(
        self, config: uvicorn.Config, state: ServerState, bounds: ConnectionBounds
    ) -> None:
        super().__init__(config, state, {})
        self._bounds = bounds
        self._waiting = bytearray()
        self._last: Problem | None = None
        self._body_left = 0
        self._before: Any = None  # the cycle before the newest
        self._began = time.monotonic()
        self._head_since: float | None = self._began
        self._head_bytes = 0
        self._field_bytes = 0
        self._body_since = 0.0
        self._unread_bytes = 0
        self._unread_since = self._began

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Take a connection, or hang up where there are too many."""
        super().connection_made(transport)
        if len(self.connections) > self._bounds.max_connections:
            message = "the server has as many connections as it may; try again later"
            failure = Failure(ErrorReason.QUEUE_FULL, message)
            self._end(Problem(failure, HTTPStatus.SERVICE_UNAVAILABLE))

    def data_received(self, data: bytes) -> None:
        """Read requests; hang up where the headers of one are too long."""
        if not self.transport.is_closing():
            self._waiting += data
            self._parse()

    def _parse(self) -> None:
        """Parse what waits, up to the end of a request that is to be answered first."""
        while self._waiting and not self._holds and not self.transport.is_closing():
            n_bytes = max(PARSED_BYTES, self._body_left)
            data = bytes(self._waiting[:n_bytes])
            del self._waiting[:n_bytes]
            self._feed(data)
        if len(self._waiting) > MAX_WAITING_BYTES:
            self.flow.pause_reading()

    def _feed(self, data: bytes) -> None:
        is_idle = self.cycle is None or self.cycle.response_complete
        if self._head_since is None and is_idle and not self._drops_body:
            # Not yet the first byte of a request, perhaps; but then it takes no longer.
            self._head_since, self._head_bytes = time.monotonic(), 0
        if self._head_since is not None:
            self._head_bytes += len(data)
        self._unset_keepalive_if_required()
        try:
            self.parser.feed_data(data)
        except httptools.HttpParserUpgrade as upgrade:
            self._stay(data[upgrade.args[0] :])
        except httptools.HttpParserError:
            self._end(Problem(_NO_HTTP))
        if self._head_since is not None and self._head_bytes > MAX_HEAD_BYTES:
            self._end_long_head()

    def on_message_begin(self) -> None:
        """Begin to read a request."""
        super().on_message_begin()
        self._field_bytes = 0
        if self._head_since is None:  # it is pipelined, and some of it is here
            self._head_since, self._head_bytes = time.monotonic(), 1

    def on_header(self, name: bytes, value: bytes) -> None:
        """Take a header."""
        super().on_header(name, value)
        self._field_bytes += len(name) + len(value)
        if self._field_bytes > MAX_HEAD_BYTES:
            self._end_long_head()

    def on_headers_complete(self) -> None:
        """Begin to answer a request."""
        if self.transport.is_closing() or self.parser.should_upgrade():
            return
        self._head_since, self._head_bytes = None, 0
        self._body_since = time.monotonic()
        self._body_left = int(dict(self.headers).get(b"content-length", 0))
        self._before = self.cycle
        super().on_headers_complete()

    def on_body(self, body: bytes) -> None:
        """Take some of a request's body."""
        self._body_left = max(0, self._body_left - len(body))
        super().on_body(body)

    def on_message_complete(self) -> None:
        """Note the end of a request's body."""
        if self.parser.should_upgrade():
            return
        super().on_message_complete()
        self.cycle.more_body = False  # also where it was dropped

    def on_response_complete(self) -> None:
        """Go on with what was sent behind the request."""
        super().on_response_complete()
        if self._is_answering or self.transport.is_closing():
            return
        if self._last is not None:
            self._end(self._last)
            return
        # What has begun behind the request was not read meanwhile.
        now = self._body_since = time.monotonic()
        if self._head_since is not None:
            self._head_since = now
        self._parse()

    def _stay(self, rest: bytes) -> None:
        """Read a request that asks for another protocol as if it did not.

        The parser takes what follows its headers for the other protocol.
        """
        method = self.parser.get_method()
        if method == b"CONNECT":
            self._end(Problem(_NO_HTTP))
            return
        version = self.parser.get_http_version().encode()
        lines = [method + b" " + self.url + b" HTTP/" + version]
        lines += [name + b": " + value for name, value in self.headers if name != b"upgrade"]
        self.parser = httptools.HttpRequestParser(self)
        self.parser.set_dangerous_leniencies(lenient_data_after_close=True)  # as uvicorn does
        self._feed(b"\r\n".join([*lines, b"", b""]) + rest)

    def check(self, now: float) -> None:
        """End the connection where its peer is too slow, or it is too old."""
        bounds, transport = self._bounds, self.transport
        unread_bytes = transport.get_write_buffer_size()
        if unread_bytes == 0 or unread_bytes < self._unread_bytes:
            self._unread_since = now
        self._unread_bytes = unread_bytes
        if now - self._unread_since > bounds.unread_s:
            transport.abort()
        elif transport.is_closing():
            return
        elif self._holds:
            pass
        elif self._head_since is not None and now - self._head_since > bounds.head_s:
            if self._head_bytes:
                self._end(Problem(_SLOW_HEAD, HTTPStatus.REQUEST_TIMEOUT))
            else:
                transport.close()
        elif self._drops_body and now - self._body_since > bounds.body_s:
            transport.abort()
        elif bounds.age_s and now - self._began > bounds.age_s:
            self.shutdown()

    @property
    def _drops_body(self) -> bool:
        """Whether a body still arrives, whose request has been answered."""
        return self.cycle is not None and self.cycle.response_complete and self.cycle.more_body

    @property
    def _is_answering(self) -> bool:
        """Whether a request that came whole is not yet answered, or one waits behind another."""
        cycle = self.cycle
        return bool(self.pipeline) or not (
            cycle is None or cycle.more_body or cycle.response_complete
        )

    @property
    def _holds(self) -> bool:
        """Whether what arrives has to wait."""
        return self._last is not None or self._is_answering

    def _end_long_head(self) -> None:
        self._end(Problem(_LONG_HEAD, HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE))

    def _end(self, problem: Problem) -> None:
        """Answer with a problem, once all requests before it are answered, and hang up."""
        if self.transport.is_closing():
            return
        cycle = self.cycle
        if cycle is not None and cycle.more_body:
            # The problem is in the body of this request, so it is its answer if there is none yet.
            if self.pipeline:
                self.pipeline.popleft()
                self.cycle = self._before
            elif cycle.response_started:
                self.transport.close()
                return
            else:
                cycle.disconnected = cycle.response_complete = True
                cycle.message_event.set()
        if self._is_answering:
            self._last = problem
            return
        status = f"HTTP/1.1 {problem.status} \r\n".encode()
        length = (b"content-length", str(len(problem.body)).encode())
        headers = [*problem.headers, length, (b"connection", b"close")]
        lines = [b"%s: %s\r\n" % header for header in headers]
        self.transport.write(b"".join([status, *lines, b"\r\n", problem.body]))
        self.transport.close()
