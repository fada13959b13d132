"""Messages between the server and its own workers: a length, then a pickle.

Both ends are processes that this server started on one socket pair, so unpickling is safe.
"""

from __future__ import annotations

import pickle
import socket
import struct
from typing import Any, NamedTuple

from tokalign.server.translate import Options

_LENGTH = struct.Struct("<Q")


class ModelInfo(NamedTuple):
    """A loaded model as the workers report it."""

    name: str
    version: str
    digest: str
    corpora: tuple[str, ...]
    feature_groups: tuple[str, ...]
    description: str
    uses_trees: bool


class Ready(NamedTuple):
    """Sent once when a worker has loaded everything and aligned a first pair."""

    models: tuple[ModelInfo, ...]


class Refused(NamedTuple):
    """Sent instead of Ready where a model or annotator could not be loaded."""

    message: str


class Job(NamedTuple):
    """One shard: runs of serialised tokalign.v1.Pair messages that share options."""

    runs: tuple[tuple[Options, tuple[bytes, ...]], ...]


class Answer(NamedTuple):
    """The answer for one pair: a serialised tokalign.v1.Alignment, or why there is none."""

    alignment: bytes
    score: float = 0.0
    code: int = 0
    message: str = ""
    field: str = ""


class Done(NamedTuple):
    """A shard's answers in order, seconds spent by stage, and the worker's resident bytes."""

    answers: list[Answer]
    seconds: dict[str, float]
    rss_bytes: int


def encode(message: object) -> bytes:
    """Return a frame."""
    body = pickle.dumps(message, protocol=pickle.HIGHEST_PROTOCOL)
    return _LENGTH.pack(len(body)) + body


def receive(sock: socket.socket) -> Any:
    """Return the next message of a blocking socket, or None at its end."""
    header = _exactly(sock, _LENGTH.size)
    if header is None:
        return None
    body = _exactly(sock, _LENGTH.unpack(header)[0])
    return None if body is None else pickle.loads(body)


def _exactly(sock: socket.socket, size: int) -> bytearray | None:
    data = bytearray(size)
    view, seen = memoryview(data), 0
    while seen < size:
        n_read = sock.recv_into(view[seen:])
        if n_read == 0:
            return None
        seen += n_read
    return data


class Decoder:
    """Frames from a byte stream that arrives in arbitrary pieces."""

    def __init__(self) -> None:
        self._buffer = bytearray()

    def feed(self, data: bytes) -> list[Any]:
        """Return the messages that `data` completes."""
        self._buffer += data
        messages = []
        while len(self._buffer) >= _LENGTH.size:
            end = _LENGTH.size + _LENGTH.unpack_from(self._buffer)[0]
            if len(self._buffer) < end:
                break
            messages.append(pickle.loads(memoryview(self._buffer)[_LENGTH.size : end]))
            del self._buffer[:end]
        return messages
