"""gRPC unary calls over one bare HTTP/2 connection.

Requests are prebuilt bytes with static headers, and of answers only frame headers are read: some
tens of microseconds per call. A call that ends without a DATA frame has failed, for this server
sends its errors as trailers alone.
"""

from __future__ import annotations

import socket
import ssl
import struct
from collections import deque
from dataclasses import dataclass, field

_DATA, _HEADERS, _RST, _SETTINGS, _PING, _GOAWAY, _WINDOW = 0, 1, 3, 4, 6, 7, 8
_END_STREAM, _END_HEADERS, _ACK = 1, 4, 1
_PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
_REFUSED_STREAM = b"\0\0\0\7"
_LARGEST_WINDOW = 2**31 - 1
_FRAME_BYTES = 16_384
_FIRST_WINDOW = 65_535
_NOT_NOW = (BlockingIOError, ssl.SSLWantReadError, ssl.SSLWantWriteError)


@dataclass(slots=True)
class Outcome:
    """One call: when it was meant to start, how long it took from then, and whether it worked."""

    intended_at: float
    latency_s: float
    is_ok: bool


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
    window: int
    body: bytes
    unsent: memoryview
    has_data: bool = False


def _frame(kind: int, flags: int, stream: int, payload: bytes = b"") -> bytes:
    return struct.pack(">I", len(payload))[1:] + struct.pack(">BBI", kind, flags, stream) + payload


def _literal(name: bytes, value: bytes) -> bytes:
    """Return an HPACK literal that is not indexed."""
    return b"\0" + _string(name) + _string(value)


def _string(value: bytes) -> bytes:
    """Return an HPACK string: its length, of which seven bits stand in the first byte, and it."""
    n_more = len(value) - 127
    if n_more < 0:
        return bytes([len(value)]) + value
    length = bytearray([127])
    while n_more > 127:
        length.append(n_more & 127 | 128)
        n_more >>= 7
    return bytes(length) + bytes([n_more]) + value


def _headers(authority: str, path: str, security: Security) -> bytes:
    fields = [
        (b":method", b"POST"),
        (b":scheme", b"http" if security.tls is None else b"https"),
        (b":path", path.encode()),
        (b":authority", authority.encode()),
        (b"content-type", b"application/grpc"),
        (b"te", b"trailers"),
    ]
    if security.token:
        fields.append((b"authorization", b"Bearer " + security.token.encode()))
    return b"".join(_literal(name, value) for name, value in fields)


@dataclass
class LoadConnection:
    """One HTTP/2 connection with its calls.

    Where it is patient, calls above the server's limit of streams wait here, and those that the
    server has not looked at are sent again, as every grpc client does; otherwise they fail.
    """

    address: str
    path: str
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
        self._headers = _headers(self.address, self.path, self.security)
        self._stream = 1
        self._in = bytearray()
        self._out = bytearray(
            _PREFACE
            + _frame(_SETTINGS, 0, 0, struct.pack(">HI", 4, _LARGEST_WINDOW))
            + _frame(_WINDOW, 0, 0, struct.pack(">I", _LARGEST_WINDOW - _FIRST_WINDOW))
        )
        self._window = self._stream_window = _FIRST_WINDOW
        self._blocked: deque[int] = deque()
        self._waiting: deque[tuple[bytes, float]] = deque()
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
    def pending(self) -> list[float]:
        """When the calls that have not ended were meant to start."""
        return [call.intended_at for call in self.calls.values()] + [at for _, at in self._waiting]

    def call(self, body: bytes, intended_at: float) -> None:
        """Start a call, or have it wait for a free stream; flush() sends it."""
        if self.is_patient and not self._has_free_stream:
            self._waiting.append((body, intended_at))
            return
        stream, self._stream = self._stream, self._stream + 2
        self.calls[stream] = _Call(intended_at, self._stream_window, body, memoryview(body))
        self._out += _frame(_HEADERS, _END_HEADERS, stream, self._headers)
        self._blocked.append(stream)

    def forget(self) -> None:
        """Give up the calls that have not ended."""
        self.calls.clear()
        self._waiting.clear()

    def flush(self) -> None:
        """Send what the windows and the socket take."""
        for _ in range(len(self._blocked)):
            stream = self._blocked.popleft()
            if stream in self.calls and not self._send_body(stream, self.calls[stream]):
                self._blocked.append(stream)
        if self._out:
            try:
                sent = self.socket.send(self._out)
            except _NOT_NOW:
                return
            del self._out[:sent]

    @property
    def wants_to_write(self) -> bool:
        """Whether there is something to send."""
        return bool(self._out)

    def _send_body(self, stream: int, call: _Call) -> bool:
        while call.unsent:
            size = min(len(call.unsent), self._window, call.window, _FRAME_BYTES)
            if size <= 0:
                return False
            piece, call.unsent = call.unsent[:size], call.unsent[size:]
            self._window -= size
            call.window -= size
            self._out += _frame(_DATA, 0 if call.unsent else _END_STREAM, stream, bytes(piece))
        return True

    def receive(self, now: float) -> list[Outcome]:
        """Read what has arrived and return the calls that it ends."""
        self._read()
        ended: list[Outcome] = []
        position = 0
        while len(self._in) - position >= 9:
            size = int.from_bytes(self._in[position : position + 3], "big")
            if len(self._in) - position - 9 < size:
                break
            kind, flags, stream = struct.unpack_from(">BBI", self._in, position + 3)
            payload = self._in[position + 9 : position + 9 + size]
            position += 9 + size
            self._frame_arrived(kind, flags, stream & _LARGEST_WINDOW, payload, now, ended)
        del self._in[:position]
        while self._waiting and self._has_free_stream:
            self.call(*self._waiting.popleft())
        self.flush()
        return ended

    def _read(self) -> None:
        """Read what has arrived; of TLS all of it, for what is left in its layer wakes nobody."""
        is_over = False
        while not is_over:
            try:
                data = self.socket.recv(1 << 18)
            except _NOT_NOW:
                return
            if not data:
                raise ConnectionError(f"{self.address} closed the connection")
            self._in += data
            is_over = self.security.tls is None

    def _frame_arrived(
        self,
        kind: int,
        flags: int,
        stream: int,
        payload: bytes | bytearray,
        now: float,
        ended: list[Outcome],
    ) -> None:
        call = self.calls.get(stream)
        if kind in (_DATA, _HEADERS) and call is not None:
            call.has_data |= kind == _DATA and bool(payload)
            if flags & _END_STREAM:
                del self.calls[stream]
                ended.append(Outcome(call.intended_at, now - call.intended_at, call.has_data))
        elif kind == _RST and call is not None:
            # The server may reset after an early answer to an unread body; the answer counted.
            del self.calls[stream]
            if self.is_patient and payload == _REFUSED_STREAM:
                self._waiting.append((call.body, call.intended_at))
                return
            ended.append(Outcome(call.intended_at, now - call.intended_at, False))
        elif kind == _SETTINGS and not flags & _ACK:
            if self._max_streams is None:
                self._max_streams = _LARGEST_WINDOW
            for name, value in struct.iter_unpack(">HI", payload):
                if name == 3:
                    self._max_streams = value
                elif name == 4:
                    for open_call in self.calls.values():
                        open_call.window += value - self._stream_window
                    self._stream_window = value
            self._out += _frame(_SETTINGS, _ACK, 0)
        elif kind == _PING and not flags & _ACK:
            self._out += _frame(_PING, _ACK, 0, bytes(payload))
        elif kind == _WINDOW:
            (more,) = struct.unpack(">I", payload)
            if stream == 0:
                self._window += more
            elif call is not None:
                call.window += more
        elif kind == _GOAWAY:
            raise ConnectionError(f"{self.address} is going away")
