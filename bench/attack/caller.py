"""The well-behaved caller: some calls per second, over old and new connections, each compared."""

from __future__ import annotations

import asyncio
import json
import time
from collections import Counter
from pathlib import Path
from typing import Any

import grpc.aio
from tokalign.client.options import Retry, service_config
from tokalign.v1 import align_pb2, align_pb2_grpc

PAIRS = Path(__file__).resolve().parents[1] / "pairs.tsv"
N_PAIRS = 24
MODEL = "en"
# Ends what never comes, however busy the machine.
DEADLINE_S = 20.0
CALL_GAP_S = 0.04
# Every so many calls go over a connection of their own.
NEW_EVERY = 12
START_S = 60.0
OK, WRONG = "OK", "wrong answer"
# As the shipped client does it, but without its throttling, under which a short attack would be
# told from a long one.
RETRIES = json.dumps({"methodConfig": json.loads(service_config(Retry()))["methodConfig"]})
OPTIONS = [
    ("grpc.use_local_subchannel_pool", 1),
    ("grpc.initial_reconnect_backoff_ms", 100),
    ("grpc.max_reconnect_backoff_ms", 2000),
    ("grpc.service_config", RETRIES),
]


def pairs() -> list[align_pb2.Pair]:
    """Return pairs of real sentences."""
    rows = [line.split("\t") for line in PAIRS.read_text(encoding="utf-8").splitlines()]
    return [align_pb2.Pair(source={"text": row[0]}, target={"text": row[1]}) for row in rows]


class Caller:
    """Calls a server until told to stop.

    Attributes
    ----------
    ended : Counter
        Calls by their verdict (OK, WRONG or a code) and whether over a connection of their own.
    seconds : list of float
        How long those over its old connection took.
    """

    def __init__(self, address: str, token: str) -> None:
        self.ended: Counter[tuple[str, bool]] = Counter()
        self.seconds: list[float] = []
        self._address = address
        self._metadata = (("authorization", f"Bearer {token}"),) if token else ()
        self._requests = [
            align_pb2.AlignRequest(pair=pair, options={"model": MODEL})
            for pair in pairs()[:N_PAIRS]
        ]
        self._wanted: list[Any] = []
        self._kept = self._channel()
        self._is_over = False
        self._task: asyncio.Task[None] | None = None

    def _channel(self) -> grpc.aio.Channel:
        return grpc.aio.insecure_channel(self._address, options=OPTIONS)

    async def start(self) -> None:
        """Wait for the server, learn the right answers, and begin."""
        stub = align_pb2_grpc.AlignServiceStub(self._kept)
        late = time.monotonic() + START_S
        while True:
            try:  # Envoy may still look for the server
                asked = align_pb2.ListModelsRequest()
                await stub.ListModels(asked, timeout=30, metadata=self._metadata)
                break
            except grpc.aio.AioRpcError:
                if time.monotonic() > late:
                    raise
                await asyncio.sleep(0.1)
        for request in self._requests:
            answer = await stub.Align(request, timeout=30, metadata=self._metadata)
            self._wanted.append(answer.alignment)
        self._task = asyncio.create_task(self._run())

    async def stop(self) -> None:
        """Wait for the calls that have begun."""
        self._is_over = True
        if self._task is not None:
            await self._task
        await self._kept.close()

    async def _run(self) -> None:
        calls: set[asyncio.Task[None]] = set()
        number, due = 0, time.monotonic()
        while not self._is_over:
            calls.add(asyncio.create_task(self._call(number)))
            number, due = number + 1, due + CALL_GAP_S
            calls = {call for call in calls if not call.done()}
            await asyncio.sleep(max(0.0, due - time.monotonic()))
        await asyncio.gather(*calls)

    async def _call(self, number: int) -> None:
        is_new = number % NEW_EVERY == NEW_EVERY - 1
        channel = self._channel() if is_new else self._kept
        index = number % N_PAIRS
        began = time.monotonic()
        try:
            answer = await align_pb2_grpc.AlignServiceStub(channel).Align(
                self._requests[index], timeout=DEADLINE_S, metadata=self._metadata
            )
            verdict = OK if answer.alignment == self._wanted[index] else WRONG
        except grpc.aio.AioRpcError as error:
            verdict = error.code().name
        if not is_new:
            self.seconds.append(time.monotonic() - began)
        self.ended[verdict, is_new] += 1
        if is_new:
            await channel.close()
