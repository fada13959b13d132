"""Requests that are malformed, cut off, oddly named, or carry odd headers."""

from __future__ import annotations

import asyncio
import contextlib
import random
import urllib.request

import grpc.aio
from tokalign.v1 import align_pb2

from bench.attack.calls import SERVICE, channel, send
from bench.attack.cost import single
from bench.attack.peer import DATA, END_STREAM, Peer, everyone, frame, message, request
from bench.attack.rows import Attack, Seen, row

PLAIN = {"OK", "INVALID_ARGUMENT", "NOT_FOUND"}
MUTATIONS = 1_500
TEXTS = ("", " ", "\0", "\u2028", "\ud7ff", "\U0001f600", "e\u0301", '"', "-LRB-", "a" * 20_001)
ODD_HEADERS = (
    ("grpc-timeout", "99999999999S"),
    ("grpc-timeout", "-1S"),
    ("grpc-timeout", "x"),
    ("grpc-timeout", "0n"),
    ("grpc-encoding", "nothing"),
    ("grpc-accept-encoding", "," * 500),
    ("content-type", "text/plain"),
    ("content-type", ""),
    ("te", "gzip"),
    (":method", "GET"),
    (":path", "../../etc/passwd"),
    (":path", "*"),
    (":scheme", "ftp"),
    (":unknown", "x"),
    ("Upper", "case"),
    ("", "empty"),
    ("authorization", "Bearer " + "b" * 7_000),
    ("authorization", "Basic eDp5"),
    ("authorization", "Bearer \u00ff"),
    ("content-length", "5"),
    ("connection", "close"),
    ("transfer-encoding", "chunked"),
    ("host", "elsewhere"),
    ("user-agent", "u" * 5_000),
    ("x-bin", "!!!"),
    ("trace-bin", "AAAA"),
    ("traceparent", "00-" + "0" * 32 + "-" + "0" * 16 + "-01"),
    ("traceparent", "zz"),
    ("cookie", "c=1; " * 100),
    ("x", "\r\ny: z"),
)


@row(
    "malformed",
    "held",
    does="mutated and boundary requests at every method",
    by="protobuf parses, then every field is checked",
    ends_within_s=90,
)
async def malformed(attack: Attack) -> None:
    rng = random.Random(0)
    bodies = [single(8, 5, seed) for seed in range(20)]
    async with channel(attack) as connection:
        for text in TEXTS:
            pair = {"source": {"text": text}, "target": {"text": text}}
            body = align_pb2.AlignRequest(pair=pair).SerializeToString()
            code, _ = await send(attack, connection, "Align", body)
            attack.expect(code in PLAIN, f"a boundary text ended with {code}")
        for _ in range(MUTATIONS):
            body = bytearray(rng.choice(bodies))
            for _ in range(rng.randrange(1, 6)):
                at = rng.randrange(len(body))
                body[at : at + rng.randrange(3)] = rng.randbytes(rng.randrange(4))
            method = rng.choice(("Align", "BatchAlign", "Rank", "ListModels"))
            code, _ = await send(attack, connection, method, bytes(body))
            attack.expect(code in PLAIN, f"a mutated request ended with {code}")


@row(
    "long-names",
    "17",
    does="models and annotators named by 1 to 60 KB, by paths, and by every plane of Unicode",
    by="an error quotes at most 64 characters, so that it fits into the trailers",
    ends_within_s=30,
)
async def long_names(attack: Attack) -> None:
    names = ["n" * size for size in (1_000, 4_000, 8_000, 16_000, 60_000)]
    names += ["../../../etc/passwd", "en/../en", "\0", "\U0010ffff" * 3_000, "\n" * 2_000, "%s%n"]
    async with channel(attack) as connection:
        for name in names:
            for options in ({"model": name}, {"annotator": name}):
                pair = {"source": {"text": "a"}, "target": {"text": "b"}}
                message = align_pb2.AlignRequest(pair=pair, options=options)
                code, _ = await send(attack, connection, "Align", message.SerializeToString())
                attack.expect(
                    code in PLAIN - {"OK"}, f"a name of {len(name)} characters ended with {code}"
                )


@row(
    "truncated",
    "18",
    does="100 unary messages that end in the middle; the client never hears, which is grpc's fault",
    by="such a stream costs what was sent of it, and ends with its connection",
    ends_within_s=30,
)
async def truncated(attack: Attack) -> None:
    async def connection() -> None:
        peer = await Peer.open(attack.address)
        await asyncio.sleep(0.2)
        for _ in range(10):
            number = await peer.call(request(attack.address))
            await peer.body(number, message(bytes(10_000), announced=100_000))
            await peer.send(frame(DATA, END_STREAM, number))
            attack.note("messages")
        await asyncio.sleep(2)
        attack.note("answered", peer.ended)
        await peer.close()

    await everyone(attack, [connection() for _ in range(10)])


@row(
    "odd-headers",
    "held",
    does="without a token, thirty sets of headers that no client sends",
    by="grpc checks what it needs; nothing else is read but the authorization",
    is_stranger=True,
    ends_within_s=30,
)
async def odd_headers(attack: Attack) -> None:
    for header in ODD_HEADERS:
        for _ in range(5):
            peer = await Peer.open(attack.address)
            name, value = (part.encode("utf-8") for part in header)
            with contextlib.suppress(ConnectionError):
                block = request(attack.address, more=((name.decode(), value.decode()),))
                number = await peer.call(block)
                await peer.body(number, message(single(5, 3)), end=True)
                await asyncio.sleep(0.01)
            attack.note("calls")
            await peer.close()


SECRET = "a-secret-of-someone"
SENTENCE = "Quetzalcoatlus"


def _no_secret(seen: Seen) -> list[str]:
    """Judge that neither tokens nor sentences are in the log."""
    told = [line for line in seen.log if SECRET in line or SENTENCE in line]
    return ["the log holds a token or a sentence"] if told else []


@row(
    "secrets",
    "held",
    does="calls with wrong tokens, and with sentences that fail, whose words are then looked for",
    by="neither is logged or counted",
    is_stranger=True,
    judge=_no_secret,
    ends_within_s=30,
)
async def secrets(attack: Attack) -> None:
    body = align_pb2.AlignRequest(
        pair={"source": {"text": SENTENCE * 2_000}, "target": {"text": SENTENCE}}
    ).SerializeToString()
    async with channel(attack) as connection:
        align = connection.unary_unary(f"{SERVICE}/Align")
        for token in (SECRET, attack.token):
            for _ in range(50):
                try:
                    await align(body, timeout=5, metadata=(("authorization", f"Bearer {token}"),))
                except grpc.aio.AioRpcError as error:
                    attack.note(error.code().name)

    def metrics() -> str:
        with urllib.request.urlopen(f"{attack.metrics_url}/metrics", timeout=10) as answer:
            return answer.read().decode()

    text = await asyncio.to_thread(metrics)
    attack.expect(SECRET not in text and SENTENCE not in text, "the metrics hold a secret")
