"""AlignStream: chunks at once, unwritten bytes, and no reading ahead of admission, all bounded.

A stream whose caller does not read its answers, or for which the server has no room now, is slowed
down rather than refused: its next chunk stays in the caller's flow-control window.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import TypeVar

from tokalign.server.admission import Admitted
from tokalign.server.rpc.receiving import Context

Data = TypeVar("Data")

# A chunk begins only where the stream holds no more than this with it, or nothing else. Requests
# count, and what their answers will take, and answers that are not written.
STREAM_BYTES = 2 << 20


class AlignStream:
    """One call of AlignStream.

    Parameters
    ----------
    max_chunks : int
        In work or unwritten at once.
    """

    def __init__(self, context: Context, max_chunks: int) -> None:
        self.context = context
        self._max_chunks = max_chunks
        self._writing = asyncio.Lock()
        self._chunks: set[Chunk] = set()
        self._changed = asyncio.Event()

    async def answer(
        self, messages: AsyncIterator[Data], align: Callable[[Data, Chunk], Awaitable[bytes]]
    ) -> None:
        """Answer chunks as they are done.

        Parameters
        ----------
        messages : async iterator
            What each chunk holds. The next is asked for once the one before has been let in.
        align : callable taking what a chunk holds, and a Chunk
            Returns what is written as its answer. The chunk holds the room for it.
        """
        async with asyncio.TaskGroup() as tasks:
            async for data in messages:
                chunk = Chunk(self)
                self._chunks.add(chunk)
                tasks.create_task(self._answer(chunk, data, align))
                await chunk.begun.wait()
                await self._until(lambda: len(self._chunks) < self._max_chunks)

    async def _answer(
        self, chunk: Chunk, data: Data, align: Callable[[Data, Chunk], Awaitable[bytes]]
    ) -> None:
        try:
            answer = await align(data, chunk)
            async with self._writing:
                await self.context.write(answer)
        finally:
            chunk.end()
            self._chunks.discard(chunk)
            self._changed.set()

    async def room(self, n_bytes: int) -> None:
        """Wait until a chunk of so many bytes may be begun."""
        await self._until(lambda: not self._n_bytes or self._n_bytes + n_bytes <= STREAM_BYTES)

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
    context : Context
        Of the stream.
    waits : bool
        Whether it waits where the server has no room for it.
    begun : asyncio.Event
        Set once it has been let in, or refused.
    """

    waits = True

    def __init__(self, stream: AlignStream) -> None:
        self.context = stream.context
        self.begun = asyncio.Event()
        self._stream = stream
        self._admitted: Admitted | None = None

    @property
    def n_bytes(self) -> int:
        """Bytes that it holds."""
        return self._admitted.n_bytes if self._admitted else 0

    async def room(self, n_bytes: int) -> None:
        """Wait until the stream holds few enough bytes for a chunk of so many."""
        await self._stream.room(n_bytes)

    def hold(self, admitted: Admitted) -> None:
        """Hold what the chunk was given until its answer is written."""
        self._admitted = admitted
        self.begun.set()

    def end(self) -> None:
        """Let go of what it holds."""
        if self._admitted is not None:
            self._admitted.release()
        self.begun.set()
