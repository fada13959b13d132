"""An HTTP/2 peer with no manners of its own: frames as bytes, windows where asked for."""

from __future__ import annotations

import asyncio
import contextlib
import struct
from collections import Counter
from collections.abc import Awaitable

from bench.attack.rows import Attack

DATA, HEADERS, PRIORITY, RST, SETTINGS, PUSH, PING, GOAWAY, WINDOW, CONTINUATION = range(10)
END_STREAM, END_HEADERS, ACK = 1, 4, 1
PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
LARGEST = 2**31 - 1
FIRST_WINDOW = 65_535
FRAME_BYTES = 16_384
N_CONNECTIONS = 100
"""What is promised of strangers is promised of so many connections."""
ALIGN = "/tokalign.v1.AlignService/Align"
STREAM = "/tokalign.v1.AlignService/AlignStream"


def frame(kind: int, flags: int, stream: int, payload: bytes = b"") -> bytes:
    """Return one frame."""
    return struct.pack(">I", len(payload))[1:] + struct.pack(">BBI", kind, flags, stream) + payload


def settings(**values: int) -> bytes:
    """Return a SETTINGS frame: header_table, streams, window, frame, header_list."""
    names = {"header_table": 1, "streams": 3, "window": 4, "frame": 5, "header_list": 6}
    pairs = [struct.pack(">HI", names[name], value) for name, value in values.items()]
    return frame(SETTINGS, 0, 0, b"".join(pairs))


def _integer(value: int, bits: int, first: int = 0) -> bytes:
    """Return an HPACK integer behind the high bits of `first`."""
    most = 2**bits - 1
    if value < most:
        return bytes([first | value])
    out, value = [first | most], value - most
    while value >= 128:
        out.append(value % 128 + 128)
        value //= 128
    return bytes([*out, value])


def literal(name: bytes, value: bytes, is_indexed: bool = False) -> bytes:
    """Return an HPACK literal, kept in the dynamic table where `is_indexed`."""
    first = b"\x40" if is_indexed else b"\0"
    return first + _integer(len(name), 7) + name + _integer(len(value), 7) + value


def indexed(index: int) -> bytes:
    """Return an HPACK reference; 62 is the newest entry of the dynamic table."""
    return _integer(index, 7, 0x80)


def request(
    address: str, path: str = ALIGN, token: str = "", more: tuple[tuple[str, str], ...] = ()
) -> bytes:
    """Return the header block of a gRPC call."""
    fields = [
        (":method", "POST"),
        (":scheme", "http"),
        (":path", path),
        (":authority", address),
        ("content-type", "application/grpc"),
        ("te", "trailers"),
    ]
    if token:
        fields.append(("authorization", f"Bearer {token}"))
    return b"".join(literal(name.encode(), value.encode()) for name, value in (*fields, *more))


def message(body: bytes, is_compressed: bool = False, announced: int | None = None) -> bytes:
    """Return a gRPC message; `announced` is the length it claims."""
    return struct.pack(">BI", is_compressed, len(body) if announced is None else announced) + body


class Peer:
    """One connection. It reads frames where `reads`, and answers PING and SETTINGS.

    Attributes
    ----------
    seen : Counter
        Frames received, by kind.
    ended : int
        Streams that the server has ended.
    is_open : bool
    """

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader, self.writer = reader, writer
        self.seen: Counter[int] = Counter()
        self.ended = 0
        self.is_open = True
        self._next = 1
        self._window = FIRST_WINDOW
        self._first = FIRST_WINDOW
        self._windows: dict[int, int] = {}
        self._moved = asyncio.Event()
        self._task: asyncio.Task[None] | None = None

    @classmethod
    async def open(
        cls, address: str, *, reads: bool = True, window: int = LARGEST, preface: bool = True
    ) -> Peer:
        """Connect; `window` is what each stream of the server may send."""
        host, _, port = address.rpartition(":")
        peer = cls(*await asyncio.wait_for(asyncio.open_connection(host, int(port)), 10))
        if preface:
            grow = frame(WINDOW, 0, 0, struct.pack(">I", LARGEST - FIRST_WINDOW))
            await peer.send(PREFACE + settings(window=window) + grow)
        if reads:
            peer._task = asyncio.create_task(peer._read())
        else:
            peer.writer.transport.pause_reading()  # type: ignore[attr-defined]
        return peer

    async def send(self, data: bytes) -> None:
        """Write bytes as they are; ConnectionError once the server has hung up."""
        if not self.is_open:
            raise ConnectionError("closed by the server")
        self.writer.write(data)
        await self.writer.drain()

    async def call(self, block: bytes, *, end: bool = False) -> int:
        """Open a stream with a header block and return its number."""
        stream = self.new_stream()
        await self.send(frame(HEADERS, END_HEADERS | (END_STREAM if end else 0), stream, block))
        return stream

    def new_stream(self) -> int:
        """Return the next number."""
        stream, self._next = self._next, self._next + 2
        return stream

    async def body(self, stream: int, data: bytes, *, end: bool = False) -> None:
        """Send DATA as the windows allow."""
        position = 0
        self._windows.setdefault(stream, 0)
        while position < len(data):
            size = min(
                FRAME_BYTES,
                len(data) - position,
                self._window,
                self._first + self._windows[stream],
            )
            if size <= 0:
                self._moved.clear()
                await self._moved.wait()
                if not self.is_open:
                    raise ConnectionError("closed by the server")
                continue
            self._window -= size
            self._windows[stream] -= size
            piece = data[position : position + size]
            position += size
            is_last = end and position == len(data)
            await self.send(frame(DATA, END_STREAM if is_last else 0, stream, piece))

    async def _read(self) -> None:
        with contextlib.suppress(ConnectionError, asyncio.IncompleteReadError):
            while True:
                head = await self.reader.readexactly(9)
                payload = await self.reader.readexactly(int.from_bytes(head[:3], "big"))
                kind, flags, stream = struct.unpack(">BBI", head[3:])
                self._arrived(kind, flags, stream & LARGEST, payload)
        self.is_open = False
        self._moved.set()

    def _arrived(self, kind: int, flags: int, stream: int, payload: bytes) -> None:
        self.seen[kind] += 1
        if kind == RST or (kind in (DATA, HEADERS) and flags & END_STREAM):
            self.ended += 1
        elif kind == SETTINGS and not flags & ACK:
            for name, value in struct.iter_unpack(">HI", payload):
                if name == 4:
                    self._first = value
            self.writer.write(frame(SETTINGS, ACK, 0))
        elif kind == PING and not flags & ACK:
            self.writer.write(frame(PING, ACK, 0, payload))
        elif kind == WINDOW:
            (more,) = struct.unpack(">I", payload)
            if stream == 0:
                self._window += more
            else:
                self._windows[stream] = self._windows.get(stream, 0) + more
        self._moved.set()

    async def close(self) -> None:
        """Hang up."""
        self.is_open = False
        if self._task is not None:
            self._task.cancel()
        self.writer.transport.abort()


async def everyone(attack: Attack, peers: list[Awaitable[None]]) -> None:
    """Run peers side by side; a connection that the server closes is noted."""

    async def one(peer: Awaitable[None]) -> None:
        try:
            await peer
        except (ConnectionError, TimeoutError, asyncio.IncompleteReadError):
            attack.note("connections closed by the server")

    await asyncio.gather(*(one(peer) for peer in peers))
