"""Calls that ground an answer: at once, in pieces where it is long, and while it is written."""

from __future__ import annotations

import time
from collections.abc import AsyncIterable, AsyncIterator, Iterable, Iterator, Mapping
from typing import Any

from tokalign.client.errors import from_status, late
from tokalign.client.rpcs import Rpc
from tokalign.codec import (
    RequestOptions,
    decode_grounded_sentence,
    decode_grounding,
    encode_ground,
    encode_ground_head,
    encode_ground_piece,
    text_bytes,
)
from tokalign.types.grounding import GroundedSentence, Grounding, GroundOptions, SourcePassage
from tokalign.types.passages import PassageLike, check_passages
from tokalign.v1 import align_pb2

# An answer and passages of so many bytes are taken by one call of a usual server.
SHORT_BYTES = 16 << 10
SHORT_PASSAGES_BYTES = 1 << 20


def ground_options(
    options: GroundOptions | None, model: str, annotator: str, changes: Mapping[str, Any]
) -> RequestOptions:
    """Return checked options, or raise InputError where one is unknown or out of range."""
    return RequestOptions(model, annotator, ground=GroundOptions.of(options, changes))


class GroundCalls:
    """The calls for an answer that is whole.

    Parameters
    ----------
    answer : str
    passages : iterable of str, (str, str) or SourcePassage
    options : RequestOptions

    Attributes
    ----------
    is_short : bool
        Whether all is sent at once first.

    Raises
    ------
    InputError
        If the answer or a passage is no text, or two passages have the same id.
    """

    def __init__(
        self, answer: str, passages: Iterable[PassageLike], options: RequestOptions
    ) -> None:
        self._answer = answer
        self._passages = check_passages(passages)
        self._options = options
        n_bytes = sum(len(each.id) + len(each.text.encode()) for each in self._passages)
        is_short_answer = text_bytes(answer, "answer") <= SHORT_BYTES
        self.is_short = is_short_answer and n_bytes <= SHORT_PASSAGES_BYTES

    def at_once(self) -> Rpc[Grounding]:
        """Return the call with one message."""
        request = encode_ground(self._answer, self._passages, self._options)
        return Rpc("Ground", request, lambda answer: self._decode([answer]))

    def in_pieces(self) -> Rpc[Grounding]:
        """Return the call with a stream of messages."""
        return Rpc("GroundStream", self._requests(), self._decode)

    def _requests(self) -> Iterator[align_pb2.GroundStreamRequest]:
        yield from encode_ground_head(self._passages, self._options)
        yield from encode_ground_piece(self._answer)

    def _decode(
        self, parts: Iterable[align_pb2.GroundResponse | align_pb2.GroundStreamResponse]
    ) -> Grounding:
        """Return the answer, whose fields may be spread over several messages."""
        return decode_grounding(parts, self._answer, self._passages, from_status)


class GrowingGround:
    """The call for an answer that is still being written.

    Parameters
    ----------
    passages : iterable of str, (str, str) or SourcePassage
    options : RequestOptions
    address : str
        Of the server, for messages.
    timeout_s : float
        Longest wait for what is left once the answer has ended.

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
        for piece in pieces:
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
