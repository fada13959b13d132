"""Attacks by callers that speak gRPC as they should: too much, too large, and never read."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Iterator
from typing import Any

import grpc.aio
from tokalign.v1 import align_pb2

from bench.attack.peer import Peer, message
from bench.attack.rows import Attack, row

SERVICE = "/tokalign.v1.AlignService"
STREAM = f"{SERVICE}/AlignStream"
MIB = 1 << 20
CALL_S = 60.0
HUGE_BYTES = 200 * MIB
MESSAGE_CHARACTERS = 400
"""Bound of an error, 64 characters of which may quote the request."""
ANSWERED = {"OK", "INVALID_ARGUMENT", "RESOURCE_EXHAUSTED", "DEADLINE_EXCEEDED"}
REFUSED = {"OK", "INVALID_ARGUMENT", "NOT_FOUND", "RESOURCE_EXHAUSTED"}
COMMON = ("the", "market", "fell", "and", "prices", "rose", "after", "storms", "in", "spring")
OPTIONS = [
    ("grpc.use_local_subchannel_pool", 1),
    ("grpc.max_send_message_length", -1),
    ("grpc.max_receive_message_length", -1),
    ("grpc.enable_retries", 0),
]


def channel(attack: Attack) -> grpc.aio.Channel:
    """Return a connection of its own without limits on messages or retries."""
    return grpc.aio.insecure_channel(attack.address, options=OPTIONS)


async def send(
    attack: Attack, connection: grpc.aio.Channel, method: str, body: bytes, may_get: set[str]
) -> str:
    """Make a call out of bytes, and return its code."""
    try:
        call: Any = connection.unary_unary(f"{SERVICE}/{method}")
        await call(body, timeout=CALL_S)
        code, text = "OK", ""
    except grpc.aio.AioRpcError as error:
        code, text = error.code().name, error.details() or ""
    attack.note(code)
    attack.expect(code in may_get, f"{method} ended with {code}")
    attack.expect(len(text) <= MESSAGE_CHARACTERS, f"an error of {len(text)} characters")
    return code


# Options of a server without protection.
ANY_MEMORY = ("--queue-mib", "100000", "--max-server-rss", "100000")
ANY_WORK = ("--queue-pairs", f"{1 << 30}", "--queue-wait", "100000", "--shard-pairs", f"{1 << 30}")


@row(
    "slow-readers",
    "While answers are never read, every call of the caller is answered right, and the server "
    "stays within 512 MiB.",
    ends_itself=True,
    without_flags=ANY_MEMORY,
)
async def slow_readers(attack: Attack) -> None:
    """Asks for 1,440 answers of 3 MiB over as many streams, and reads none."""
    # Of what may be asked for, the most bytes for a worker's time.
    pair = {"source": {"text": "dogs bark loud"}, "target": {"text": "dogs bark loud"}}
    chunk = align_pb2.AlignStreamRequest(
        pairs=[pair] * 300, options={"explain": True}
    ).SerializeToString()

    async def one() -> None:
        peer = await Peer.open(attack.address, window=0)
        for _ in range(24):
            number = await peer.call(STREAM)
            await peer.body(number, message(chunk))
            attack.note("chunks")

    tasks = [asyncio.ensure_future(one()) for _ in range(60)]
    # Answers are made at the workers' speed, so it takes longer than other attacks.
    await asyncio.sleep(3 * attack.amounts.seconds)
    for task in tasks:
        failed = task.done() and isinstance(task.exception(), ConnectionError)
        attack.note("connections closed", failed)


def _too_large(attack: Attack, number: int) -> Iterator[tuple[str, bytes]]:
    """Yield requests that are refused, or let in and large, with their methods."""
    n_items = (attack.request_bytes - 64) // 2
    yield "Align", bytes(attack.request_bytes + 1024)
    yield "Rank", bytes(HUGE_BYTES)
    name = f"{number:04}" + "m" * (min(4 * MIB, attack.request_bytes - 1024) - 4)
    yield "Align", align_pb2.AlignRequest(options={"model": name}).SerializeToString()
    yield "BatchAlign", b"\x0a\x00" * n_items
    yield "Rank", b"\x12\x00" * n_items
    sentence = align_pb2.Sentence.FromString(b"\x12\x00" * (n_items - 8))
    yield "Align", align_pb2.AlignRequest(pair={"source": sentence}).SerializeToString()
    for text, n_candidates in (
        ("a " * 190_000, attack.max_pairs),
        ("a " * 500 + "a" * 10_000, attack.max_pairs // 8),
        ("a " * 20 + "a" * 10_000, attack.max_pairs),
    ):
        yield (
            "Rank",
            align_pb2.RankRequest(
                question={"text": text}, candidates=[{"sentence": {"text": "a"}}] * n_candidates
            ).SerializeToString(),
        )
    for n_tokens, n_characters in ((20, 40_000), (10, 1_900)):
        words = [f"{number}w{index}".ljust(n_characters, "x") for index in range(n_tokens)]
        side = {"tokens": words, "tags": words, "lemmas": words}
        yield (
            "Align",
            align_pb2.AlignRequest(pair={"source": side, "target": side}).SerializeToString(),
        )


@row(
    "oversized",
    "Messages that are too large, or as large as allowed, are refused by a short error or answered "
    "within 512 MiB of each process, and every call of the caller is answered right.",
    without_flags=(
        "--max-request-mib",
        "1000",
        "--max-pairs",
        f"{1 << 24}",
        *ANY_MEMORY,
        *ANY_WORK,
    ),
)
async def oversized(attack: Attack) -> None:
    """Sends too long messages, long names, words and columns, and messages full of empty items."""
    number = 0

    async def one() -> None:
        nonlocal number
        async with channel(attack) as connection:
            while True:
                number += 1
                for method, body in _too_large(attack, number):
                    await send(attack, connection, method, body, REFUSED)

    await asyncio.gather(*(one() for _ in range(4)))


def _words(n_tokens: int, seed: int) -> list[str]:
    """Return words, four in ten of them rare."""
    rng = random.Random(seed)
    return [
        rng.choice(COMMON) if rng.random() < 0.6 else f"w{rng.randrange(10_000)}"
        for _ in range(n_tokens)
    ]


def _batch(n_pairs: int, n_tokens: int, is_full: bool = False) -> bytes:
    """Return a BatchAlign request of pairs that all differ, for all of each or its score alone."""
    pairs = [
        {
            "source": {"tokens": _words(n_tokens, 2 * index)},
            "target": {"tokens": _words(n_tokens, 2 * index + 1)},
        }
        for index in range(n_pairs)
    ]
    # With scores alone no answer is too large.
    detail = align_pb2.DETAIL_UNSPECIFIED if is_full else align_pb2.DETAIL_SCORES
    options = align_pb2.AlignOptions(explain=is_full, posteriors=is_full, detail=detail)
    return align_pb2.BatchAlignRequest(pairs=pairs, options=options).SerializeToString()


@row(
    "costly",
    "While the largest batches that are let in follow one another, every call of the caller is "
    "answered right, and no worker is taken for hung.",
    without_flags=ANY_WORK,
)
async def costly(attack: Attack) -> None:
    """Sends the largest batches of 30 to 512 tokens a side, and cancels some of them."""

    async def one(n_tokens: int, is_full: bool) -> None:
        n_pairs = min(attack.max_pairs, attack.request_bytes // (14 * n_tokens))
        async with channel(attack) as connection:
            body, code = b"", "INVALID_ARGUMENT"
            while code in ("INVALID_ARGUMENT", "DEADLINE_EXCEEDED") and n_pairs:
                body = await asyncio.to_thread(_batch, n_pairs, n_tokens, is_full)
                code = await send(attack, connection, "BatchAlign", body, ANSWERED)
                n_pairs //= 2
            while True:
                await send(attack, connection, "BatchAlign", body, ANSWERED)
                await asyncio.sleep(0.02)

    async def cancel() -> None:
        body, rng = _batch(100, 20), random.Random(0)
        async with channel(attack) as connection:
            method: Any = connection.unary_unary(f"{SERVICE}/BatchAlign")
            while True:
                call = method(body)
                await asyncio.sleep(rng.random() * 0.02)
                call.cancel()
                attack.note("cancelled")

    sizes = [(30, False), (100, False), (300, False), (512, False), (512, True)]
    calls = [one(*size) for size in sizes]
    await asyncio.gather(*calls, *(cancel() for _ in range(5)))
