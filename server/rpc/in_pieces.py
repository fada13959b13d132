"""Calls on long inputs, in pieces: what those that align texts and those that ground answers share.

What a call holds is let in once, by its bytes; then its pairs go to the workers in windows, one
after another, each of which waits for room. What waits for room for its bytes holds none of the
others' work: so such calls cannot keep one another waiting for ever.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator, Iterable, Sequence
from contextlib import aclosing

from google.protobuf.message import Message
from tokalign.codec.options import RequestOptions
from tokalign.codec.servers import ErrorReason
from tokalign.errors import LimitError
from tokalign.server.admission import Admission, Admitted
from tokalign.server.config import RequestLimits
from tokalign.server.observe import record
from tokalign.server.observe.memory import MemoryBound
from tokalign.server.requests.answers import Answer
from tokalign.server.requests.request import Bounds, Request
from tokalign.server.requests.wire import RequestFields
from tokalign.server.rpc.receiving import Context
from tokalign.server.rpc.streams import STREAM_BYTES
from tokalign.server.rpc.work import admit, deadline, off_loop
from tokalign.server.status import RequestLimitError, failure_of
from tokalign.server.workers.pool import Pool

# Keeps some workers busy for a while. Then others take their turn.
WINDOW_COST = 4_000
# A message of an answer in parts is written once it has so many bytes.
MESSAGE_BYTES = 512 << 10


class CallsInPieces:
    """Lets in the bytes and the work of calls on long inputs."""

    def __init__(self, limits: RequestLimits, admission: Admission, memory: MemoryBound) -> None:
        self.limits = limits
        self.admission = admission
        self.memory = memory

    @property
    def bounds(self) -> Bounds:
        """The bounds of a window."""
        cost = min(WINDOW_COST, self.admission.max_request_cost)
        return Bounds(self.limits.max_pairs, cost, STREAM_BYTES)

    async def hold(self, pool: Pool, n_bytes: int, context: Context, *, waits: bool) -> Admitted:
        """Let in bytes that a call holds until they are released."""
        self.memory.check()
        no_work = Request(RequestOptions(), (), ())
        return await admit(self.admission, pool, no_work, n_bytes, context, waits=waits)

    async def received(
        self, incoming: Incoming, messages: AsyncIterator[bytes], context: Context
    ) -> AsyncGenerator[RequestFields, None]:
        """Yield the messages of a stream; the bytes of those before are held until this ends."""
        held: list[Admitted] = []
        try:
            async for data in messages:
                self.memory.check()
                admitted = await self.admission.admit(
                    0,
                    len(data),
                    cost=0,
                    peer=context.peer(),
                    caller=record.current().principal,
                )
                held.append(admitted)
                yield await incoming.read(data)
        finally:
            for each in held:
                each.release()

    def work(self, pool: Pool, context: Context) -> CallWork:
        """Return what has the pairs of a call aligned."""
        return CallWork(self.admission, pool, context)


class Incoming:
    """Reads the messages of a stream.

    Parameters
    ----------
    texts : sequence of str
        The fields that hold pieces of texts.
    what, advice : str
        What the messages hold, and what to do where it is too much, for the error.

    Attributes
    ----------
    n_bytes : int
        Of all messages so far.
    """

    def __init__(
        self,
        kind: type[Message],
        texts: Sequence[str],
        limits: RequestLimits,
        what: str,
        advice: str,
    ) -> None:
        self.n_bytes = 0
        self._kind = kind
        self._texts = texts
        self._limits = limits
        self._what = what
        self._advice = advice

    def count(self, n_bytes: int) -> None:
        """Count bytes; LimitError if there are more than there may be."""
        self.n_bytes += n_bytes
        most = self._limits.max_text_bytes
        if self.n_bytes > most:
            raise RequestLimitError(
                f"{self._what} have more than {most} bytes together (max_text_bytes); "
                f"{self._advice}",
                reason=ErrorReason.TEXT_TOO_LARGE,
            )

    async def read(self, data: bytes) -> RequestFields:
        """Return the fields of a message.

        Raises
        ------
        InputError
            If the bytes are no such message, or a piece is not UTF-8.
        LimitError
            If there are more bytes than there may be.
        """
        self.count(len(data))
        return await off_loop(len(data), self._fields, data)

    def _fields(self, data: bytes) -> RequestFields:
        fields = RequestFields(self._kind, data, self._limits.max_pairs)
        for name in self._texts:
            fields.check_text(name)
        return fields


class CallWork:
    """The work of one call, whose bytes are counted already."""

    def __init__(self, admission: Admission, pool: Pool, context: Context) -> None:
        self._admission = admission
        self._pool = pool
        self._context = context

    async def answers(self, request: Request, *, waits: bool) -> list[Answer]:
        """Return the answers for pairs, once there is room for their work."""
        admitted = await admit(self._admission, self._pool, request, 0, self._context, waits=waits)
        try:
            return await self._pool.submit(request, deadline(self._context))
        finally:
            admitted.release()

    async def of_window(self, request: Request) -> list[Answer]:
        """Return the answers for the pairs of a window, which waits for room."""
        try:
            return await self.answers(request, waits=True)
        except LimitError as error:
            # A single pair costs more than any request may.
            return [Answer.failed(failure_of(error))] * len(request.pairs)


async def write_parts(
    context: Context, first: bytes, parts: AsyncGenerator[Sequence[bytes], None]
) -> None:
    """Write fields of an answer as they come, the first ones after `first`."""
    async with aclosing(parts):
        async for part in parts:
            await _write(context, [first, *part] if first else part)
            first = b""
    if first:
        await context.write(first)


async def _write(context: Context, fields: Iterable[bytes]) -> None:
    """Write fields in messages of about MESSAGE_BYTES, or of one larger field."""
    message: list[bytes] = []
    n_bytes = 0
    for field in fields:
        if message and n_bytes + len(field) > MESSAGE_BYTES:
            await context.write(b"".join(message))
            message, n_bytes = [], 0
        message.append(field)
        n_bytes += len(field)
    if message:
        await context.write(b"".join(message))
