"""Ground and GroundStream: passages are read, then sentences of an answer grounded in order.

A stream holds its passages from the first piece of its answer on. Each of its sentences is let in,
and answered, as soon as it is finished; the next piece is read after that, so a caller who does not
read is slowed down.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator, Callable, Sequence
from contextlib import aclosing
from functools import partial

from tokalign.codec.servers import ErrorReason
from tokalign.server.requests import answer_sentences
from tokalign.server.requests.answer_sentences import (
    GrowingAnswer,
    Passages,
    check_number,
    fields_of,
)
from tokalign.server.requests.request import cheapest, windows
from tokalign.server.requests.wire import RequestFields
from tokalign.server.rpc.in_pieces import CallsInPieces, Incoming, write_parts
from tokalign.server.rpc.receiving import Context
from tokalign.server.rpc.serving import Asked, Serving
from tokalign.server.rpc.streams import STREAM_BYTES
from tokalign.server.rpc.work import (
    UnaryCall,
    answered,
    check_time,
    naming_the_stream,
    off_loop,
)
from tokalign.server.status import BadRequestError
from tokalign.types.grounding import SourcePassage
from tokalign.types.options import OffsetUnit
from tokalign.types.texts import SentenceSpan
from tokalign.v1 import align_pb2

# Bytes that are held of each byte of an answer and its passages: itself, and what workers get.
HELD = 3


class GroundService:
    """Answers the calls that ground answers."""

    def __init__(self, calls: CallsInPieces) -> None:
        self._calls = calls

    async def answer(self, serving: Serving, data: bytes, context: Context) -> bytes:
        """Return the answer of Ground; see `_whole`."""
        limits, n_bytes = self._calls.limits, len(data)
        fields = await off_loop(
            n_bytes, RequestFields, align_pb2.GroundRequest, data, limits.max_pairs
        )
        chosen = serving.choose_ground(fields.message("options"))
        asked = Asked(serving, chosen, n_bytes, context)
        self._check_time(asked)
        fields.check_text("answer")
        read = partial(Passages.read, fields.messages("passages"), chosen.ground, limits)
        found = await self._whole(asked, fields.text("answer"), read)
        return b"".join([*fields_of(found), answer_sentences.heading(chosen.reference)])

    async def ground(
        self, asked: Asked, text: str, passages: Sequence[SourcePassage]
    ) -> list[bytes]:
        """Return the sentences of an answer as serialised messages; see `_whole`."""
        self._check_time(asked)
        read = partial(Passages.of, passages, asked.chosen.ground, self._calls.limits)
        return await self._whole(asked, text, read)

    def _check_time(self, asked: Asked) -> None:
        """Raise QueueFullError where even the smallest answer would be late."""
        least = cheapest(asked.chosen.options, 1)
        check_time(self._calls.admission, asked.serving.pool, least, asked.context)

    async def _whole(self, asked: Asked, text: str, read: Callable[[], Passages]) -> list[bytes]:
        """Return the sentences of an answer as serialised GroundedSentence messages.

        Raises
        ------
        InputError
            If the passages are at fault.
        LimitError
            If the answer or the passages are too long for one call; it names the stream.
        """
        calls = self._calls
        serving, chosen, n_bytes, context = asked
        limits, unit = calls.limits, chosen.ground.offsets
        with naming_the_stream("GroundStream"):
            passages = await off_loop(n_bytes, read)
            sentences = await off_loop(
                n_bytes, answer_sentences.answer_sentences, text, unit, limits
            )
            request = await off_loop(
                n_bytes, answer_sentences.whole, sentences, passages, chosen.options, serving.costs
            )
            calls.memory.check()
            held_bytes = HELD * n_bytes
            answers = await answered(
                calls.admission, serving.pool, UnaryCall(context), request, held_bytes
            )
        most = limits.max_response_bytes
        return await off_loop(
            request.answer_bytes, answer_sentences.written, sentences, answers, most
        )

    async def stream(
        self, serving: Serving, messages: AsyncIterator[bytes], context: Context
    ) -> None:
        """Read the passages of GroundStream, then its answer, and write the evidence."""
        with serving.pool.in_use():
            incoming = self._incoming()
            options: bytes | None = None
            passages: list[bytes] = []
            piece = ""
            async with aclosing(self._calls.received(incoming, messages, context)) as received:
                async for fields in received:
                    if options is None:
                        options = fields.message("options")
                    passages += fields.messages("passages")
                    check_number(passages, self._calls.limits)
                    if piece := fields.text("answer"):
                        break
            chosen = serving.choose_ground(options or b"")
            read = await off_loop(
                incoming.n_bytes, Passages.read, passages, chosen.ground, self._calls.limits
            )
            pieces = _pieces(piece, incoming, messages)
            asked = Asked(serving, chosen, incoming.n_bytes, context)
            parts = self._evidence(asked, read, pieces)
            first = answer_sentences.heading(chosen.reference)
            await write_parts(context, first, _written(parts))

    async def ground_pieces(
        self, asked: Asked, pieces: AsyncIterator[str], passages: Sequence[SourcePassage]
    ) -> AsyncGenerator[list[bytes], None]:
        """Yield sentences as serialised GroundedSentence messages as pieces finish them.

        Raises
        ------
        LimitError
            If the answer and its passages are too long.
        """
        self._incoming().count(asked.n_bytes)
        limits, ground = self._calls.limits, asked.chosen.ground
        read = await off_loop(asked.n_bytes, Passages.of, passages, ground, limits)
        with asked.serving.pool.in_use():
            async with aclosing(self._evidence(asked, read, pieces)) as parts:
                async for part in parts:
                    yield part

    def _incoming(self) -> Incoming:
        return Incoming(
            align_pb2.GroundStreamRequest,
            ("answer",),
            self._calls.limits,
            "the answer and its passages",
            "give fewer or shorter passages",
        )

    async def _evidence(
        self, asked: Asked, passages: Passages, pieces: AsyncIterator[str]
    ) -> AsyncGenerator[list[bytes], None]:
        """Yield the sentences of each window."""
        calls = self._calls
        serving, chosen, n_bytes, context = asked
        held_bytes = HELD * n_bytes + STREAM_BYTES
        held = await calls.hold(serving.pool, held_bytes, context, waits=True)
        try:
            work = calls.work(serving.pool, context)
            async for sentences in _finished(pieces, chosen.ground.offsets):
                sized = answer_sentences.sized(sentences, passages, chosen.options, serving.costs)
                for window in windows(sized, chosen.options, calls.bounds, passages.shared):
                    answers = await work.of_window(window.request)
                    limit = calls.limits.max_response_bytes
                    yield answer_sentences.written(window.items, answers, limit)
        finally:
            held.release()


async def _written(parts: AsyncGenerator[list[bytes], None]) -> AsyncGenerator[list[bytes], None]:
    async with aclosing(parts):
        async for sentences in parts:
            yield fields_of(sentences)


async def _pieces(
    first: str, incoming: Incoming, messages: AsyncIterator[bytes]
) -> AsyncIterator[str]:
    """Yield the pieces of an answer."""
    yield first
    async for data in messages:
        fields = await incoming.read(data)
        if fields.messages("passages"):
            raise BadRequestError(
                "passages after the answer has begun; send them before it",
                reason=ErrorReason.INVALID_INPUT,
                field="passages",
            )
        yield fields.text("answer")


async def _finished(
    pieces: AsyncIterator[str], unit: OffsetUnit
) -> AsyncIterator[list[SentenceSpan]]:
    """Yield the sentences that each piece of an answer finishes, and then the others."""
    answer = GrowingAnswer(unit)
    async for piece in pieces:
        if sentences := await off_loop(answer.n_open + len(piece), answer.add, piece):
            yield sentences
    if sentences := await off_loop(answer.n_open, answer.end):
        yield sentences
