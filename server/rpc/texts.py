"""AlignTexts and AlignTextsStream: two texts are read, planned, aligned, and answered in order.

The bytes of texts are let in once, with those of a window of their pairs (see windows.py). What
waits for room holds none: so texts cannot keep one another waiting for ever.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import aclosing

from tokalign.codec.reasons import ErrorReason
from tokalign.server.admission import Admission
from tokalign.server.config import RequestLimits
from tokalign.server.observe.memory import MemoryBound
from tokalign.server.requests.cost import Size, answer_bytes
from tokalign.server.requests.texts import heading
from tokalign.server.requests.wire import RequestFields
from tokalign.server.rpc.byte_room import ByteRoom
from tokalign.server.rpc.receiving import Context
from tokalign.server.rpc.serving import Serving
from tokalign.server.rpc.streams import STREAM_BYTES
from tokalign.server.rpc.windows import WholeWork, WindowedWork
from tokalign.server.rpc.work import (
    LOOP_BYTES,
    UnaryCall,
    naming_the_stream,
    off_loop,
    write_parts,
)
from tokalign.server.status import RequestLimitError
from tokalign.texts.plan import TextPlan
from tokalign.types.options import AlignOptions
from tokalign.v1 import align_pb2

# Bytes that are held of each byte of a text: itself, its sentences, and the plan.
HELD = 6
# Of a token, with the space after it.
_TOKEN_CHARACTERS = 5


class TextService:
    """Answers the calls that align texts.

    Parameters
    ----------
    limits : RequestLimits
    admission : Admission
    memory : MemoryBound
    """

    def __init__(self, limits: RequestLimits, admission: Admission, memory: MemoryBound) -> None:
        self._limits = limits
        self._admission = admission
        self._room = ByteRoom(admission, memory)
        # Large texts are planned one at a time, so that the event loop shares the interpreter with
        # one of them alone.
        self._planner = ThreadPoolExecutor(1, "tokalign-texts")

    async def answer(self, serving: Serving, data: bytes, context: Context) -> bytes:
        """Return the answer of AlignTexts.

        Raises
        ------
        LimitError
            If the texts are too long for one call; it names the stream.
        """
        pieces = _Pieces(self._limits.max_request_bytes)
        fields = await off_loop(len(data), pieces.add, align_pb2.AlignTextsRequest, data)
        options, model = serving.choose(fields.message("options"))
        answered = min(_answer_bytes(len(data), options.align), self._limits.max_response_bytes)
        held_bytes = HELD * len(data) + answered
        held = await self._room.admit(serving.pool, held_bytes, context, waits=False)
        UnaryCall(context).hold(held)
        plan = await self._plan(pieces)
        work = WholeWork(self._admission, serving, options, context)
        with serving.pool.in_use(), naming_the_stream("AlignTextsStream"):
            work.check(plan)
            blocks = [block async for part in work.blocks(plan) for block in part]
        return await off_loop(
            len(data),
            lambda: heading(plan, options.align.offsets, model) + b"".join(blocks),
        )

    async def stream(
        self, serving: Serving, messages: AsyncIterator[bytes], context: Context
    ) -> None:
        """Read the texts of AlignTextsStream and write the answer."""
        with serving.pool.in_use():
            pieces = _Pieces(self._limits.max_text_bytes)
            options, model = serving.choose(await self._receive(pieces, messages, context))
            held_bytes = HELD * pieces.n_bytes + STREAM_BYTES
            held = await self._room.admit(serving.pool, held_bytes, context, waits=True)
            try:
                plan = await self._plan(pieces)
                first = await asyncio.to_thread(heading, plan, options.align.offsets, model)
                work = WindowedWork(self._admission, serving, options, context)
                await write_parts(context, first, work.blocks(plan))
            finally:
                held.release()

    async def _receive(
        self, pieces: _Pieces, messages: AsyncIterator[bytes], context: Context
    ) -> bytes:
        """Read all pieces, and return the serialised options of the first."""
        options: bytes | None = None
        async with aclosing(self._room.received(messages, context)) as received:
            async for data in received:
                fields = await off_loop(
                    len(data), pieces.add, align_pb2.AlignTextsStreamRequest, data
                )
                if options is None:
                    options = fields.message("options")
        return options or b""

    async def _plan(self, pieces: _Pieces) -> TextPlan:
        """Return the plan for the texts, which are then held by it alone."""
        planner = self._planner if pieces.n_bytes > LOOP_BYTES else None
        return await asyncio.get_running_loop().run_in_executor(
            planner, lambda: TextPlan.of(*pieces.taken())
        )


class _Pieces:
    """Texts as they arrive.

    Parameters
    ----------
    max_bytes : int

    Attributes
    ----------
    n_bytes : int
        Of all messages so far.
    """

    def __init__(self, max_bytes: int) -> None:
        self.n_bytes = 0
        self._max_bytes = max_bytes
        self._old: list[str] = []
        self._new: list[str] = []

    def add(
        self,
        kind: type[align_pb2.AlignTextsRequest] | type[align_pb2.AlignTextsStreamRequest],
        data: bytes,
    ) -> RequestFields:
        """Take a message and return its fields.

        Raises
        ------
        InputError
            If it is none, or holds what is no text.
        LimitError
            If there are more bytes than there may be.
        """
        self.n_bytes += len(data)
        if self.n_bytes > self._max_bytes:
            raise RequestLimitError(
                f"both texts have more than {self._max_bytes} bytes together (max_text_bytes); "
                "align parts of them",
                reason=ErrorReason.TEXT_TOO_LARGE,
            )
        fields = RequestFields(kind, data, 0)
        for name, text in (("old_text", self._old), ("new_text", self._new)):
            fields.check_text(name)
            text.append(fields.text(name))
        return fields

    def taken(self) -> tuple[str, str]:
        """Return the old and the new text, and forget them."""
        texts = "".join(self._old), "".join(self._new)
        self._old, self._new = [], []
        return texts


def _answer_bytes(n_bytes: int, options: AlignOptions) -> int:
    """Return about how many bytes the answer for texts of so many takes."""
    n_tokens = n_bytes // (2 * _TOKEN_CHARACTERS)
    return sum(answer_bytes([Size.usual(n_tokens, n_tokens)], options))
