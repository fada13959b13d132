"""Work that a few requests or many callers can ask for, inside the limits."""

from __future__ import annotations

import asyncio
import random
import time

import grpc.aio
from grpc_health.v1 import health_pb2, health_pb2_grpc
from tokalign.load.generator import Generator
from tokalign.v1 import align_pb2

from bench.attack.calls import SERVICE, channel, send, side_by_side
from bench.attack.rows import Attack, Seen, row

ANSWERED = {"OK", "INVALID_ARGUMENT", "RESOURCE_EXHAUSTED", "DEADLINE_EXCEEDED"}
COMMON = ("the", "market", "fell", "and", "prices", "rose", "after", "storms", "in", "spring")


def words(n_tokens: int, seed: int = 0) -> list[str]:
    """Return words, four in ten of them rare."""
    rng = random.Random(seed)
    return [
        rng.choice(COMMON) if rng.random() < 0.6 else f"w{rng.randrange(10_000)}"
        for _ in range(n_tokens)
    ]


def batch(n_pairs: int, n_tokens: int, **options: object) -> bytes:
    """Return a BatchAlign request of pairs that all differ."""
    pairs = [
        {
            "source": {"tokens": words(n_tokens, 2 * index)},
            "target": {"tokens": words(n_tokens, 2 * index + 1)},
        }
        for index in range(n_pairs)
    ]
    return align_pb2.BatchAlignRequest(pairs=pairs, options=options).SerializeToString()


def single(n_source: int, n_target: int, seed: int = 0) -> bytes:
    """Return an Align request."""
    source, target = words(n_source, 2 * seed), words(n_target, 2 * seed + 1)
    pair = {"source": {"tokens": source}, "target": {"tokens": target}}
    return align_pb2.AlignRequest(pair=pair).SerializeToString()


async def largest(
    attack: Attack, connection: grpc.aio.Channel, n_pairs: int, n_tokens: int, **options: object
) -> bytes:
    """Return a batch of so many pairs, halved as long as the server refuses it as too much work."""
    while True:
        body = batch(n_pairs, n_tokens, **options)
        code, _ = await send(attack, connection, "BatchAlign", body, 0.8 * attack.seconds)
        if n_pairs == 1 or code != "INVALID_ARGUMENT":
            attack.note(f"pairs of {n_tokens} tokens", n_pairs)
            return body
        n_pairs //= 2


def no_hung_workers(seen: Seen) -> list[str]:
    """Judge that no worker had to be killed for work that was let in."""
    hung = sum('"hung"' in line for line in seen.log)
    return [f"{hung} workers were killed as hung"] if hung else []


@row(
    "large-pairs",
    "6",
    does="64 pairs of 512 by 512 tokens with everything asked for, then as many as are let in",
    by="a pair weighs by its tokens' product and what is asked for; a request has one share",
    is_short=True,
    p99_ratio=3,
    judge=no_hung_workers,
)
async def large_pairs(attack: Attack) -> None:
    options = {"explain": True, "posteriors": True}
    async with channel(attack) as connection:
        body = await largest(attack, connection, 64, 512, **options)
        for _ in range(20):
            began = time.monotonic()
            code, _ = await send(attack, connection, "BatchAlign", body, 0.8 * attack.seconds)
            attack.note(f"seconds to {code}", round(time.monotonic() - began))
            attack.expect(code in ANSWERED, f"a large request ended with {code}")
            await asyncio.sleep(0.2)


@row(
    "batch-lengths",
    "lengths",
    does="batches of pairs of 30 to 300 tokens a side",
    by="shards are cut by the cost of their pairs, so that others wait for little",
    p99_ratio=3,
    judge=no_hung_workers,
)
async def batch_lengths(attack: Attack) -> None:
    async def caller(n_tokens: int) -> None:
        async with channel(attack) as connection:
            body = await largest(attack, connection, max(64, 60_000 // n_tokens**2), n_tokens)
            for _ in range(200):
                code, _ = await send(attack, connection, "BatchAlign", body, attack.seconds)
                attack.note(f"{n_tokens} tokens {code}")
                await asyncio.sleep(0.02)

    await asyncio.gather(*(caller(n_tokens) for n_tokens in (30, 60, 100, 150, 200, 300)))


def _resets_are_few(seen: Seen) -> list[str]:
    """Judge that what failed was refused with a status, which the server counts."""
    failed, made = seen.attack.notes.get("failed", 0), seen.attack.notes.get("calls", 1)
    unexplained = failed - seen.codes.get("RESOURCE_EXHAUSTED", 0)
    if unexplained > made / 10:
        return [f"{unexplained:.0f} of {made} calls ended without a status that was counted"]
    return []


@row(
    "many-streams",
    "8",
    does="64 connections with 100 calls each in flight, as the server lets them have",
    by="admission refuses with RESOURCE_EXHAUSTED what would wait too long",
    judge=_resets_are_few,
)
async def many_streams(attack: Attack) -> None:
    bodies = [single(25, 10, seed) for seed in range(200)]
    try:
        generator = Generator(attack.address, f"{SERVICE}/Align", bodies, connections=64)
        # Nothing else is to run in this loop, so that it may be blocked.
        outcomes = generator.closed_loop(6_400, 0.6 * attack.seconds)
    except ConnectionError:
        attack.note("connections closed by the server")
        return
    attack.note("calls", len(outcomes))
    attack.note("failed", sum(not outcome.is_ok for outcome in outcomes))
    attack.note("slowest, ms", round(1000 * max(outcome.latency_s for outcome in outcomes)))


def cancels_are_no_faults(seen: Seen) -> list[str]:
    """Judge that what a client gave up is not counted as the server's fault."""
    internal = seen.codes.get("INTERNAL", 0.0) + seen.codes.get("UNKNOWN", 0.0)
    return [f"{internal:.0f} calls are counted INTERNAL or UNKNOWN"] if internal else []


@row(
    "cancels",
    "16",
    does="20 callers that cancel their calls after up to 20 ms",
    by="a call's end by its client is counted CANCELLED, and frees its room",
    judge=cancels_are_no_faults,
)
async def cancels(attack: Attack) -> None:
    small, large = single(30, 12), batch(100, 20)
    rng = random.Random(0)

    async def caller() -> None:
        async with channel(attack) as connection:
            align = connection.unary_unary(f"{SERVICE}/Align")
            batch_align = connection.unary_unary(f"{SERVICE}/BatchAlign")
            for number in range(1_000):
                is_large = number % 10 == 0
                call = (batch_align if is_large else align)(large if is_large else small)
                await asyncio.sleep(rng.random() * 0.02)
                call.cancel()
                attack.note("cancelled")

    await asyncio.gather(*(caller() for _ in range(20)))


@row(
    "deadlines",
    "held",
    does="20 callers whose calls have one to five milliseconds",
    by="work whose deadline has passed is dropped before it starts",
    judge=cancels_are_no_faults,
)
async def deadlines(attack: Attack) -> None:
    body = batch(8, 20)

    async def caller() -> None:
        async with channel(attack) as connection:
            for number in range(650):
                await send(attack, connection, "BatchAlign", body, 0.001 * (1 + number % 5))

    await asyncio.gather(*(caller() for _ in range(20)))


@row(
    "health",
    "held",
    does="health checks while 32 callers send more batches than there is capacity for",
    by="health needs no worker and no room",
)
async def health(attack: Attack) -> None:
    body = batch(500, 20)

    async def check() -> None:
        for _ in range(max(1, int(attack.seconds) - 2)):
            async with channel(attack) as connection:
                stub = health_pb2_grpc.HealthStub(connection)
                try:
                    await stub.Check(health_pb2.HealthCheckRequest(), timeout=5)
                    attack.note("healthy")
                except grpc.aio.AioRpcError as error:
                    attack.expect(False, f"health: {error.code().name}")
            await asyncio.sleep(1)

    bodies = (body for _ in range(3_000))
    await asyncio.gather(check(), side_by_side(attack, "BatchAlign", bodies, 32))
