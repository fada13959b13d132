"""Attacks on the HTTP port: peers that are slow, that flood it, and bodies that are malformed."""

from __future__ import annotations

import asyncio
import contextlib
import http.client
import json
import random
from collections.abc import Awaitable, Callable, Sequence
from itertools import count
from urllib.parse import urlsplit

from bench.attack.rows import Attack, row
from bench.attack.strangers import OTHERS, hold_and_be_served

HTTP = ("--http-port", "0")
N_CONNECTIONS = 100
READ_S = 0.01
MIB = 1 << 20
POST = b"POST /v1/align HTTP/1.1\r\nhost: localhost\r\ncontent-length: %d\r\n\r\n"
PATHS = ("/v1/align", "/v1/similarity", "/v1/rerank", "/v1/ground", "/v1/diff")
BODIES = (
    {"source": "Dogs bark.", "target": "A dog barks.", "relations": True, "anchors": [[0, 1]]},
    {"pairs": [{"id": "x", "source": ["a", "b"], "target": {"tokens": ["b"]}}], "stream": True},
    {"query": "Who?", "documents": ["Marta.", {"text": "It rained."}], "top_n": 1},
    {"answer": "It rained.", "passages": ["It rained.", {"id": "p", "text": "It snowed."}]},
    {"old": "It rained. It stopped.", "new": "It rained."},
)
VALUES: tuple[object, ...] = (
    None,
    True,
    -1,
    1e308,
    2**70,
    "",
    "\ud800",
    "\0",
    [],
    {},
    [[]],
    {"text": 1},
    "en",
)


async def connections(
    attack: Attack, use: Callable[[int, asyncio.StreamWriter], Awaitable[None]]
) -> None:
    """Use connections side by side, each anew where the server closes it; half never read."""
    url = urlsplit(attack.http_url)

    async def one(number: int) -> None:
        while True:
            try:
                reader, writer = await asyncio.wait_for(
                    asyncio.open_connection(url.hostname, url.port, limit=1 << 16), 5
                )
            except (OSError, TimeoutError):
                attack.note("connections refused")
                await asyncio.sleep(0.1)
                continue
            attack.note("connections")
            reading = asyncio.create_task(_read(reader)) if number % 2 else None
            with contextlib.suppress(ConnectionError):
                await use(number, writer)
            if reading is not None:
                reading.cancel()
            writer.transport.abort()

    await asyncio.gather(*(one(number) for number in range(N_CONNECTIONS)))


async def _read(reader: asyncio.StreamReader) -> None:
    with contextlib.suppress(ConnectionError):
        while await reader.read(1 << 16):
            pass


@row(
    "http-slow",
    f"While requests never get whole and answers are not read, {OTHERS}; then a new connection is "
    "served within half a minute.",
    is_stranger=True,
    flags=HTTP,
    ends_itself=True,
)
async def http_slow(attack: Attack) -> None:
    """Sends headers and bodies a byte at a time and reads nothing, then holds 3,000 connections."""
    beginnings = (
        b"POST /v1/align HTTP/1.1\r\nx-slow: " + b"a" * 1000,
        POST % MIB + b"{" * 1000,
        b"POST /v1/align HTTP/1.1\r\ntransfer-encoding: chunked\r\n\r\n" + b"1\r\n{\r\n" * 200,
        b"\r\n" * 500,
    )

    async def use(number: int, writer: asyncio.StreamWriter) -> None:
        data = beginnings[number // 2 % 4]
        for at in range(len(data)):
            writer.write(data[at : at + 1])
            await writer.drain()
            attack.note("bytes")
            await asyncio.sleep(0.05)
        await asyncio.sleep(attack.amounts.seconds)

    with contextlib.suppress(TimeoutError):
        await asyncio.wait_for(connections(attack, use), attack.amounts.seconds)
    address = urlsplit(attack.http_url).netloc
    await hold_and_be_served(attack, address, (b"", beginnings[0]), "/healthz")


@row(
    "http-flood",
    f"While requests come without a pause, {OTHERS}.",
    is_stranger=True,
    flags=HTTP,
)
async def http_flood(attack: Attack) -> None:
    """Sends requests before the last is answered, large bodies, endless headers, no HTTP."""
    kinds: Sequence[bytes] = (
        (POST % 2 + b"{}") * 100,
        b"GET /nothing HTTP/1.1\r\nhost: localhost\r\n\r\n",
        POST % (4 * MIB) + b"[" * MIB,
        b"POST /v1/align HTTP/1.1\r\nhost: localhost\r\n" + b"x: y\r\n" * 20_000 + b"\r\n",
        b"GET / HTTP/1.1\r\nx: " + b"a" * MIB,
        POST.replace(b"content-length: %d", b"transfer-encoding: chunked") + b"1\r\n{\r\n" * 10_000,
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + bytes(1000),
    )

    async def use(number: int, writer: asyncio.StreamWriter) -> None:
        data = kinds[number // 2 % len(kinds)]
        while True:
            writer.write(data)
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(writer.drain(), 1)
            attack.note("sent")
            await asyncio.sleep(READ_S)
            if writer.transport.is_closing():
                return

    await connections(attack, use)


@row(
    "http-malformed",
    "Every answer is one of 200, 400, 404 and 413 with JSON or events, and none is a fault of the "
    "server; every call of the caller is answered right.",
    flags=HTTP,
)
async def http_malformed(attack: Attack) -> None:
    """Sends bodies with fields and values changed at random, and bytes of JSON changed."""
    await asyncio.gather(*(asyncio.to_thread(_malformed, attack, seed) for seed in range(4)))


def _malformed(attack: Attack, seed: int) -> None:
    chance = random.Random(seed)
    connection = http.client.HTTPConnection(urlsplit(attack.http_url).netloc, timeout=60)
    for _ in count():
        body = changed(chance, json.dumps(changed_value(chance, chance.choice(BODIES))).encode())
        path = chance.choice(PATHS)
        connection.request("POST", path, body)
        answer = connection.getresponse()
        text = answer.read()
        attack.note(f"{answer.status}")
        kind = answer.headers.get_content_type()
        is_right = answer.status in (200, 400, 404, 413) and (
            kind == "text/event-stream" or isinstance(json.loads(text), dict)
        )
        attack.expect(is_right, f"{path} answers {answer.status} to {body[:200]!r}: {text[:200]!r}")


def changed_value(chance: random.Random, value: object) -> object:
    """Return a value of JSON with something in it replaced, at random."""
    if chance.random() < 0.1:
        return chance.choice(VALUES)
    if isinstance(value, dict):
        pairs = [(name, changed_value(chance, each)) for name, each in value.items()]
        return dict(pairs[chance.random() < 0.1 :])
    return [changed_value(chance, each) for each in value] if isinstance(value, list) else value


def changed(chance: random.Random, data: bytes) -> bytes:
    """Return bytes with some of them changed, at one time in four."""
    if chance.random() < 0.75 or not data:
        return data
    at = chance.randrange(len(data))
    return data[:at] + bytes([chance.randrange(256)]) + data[at + chance.randrange(3) :]
