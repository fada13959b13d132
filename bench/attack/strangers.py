"""What a peer without a token can make a server keep: unfinished and compressed messages."""

from __future__ import annotations

import asyncio
import struct
import zlib

from bench.attack.peer import (
    ALIGN,
    DATA,
    END_HEADERS,
    HEADERS,
    N_CONNECTIONS,
    Peer,
    everyone,
    frame,
    message,
    request,
)
from bench.attack.rows import Attack, row

MIB = 1 << 20


def packed(n_mib: int, encoding: str = "gzip") -> bytes:
    """Return zeros that unpack to so many MiB, by "gzip" or "deflate".

    One block is compressed and repeated, so that gigabytes cost little to make.
    """
    packer = zlib.compressobj(9, zlib.DEFLATED, -zlib.MAX_WBITS)
    zeros = bytes(MIB)
    block = packer.compress(zeros) + packer.flush(zlib.Z_FULL_FLUSH)
    blocks = block * n_mib + packer.flush(zlib.Z_FINISH)
    if encoding == "gzip":
        crc = 0
        for _ in range(n_mib):
            crc = zlib.crc32(zeros, crc)
        tail = struct.pack("<II", crc, n_mib * MIB & 0xFFFFFFFF)
        return b"\x1f\x8b\x08" + bytes(6) + b"\xff" + blocks + tail
    adler = 1
    for _ in range(n_mib):
        adler = zlib.adler32(zeros, adler)
    return b"\x78\x9c" + blocks + struct.pack(">I", adler)


@row(
    "unfinished-calls",
    "2",
    does="the same by callers that may call",
    by="smaller messages, bytes that are counted while they arrive, and a time for them to do so",
)
@row(
    "unfinished-messages",
    "2",
    does="without a token, 100 connections of 100 streams, each a message that lacks its last byte",
    by="smaller messages and fewer streams; the layer in front bounds connections",
    is_stranger=True,
    is_short=True,
    p99_ratio=2,
)
async def unfinished_messages(attack: Attack) -> None:
    size = min(attack.request_bytes - 1024, 15 * MIB)
    body = message(bytes(size - 1), announced=size)

    async def connection() -> None:
        peer = await Peer.open(attack.address)
        await asyncio.sleep(0.2)  # the server's settings

        async def stream() -> None:
            number = await peer.call(request(attack.address))
            await peer.body(number, body)
            attack.note("MiB sent", size // MIB)

        try:
            await asyncio.gather(*(stream() for _ in range(100)))
            await asyncio.sleep(attack.seconds)
        finally:
            await peer.close()

    await everyone(attack, [connection() for _ in range(N_CONNECTIONS)])


@row(
    "gzip-bombs",
    "3",
    does="without a token, gzip messages of 100 streams that unpack to as much as is allowed",
    by="compressed messages are refused before they are unpacked",
    is_stranger=True,
    is_short=True,
    p99_ratio=2,
)
async def gzip_bombs(attack: Attack) -> None:
    n_mib = max(1, attack.request_bytes // MIB - 1)
    bodies = [packed(n_mib), packed(31)]
    for _ in range(3):
        await _bombs(attack, bodies, "gzip", 100)


@row(
    "gzip-giants",
    "held",
    does="without a token, single messages of gzip and deflate that unpack to 64 MiB up to 3 GiB",
    by="a message is unpacked no further than its limit",
    is_stranger=True,
    p99_ratio=2,
)
async def gzip_giants(attack: Attack) -> None:
    for n_mib in (64, 512, 3072):
        for encoding in ("gzip", "deflate"):
            await _bombs(attack, [packed(n_mib, encoding)], encoding, 1)


async def _bombs(attack: Attack, bodies: list[bytes], encoding: str, n_streams: int) -> None:
    peer = await Peer.open(attack.address)
    await asyncio.sleep(0.2)
    block = request(attack.address, more=(("grpc-encoding", encoding),))

    async def stream(body: bytes) -> None:
        number = await peer.call(block)
        await peer.body(number, message(body, is_compressed=True), end=True)
        attack.note("messages sent")

    bodies = [bodies[index % len(bodies)] for index in range(n_streams)]
    tasks = [asyncio.create_task(stream(body)) for body in bodies]
    await asyncio.wait(tasks, timeout=10)
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    for _ in range(100):
        if peer.ended >= n_streams or not peer.is_open:
            break
        await asyncio.sleep(0.1)
    await peer.close()


@row(
    "tiny-bodies",
    "9",
    does="without a token, 100 connections of 100 streams with three bytes of a body each",
    by="bounded streams and connections; streams without a message end after a time",
    is_stranger=True,
    is_short=True,
    p99_ratio=2,
)
async def tiny_bodies(attack: Attack) -> None:
    block = request(attack.address, ALIGN)

    async def connection() -> None:
        peer = await Peer.open(attack.address)
        await asyncio.sleep(0.2)
        for _ in range(100):
            number = peer.new_stream()
            head = frame(HEADERS, END_HEADERS, number, block)
            await peer.send(head + frame(DATA, 0, number, b"\0\0\0"))
            attack.note("streams")
        await asyncio.sleep(attack.seconds)

    await everyone(attack, [connection() for _ in range(N_CONNECTIONS)])
