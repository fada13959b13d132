"""Ground and GroundStream: passages are read, then sentences of an answer grounded in order.

A stream holds its passages from the first piece of its answer on. Each of its sentences is let in,
and answered, as soon as it is finished; the next piece is read after that, so a caller who does not
read is slowed down.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from contextlib import aclosing
from typing import NamedTuple

from tokalign.codec.reasons import ErrorReason
from tokalign.server.admission import Admission
from tokalign.server.config import RequestLimits
from tokalign.server.observe.memory import MemoryBound
from tokalign.server.requests import grounding
from tokalign.server.requests.grounding import GrowingAnswer, Passages, check_number
from tokalign.server.requests.request import cheapest
from tokalign.server.requests.windows import Bounds, Window, windows
from tokalign.server.requests.wire import RequestFields
from tokalign.server.rpc.byte_room import ByteRoom
from tokalign.server.rpc.receiving import Context
from tokalign.server.rpc.serving import Serving
from tokalign.server.rpc.streams import STREAM_BYTES
from tokalign.server.rpc.windows import CallWork, bounds
from tokalign.server.rpc.work import (
    UnaryCall,
    answered,
    check_time,
    naming_the_stream,
    off_loop,
    write_parts,
)
from tokalign.server.status import BadRequestError, RequestLimitError
from tokalign.types.options import OffsetUnit
from tokalign.types.texts import SentenceSpan
from tokalign.v1 import align_pb2

# Bytes that are held of each byte of an answer and its passages: itself, and what workers get.
HELD = 3


class GroundService:
    """Answers the calls that ground answers.

    Parameters
    ----------
    limits : RequestLimits
    admission : Admission
    memory : MemoryBound
    """

    def __init__(self, limits: RequestLimits, admission: Admission, memory: MemoryBound) -> None:
        self._limits = limits
        self._admission = admission
        self._memory = memory
        self._room = ByteRoom(admission, memory)

    async def answer(self, serving: Serving, data: bytes, context: Context) -> bytes:
        """Return the answer of Ground.

        Raises
        ------
        InputError
            If the passages or the options are at fault.
        LimitError
            If the answer or the passages are too long for one call.
        """
        limits, n_bytes = self._limits, len(data)
        fields = await off_loop(
            n_bytes, RequestFields, align_pb2.GroundRequest, data, limits.max_pairs
        )
        options, model = serving.choose_ground(fields.message("options"))
        assert options.ground is not None
        check_time(self._admission, serving.pool, cheapest(options, 1), context)
        fields.check_text("answer")
        with naming_the_stream("GroundStream"):
            passages = await off_loop(
                n_bytes, Passages.read, fields.messages("passages"), options.ground, limits
            )
            sentences = await off_loop(
                n_bytes,
                grounding.answer_sentences,
                fields.text("answer"),
                options.ground.offsets,
                limits,
            )
            request = await off_loop(
                n_bytes, grounding.whole, sentences, passages, options, serving.costs
            )
            self._memory.check()
            answers = await answered(
                self._admission, serving.pool, UnaryCall(context), request, HELD * n_bytes
            )
        written = await off_loop(
            request.answer_bytes, grounding.written, sentences, answers, limits.max_response_bytes
        )
        return b"".join(written) + grounding.heading(model)

    async def stream(
        self, serving: Serving, messages: AsyncIterator[bytes], context: Context
    ) -> None:
        """Read the passages of GroundStream, then its answer, and write the evidence."""
        with serving.pool.in_use():
            pieces = _Pieces(self._limits)
            head = await self._head(pieces, messages, context)
            options, model = serving.choose_ground(head.options)
            assert options.ground is not None
            passages = await off_loop(
                pieces.n_bytes, Passages.read, head.passages, options.ground, self._limits
            )
            held_bytes = HELD * pieces.n_bytes + STREAM_BYTES
            held = await self._room.admit(serving.pool, held_bytes, context, waits=True)
            try:
                work = CallWork(self._admission, serving.pool, context)
                first = grounding.heading(model)
                answer = pieces.answer(head.answer, messages)
                async for sentences in _finished(answer, options.ground.offsets):
                    sized = grounding.sized(sentences, passages, options, serving.costs)
                    pending = windows(sized, options, self._bounds(), passages.shared)
                    await write_parts(context, first, self._written(pending, work))
                    first = b""
                if first:
                    await context.write(first)
            finally:
                held.release()

    async def _written(
        self, pending: Iterator[Window[SentenceSpan]], work: CallWork
    ) -> AsyncIterator[list[bytes]]:
        """Yield the sentences of each window, as fields of a GroundResponse."""
        for window in pending:
            answers = await work.of_window(window.request)
            limit = self._limits.max_response_bytes
            yield grounding.written(window.items, answers, limit)

    def _bounds(self) -> Bounds:
        return bounds(self._limits, self._admission)

    async def _head(
        self, pieces: _Pieces, messages: AsyncIterator[bytes], context: Context
    ) -> _Head:
        """Read the messages up to the first piece of the answer."""
        options: bytes | None = None
        passages: list[bytes] = []
        answer = ""
        async with aclosing(self._room.received(messages, context)) as received:
            async for data in received:
                fields = await off_loop(len(data), pieces.read, data)
                if options is None:
                    options = fields.message("options")
                passages += fields.messages("passages")
                check_number(passages, self._limits)
                if answer := fields.text("answer"):
                    break
        return _Head(options or b"", passages, answer)


class _Head(NamedTuple):
    """What a stream begins with: serialised GroundOptions, passages, and a piece of the answer."""

    options: bytes
    passages: list[bytes]
    answer: str


class _Pieces:
    """Reads the messages of a stream.

    Attributes
    ----------
    n_bytes : int
        Of all messages so far.
    """

    def __init__(self, limits: RequestLimits) -> None:
        self.n_bytes = 0
        self._limits = limits

    def read(self, data: bytes) -> RequestFields:
        """Return the fields of a message.

        Raises
        ------
        InputError
            If it is none, or its piece of the answer is no text.
        LimitError
            If there are more bytes than there may be.
        """
        self.n_bytes += len(data)
        most = self._limits.max_text_bytes
        if self.n_bytes > most:
            raise RequestLimitError(
                f"the answer and its passages have more than {most} bytes together "
                "(max_text_bytes); give fewer or shorter passages",
                reason=ErrorReason.TEXT_TOO_LARGE,
            )
        fields = RequestFields(align_pb2.GroundStreamRequest, data, self._limits.max_pairs)
        fields.check_text("answer")
        return fields

    async def answer(self, first: str, messages: AsyncIterator[bytes]) -> AsyncIterator[str]:
        """Yield the pieces of the answer."""
        yield first
        async for data in messages:
            fields = await off_loop(len(data), self.read, data)
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
