"""gRPC unary calls over one HTTP/2 connection, spoken by the h2 library.

Requests are prebuilt bytes, and answers are not parsed. A call that ends without data has failed,
for this server sends its errors as trailers alone.
"""

from __future__ import annotations

import socket
import ssl
import struct
from collections import deque
from dataclasses import dataclass, field
from typing import Self

from h2.config import H2Configuration
from h2.connection import H2Connection
from h2.errors import ErrorCodes
from h2.events import (
    ConnectionTerminated,
    DataReceived,
    Event,
    RemoteSettingsChanged,
    StreamEnded,
    StreamReset,
)
from h2.exceptions import H2Error
from h2.settings import SettingCodes, Settings

LARGEST_WINDOW = 2**31 - 1
_FIRST_WINDOW = 65_535
_READ_BYTES = 1 << 18
_FORGET_EACH = 1_000
_NOT_NOW = (BlockingIOError, ssl.SSLWantReadError, ssl.SSLWantWriteError)
_CLIENT = H2Configuration(
    client_side=True,
    header_encoding=None,
    validate_outbound_headers=False,
    normalize_outbound_headers=False,
    validate_inbound_headers=False,
    normalize_inbound_headers=False,
)


@dataclass(slots=True)
class Outcome:
    """One call.

    Attributes
    ----------
    intended_at, latency_s : float
        When it was meant to start, and how long it took from then.
    is_ok : bool
        Whether it was answered.
    kind : LoadRequest
    """

    intended_at: float
    latency_s: float
    is_ok: bool
    kind: LoadRequest


@dataclass(frozen=True, slots=True, eq=False)
class LoadRequest:
    """A request that is sent many times.

    Attributes
    ----------
    path : str
        Of the method, such as ``"/tokalign.v1.AlignService/Align"``.
    body : bytes
        The serialised message, with gRPC's prefix.
    timeout_s : float
        Deadline of a call; 0 is none.
    pairs : int
        That it holds.
    """

    path: str
    body: bytes
    timeout_s: float = 0.0
    pairs: int = 1

    @classmethod
    def of(cls, path: str, message: bytes, timeout_s: float = 0.0, pairs: int = 1) -> Self:
        """Return the request for a serialised message."""
        return cls(path, b"\0" + struct.pack(">I", len(message)) + message, timeout_s, pairs)


@dataclass(frozen=True, slots=True)
class Security:
    """How a server is spoken to.

    Attributes
    ----------
    tls : ssl.SSLContext or None
        Encrypts the connections; plain text without.
    token : str
        Bearer token; none where empty.
    """

    tls: ssl.SSLContext | None = None
    token: str = ""


PLAIN = Security()


@dataclass(slots=True)
class _Call:
    intended_at: float
    request: LoadRequest
    n_sent: int = 0
    has_data: bool = False


def grpc_headers(
    address: str, path: str, security: Security = PLAIN, timeout_s: float = 0.0
) -> list[tuple[bytes, bytes]]:
    """Return the request headers of a gRPC call; a time-out of 0 is none."""
    headers = [
        (b":method", b"POST"),
        (b":scheme", b"http" if security.tls is None else b"https"),
        (b":path", path.encode()),
        (b":authority", address.encode()),
        (b"content-type", b"application/grpc"),
        (b"te", b"trailers"),
    ]
    if timeout_s:
        headers.append((b"grpc-timeout", f"{round(timeout_s * 1e3)}m".encode()))
    if security.token:
        headers.append((b"authorization", b"Bearer " + security.token.encode()))
    return headers


class _Connection(H2Connection):
    """A connection whose new streams cost the same however many are open.

    For each new one h2 goes through all of its streams, to count them and to forget those that have
    ended: with thousands of open calls that takes a hundred times as long as all else. A
    LoadConnection counts its calls itself.
    """

    def __init__(self) -> None:
        super().__init__(_CLIENT)
        self._n_begun = 0

    @property
    def open_outbound_streams(self) -> int:
        """Return 0, so that a new stream is always within the limit."""
        self._n_begun += 1
        if self._n_begun % _FORGET_EACH == 0:
            _ = super().open_outbound_streams
        return 0


def begun(window: int = LARGEST_WINDOW) -> H2Connection:
    """Return a client's connection with its first frames to send.

    The server may send `window` bytes of each stream, and of all together as many as can be.
    """
    http2 = _Connection()
    windows = {SettingCodes.INITIAL_WINDOW_SIZE: window}
    http2.local_settings = Settings(client=True, initial_values=windows)
    http2.initiate_connection()
    http2.increment_flow_control_window(LARGEST_WINDOW - _FIRST_WINDOW)
    return http2


@dataclass
class LoadConnection:
    """One HTTP/2 connection with its calls.

    Where it is patient, calls above the server's limit of streams wait here, and those that the
    server has not looked at are sent again, as every grpc client does; otherwise they fail.
    """

    address: str
    is_patient: bool = True
    security: Security = PLAIN
    calls: dict[int, _Call] = field(default_factory=dict)

    def __post_init__(self) -> None:
        host, _, port = self.address.rpartition(":")
        host = host.strip("[]")
        self.socket = socket.create_connection((host, int(port)), timeout=10)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        if self.security.tls is not None:
            self.security.tls.set_alpn_protocols(["h2"])
            self.socket = self.security.tls.wrap_socket(self.socket, server_hostname=host)
        self.socket.setblocking(False)
        self._headers: dict[LoadRequest, list[tuple[bytes, bytes]]] = {}
        self._http2 = begun()
        self._out = bytearray()
        # Calls whose body the windows have not let through yet.
        self._blocked: deque[int] = deque()
        self._waiting: deque[tuple[LoadRequest, float]] = deque()
        # None before the server's settings have come.
        self._max_streams: int | None = None

    @property
    def _has_free_stream(self) -> bool:
        return self._max_streams is not None and len(self.calls) < self._max_streams

    @property
    def is_busy(self) -> bool:
        """Whether calls have not ended."""
        return bool(self.calls or self._waiting)

    @property
    def pending(self) -> list[tuple[LoadRequest, float]]:
        """The calls that have not ended, and when they were meant to start."""
        return [(call.request, call.intended_at) for call in self.calls.values()] + [*self._waiting]

    def call(self, request: LoadRequest, intended_at: float) -> None:
        """Start a call, or have it wait for a free stream; flush() sends it."""
        if self.is_patient and not self._has_free_stream:
            self._waiting.append((request, intended_at))
            return
        headers = self._headers.get(request)
        if headers is None:
            headers = self._headers[request] = grpc_headers(
                self.address, request.path, self.security, request.timeout_s
            )
        stream = self._http2.get_next_available_stream_id()
        self._http2.send_headers(stream, headers)
        self.calls[stream] = _Call(intended_at, request)
        if not self._send_body(stream):
            self._blocked.append(stream)

    def forget(self) -> None:
        """Give up the calls that have not ended."""
        self.calls.clear()
        self._waiting.clear()

    def flush(self) -> None:
        """Send what the windows and the socket take."""
        for _ in range(len(self._blocked)):
            stream = self._blocked.popleft()
            if stream in self.calls and not self._send_body(stream):
                self._blocked.append(stream)
        self._out += self._http2.data_to_send()
        if self._out:
            try:
                sent = self.socket.send(self._out)
            except _NOT_NOW:
                return
            del self._out[:sent]

    @property
    def wants_to_write(self) -> bool:
        """Whether there is something to send."""
        self._out += self._http2.data_to_send()
        return bool(self._out)

    def _send_body(self, stream: int) -> bool:
        """Send what the windows take of a call's body; return whether that was all."""
        call = self.calls[stream]
        body = call.request.body
        while call.n_sent < len(body):
            size = min(
                self._http2.local_flow_control_window(stream),
                self._http2.max_outbound_frame_size,
                len(body) - call.n_sent,
            )
            if size <= 0:
                return False
            piece = body[call.n_sent : call.n_sent + size]
            call.n_sent += size
            self._http2.send_data(stream, piece, end_stream=call.n_sent == len(body))
        return True

    def receive(self, now: float) -> list[Outcome]:
        """Read what has arrived and return the calls that it ends."""
        ended: list[Outcome] = []
        try:
            for event in self._http2.receive_data(self._read()):
                self._happened(event, now, ended)
        except H2Error as error:
            raise ConnectionError(f"{self.address} breaks the rules of HTTP/2: {error}") from error
        while self._waiting and self._has_free_stream:
            self.call(*self._waiting.popleft())
        self.flush()
        return ended

    def _read(self) -> bytes:
        """Read what has arrived; of TLS all of it, for what is left in its layer wakes nobody."""
        pieces: list[bytes] = []
        is_over = False
        while not is_over:
            try:
                pieces.append(self.socket.recv(_READ_BYTES))
            except _NOT_NOW:
                break
            if not pieces[-1]:
                raise ConnectionError(f"{self.address} closed the connection")
            is_over = self.security.tls is None
        return b"".join(pieces)

    def _happened(self, event: Event, now: float, ended: list[Outcome]) -> None:
        if isinstance(event, DataReceived):
            self._http2.acknowledge_received_data(event.flow_controlled_length, event.stream_id)
            call = self.calls.get(event.stream_id)
            if call is not None and event.data:
                call.has_data = True
        elif isinstance(event, StreamEnded):
            call = self.calls.pop(event.stream_id, None)
            if call is not None:
                ended.append(_outcome(call, now, is_ok=call.has_data))
        elif isinstance(event, StreamReset):
            # The server may reset after an early answer to an unread body; the answer counted.
            call = self.calls.pop(event.stream_id, None)
            if call is None:
                return
            if self.is_patient and event.error_code == ErrorCodes.REFUSED_STREAM:
                self._waiting.append((call.request, call.intended_at))
                return
            ended.append(_outcome(call, now, is_ok=False))
        elif isinstance(event, RemoteSettingsChanged):
            self._max_streams = self._http2.remote_settings.max_concurrent_streams
        elif isinstance(event, ConnectionTerminated):
            raise ConnectionError(f"{self.address} is going away")


def _outcome(call: _Call, now: float, *, is_ok: bool) -> Outcome:
    return Outcome(call.intended_at, now - call.intended_at, is_ok, call.request)
