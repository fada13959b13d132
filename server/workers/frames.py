"""Messages between the server and its own workers: a length, then marshalled plain values.

Both ends are processes of this server and have the same interpreter, so marshal's format fits. For
a shard of one pair it takes a tenth of pickle's time. It takes exact built-in types only, hence the
conversions below.
"""

from __future__ import annotations

import functools
import marshal
import socket
import struct
from collections.abc import Iterator
from dataclasses import replace
from typing import Any, NamedTuple, TypeAlias

from tokalign.codec.options import (
    RequestOptions,
    decode_ground_options,
    decode_options,
    encode_ground_options,
    encode_options,
)
from tokalign.codec.servers import ModelInfo, decode_model, encode_model
from tokalign.server.requests.answers import Answer
from tokalign.types.options import RankBy
from tokalign.v1 import align_pb2

_LENGTH = struct.Struct("<Q")
_READ_BYTES = 1 << 16
FORK_DESCRIPTORS = 2


class Run(NamedTuple):
    """Neighbouring pairs of a shard with equal options, which a worker aligns together.

    Of an answer that is grounded, `shared` and `pairs` are what requests/request.py says.

    Attributes
    ----------
    shared : bytes
        The serialised Pair.target of all pairs, or empty.
    pairs : tuple of bytes
        Serialised tokalign.v1.Pair messages; each is whole once joined to `shared`.
    """

    options: RequestOptions
    shared: bytes
    pairs: tuple[bytes, ...]


class Ready(NamedTuple):
    """Sent once, when a process has loaded everything, or was forked from one that has.

    Attributes
    ----------
    models : tuple of ModelInfo
        The default first.
    rss_bytes : int
        Resident memory of the process at that time.
    may_fork : bool
        Whether other workers can be forked from it.
    """

    pid: int
    models: tuple[ModelInfo, ...]
    rss_bytes: int
    may_fork: bool


class Fork(NamedTuple):
    """Sent to an idle process, with two descriptors, which are the ends of the new process."""


class Refused(NamedTuple):
    """Sent instead of Ready where a model or annotator could not be loaded."""

    message: str


class Done(NamedTuple):
    """Sent for each shard.

    Attributes
    ----------
    answers : list of Answer
        One per pair, in order.
    seconds : dict from str to float
        Spent by stage.
    rss_bytes : int
        Resident memory of the worker.
    """

    answers: list[Answer]
    seconds: dict[str, float]
    rss_bytes: int


Message: TypeAlias = list[Run] | Fork | Ready | Refused | Done
"""A list of runs is a shard. It and Fork go to a worker; the others come from it."""


def encode(message: Message) -> bytes:
    """Return a frame."""
    body = marshal.dumps(_plain(message))
    return _LENGTH.pack(len(body)) + body


def _plain(message: Message) -> tuple[Any, ...]:
    if isinstance(message, Done):
        return ("done", list(map(tuple, message.answers)), message.seconds, message.rss_bytes)
    if isinstance(message, list):
        return ("shard", [(_plain_options(run.options), *run[1:]) for run in message])
    if isinstance(message, Ready):
        models = [encode_model(model).SerializeToString() for model in message.models]
        return ("ready", message.pid, models, message.rss_bytes, message.may_fork)
    if isinstance(message, Fork):
        return ("fork",)
    return ("refused", message.message)


@functools.lru_cache(maxsize=64)
def _plain_options(options: RequestOptions) -> tuple[bytes, str, bool, bytes]:
    """Return serialised options. They are kept, because most requests ask for the same."""
    rank_by = "" if options.rank_by is None else options.rank_by.value
    ground = b"" if options.ground is None else encode_ground_options(options).SerializeToString()
    return encode_options(options).SerializeToString(), rank_by, options.highlights, ground


def _message(body: bytes | memoryview) -> Message:
    kind, *fields = marshal.loads(body)
    if kind == "done":
        answers, seconds, rss_bytes = fields
        return Done(list(map(Answer._make, answers)), seconds, rss_bytes)
    if kind == "shard":
        return [Run(_options(options), *rest) for options, *rest in fields[0]]
    if kind == "ready":
        pid, models, rss_bytes, may_fork = fields
        infos = map(decode_model, map(align_pb2.ModelInfo.FromString, models))
        return Ready(pid, tuple(infos), rss_bytes, may_fork)
    if kind == "fork":
        return Fork()
    return Refused(fields[0])


@functools.lru_cache(maxsize=64)
def _options(plain: tuple[bytes, str, bool, bytes]) -> RequestOptions:
    data, rank_by, highlights, ground = plain
    if ground:
        return decode_ground_options(align_pb2.GroundOptions.FromString(ground))
    options = decode_options(align_pb2.AlignOptions.FromString(data))
    if not rank_by:
        return options
    return replace(options, rank_by=RankBy(rank_by), highlights=highlights)


def received(sock: socket.socket) -> Iterator[tuple[Message, list[int]]]:
    """Yield the messages that arrive on a blocking socket up to its end, with their descriptors."""
    reader = FrameReader()
    waiting: list[int] = []
    while True:
        data, descriptors, _, _ = socket.recv_fds(sock, _READ_BYTES, FORK_DESCRIPTORS)
        if not data:
            return
        waiting += descriptors
        for message in reader.feed(data):
            n = FORK_DESCRIPTORS if isinstance(message, Fork) else 0
            yield message, waiting[:n]
            del waiting[:n]


class FrameReader:
    """Reads messages from a byte stream that arrives in arbitrary pieces."""

    def __init__(self) -> None:
        self._buffer = bytearray()

    def feed(self, data: bytes) -> list[Message]:
        """Return the messages that `data` completes."""
        buffer = self._buffer
        buffer += data
        messages, position = [], 0
        with memoryview(buffer) as view:
            while len(buffer) - position >= _LENGTH.size:
                begin = position + _LENGTH.size
                end = begin + _LENGTH.unpack_from(buffer, position)[0]
                if len(buffer) < end:
                    break
                messages.append(_message(view[begin:end]))
                position = end
        del buffer[:position]
        return messages
