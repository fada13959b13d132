"""The well-behaved caller: some calls per second, over old and new connections, each compared."""

from __future__ import annotations

import asyncio
import json
import time
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, NamedTuple

import grpc
import grpc.aio
from tokalign.client.options import Retry, service_config
from tokalign.v1 import align_pb2, align_pb2_grpc

PAIRS = Path(__file__).resolve().parents[1] / "pairs.tsv"
N_PAIRS = 24
# Ends what never comes, however busy the machine; how late answers come is for the p99 to tell.
DEADLINE_S = 20.0
CALL_GAP_S = 0.04
# Every so many calls go over a connection of their own.
NEW_EVERY = 12
# Without the client's throttling, under which a short attack would be told from a long one.
RETRIES = json.dumps({"methodConfig": json.loads(service_config(Retry()))["methodConfig"]})
OK, WRONG = "OK", "wrong answer"


class Outcome(NamedTuple):
    """A call: when it began (time.monotonic), how long it took, and OK, WRONG or a code.

    Whether it had a connection of its own comes last.
    """

    began: float
    took_s: float
    verdict: str
    is_new: bool


def connect(address: str, directory: str, secure: Any, insecure: Any, options: Any = None) -> Any:
    """Return a channel made by grpc's or grpc.aio's functions, by mutual TLS where there is a CA.

    Then the directory holds ca.pem, key.pem and cert.pem.
    """
    files = [Path(directory) / name for name in ("ca.pem", "key.pem", "cert.pem")]
    if not files[0].exists():
        return insecure(address, options=options)
    credentials = grpc.ssl_channel_credentials(*(path.read_bytes() for path in files))
    return secure(address, credentials, options=options)


def work(address: str, token: str, directory: str, pipe: Connection) -> None:
    """Call until the pipe holds something, then send the list of outcomes through it.

    Sends "ready" once the right answers are known. Calls are retried as the shipped client does
    it, within their deadline.
    """
    pipe.send(asyncio.run(_Caller(address, token, directory, pipe).run()))


class _Caller:
    def __init__(self, address: str, token: str, directory: str, pipe: Connection) -> None:
        self._address = address
        self._directory = directory
        self._metadata = (("authorization", f"Bearer {token}"),) if token else ()
        self._pipe = pipe
        self._wanted: list[Any] = []
        self._outcomes: list[Outcome] = []
        rows = [line.split("\t") for line in PAIRS.read_text(encoding="utf-8").splitlines()]
        self._requests = [
            align_pb2.AlignRequest(
                pair=align_pb2.Pair(
                    id=f"{number}", source={"text": source}, target={"text": target}
                )
            )
            for number, (source, target) in enumerate(rows[:N_PAIRS])
        ]

    def _channel(self) -> grpc.aio.Channel:
        options = [
            ("grpc.use_local_subchannel_pool", 1),
            ("grpc.initial_reconnect_backoff_ms", 100),
            ("grpc.max_reconnect_backoff_ms", 2000),
            ("grpc.service_config", RETRIES),
        ]
        kinds = grpc.aio.secure_channel, grpc.aio.insecure_channel
        return connect(self._address, self._directory, *kinds, options)

    async def run(self) -> list[Outcome]:
        async with self._channel() as kept:
            stub = align_pb2_grpc.AlignServiceStub(kept)
            for request in self._requests:
                answer = await stub.Align(request, timeout=30, metadata=self._metadata)
                self._wanted.append(answer)
            self._pipe.send("ready")
            calls = set()
            number, due = 0, time.monotonic()
            while not self._pipe.poll():
                is_new = number % NEW_EVERY == NEW_EVERY - 1
                calls.add(asyncio.create_task(self._call(number, None if is_new else kept)))
                number, due = number + 1, due + CALL_GAP_S
                calls = {call for call in calls if not call.done()}
                await asyncio.sleep(max(0.0, due - time.monotonic()))
            await asyncio.gather(*calls)
        return self._outcomes

    async def _call(self, number: int, channel: grpc.aio.Channel | None) -> None:
        index = number % N_PAIRS
        began = time.monotonic()
        own = self._channel() if channel is None else None
        stub = align_pb2_grpc.AlignServiceStub(channel or own)
        try:
            answer = await stub.Align(
                self._requests[index], timeout=DEADLINE_S, metadata=self._metadata
            )
            wanted = self._wanted[index]
            # The model may have another name or version after a reload.
            is_right = (answer.id, answer.alignment) == (wanted.id, wanted.alignment)
            verdict = OK if is_right else WRONG
        except grpc.aio.AioRpcError as error:
            verdict = error.code().name
        self._outcomes.append(Outcome(began, time.monotonic() - began, verdict, own is not None))
        if own is not None:
            await own.close()
