"""The status that a server gave a call of grpc.aio, where grpc.aio has put another in its place.

Where a message is written to a call that the server has just ended, the write fails, and grpc.aio
gives the call the status INTERNAL, before or after that of the server (grpc/grpc#36066).
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Coroutine
from typing import Any

import grpc
import grpc.aio

WAIT_S = 1.0
POLL_S = 0.001
_NOT_WRITTEN = "Internal error from Core"


class Statuses:
    """The statuses of a call, each noted when the call gets it.

    Parameters
    ----------
    call : grpc.aio.Call
    """

    def __init__(self, call: Any) -> None:
        self._seen: list[grpc.aio.AioRpcError] = []
        call.add_done_callback(self._note)

    def _note(self, call: Any) -> None:
        code, details, trailing = map(_now, (call.code(), call.details(), call.trailing_metadata()))
        if code is not grpc.StatusCode.OK:
            error = grpc.aio.AioRpcError(code, grpc.aio.Metadata(), trailing, details)
            self._seen.append(error)

    async def of_server(self, error: grpc.aio.AioRpcError) -> grpc.aio.AioRpcError:
        """Return the error with the server's status, or as it is if that does not come."""
        ends_at = time.monotonic() + WAIT_S
        while error.details() == _NOT_WRITTEN and time.monotonic() < ends_at:
            given = (each for each in self._seen if each.details() != _NOT_WRITTEN)
            error = next(given, error)
            await asyncio.sleep(POLL_S)
        return error


def _now(value: Coroutine[Any, Any, Any]) -> Any:
    """Return what a coroutine returns that does not wait, since the call has its status."""
    try:
        value.send(None)
    except StopIteration as returned:
        return returned.value
    value.close()
    raise RuntimeError("a call that is done has no status")
