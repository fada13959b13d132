"""Malformed requests: bytes that are mutated, and fields that make no sense, at every method."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Sequence
from typing import Any, TypeVar

import grpc.aio
from google.protobuf.descriptor import Descriptor, FieldDescriptor
from google.protobuf.message import Message
from google.protobuf.message_factory import GetMessageClass
from tokalign.client.load.measure import scrape
from tokalign.v1 import align_pb2

from bench.attack.caller import pairs
from bench.attack.callers import REFUSED, SERVICE, channel, send
from bench.attack.rows import Attack, row

N_CALLERS = 16
METHODS = align_pb2.DESCRIPTOR.services_by_name["AlignService"].methods_by_name
MODELS = ("", "", "", "en", "none")
INTEGERS = (0, 1, 2, 3, 2**31 - 1, -1, -(2**31))
NUMBERS = (0, 0.5, 1, -1, 2, float("nan"), float("inf"))
WORDS = ("", " ", "\0", "\u2028", "\ud7ff", "\U0001f600", "e\u0301", "''", '"', "-LRB-", "a" * 700)
Value = TypeVar("Value")


class Maker:
    """Makes one request after another."""

    def __init__(self, seed: int) -> None:
        self._rng = random.Random(seed)
        self._pairs = pairs()

    def next(self) -> tuple[str, bytes]:
        """Return a method's name and the bytes to send."""
        method = self._rng.choice(list(METHODS))
        made = self._message(method) if self._rng.random() < 0.5 else None
        if made is None:
            made = self._any(METHODS[method].input_type)
        data: bytes = made.SerializeToString()
        if self._rng.random() < 0.5:
            data = self._mutated(bytearray(data))
        return method, data

    def _message(self, method: str) -> Any:
        options = self._options()
        if method == "Align":
            return align_pb2.AlignRequest(pair=self._pair(), options=options)
        if method == "Rank":
            candidates = [{"sentence": self._sentence()} for _ in range(self._rng.randrange(4))]
            top_k = self._rng.choice([0, 1, 2**32 - 1])
            return align_pb2.RankRequest(
                question=self._sentence(), candidates=candidates, options=options, top_k=top_k
            )
        some = [self._pair() for _ in range(self._rng.randrange(4))]
        if method == "BatchAlign":
            return align_pb2.BatchAlignRequest(pairs=some, options=options)
        if method == "AlignStream":
            return align_pb2.AlignStreamRequest(chunk_id="c", pairs=some, options=options)
        return None

    def _any(self, kind: Descriptor) -> Message:
        """Return a message with some of its fields, each of a value that its type allows."""
        rng = self._rng
        message = GetMessageClass(kind)()
        for field in kind.fields:
            if rng.random() < 0.5:
                continue
            n_values = rng.randrange(5) if field.is_repeated else 1
            values = [self._value(field) for _ in range(n_values)]
            if field.message_type is None:
                _set(message, field, values if field.is_repeated else values[0])
            elif field.is_repeated:
                getattr(message, field.name).extend(values)
            else:
                getattr(message, field.name).CopyFrom(values[0])
        return message

    def _value(self, field: FieldDescriptor) -> Any:
        rng = self._rng
        if field.message_type is not None:
            # Most are sound, so that what is wrong is met late as well.
            is_sentence = field.message_type.name == "Sentence" and rng.random() < 0.7
            return self._sentence() if is_sentence else self._any(field.message_type)
        if field.type == FieldDescriptor.TYPE_STRING:
            named = MODELS if field.name in ("model", "annotator") else ("It rained. ", *WORDS)
            return rng.choice(named)
        if field.type in (FieldDescriptor.TYPE_DOUBLE, FieldDescriptor.TYPE_FLOAT):
            return rng.choice(NUMBERS)
        if field.type == FieldDescriptor.TYPE_BOOL:
            return rng.random() < 0.5
        if field.enum_type is not None:
            return rng.choice([*field.enum_type.values_by_number, 99])
        return rng.choice(INTEGERS)

    def _options(self) -> Any:
        rng = self._rng
        return align_pb2.AlignOptions(
            model=rng.choice(MODELS),
            annotator=rng.choice(["", "", "", "native", "none"]),
            symmetrization=rng.choice([0, 0, *range(1, 10), -1]),
            min_confidence=rng.choice(NUMBERS),
            posteriors=rng.random() < 0.1,
            explain=rng.random() < 0.1,
            phrases=rng.random() < 0.1,
        )

    def _pair(self) -> Any:
        if self._rng.random() < 0.3:
            return self._rng.choice(self._pairs)
        return align_pb2.Pair(id="x", source=self._sentence(), target=self._sentence())

    def _sentence(self) -> Any:
        rng = self._rng
        if rng.random() < 0.5:
            text = rng.choice(self._pairs).source.text
            at = rng.randrange(len(text) + 1)
            return align_pb2.Sentence(text=text[:at] + rng.choice(WORDS) + text[at:])
        n_tokens = rng.choice([0, 1, 2, 5, 30, 600])
        words = ["dog", "Dogs", "bark", "runs", "3.5%", "n't", *WORDS[:-1]]
        return align_pb2.Sentence(
            tokens=[rng.choice(words) for _ in range(n_tokens)],
            tags=self._column(n_tokens, ["NN", "VBZ", "", "XX"]),
            lemmas=self._column(n_tokens, ["dog", "", "bark"]),
            heads=self._column(n_tokens, [-1, 0, 1, 2, 2**31 - 1, -(2**31)]),
            relations=self._column(n_tokens, ["nsubj", "root", "", "?"]),
        )

    def _column(self, n_tokens: int, values: Sequence[Value]) -> list[Value]:
        length = n_tokens if self._rng.random() < 0.7 else self._rng.randrange(8)
        return [self._rng.choice(values) for _ in range(length if self._rng.random() < 0.6 else 0)]

    def _mutated(self, data: bytearray) -> bytes:
        rng = self._rng
        for _ in range(rng.randrange(1, 6)):
            at = rng.randrange(len(data) + 1)
            kind = rng.randrange(4)
            if kind == 0 and at < len(data):
                data[at] = rng.randrange(256)
            elif kind == 1:
                data[at:at] = rng.randbytes(rng.randrange(1, 9))
            elif kind == 2:
                del data[at : at + rng.randrange(1, 9)]
            else:
                data[at:at] = data[: rng.randrange(len(data) + 1)]
        return bytes(data[:100_000])


def _set(message: Message, field: FieldDescriptor, value: Any) -> None:
    """Set a field, unless its type does not hold the value."""
    try:
        if field.is_repeated:
            getattr(message, field.name).extend(value)
        else:
            setattr(message, field.name, value)
    except ValueError:
        message.ClearField(field.name)


@row(
    "malformed",
    "Every malformed request is answered or refused with a code that bad input may cause, no "
    "worker is lost, and every call of the caller is answered right.",
    ends_itself=True,
)
async def malformed(attack: Attack) -> None:
    """Sends 100,000 mutated requests and fields that make no sense to every method."""
    n_left = attack.amounts.n_inputs

    async def one(seed: int) -> None:
        nonlocal n_left
        maker = Maker(seed)
        async with channel(attack) as connection:
            while n_left > 0:
                n_left -= 1
                method, data = maker.next()
                if not METHODS[method].client_streaming:
                    await send(attack, connection, method, data, REFUSED)
                    continue
                stream: Any = connection.stream_stream(f"{SERVICE}/{method}")
                try:
                    async for _ in stream(iter([data]), timeout=60):
                        attack.note("chunks")
                except grpc.aio.AioRpcError as error:
                    attack.note(error.code().name)
                    attack.expect(error.code().name in REFUSED, f"a stream: {error.code().name}")

    await asyncio.gather(*(one(seed) for seed in range(N_CALLERS)))
    samples = await asyncio.to_thread(scrape, f"{attack.metrics_url}/metrics")
    n_lost = samples.get("tokalign_worker_restarts_total", 0.0)
    attack.expect(n_lost == 0, f"{n_lost:.0f} workers were lost")
