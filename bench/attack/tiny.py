"""Attacks by requests as large as allowed that are full of tiny items, a row for each path."""

from __future__ import annotations

import asyncio
import http.client
import time
from collections.abc import Sequence
from typing import NamedTuple
from urllib.parse import urlsplit

from tokalign.v1 import align_pb2

from bench.attack.callers import ANY_MEMORY, ANY_WORK, channel, send
from bench.attack.http import HTTP
from bench.attack.rows import TINY_MIB, Attack, Run, row

N_CONNECTIONS = 8
BACK_S = 5.0
CALL_S = 60.0
MAY_GET = {"OK", "INVALID_ARGUMENT", "RESOURCE_EXHAUSTED", "DEADLINE_EXCEEDED"}
PAIR = b'{"source": "Dogs bark.", "target": "A dog barks."}'
SOURCE = "dogs bark " * 250


class Full(NamedTuple):
    """What a body begins with, is full of, and ends with."""

    head: str
    item: str
    tail: str

    def of(self, n_bytes: int) -> bytes:
        """Return a body of about so many bytes."""
        n_items = (n_bytes - len(self.head) - len(self.tail)) // (len(self.item) + 1)
        return (self.head + ",".join([self.item] * n_items) + self.tail).encode()


BODIES = {
    "align": (
        Full('{"pairs": [', "{}", "]}"),
        Full('{"pairs": [{"source": [', "[]", "]}]}"),
        Full('{"source": "a", "target": "a", "anchors": [', "[]", "]}"),
        Full("{", '"x": {}', "}"),
    ),
    "similarity": (
        Full('{"source": "a", "targets": [', "{}", "]}"),
        Full('{"source": "a", "targets": [', '""', "]}"),
        Full(f'{{"source": "{SOURCE}", "targets": [', f'"a{" " * 400}"', "]}"),
    ),
    "rerank": (
        Full('{"query": "a", "documents": [', "{}", "]}"),
        Full('{"query": "a", "documents": [{"text": "a", "x": [', "[]", "]}]}"),
        Full('{"query": "a", "documents": ["a"], "user": [', "{}", "]}"),
    ),
    "ground": (
        Full('{"answer": "a", "passages": [', '""', "]}"),
        Full('{"answer": "a", "passages": [', "{}", "]}"),
    ),
    "diff": (Full('{"old": [', "{}", "]}"), Full('{"old": "a", "new": {"x": [', "[]", "]}}")),
}
"""Path -> bodies of its row."""


def _http(name: str, bodies: Sequence[Full]) -> Run:
    async def run(attack: Attack) -> None:
        ready = [body.of(attack.request_bytes - 64) for body in bodies]
        late = time.monotonic() + attack.amounts.seconds
        sent = (
            asyncio.to_thread(_send, attack, f"/v1/{name}", ready, late)
            for _ in range(N_CONNECTIONS)
        )
        await asyncio.gather(*sent)
        began = time.monotonic()
        status = await asyncio.to_thread(_post, attack, "/v1/align", PAIR)
        back_s = time.monotonic() - began
        attack.expect(status == 200, f"then a pair gets {status}")
        attack.expect(back_s < BACK_S, f"it came back after {back_s:.1f} s")

    run.__doc__ = f"Sends the largest bodies to /v1/{name}, full of tiny items, over 8 connections."
    return run


def _send(attack: Attack, path: str, bodies: Sequence[bytes], late: float) -> None:
    while True:
        for body in bodies:
            attack.note(f"{_post(attack, path, body)}")
            if time.monotonic() > late:
                return


def _post(attack: Attack, path: str, body: bytes) -> int:
    connection = http.client.HTTPConnection(urlsplit(attack.http_url).netloc, timeout=CALL_S)
    try:
        connection.request("POST", path, body)
        answer = connection.getresponse()
        answer.read()
    except OSError:
        return 0
    finally:
        connection.close()
    return answer.status


for _name, _bodies in BODIES.items():
    row(
        f"http-tiny-{_name}",
        f"They take the server at most {TINY_MIB} MiB above rest, it answers within "
        f"{BACK_S:.0f} s after the last, and every call of the caller is answered right.",
        flags=HTTP,
        adds_mib=TINY_MIB,
        ends_itself=True,
    )(_http(_name, _bodies))


def _messages(n_bytes: int) -> list[tuple[str, bytes]]:
    """Return requests full of empty items, with their methods."""
    n_items = (n_bytes - 64) // 2
    words = align_pb2.Sentence.FromString(b"\x12\x00" * (n_items - 16))
    candidate = align_pb2.Candidate(sentence=words)
    texts = align_pb2.AlignTextsRequest(old_text="A b.\n" * (n_items // 3), new_text="A b.")
    return [
        ("BatchAlign", b"\x0a\x00" * n_items),
        ("Rank", b"\x12\x00" * n_items),
        ("Ground", b"\x12\x00" * n_items),
        ("Align", align_pb2.AlignRequest(pair={"source": words}).SerializeToString()),
        ("Rank", align_pb2.RankRequest(candidates=[candidate]).SerializeToString()),
        ("AlignTexts", texts.SerializeToString()),
    ]


@row(
    "grpc-tiny",
    f"They take the server at most {TINY_MIB} MiB above rest, and every call of the caller is "
    "answered right.",
    adds_mib=TINY_MIB,
    without_flags=(
        *("--max-request-mib", "1000", "--max-pairs", f"{1 << 24}"),
        *(*ANY_MEMORY, *ANY_WORK),
    ),
)
async def grpc_tiny(attack: Attack) -> None:
    """Sends the largest messages that are allowed, full of empty items, to each method."""
    messages = _messages(attack.request_bytes)

    async def one() -> None:
        async with channel(attack) as connection:
            while True:
                for method, body in messages:
                    await send(attack, connection, method, body, MAY_GET)

    await asyncio.gather(*(one() for _ in range(N_CONNECTIONS)))


@row(
    "envoy-tiny",
    f"They take the server at most {TINY_MIB} MiB above rest, it answers within {BACK_S:.0f} s "
    "after the last, and every call of the caller is answered right.",
    flags=HTTP,
    adds_mib=TINY_MIB,
    ends_itself=True,
    is_behind_envoy=True,
)
async def envoy_tiny(attack: Attack) -> None:
    """Sends the bodies of all paths through Envoy, which has one address for HTTP and gRPC."""
    for name, bodies in BODIES.items():
        await _http(name, bodies)(attack)
