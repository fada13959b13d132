"""Room for bytes that calls hold before their work is known and let in."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator

from tokalign.codec import RequestOptions
from tokalign.server.admission import Admission, Admitted
from tokalign.server.observe.memory import MemoryBound
from tokalign.server.requests.request import Request
from tokalign.server.rpc.receiving import Context
from tokalign.server.rpc.work import admit
from tokalign.server.workers.pool import Pool


class ByteRoom:
    """Lets bytes in, or refuses their call.

    Parameters
    ----------
    admission : Admission
    memory : MemoryBound
    """

    def __init__(self, admission: Admission, memory: MemoryBound) -> None:
        self._admission = admission
        self._memory = memory

    async def admit(self, pool: Pool, n_bytes: int, context: Context, *, waits: bool) -> Admitted:
        """Let in bytes that a call holds until they are released."""
        self._memory.check()
        no_work = Request(RequestOptions(), (), ())
        return await admit(self._admission, pool, no_work, n_bytes, context, waits=waits)

    async def received(
        self, messages: AsyncIterator[bytes], context: Context
    ) -> AsyncGenerator[bytes, None]:
        """Yield messages of a stream; those before are held until this is closed."""
        held: list[Admitted] = []
        try:
            async for data in messages:
                self._memory.check()
                held.append(await self._admission.admit(0, len(data), cost=0, peer=context.peer()))
                yield data
        finally:
            for each in held:
                each.release()
