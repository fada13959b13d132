"""Memory that callers inside or beyond the limits can take: copies, caches, unread answers."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import grpc.aio
from tokalign.v1 import align_pb2

from bench.attack.calls import CALL_S, SERVICE, channel, send, side_by_side
from bench.attack.peer import END_HEADERS, HEADERS, STREAM, Peer, frame, message, request
from bench.attack.rows import Attack, row

MIB = 1 << 20


@row(
    "rank-copies",
    "1",
    does="Rank of as many one-word candidates as are allowed with questions of 190 to 570 KB",
    by="limits of items and fields are read from the wire first, and the question is kept once",
    is_short=True,
)
async def rank_copies(attack: Attack) -> None:
    def bodies() -> Iterator[bytes]:
        for n_bytes in (190_000, 190_000, 270_000, 570_000, 190_000, 190_000):
            # A question that no limit allows, one as long as they allow but with too many
            # candidates, and two that are let in.
            for text, n_candidates in (
                ("a " * (n_bytes // 2), attack.max_pairs),
                ("a " * 500 + "a" * 10_000, attack.max_pairs),
                ("a " * 500 + "a" * 10_000, attack.max_pairs // 8),
                ("a " * 20 + "a" * 10_000, attack.max_pairs),
            ):
                yield align_pb2.RankRequest(
                    question={"text": text},
                    candidates=[{"sentence": {"text": "a"}}] * n_candidates,
                ).SerializeToString()

    await side_by_side(attack, "Rank", bodies(), 2)


@row(
    "model-names",
    "4",
    does="180 Align, each with another model name of 4 MiB or as much as a message may hold",
    by="errors quote 64 characters, so that what is kept of them is short",
    is_short=True,
)
async def model_names(attack: Attack) -> None:
    n_bytes = min(4 * MIB, attack.request_bytes - 1024)

    def bodies() -> Iterator[bytes]:
        for number in range(180):
            name = f"{number:04}" + "m" * (n_bytes - 4)
            yield align_pb2.AlignRequest(options={"model": name}).SerializeToString()

    await side_by_side(attack, "Align", bodies(), 2)


@row(
    "long-columns",
    "5",
    does="360 Align with tags, lemmas and relations of many KB, never the same twice",
    by="every column is limited in length, and caches are bounded by bytes",
    is_short=True,
)
async def long_columns(attack: Attack) -> None:
    n_tokens = 20
    n_characters = min(5 * MIB, attack.request_bytes - 65_536) // (6 * n_tokens)

    def sentence(seed: str) -> align_pb2.Sentence:
        tokens = [f"{seed}w{index}" for index in range(n_tokens)]
        column = [token + "x" * (n_characters - len(token)) for token in tokens]
        return align_pb2.Sentence(
            tokens=tokens,
            tags=column,
            lemmas=column,
            heads=[-1] + [0] * (n_tokens - 1),
            relations=column,
        )

    def bodies() -> Iterator[bytes]:
        for number in range(360):
            pair = align_pb2.Pair(source=sentence(f"s{number}"), target=sentence(f"t{number}"))
            yield align_pb2.AlignRequest(pair=pair).SerializeToString()

    await side_by_side(attack, "Align", bodies(), 4)


@row(
    "long-words",
    "5",
    does="thousands of Align with 10 words of 1,900 letters a side, never the same twice",
    by="caches of words are bounded by bytes",
)
async def long_words(attack: Attack) -> None:
    def text(seed: str) -> str:
        return " ".join(f"{seed}w{index}".ljust(1_900, "y") for index in range(10))

    def bodies() -> Iterator[bytes]:
        for number in range(20_000):
            pair = {"source": {"text": text(f"s{number}")}, "target": {"text": text(f"t{number}")}}
            yield align_pb2.AlignRequest(pair=pair).SerializeToString()

    await side_by_side(attack, "Align", bodies(), 8)


@row(
    "empty-items",
    "11",
    does="a message full of empty pairs, one of empty candidates, and such chunks of a stream",
    by="items are counted on the wire before anything is parsed",
    is_short=True,
)
async def empty_items(attack: Attack) -> None:
    n_items = (attack.request_bytes - 64) // 2
    async with channel(attack) as connection:
        for _ in range(3):
            await send(attack, connection, "BatchAlign", b"\x0a\x00" * n_items)
            await send(attack, connection, "Rank", b"\x12\x00" * min(n_items, 100_000))
            await send(attack, connection, "Rank", b"\x12\x00" * n_items)
            tokens = b"\x12\x00" * (n_items - 8)
            source = b"\x12" + _length(len(tokens)) + tokens
            await send(attack, connection, "Align", b"\x0a" + _length(len(source)) + source)
        stream = connection.stream_stream(f"{SERVICE}/AlignStream")(timeout=CALL_S)
        try:
            for _ in range(3):
                await stream.write(b"\x12\x00" * n_items)
            await stream.done_writing()
            async for _ in stream:
                attack.note("chunks answered")
        except grpc.aio.AioRpcError as error:
            attack.note(error.code().name)


def _length(value: int) -> bytes:
    """Return a protobuf varint."""
    out = bytearray()
    while value >= 128:
        out.append(value % 128 + 128)
        value //= 128
    return bytes([*out, value])


@row(
    "unread-streams",
    "7",
    does="20 AlignStream whose answers, with posteriors, are never read",
    by="a chunk stays admitted until its answer is written, and a stream's chunks are bounded",
    is_short=True,
)
async def unread_streams(attack: Attack) -> None:
    words = " ".join(f"w{index}" for index in range(150))
    chunk = align_pb2.AlignStreamRequest(
        pairs=[{"source": {"text": words}, "target": {"text": words}}] * 16,
        options={"posteriors": True},
    ).SerializeToString()

    async def stream() -> None:
        # A window of nothing: the server may never send an answer.
        peer = await Peer.open(attack.address, window=0)
        number = await peer.call(request(attack.address, STREAM))
        try:
            for _ in range(64):
                await peer.body(number, message(chunk))
                attack.note("chunks sent")
            await asyncio.sleep(attack.seconds)
        except ConnectionError:
            attack.note("connections closed by the server")

    await asyncio.gather(*(stream() for _ in range(20)))


@row(
    "unread-answers",
    "7",
    does="40 connections with 50 Align each that ask for posteriors and never read the answers",
    by="an answer stays admitted until it is written",
)
async def unread_answers(attack: Attack) -> None:
    words = " ".join(f"w{index}" for index in range(150))
    body = message(
        align_pb2.AlignRequest(
            pair={"source": {"text": words}, "target": {"text": words}},
            options={"posteriors": True},
        ).SerializeToString()
    )
    assert len(body) < 16_384
    peers = []
    for _ in range(40):
        peer = await Peer.open(attack.address, window=0)
        peers.append(peer)
        for _ in range(50):
            number = peer.new_stream()
            head = frame(HEADERS, END_HEADERS, number, request(attack.address))
            await peer.send(head)
            await peer.body(number, body, end=True)
            attack.note("calls")
    await asyncio.sleep(attack.seconds)
