"""Attacks by peers without a token: connections, frames and messages."""

from __future__ import annotations

import asyncio
import contextlib
import gzip
import time
import urllib.request
from collections.abc import Awaitable, Callable, Sequence
from itertools import cycle

from hpack import Encoder
from hyperframe.frame import (
    ContinuationFrame,
    DataFrame,
    Frame,
    HeadersFrame,
    PingFrame,
    RstStreamFrame,
    SettingsFrame,
    WindowUpdateFrame,
)
from tokalign.load.connection import begun, grpc_headers
from tokalign.load.measure import METHODS
from tokalign.load.peer import Peer, header_block, headers_frame, message

from bench.attack.rows import Attack, row

N_CONNECTIONS = 100
"""So many connections of one stranger are withstood."""
N_AT_A_TIME = 100
MIB = 1 << 20
FRAME_BYTES = 16_384
MORE_THAN_FILES = 1_200
CANCEL = 8
Frames = Callable[[str, Peer], bytes]
OTHERS = (
    "every call of the caller is answered right, and the server grows by 64 MiB at most and "
    "ends in order"
)


async def connections(attack: Attack, use: Callable[[int, Peer], Awaitable[None]]) -> None:
    """Use connections side by side, each anew where the server closes it."""

    async def one(number: int) -> None:
        while True:
            try:
                peer = await Peer.open(attack.address, reads=number % 2 == 0)
                attack.note("connections")
            except (OSError, TimeoutError):
                attack.note("connections refused")
                await asyncio.sleep(0.1)
                continue
            with contextlib.suppress(ConnectionError):
                await use(number, peer)
            await peer.close()

    await asyncio.gather(*(one(number) for number in range(N_CONNECTIONS)))


async def flood(attack: Attack, kinds: Sequence[Frames]) -> None:
    """Send frames without a pause, every connection those of one kind.

    Every second connection of a kind never reads.
    """

    async def use(number: int, peer: Peer) -> None:
        make = kinds[number // 2 % len(kinds)]
        while True:
            await peer.send(b"".join(make(attack.address, peer) for _ in range(N_AT_A_TIME)))
            attack.note("sent", N_AT_A_TIME)
            # The reader of this connection, and the other ones, come to turn.
            await asyncio.sleep(0)

    await connections(attack, use)


async def raw(attack: Attack, first: bytes) -> asyncio.StreamWriter | None:
    """Return a connection on which some bytes were sent, or None where it is refused."""
    host, _, port = attack.address.rpartition(":")
    try:
        _, writer = await asyncio.wait_for(asyncio.open_connection(host, int(port)), 5)
        writer.write(first)
        await writer.drain()
    except (OSError, TimeoutError):
        attack.note("connections refused")
        return None
    attack.note("connections")
    return writer


@row(
    "connections",
    "Calls over the caller's old connection are answered right, /livez answers, and the server "
    "grows by 64 MiB at most and ends in order.",
    is_stranger=True,
    max_files=1024,
    new_may_fail=True,
)
async def new_connections(attack: Attack) -> None:
    """Opens connections and hangs up, then holds more idle ones than the server may open files."""
    stop = time.monotonic() + attack.seconds / 2

    async def churn() -> None:
        while time.monotonic() < stop:
            if writer := await raw(attack, b""):
                writer.transport.abort()

    await asyncio.gather(*(churn() for _ in range(32)))
    opening = begun().data_to_send()
    held = [
        await asyncio.gather(*(raw(attack, first) for _ in range(N_AT_A_TIME)))
        for _, first in zip(
            range(MORE_THAN_FILES // N_AT_A_TIME), cycle((b"", opening[:12], opening)), strict=False
        )
    ]
    attack.note("held", sum(writer is not None for some in held for writer in some))

    def livez() -> int:
        with urllib.request.urlopen(f"{attack.metrics_url}/livez", timeout=30) as answer:
            return int(answer.status)

    try:
        attack.expect(await asyncio.to_thread(livez) == 200, "/livez does not answer")
    except OSError as error:
        attack.expect(False, f"/livez: {error}")
    await asyncio.sleep(attack.seconds)


@row("slow-writers", f"While 10,000 calls never get whole, {OTHERS}.", is_stranger=True)
async def slow_writers(attack: Attack) -> None:
    """Begins 100 calls on each connection: 3 bytes, all but the last byte, or one at a time."""
    size = min(attack.request_bytes - 1024, 15 * MIB)
    bodies = [message(bytes(n), announced=n + 1) for n in (size, 200)]
    block = header_block(attack.address)

    async def tiny(peer: Peer) -> None:
        for _ in range(N_AT_A_TIME):
            stream = await peer.call(block)
            await peer.send(DataFrame(stream, bytes(3)).serialize())
            attack.note("calls")

    async def large(peer: Peer) -> None:
        stream = await peer.call(block)
        await peer.body(stream, bodies[0])
        attack.note("calls")

    async def drops(peer: Peer) -> None:
        stream = await peer.call(block)
        attack.note("calls")
        for at in range(len(bodies[1])):
            await peer.send(DataFrame(stream, bodies[1][at : at + 1]).serialize())
            await asyncio.sleep(0.1)

    async def use(number: int, peer: Peer) -> None:
        await asyncio.sleep(0.2)  # the server's settings
        if number // 2 % 2:
            await tiny(peer)
        else:
            some = (drops if each % 10 == 0 else large for each in range(N_AT_A_TIME))
            await asyncio.gather(*(begin(peer) for begin in some))
        await asyncio.sleep(attack.seconds)

    await connections(attack, use)


def _rapid_reset(address: str, peer: Peer) -> bytes:
    stream = peer.new_stream()
    reset = RstStreamFrame(stream, error_code=CANCEL).serialize()
    return headers_frame(stream, header_block(address)) + reset


def _made_you_reset(address: str, peer: Peer) -> bytes:
    # A window that grows by nothing is an error, for which the server resets the stream.
    stream = peer.new_stream()
    update = WindowUpdateFrame(stream, window_increment=0).serialize()
    return headers_frame(stream, header_block(address)) + update


def _unknown(address: str, peer: Peer) -> bytes:
    block = header_block(address, "/tokalign.v1.AlignService/Nothing")
    return headers_frame(peer.new_stream(), block, "END_STREAM")


@row(
    "rapid-reset",
    f"While calls are begun and reset, {OTHERS}; without Envoy they may also be cancelled.",
    is_stranger=True,
    may_get=frozenset({"CANCELLED"}),  # grpc has one queue for all calls
)
async def rapid_reset(attack: Attack) -> None:
    """Begins calls and resets them, makes the server reset them, and calls what does not exist."""
    await flood(attack, (_rapid_reset, _made_you_reset, _unknown))


def _update(address: str, peer: Peer) -> bytes:
    return WindowUpdateFrame(0, window_increment=1).serialize()


@row("control-frames", f"While control frames come without a pause, {OTHERS}.", is_stranger=True)
async def control_frames(attack: Attack) -> None:
    """Sends PING, SETTINGS, acknowledgements and WINDOW_UPDATE, and on some never reads."""
    ping = PingFrame(0, b"12345678").serialize()
    settings = SettingsFrame(0, settings={4: 65_535}).serialize()
    acknowledged = SettingsFrame(0, flags=["ACK"]).serialize()
    constant = (ping, settings, acknowledged)
    kinds: list[Frames] = [lambda address, peer, one=one: one for one in constant]  # type: ignore[misc]
    await flood(attack, [*kinds, _update])


def _split(stream: int, block: bytes) -> bytes:
    """Return a call's header block in as many frames as it takes."""
    pieces = [block[at : at + FRAME_BYTES] for at in range(0, len(block), FRAME_BYTES)]
    frames: list[Frame] = [HeadersFrame(stream, pieces[0])]
    frames += [ContinuationFrame(stream, piece) for piece in pieces[1:]]
    frames[-1].flags.add("END_HEADERS")
    return b"".join(frame.serialize() for frame in frames)


@row(
    "headers",
    f"Behind Envoy, while headers are too long or too many, {OTHERS}.",
    is_stranger=True,
    needs_front=True,
)
async def headers(attack: Attack) -> None:
    """Sends a field of 1 MiB, 20,000 fields, one field 10,000 times by its index, no end."""
    fields = grpc_headers(attack.address, METHODS["align"])

    def bomb(n_bytes: int) -> bytes:
        return Encoder().encode(fields + [(b"x-kept", b"k" * n_bytes)] * 10_000, huffman=False)

    blocks = [
        header_block(attack.address, more=[(b"x-large", b"l" * MIB)]),
        header_block(attack.address, more=[(b"x", b"y")] * 20_000),
        bomb(3_900),
        bomb(1_000),
    ]
    kinds: list[Frames] = [
        lambda address, peer, block=block: _split(peer.new_stream(), block)  # type: ignore[misc]
        for block in blocks
    ]

    def endless(address: str, peer: Peer) -> bytes:
        return ContinuationFrame(1, bytes(FRAME_BYTES)).serialize()

    async def use(number: int, peer: Peer) -> None:
        make = [*kinds, endless][number // 2 % (len(kinds) + 1)]
        if make is endless:
            await peer.send(HeadersFrame(1, header_block(attack.address)).serialize())
        while True:
            await peer.send(make(attack.address, peer))
            attack.note("blocks")
            await asyncio.sleep(0)

    await connections(attack, use)


@row("compressed", f"While messages unpack to a thousandfold, {OTHERS}.", is_stranger=True)
async def compressed(attack: Attack) -> None:
    """Sends gzip messages that unpack to what the limit allows, to 31 MiB and to 256 MiB."""
    block = header_block(attack.address, more=[(b"grpc-encoding", b"gzip")])
    sizes = (attack.request_bytes - MIB, 31 * MIB, 256 * MIB)
    bodies = [message(gzip.compress(bytes(size)), is_compressed=True) for size in sizes]

    async def use(number: int, peer: Peer) -> None:
        await asyncio.sleep(0.2)  # the server's settings
        for body in bodies:
            stream = await peer.call(block)
            await peer.body(stream, body, end=True)
            attack.note("messages")

    await connections(attack, use)
