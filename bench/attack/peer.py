"""One HTTP/2 connection that does what a grpc client would not, for tests and attacks."""

from __future__ import annotations

import asyncio
import contextlib
import socket
import struct
from collections.abc import Iterable, Iterator

from h2.connection import H2Connection
from h2.events import (
    ConnectionTerminated,
    RemoteSettingsChanged,
    StreamEnded,
    StreamReset,
    WindowUpdated,
)
from h2.exceptions import H2Error
from h2.settings import SettingCodes
from tokalign.client.load.connection import LARGEST_WINDOW, begun, grpc_headers
from tokalign.client.load.methods import METHODS

_READ_BYTES = 1 << 16
_CONNECT_S = 10.0
_NO_LINGER = struct.pack("ii", 1, 0)


def message(body: bytes, is_compressed: bool = False, announced: int | None = None) -> bytes:
    """Return a gRPC message; `announced` is the length it claims."""
    return struct.pack(">BI", is_compressed, len(body) if announced is None else announced) + body


class Peer:
    """A connection, which heeds windows, and no limit of calls at once.

    Attributes
    ----------
    ended : int
        Streams that the server has ended.
    """

    def __init__(
        self,
        address: str,
        http2: H2Connection,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
    ) -> None:
        self.address = address
        self.ended = 0
        self.is_open = True
        self._http2, self._reader, self._writer = http2, reader, writer
        self._moved = asyncio.Event()
        self._task: asyncio.Task[None] | None = None

    @classmethod
    async def open(cls, address: str, *, reads: bool = True, window: int = LARGEST_WINDOW) -> Peer:
        """Connect; the server may send `window` bytes of each stream."""
        host, _, port = address.rpartition(":")
        connected = asyncio.open_connection(host, int(port))
        peer = cls(address, begun(window), *await asyncio.wait_for(connected, _CONNECT_S))
        await peer.send()
        if reads:
            peer._task = asyncio.create_task(peer._read())
        else:
            peer._writer.transport.pause_reading()  # type: ignore[attr-defined]
        return peer

    async def send(self, data: bytes = b"") -> None:
        """Write what is due, then bytes as they are; ConnectionError where the server hung up."""
        if not self.is_open or self._writer.is_closing():
            raise ConnectionError("closed by the server")
        self._writer.write(self._http2.data_to_send() + data)
        await self._writer.drain()

    async def call(
        self,
        path: str = METHODS["align"].rpc,
        *,
        more: Iterable[tuple[bytes, bytes]] = (),
        end: bool = False,
    ) -> int:
        """Begin a call, with more headers where they are given, and return its number."""
        with _hung_up():
            stream = self._http2.get_next_available_stream_id()
            headers = [*grpc_headers(self.address, path), *more]
            self._http2.send_headers(stream, headers, end_stream=end)
        await self.send()
        return stream

    async def body(self, stream: int, data: bytes, *, end: bool = False) -> None:
        """Send data as the windows allow."""
        position = 0
        while position < len(data):
            with _hung_up():
                size = min(
                    self._http2.local_flow_control_window(stream),
                    self._http2.max_outbound_frame_size,
                    len(data) - position,
                )
                if size > 0:
                    piece, position = data[position : position + size], position + size
                    self._http2.send_data(stream, piece, end_stream=end and position == len(data))
            if size > 0:
                await self.send()
                continue
            self._moved.clear()
            await self._moved.wait()
            if not self.is_open:
                raise ConnectionError("closed by the server")

    async def _read(self) -> None:
        with contextlib.suppress(ConnectionError, H2Error):
            while self.is_open and (data := await self._reader.read(_READ_BYTES)):
                for event in self._http2.receive_data(data):
                    self._happened(event)
                self._writer.write(self._http2.data_to_send())
        self.is_open = False
        self._moved.set()

    def _happened(self, event: object) -> None:
        if isinstance(event, StreamEnded | StreamReset):
            self.ended += 1
        elif isinstance(event, RemoteSettingsChanged):
            # The server is to refuse what is above its limit, not this side.
            self._http2.remote_settings[SettingCodes.MAX_CONCURRENT_STREAMS] = LARGEST_WINDOW
            self._http2.remote_settings.acknowledge()
        elif isinstance(event, ConnectionTerminated):
            self.is_open = False
        if isinstance(event, WindowUpdated | RemoteSettingsChanged | StreamReset):
            self._moved.set()

    async def close(self, *, by_reset: bool = False) -> None:
        """Hang up; by a reset of the connection in place of an orderly end where asked for."""
        self.is_open = False
        if by_reset:
            own: socket.socket = self._writer.get_extra_info("socket")
            if own.fileno() >= 0:  # else the server has hung up before
                own.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _NO_LINGER)
        if self._task is not None:
            self._task.cancel()
        self._writer.transport.abort()


@contextlib.contextmanager
def _hung_up() -> Iterator[None]:
    """Raise ConnectionError where HTTP/2 says that a stream or the connection is over."""
    try:
        yield
    except H2Error as error:
        raise ConnectionError(f"closed by the server: {error}") from error
