"""gRPC unary calls over one HTTP/2 connection, spoken by the h2 library.

Requests are prebuilt bytes, and answers are not parsed: a call was answered if its status says so.
"""

from __future__ import annotations

import base64
import math
import time
from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import lru_cache

from google.rpc import code_pb2, error_details_pb2, status_pb2
from h2.config import H2Configuration
from h2.connection import H2Connection
from h2.errors import ErrorCodes
from h2.events import (
    ConnectionTerminated,
    DataReceived,
    Event,
    RemoteSettingsChanged,
    ResponseReceived,
    StreamEnded,
    StreamReset,
    TrailersReceived,
)
from h2.exceptions import H2Error
from h2.settings import SettingCodes, Settings
from tokalign.client.load.calls import IntendedCall, LoadRequest, Outcome
from tokalign.client.load.transport import NOT_NOW, PLAIN, Security, connect, received

LARGEST_WINDOW = 2**31 - 1
_FIRST_WINDOW = 65_535
_FORGET_EACH = 1_000
_PROMPT_S = 0.01
_STATUS, _DETAILS = b"grpc-status", b"grpc-status-details-bin"
_CLIENT = H2Configuration(
    client_side=True,
    header_encoding=None,
    validate_outbound_headers=False,
    normalize_outbound_headers=False,
    validate_inbound_headers=False,
    normalize_inbound_headers=False,
)


@dataclass(slots=True)
class _Call:
    intended_at: float
    request: LoadRequest
    n_sent: int = 0
    status: bytes = b""
    details: bytes = b""


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
        headers.append((b"grpc-timeout", f"{math.ceil(timeout_s * 1e3)}m".encode()))
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
        self.socket = connect(self.address, self.security, "h2")
        self._headers: dict[LoadRequest, list[tuple[bytes, bytes]]] = {}
        self._http2 = begun()
        self._out = bytearray()
        # Calls whose body the windows have not let through yet.
        self._blocked: deque[int] = deque()
        self._waiting: deque[IntendedCall] = deque()
        # None before the server's settings have come.
        self._max_streams: int | None = None

    @property
    def _has_free_stream(self) -> bool:
        return self._max_streams is not None and len(self.calls) < self._max_streams

    @property
    def has_room(self) -> bool:
        """Return True: calls share the connection."""
        return True

    @property
    def is_busy(self) -> bool:
        """Whether calls have not ended."""
        return bool(self.calls or self._waiting)

    @property
    def pending(self) -> list[IntendedCall]:
        """The calls that have not ended."""
        sent = [IntendedCall(call.request, call.intended_at) for call in self.calls.values()]
        return [*sent, *self._waiting]

    def call(self, request: LoadRequest, intended_at: float) -> None:
        """Start a call, or have it wait for a free stream; flush() sends it."""
        if self.is_patient and not self._has_free_stream:
            self._waiting.append(IntendedCall(request, intended_at))
            return
        call = IntendedCall(request, intended_at)
        left_s = call.timeout_s(time.perf_counter())
        if request.timeout_s - left_s > _PROMPT_S:
            # The generator itself is late, and a caller's deadline would not wait for it.
            if left_s > 0:
                self._start(request, intended_at, self._headers_of(request, left_s))
            else:
                self._waiting.append(call)
            return
        headers = self._headers.get(request)
        if headers is None:
            headers = self._headers[request] = self._headers_of(request, request.timeout_s)
        self._start(request, intended_at, headers)

    def _headers_of(self, request: LoadRequest, timeout_s: float) -> list[tuple[bytes, bytes]]:
        return grpc_headers(self.address, request.path, self.security, timeout_s)

    def _start(
        self, request: LoadRequest, intended_at: float, headers: list[tuple[bytes, bytes]]
    ) -> None:
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
            except NOT_NOW:
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
        data, is_over = received(self.socket)
        try:
            for event in self._http2.receive_data(data):
                self._happened(event, now, ended)
        except H2Error as error:
            raise ConnectionError(f"{self.address} breaks the rules of HTTP/2: {error}") from error
        if is_over:
            raise ConnectionError(f"{self.address} closed the connection")
        while self._waiting and self._has_free_stream:
            waiting = self._waiting.popleft()
            if (late := waiting.given_up(now)) is not None:
                ended.append(late)
                continue
            headers = self._headers_of(waiting.request, waiting.timeout_s(now))
            self._start(waiting.request, waiting.intended_at, headers)
        self.flush()
        return ended

    def _happened(self, event: Event, now: float, ended: list[Outcome]) -> None:
        if isinstance(event, DataReceived):
            self._http2.acknowledge_received_data(event.flow_controlled_length, event.stream_id)
        elif isinstance(event, ResponseReceived | TrailersReceived):
            # Of a call that is refused, the headers are its trailers, too.
            call = self.calls.get(event.stream_id)
            if call is not None:
                _note_status(call, event.headers)
        elif isinstance(event, StreamEnded):
            call = self.calls.pop(event.stream_id, None)
            if call is not None:
                ended.append(_outcome(call, now, *_status(call.status, call.details)))
        elif isinstance(event, StreamReset):
            # The server may reset after an early answer to an unread body; the answer counted.
            call = self.calls.pop(event.stream_id, None)
            if call is None:
                return
            if self.is_patient and event.error_code == ErrorCodes.REFUSED_STREAM:
                self._waiting.append(IntendedCall(call.request, call.intended_at))
                return
            ended.append(_outcome(call, now, *_reset(event.error_code)))
        elif isinstance(event, RemoteSettingsChanged):
            self._max_streams = self._http2.remote_settings.max_concurrent_streams
        elif isinstance(event, ConnectionTerminated):
            raise ConnectionError(f"{self.address} is going away")


def _note_status(call: _Call, headers: Iterable[tuple[bytes, bytes]]) -> None:
    for name, value in headers:
        if name == _STATUS:
            call.status = value
        elif name == _DETAILS:
            call.details = value


def _outcome(call: _Call, now: float, code: str, reason: str) -> Outcome:
    latency_s = now - call.intended_at
    return Outcome(call.intended_at, latency_s, not code, call.request, code, reason)


def _reset(error_code: int) -> tuple[str, str]:
    """Return code and reason of a stream that the server reset."""
    if error_code == ErrorCodes.REFUSED_STREAM:
        return "UNAVAILABLE", "REFUSED_STREAM"
    return "CANCELLED", "RESET"


@lru_cache(maxsize=1024)
def _status(status: bytes, details: bytes) -> tuple[str, str]:
    """Return the name of a code and the reason beside it; both are empty for an answer."""
    if status == b"0":
        return "", ""
    if not status.isdigit():
        return "UNKNOWN", "NO_STATUS"
    number = int(status)
    known = number in code_pb2.Code.values()
    code = code_pb2.Code.Name(code_pb2.Code.ValueType(number)) if known else f"CODE_{number}"
    packed = status_pb2.Status.FromString(base64.b64decode(details + b"=="))
    info = error_details_pb2.ErrorInfo()
    for detail in packed.details:
        if detail.Unpack(info):
            return code, info.reason
    return code, code
