"""Connections that are idle, slow, half open, many, or speak another language."""

from __future__ import annotations

import asyncio
import contextlib
import os
import urllib.request

import grpc.aio
from grpc_health.v1 import health_pb2, health_pb2_grpc

from bench.attack.calls import channel
from bench.attack.peer import (
    DATA,
    END_HEADERS,
    HEADERS,
    PREFACE,
    Peer,
    everyone,
    frame,
    request,
    settings,
)
from bench.attack.rows import Attack, Seen, row

PROBE_S = 5.0
AT_A_TIME = 100


async def opened(attack: Attack, count: int, first: bytes) -> list[Peer]:
    """Return connections on which some bytes were sent; those refused are noted."""
    peers: list[Peer] = []

    async def one() -> None:
        try:
            peer = await Peer.open(attack.address, preface=False, reads=False)
            await peer.send(first)
        except (OSError, TimeoutError):
            attack.note("connections refused")
        else:
            peers.append(peer)
            attack.note("connections")

    for _ in range(count // AT_A_TIME):
        await asyncio.gather(*(one() for _ in range(AT_A_TIME)))
    return peers


async def probe(attack: Attack) -> None:
    """Check /livez, and the health over a new connection."""

    def livez() -> int:
        with urllib.request.urlopen(f"{attack.metrics_url}/livez", timeout=PROBE_S) as answer:
            return int(answer.status)

    try:
        attack.expect(await asyncio.to_thread(livez) == 200, "/livez failed")
    except OSError as error:
        attack.expect(False, f"/livez: {type(error).__name__}")
    try:
        async with channel(attack) as connection:
            stub = health_pb2_grpc.HealthStub(connection)
            await stub.Check(health_pb2.HealthCheckRequest(), timeout=PROBE_S)
    except grpc.aio.AioRpcError as error:
        attack.note(f"health over a new connection: {error.code().name}")


@row(
    "few-descriptors",
    "10",
    does="without a token, 1,200 idle connections at a server that may open 1,024 files",
    by="connections are limited, and some descriptors kept for the operator's",
    is_stranger=True,
    is_short=True,
    max_files=1024,
    new_may_fail=True,
    ends_within_s=60,
)
async def few_descriptors(attack: Attack) -> None:
    peers = await opened(attack, 1_200, PREFACE + settings())
    for _ in range(3):
        await probe(attack)
        await asyncio.sleep(0.5)
    attack.note("connections held", len(peers))


def _hold_row(name: str, count: int, does: str, first: bytes) -> None:
    async def run(attack: Attack) -> None:
        peers = await opened(attack, count, first)
        await probe(attack)
        await asyncio.sleep(attack.seconds)
        attack.note("held", len(peers))

    row(
        name,
        "held",
        f"without a token, {does}",
        "a handshake has seconds, and connections are limited",
        is_stranger=True,
        p99_ratio=2,
        new_may_fail=True,
    )(run)


_hold_row("idle", 3_000, "3,000 idle connections", PREFACE + settings())
_hold_row("half-prefaces", 2_000, "2,000 connections with half a preface", PREFACE[:12])
_hold_row("silent", 2_000, "2,000 connections that say nothing", b"")


@row(
    "slow",
    "held",
    does="without a token, 1,000 connections that send headers, then bodies, byte by byte",
    by="a handshake has seconds, and connections are limited",
    is_stranger=True,
    p99_ratio=2,
    new_may_fail=True,
)
async def slow(attack: Attack) -> None:
    head = PREFACE + settings()
    drops = head + frame(HEADERS, END_HEADERS, 1, request(attack.address))
    drops += frame(DATA, 0, 1, b"\0\0\0\1\0" + bytes(200))

    async def drip(peer: Peer, cut: int) -> None:
        for at in range(cut, len(drops) - 1):
            await peer.send(drops[at : at + 1])
            await asyncio.sleep(0.5)

    async def group(cut: int) -> None:
        peers = await opened(attack, 300, drops[:cut])
        await everyone(attack, [drip(peer, cut) for peer in peers])

    await asyncio.gather(*(group(cut) for cut in (12, len(head) + 20, len(drops) - 200)))


@row(
    "churn",
    "held",
    does="without a token, connections that are opened and closed, up to 80,000",
    by="a handshake costs little",
    is_stranger=True,
    p99_ratio=10,
)
async def churn(attack: Attack) -> None:
    host, _, port = attack.address.rpartition(":")
    loop = asyncio.get_running_loop()

    async def one(count: int) -> None:
        for _ in range(count):
            with contextlib.suppress(OSError):
                transport, _ = await loop.create_connection(asyncio.Protocol, host, int(port))
                transport.abort()
                attack.note("connections")

    await asyncio.gather(*(one(80_000 // 32) for _ in range(32)))


def log_is_json(seen: Seen) -> list[str]:
    """Judge that every line of the log is what its readers expect."""
    odd = [line for line in seen.log if line and not line.startswith("{")]
    return [f"{len(odd)} lines of the log are no JSON: {odd[0][:60]!r}"] if odd else []


@row(
    "other-languages",
    "held, 13",
    does="HTTP/1.1, TLS and random bytes at the service's and the metrics port",
    by="grpc's own handshake; the metrics port logs no traceback",
    is_stranger=True,
    judge=log_is_json,
    ends_within_s=60,
)
async def other_languages(attack: Attack) -> None:
    metrics = attack.metrics_url.removeprefix("http://")
    hello = bytes.fromhex("16030100c8010000c40303") + bytes(189)
    words = [
        b"GET / HTTP/1.1\r\nHost: x\r\n\r\n",
        b"GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n",
        b"POST /tokalign.v1.AlignService/Align HTTP/1.1\r\nContent-Length: 9999999999\r\n\r\n",
        b"GET " + b"a" * 100_000 + b" HTTP/1.1\r\n\r\n",
        b"GET / HTTP/1.1\r\n" + b"x: y\r\n" * 200 + b"\r\n",
        b"GET /%ff%00\xff HTTP/1.1\r\n\r\n",
        hello,
        *(os.urandom(1_000) for _ in range(10)),
    ]
    for number in range(20):
        for address in (attack.address, metrics):
            host, _, port = address.rpartition(":")
            for word in words:
                with contextlib.suppress(OSError):
                    reader, writer = await asyncio.open_connection(host, int(port))
                    writer.write(word)
                    if number % 2:  # the others hang up before the answer
                        with contextlib.suppress(TimeoutError):
                            await asyncio.wait_for(reader.read(100), 0.2)
                    writer.transport.abort()
                attack.note("connections")
    await probe(attack)
