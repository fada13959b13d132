"""Streams of both clients: their requests, their results in order, and how long to wait."""

from __future__ import annotations

import itertools
import time
from collections.abc import AsyncIterable, AsyncIterator, Iterable, Iterator
from dataclasses import dataclass, field

from tokalign.client.calls import encoded, require_iterable
from tokalign.client.errors import InternalError, from_status, late
from tokalign.client.results import AlignResult, results_of
from tokalign.codec.grounding import (
    decode_grounded_sentence,
    encode_ground_head,
    encode_ground_piece,
)
from tokalign.codec.options import RequestOptions, encode_options
from tokalign.errors import quoted
from tokalign.types import PairLike
from tokalign.types.grounding import GroundedSentence, PassageLike, SourcePassage, check_passages
from tokalign.types.inputs import text_bytes
from tokalign.types.options import check_count
from tokalign.v1 import align_pb2


@dataclass(slots=True)
class Chunks:
    """Makes the requests of chunks, and matches answers with them.

    Attributes
    ----------
    ordered : bool
        Whether answers wait for those of earlier chunks.
    address : str
        Of the server, for messages.
    timeout_s : float
        Longest wait for the answer to a chunk.
    """

    options: RequestOptions
    ordered: bool
    address: str
    timeout_s: float
    _n_chunks: int = 0
    _n_pairs: int = 0
    _next: int = 0
    _out: dict[int, tuple[int, list[PairLike], float]] = field(default_factory=dict)
    _waiting: dict[int, list[AlignResult]] = field(default_factory=dict)

    def request(self, pairs: list[PairLike]) -> align_pb2.AlignStreamRequest:
        """Return the request of the next chunk, which counts as sent from now on."""
        first, chunk = self._n_pairs, self._n_chunks
        request = align_pb2.AlignStreamRequest(
            chunk_id=str(chunk),
            pairs=encoded(pairs, first),
            options=encode_options(self.options),
        )
        self._out[chunk] = (first, pairs, time.monotonic())
        self._n_pairs += len(pairs)
        self._n_chunks += 1
        return request

    def accept(self, response: align_pb2.AlignStreamResponse) -> list[list[AlignResult]]:
        """Return the results, by chunk, that the caller can have now.

        Raises
        ------
        InternalError
            If the answer is for a chunk that was not sent, or was answered before.
        """
        name = response.chunk_id
        if not name.isdecimal() or int(name) not in self._out:
            raise InternalError(
                f"the server answered chunk {quoted(name)}, never sent", code="INTERNAL"
            )
        chunk = int(name)
        first, pairs, _ = self._out.pop(chunk)
        if response.status.code:
            error = from_status(response.status)
            results = [AlignResult(first + offset, None, error) for offset in range(len(pairs))]
        else:
            results = results_of(response.results, response.model, pairs, self.options.align, first)
        if not self.ordered:
            return [results]
        self._waiting[chunk] = results
        ready = []
        while self._next in self._waiting:
            ready.append(self._waiting.pop(self._next))
            self._next += 1
        return ready

    def remaining_s(self) -> float:
        """Return how much of `timeout_s` is left for the oldest chunk without an answer.

        All of it where every chunk was answered.

        Raises
        ------
        DeadlineError
            If that chunk is late.
        """
        sent = min((sent for _, _, sent in list(self._out.values())), default=time.monotonic())
        remaining = sent + self.timeout_s - time.monotonic()
        if remaining <= 0:
            raise late(self.address, self.timeout_s, "a chunk")
        return remaining

    def check_complete(self) -> None:
        """Raise InternalError if the stream ended before every chunk was answered."""
        if self._out:
            raise InternalError(
                f"the server ended the stream with {len(self._out)} chunks unanswered",
                code="INTERNAL",
            )


def check_sizes(chunk_size: int, max_in_flight: int) -> None:
    """Raise InputError unless both are at least 1."""
    for name, value in (("chunk_size", chunk_size), ("max_in_flight", max_in_flight)):
        check_count(value, name, 1)


def chunked(pairs: Iterable[PairLike], size: int) -> Iterator[list[PairLike]]:
    """Yield lists of `size` pairs; the last may be shorter."""
    pending = iter(require_iterable(pairs, "pairs"))
    while chunk := list(itertools.islice(pending, size)):
        yield chunk


async def chunked_async(
    pairs: Iterable[PairLike] | AsyncIterable[PairLike], size: int
) -> AsyncIterator[list[PairLike]]:
    """Yield lists of `size` pairs, as `chunked` does, of an iterable of either kind."""
    if not isinstance(pairs, AsyncIterable):
        for chunk in chunked(pairs, size):
            yield chunk
        return
    chunk = []
    async for pair in pairs:
        chunk.append(pair)
        if len(chunk) == size:
            yield chunk
            chunk = []
    if chunk:
        yield chunk


class GrowingGround:
    """The call for an answer that is still being written.

    Parameters
    ----------
    address : str
        Of the server, for messages.
    timeout_s : float
        Longest wait for the remaining results after the answer has ended.

    Raises
    ------
    InputError
        If a passage is no text, or two have the same id.
    """

    def __init__(
        self,
        passages: Iterable[PassageLike],
        options: RequestOptions,
        address: str,
        timeout_s: float,
    ) -> None:
        self._passages: tuple[SourcePassage, ...] = check_passages(passages)
        self._options = options
        self._address = address
        self._timeout_s = timeout_s
        self._ended_at: float | None = None

    def requests(self, pieces: Iterable[str]) -> Iterator[align_pb2.GroundStreamRequest]:
        """Yield the messages of passages and pieces."""
        yield from encode_ground_head(self._passages, self._options)
        for piece in require_iterable(pieces, "pieces"):
            yield from _encoded(piece)
        self._ended_at = time.monotonic()

    async def requests_async(
        self, pieces: Iterable[str] | AsyncIterable[str]
    ) -> AsyncIterator[align_pb2.GroundStreamRequest]:
        """Yield the messages of passages and of pieces, which may be asynchronous."""
        if not isinstance(pieces, AsyncIterable):
            for request in self.requests(pieces):
                yield request
            return
        for request in encode_ground_head(self._passages, self._options):
            yield request
        async for piece in pieces:
            for request in _encoded(piece):
                yield request
        self._ended_at = time.monotonic()

    def remaining_s(self) -> float | None:
        """Return how much longer to wait for the next response; None is any time.

        Raises
        ------
        DeadlineError
            If that is over.
        """
        if self._ended_at is None:
            return None
        remaining = self._ended_at + self._timeout_s - time.monotonic()
        if remaining <= 0:
            raise late(self._address, self._timeout_s, "the end of an answer")
        return remaining

    def accept(self, response: align_pb2.GroundStreamResponse) -> list[GroundedSentence]:
        """Return the sentences of a response."""
        return [decode_grounded_sentence(each, from_status) for each in response.sentences]


def _encoded(piece: str) -> Iterator[align_pb2.GroundStreamRequest]:
    """Yield the messages of a piece, or raise InputError where it is no text."""
    text_bytes(piece, "answer")
    yield from encode_ground_piece(piece)
