"""Calls of an attacker that speaks gRPC as it should."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import grpc.aio

from bench.attack.rows import Attack

SERVICE = "/tokalign.v1.AlignService"
CALL_S = 60.0
MESSAGE_CHARACTERS = 400
"""Of an error; 64 of them may quote the request."""


def channel(attack: Attack) -> grpc.aio.Channel:
    """Return a connection of its own without limits on messages or retries."""
    options = [
        ("grpc.use_local_subchannel_pool", 1),
        ("grpc.max_send_message_length", -1),
        ("grpc.max_receive_message_length", -1),
        ("grpc.enable_retries", 0),
    ]
    return grpc.aio.insecure_channel(attack.address, options=options)


async def send(
    attack: Attack,
    connection: grpc.aio.Channel,
    method: str,
    body: bytes,
    timeout_s: float = CALL_S,
) -> tuple[str, str]:
    """Make a call out of bytes, note its code, and return it with its message."""
    metadata = (("authorization", f"Bearer {attack.token}"),) if attack.token else ()
    try:
        call = connection.unary_unary(f"{SERVICE}/{method}")
        await call(body, timeout=timeout_s, metadata=metadata)
        code, text = "OK", ""
    except grpc.aio.AioRpcError as error:
        code, text = error.code().name, error.details() or ""
    attack.note(code)
    attack.expect(len(text) <= MESSAGE_CHARACTERS, f"an error of {len(text)} characters")
    return code, text


async def side_by_side(
    attack: Attack, method: str, bodies: Iterator[bytes], n_callers: int
) -> None:
    """Send bodies by several callers, each of which waits for its answers."""

    async def caller() -> None:
        async with channel(attack) as connection:
            for body in bodies:
                await send(attack, connection, method, body)

    await asyncio.gather(*(caller() for _ in range(n_callers)))
