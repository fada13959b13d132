"""AlignStream's bounds: chunks at once, bytes unwritten, and no reading ahead of admission.

A stream whose caller does not read its answers, or for which the server has no room now, is slowed
down rather than refused: its next chunk stays in the caller's flow-control window.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable

from tokalign.server.admission import Admitted
from tokalign.server.rpc.receiving import Context

# A chunk begins only where the stream holds no more than this with it, or nothing else: requests,
# what their answers will take, and answers that are not written.
STREAM_BYTES = 2 << 20

Align = Callable[[bytes, "Chunk"], Awaitable[bytes]]


class Stream:
    """One call of AlignStream.

    Parameters
    ----------
    context : Context
    max_chunks : int
        In work or unwritten at once.
    """

    def __init__(self, context: Context, max_chunks: int) -> None:
        self._context = context
        self._max_chunks = max_chunks
        self._writing = asyncio.Lock()
        self._chunks: set[Chunk] = set()
        self._changed = asyncio.Event()

    async def answer(self, messages: AsyncIterator[bytes], align: Align) -> None:
        """Answer chunks as they are done.

        Parameters
        ----------
        messages : async iterator of bytes
            None is asked for before the one before has been let in.
        align : callable taking bytes and a Chunk
            Returns the answer; awaits the chunk's `room` and calls its `begin` for what it holds.
        """
        async with asyncio.TaskGroup() as tasks:
            async for data in messages:
                chunk = Chunk(self)
                self._chunks.add(chunk)
                tasks.create_task(self._answer(chunk, data, align))
                await chunk.begun.wait()
                await self._until(lambda: len(self._chunks) < self._max_chunks)

    async def _answer(self, chunk: Chunk, data: bytes, align: Align) -> None:
        try:
            # What a chunk holds of the queue is held until its answer is written.
            with chunk.held:
                answer = await align(data, chunk)
                async with self._writing:
                    await self._context.write(answer)
        finally:
            chunk.begun.set()
            self._chunks.discard(chunk)
            self.changed()

    async def has_room(self, n_bytes: int) -> None:
        """Wait until a chunk may be begun."""
        await self._until(lambda: not self._n_bytes or self._n_bytes + n_bytes <= STREAM_BYTES)

    def changed(self) -> None:
        """Look again at what is waited for."""
        self._changed.set()

    @property
    def _n_bytes(self) -> int:
        return sum(chunk.n_bytes for chunk in self._chunks)

    async def _until(self, is_met: Callable[[], bool]) -> None:
        while not is_met():
            self._changed.clear()
            await self._changed.wait()


class Chunk:
    """A message of a stream, from its arrival until its answer is written.

    Attributes
    ----------
    held : contextlib.ExitStack
        Closed then.
    begun : asyncio.Event
        Set once it has been let in, or refused.
    """

    def __init__(self, stream: Stream) -> None:
        self.held = contextlib.ExitStack()
        self.begun = asyncio.Event()
        self._stream = stream
        self._admitted: Admitted | None = None

    @property
    def n_bytes(self) -> int:
        """What it holds of the queue."""
        return self._admitted.n_bytes if self._admitted else 0

    async def room(self, n_bytes: int) -> None:
        """Wait until the stream holds little enough for a chunk of so many bytes."""
        await self._stream.has_room(n_bytes)

    def begin(self, admitted: Admitted) -> Admitted:
        """Hold what the chunk was given until its answer is written."""
        self._admitted = self.held.enter_context(admitted)
        self.begun.set()
        return admitted
