"""One HTTP/2 connection that sends whatever frames it is told to, for tests and attacks.

The h2 library would not send what breaks the protocol, so frames are made by its part hyperframe
and header blocks by its part hpack.
"""

from __future__ import annotations

import asyncio
import contextlib
import socket
import struct
from collections import Counter
from collections.abc import Iterable

from h2.settings import SettingCodes
from hpack import Encoder
from hyperframe.frame import (
    DataFrame,
    Frame,
    HeadersFrame,
    PingFrame,
    RstStreamFrame,
    SettingsFrame,
    WindowUpdateFrame,
)

from tokalign.load.connection import LARGEST_WINDOW, Security, begun, grpc_headers
from tokalign.load.measure import METHODS

_FIRST_WINDOW = 65_535
_FRAME_BYTES = 16_384
_HEAD_BYTES = 9
_CONNECT_S = 10.0
_NO_LINGER = struct.pack("ii", 1, 0)

Fields = Iterable[tuple[bytes, bytes]]


def header_block(
    address: str, path: str = METHODS["align"], token: str = "", more: Fields = ()
) -> bytes:
    """Return the header block of a gRPC call, which may be sent any number of times."""
    fields = [*grpc_headers(address, path, Security(token=token)), *more]
    # A sensitive field never enters the table of the connection.
    return Encoder().encode([(name, value, True) for name, value in fields], huffman=False)


def message(body: bytes, is_compressed: bool = False, announced: int | None = None) -> bytes:
    """Return a gRPC message; `announced` is the length it claims."""
    return struct.pack(">BI", is_compressed, len(body) if announced is None else announced) + body


def headers_frame(stream: int, block: bytes, *flags: str) -> bytes:
    """Return a HEADERS frame that ends its block, with more flags such as "END_STREAM"."""
    return HeadersFrame(stream, block, flags=["END_HEADERS", *flags]).serialize()


class Peer:
    """A connection; it reads where `reads`, and then answers PING and SETTINGS.

    Attributes
    ----------
    seen : Counter
        Frames received, by class.
    ended : int
        Streams that the server has ended.
    is_open : bool
    """

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.seen: Counter[type[Frame]] = Counter()
        self.ended = 0
        self.is_open = True
        self._reader, self._writer = reader, writer
        self._next = 1
        self._window = _FIRST_WINDOW
        self._first = _FIRST_WINDOW
        self._windows: dict[int, int] = {}
        self._moved = asyncio.Event()
        self._task: asyncio.Task[None] | None = None

    @classmethod
    async def open(cls, address: str, *, reads: bool = True, window: int = LARGEST_WINDOW) -> Peer:
        """Connect; the server may send `window` bytes of each stream."""
        host, _, port = address.rpartition(":")
        connected = asyncio.open_connection(host, int(port))
        peer = cls(*await asyncio.wait_for(connected, _CONNECT_S))
        await peer.send(begun(window).data_to_send())
        if reads:
            peer._task = asyncio.create_task(peer._read())
        else:
            peer._writer.transport.pause_reading()  # type: ignore[attr-defined]
        return peer

    async def send(self, data: bytes) -> None:
        """Write bytes as they are; ConnectionError once the server has hung up."""
        if not self.is_open:
            raise ConnectionError("closed by the server")
        self._writer.write(data)
        await self._writer.drain()

    def new_stream(self) -> int:
        """Return the next number."""
        stream, self._next = self._next, self._next + 2
        return stream

    async def call(self, block: bytes, *flags: str) -> int:
        """Open a stream with a header block and return its number."""
        stream = self.new_stream()
        await self.send(headers_frame(stream, block, *flags))
        return stream

    async def body(self, stream: int, data: bytes, *, end: bool = False) -> None:
        """Send DATA as the windows allow."""
        position = 0
        self._windows.setdefault(stream, 0)
        while position < len(data):
            window = min(self._window, self._first + self._windows[stream])
            size = min(_FRAME_BYTES, len(data) - position, window)
            if size <= 0:
                self._moved.clear()
                await self._moved.wait()
                if not self.is_open:
                    raise ConnectionError("closed by the server")
                continue
            self._window -= size
            self._windows[stream] -= size
            frame = DataFrame(stream, data[position : position + size])
            position += size
            if end and position == len(data):
                frame.flags.add("END_STREAM")
            await self.send(frame.serialize())

    async def _read(self) -> None:
        with contextlib.suppress(ConnectionError, asyncio.IncompleteReadError):
            while True:
                head = await self._reader.readexactly(_HEAD_BYTES)
                frame, size = Frame.parse_frame_header(memoryview(head))
                frame.parse_body(memoryview(await self._reader.readexactly(size)))
                self._arrived(frame)
        self.is_open = False
        self._moved.set()

    def _arrived(self, frame: Frame) -> None:
        self.seen[type(frame)] += 1
        if isinstance(frame, RstStreamFrame) or "END_STREAM" in frame.flags:
            self.ended += 1
        elif isinstance(frame, SettingsFrame) and "ACK" not in frame.flags:
            self._first = frame.settings.get(SettingCodes.INITIAL_WINDOW_SIZE, self._first)
            self._writer.write(SettingsFrame(flags=["ACK"]).serialize())
        elif isinstance(frame, PingFrame) and "ACK" not in frame.flags:
            self._writer.write(PingFrame(0, frame.opaque_data, flags=["ACK"]).serialize())
        elif isinstance(frame, WindowUpdateFrame):
            if frame.stream_id == 0:
                self._window += frame.window_increment
            else:
                so_far = self._windows.get(frame.stream_id, 0)
                self._windows[frame.stream_id] = so_far + frame.window_increment
        self._moved.set()

    async def close(self, *, by_reset: bool = False) -> None:
        """Hang up; by a reset of the connection in place of an orderly end where asked for."""
        self.is_open = False
        if by_reset:
            own: socket.socket = self._writer.get_extra_info("socket")
            own.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _NO_LINGER)
        if self._task is not None:
            self._task.cancel()
        self._writer.transport.abort()
