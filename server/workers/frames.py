"""Messages between the server and its own workers: a length, then marshalled plain values.

Both ends are processes of this server with one interpreter and one socket pair, so marshal's
format fits; for a shard of one pair it takes a tenth of pickle's time. Only exact built-in types
pass, hence the conversions below.
"""

from __future__ import annotations

import functools
import marshal
import socket
import struct
from collections.abc import Iterator
from dataclasses import replace
from typing import Any, NamedTuple, TypeAlias

from tokalign.codec import RequestOptions, decode_options, encode_options
from tokalign.options import RankBy
from tokalign.v1 import align_pb2

_LENGTH = struct.Struct("<Q")
_READ_BYTES = 1 << 16


class LoadedModel(NamedTuple):
    """A loaded model as the workers report it."""

    name: str
    version: str
    digest: str
    corpora: tuple[str, ...]
    feature_groups: tuple[str, ...]
    description: str
    uses_trees: bool
    styles: tuple[tuple[str, str], ...] = ()  # name and what it links, the default first
    is_system: bool = False


class Ready(NamedTuple):
    """Sent once when a worker has loaded everything and aligned a first pair.

    With its models, and the resident bytes that it has then.
    """

    models: tuple[LoadedModel, ...]
    rss_bytes: int


class Refused(NamedTuple):
    """Sent instead of Ready where a model or annotator could not be loaded."""

    message: str


class Run(NamedTuple):
    """Pairs of one shard: joined to `shared`, each of `pairs` is a whole serialised Pair.

    `shared` is empty, or holds the target of all.
    """

    options: RequestOptions
    shared: bytes
    pairs: tuple[bytes, ...]


class ShardJob(NamedTuple):
    """One shard: runs of serialised tokalign.v1.Pair messages that share options and fields."""

    runs: tuple[Run, ...]


class Answer(NamedTuple):
    """The answer for one pair: a serialised tokalign.v1.Alignment, or why there is none.

    Of a ranking, `score` is what it is ranked by, and `judgement` a serialised
    tokalign.v1.RankedCandidate that holds that score and what belongs to it.
    """

    alignment: bytes
    score: float = 0.0
    code: int = 0
    message: str = ""
    field: str = ""
    judgement: bytes = b""


class Done(NamedTuple):
    """A shard's answers in order, seconds spent by stage, and the worker's resident bytes."""

    answers: list[Answer]
    seconds: dict[str, float]
    rss_bytes: int


Message: TypeAlias = Ready | Refused | ShardJob | Done


def encode(message: Message) -> bytes:
    """Return a frame."""
    body = marshal.dumps(_plain(message))
    return _LENGTH.pack(len(body)) + body


def _plain(message: Message) -> tuple[Any, ...]:
    if isinstance(message, Done):
        return ("done", list(map(tuple, message.answers)), message.seconds, message.rss_bytes)
    if isinstance(message, ShardJob):
        return ("job", [(_plain_options(run.options), *run[1:]) for run in message.runs])
    if isinstance(message, Ready):
        return ("ready", list(map(tuple, message.models)), message.rss_bytes)
    return ("refused", message.message)


@functools.lru_cache(maxsize=64)
def _plain_options(options: RequestOptions) -> tuple[bytes, str]:
    """Return serialised options. Kept, for most requests ask for the same."""
    rank_by = "" if options.rank_by is None else options.rank_by.value
    return encode_options(options).SerializeToString(), rank_by


def _message(body: bytes | memoryview) -> Message:
    kind, *fields = marshal.loads(body)
    if kind == "done":
        answers, seconds, rss_bytes = fields
        return Done(list(map(Answer._make, answers)), seconds, rss_bytes)
    if kind == "job":
        return ShardJob(tuple([Run(_options(options), *rest) for options, *rest in fields[0]]))
    if kind == "ready":
        return Ready(tuple(map(LoadedModel._make, fields[0])), fields[1])
    return Refused(fields[0])


@functools.lru_cache(maxsize=64)
def _options(plain: tuple[bytes, str]) -> RequestOptions:
    data, rank_by = plain
    options = decode_options(align_pb2.AlignOptions.FromString(data))
    return replace(options, rank_by=RankBy(rank_by)) if rank_by else options


def received(sock: socket.socket) -> Iterator[Message]:
    """Yield the messages that arrive on a blocking socket, up to its end."""
    decoder = Decoder()
    while data := sock.recv(_READ_BYTES):
        yield from decoder.feed(data)


class Decoder:
    """Messages from a byte stream that arrives in arbitrary pieces."""

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
