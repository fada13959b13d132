"""Floods: many connections that send prepared bytes as fast as the other side takes them.

The bytes are made once by the h2 library's parts, so one process sends millions of frames a second.
"""

from __future__ import annotations

import contextlib
import selectors
import socket
import time
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from hpack import Encoder
from hyperframe.frame import HeadersFrame
from tokalign.client.load.connection import begun, grpc_headers
from tokalign.client.load.transport import Security

CONNECT_AGAIN_S = 0.02
READ_BYTES = 1 << 16
PREFACE = begun().data_to_send()
"""What an HTTP/2 client sends first."""


def header_block(
    address: str, path: str, token: str = "", more: Iterable[tuple[bytes, bytes]] = ()
) -> bytes:
    """Return the header block of a gRPC call, which may be sent any number of times."""
    fields = [*grpc_headers(address, path, Security(token=token)), *more]
    # A sensitive field never enters the table of the connection.
    return Encoder().encode([(name, value, True) for name, value in fields], huffman=False)


def headers_frame(stream: int, block: bytes, *flags: str) -> bytes:
    """Return a HEADERS frame that ends its block, with more flags such as "END_STREAM"."""
    return HeadersFrame(stream, block, flags=["END_HEADERS", *flags]).serialize()


@dataclass(frozen=True)
class Kind:
    """What a connection sends.

    Attributes
    ----------
    opening : bytes
        Sent once.
    bodies : tuple of bytes
        Sent after it, one after the other and again, or not at all.
    reads : bool
        Whether it reads what comes.
    is_once : bool
        Whether the connection begins anew after the last body, as numbers of streams demand.
    answer : bytes
        A part of each answer, where a body is sent for each one that comes.
    """

    opening: bytes
    bodies: tuple[bytes, ...] = ()
    reads: bool = True
    is_once: bool = False
    answer: bytes = b""


class _Connection:
    """One connection, again and again."""

    def __init__(self, kind: Kind, address: tuple[str, int]) -> None:
        self.kind = kind
        self._address = address
        self.socket: socket.socket | None = None
        self.again_at = 0.0
        self._left = memoryview(b"")
        self._next = 0
        self._owed = 0

    def connect(self) -> socket.socket:
        """Begin to connect."""
        self.socket = socket.socket()
        self.socket.setblocking(False)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.socket.connect_ex(self._address)
        self._left = memoryview(self.kind.opening)
        self._next, self._owed = 0, 1  # the first body waits for no answer
        return self.socket

    @property
    def events(self) -> int:
        """What to wait for."""
        waits = bool(self.kind.answer) and not self._owed
        is_silent = not self._left and (waits or not self.kind.bodies) and not self.kind.is_once
        writes = 0 if is_silent else selectors.EVENT_WRITE
        # One that never reads has to be told of an end some time.
        return writes | (selectors.EVENT_READ if self.kind.reads or is_silent else 0)

    def send(self, counts: Counter[str]) -> bool:
        """Send what is taken; return whether the connection goes on."""
        assert self.socket is not None
        for _ in range(8):
            if not self._left:
                if self._next == len(self.kind.bodies):
                    if self.kind.is_once:
                        return False
                    self._next = 0
                if not self.kind.bodies or (self.kind.answer and not self._owed):
                    return True
                self._left = memoryview(self.kind.bodies[self._next])
                self._next += 1
                self._owed -= 1
                counts["bodies"] += 1
            sent = self.socket.send(self._left)
            counts["KiB"] += sent >> 10
            self._left = self._left[sent:]
            if self._left:
                return True
        return True

    def receive(self) -> bool:
        """Read what has come; return whether the connection goes on."""
        assert self.socket is not None
        data = self.socket.recv(READ_BYTES)
        if self.kind.answer:
            self._owed += data.count(self.kind.answer)
        return bool(data)


def flood(address: str, kinds: Sequence[Kind], n_connections: int, seconds: float) -> Counter[str]:
    """Send over so many connections, in equal parts of each kind, for some seconds.

    Returns
    -------
    counts : Counter
        ``connections`` begun, ``bodies`` and ``KiB`` sent.
    """
    host, _, port = address.rpartition(":")
    counts: Counter[str] = Counter()
    mine = [
        _Connection(kinds[number % len(kinds)], (host, int(port)))
        for number in range(n_connections)
    ]
    stop = time.monotonic() + seconds
    waiting = list(mine)
    with selectors.DefaultSelector() as selector:
        while (now := time.monotonic()) < stop:
            for each in [each for each in waiting if each.again_at <= now][:64]:
                waiting.remove(each)
                counts["connections"] += 1
                selector.register(each.connect(), each.events, each)
            for key, events in selector.select(0.01):
                each = key.data
                goes_on = False
                with contextlib.suppress(OSError):
                    goes_on = not events & selectors.EVENT_READ or each.receive()
                    if goes_on and events & selectors.EVENT_WRITE:
                        goes_on = each.send(counts)
                if goes_on:
                    selector.modify(key.fileobj, each.events, each)
                else:
                    selector.unregister(key.fileobj)
                    key.fileobj.close()  # type: ignore[union-attr]
                    each.again_at = now + CONNECT_AGAIN_S
                    waiting.append(each)
    return counts
