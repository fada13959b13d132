"""The work of calls in windows, and that on two texts: sentences are compared, blocks aligned.

A text in one call is compared at once and aligned at once, so the limits of a request hold for each
of both. A streamed one goes in windows, one after another, each of which waits for room.
"""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Iterator
from typing import TypeVar

from tokalign.codec import RequestOptions
from tokalign.codec.reasons import ErrorReason
from tokalign.errors import LimitError
from tokalign.server.admission import Admission
from tokalign.server.config import RequestLimits
from tokalign.server.requests import texts
from tokalign.server.requests.answers import Answer
from tokalign.server.requests.request import Request
from tokalign.server.requests.texts import Comparisons, ItemTexts
from tokalign.server.requests.windows import Bounds, Window, windows
from tokalign.server.rpc.receiving import Context
from tokalign.server.rpc.serving import Serving
from tokalign.server.rpc.streams import STREAM_BYTES
from tokalign.server.rpc.work import admit, deadline
from tokalign.server.status import RequestLimitError, failure_of
from tokalign.server.workers.pool import Pool
from tokalign.texts.plan import TextPlan

# Keeps some workers busy for a while. Then others take their turn.
WINDOW_COST = 4_000

Item = TypeVar("Item")


def bounds(limits: RequestLimits, admission: Admission) -> Bounds:
    """Return the bounds of a stream's windows."""
    return Bounds(limits.max_pairs, min(WINDOW_COST, admission.max_request_cost), STREAM_BYTES)


class CallWork:
    """The work of one call, whose bytes are counted already.

    Parameters
    ----------
    admission : Admission
    pool : Pool
    context : Context
    """

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


class TextWork(ABC):
    """The work on one pair of texts.

    Parameters
    ----------
    admission : Admission
    serving : Serving
    options : RequestOptions
    context : Context
    """

    def __init__(
        self, admission: Admission, serving: Serving, options: RequestOptions, context: Context
    ) -> None:
        self._admission = admission
        self._costs = serving.costs
        self._limits = serving.costs.limits
        self._options = options
        self._work = CallWork(admission, serving.pool, context)

    @abstractmethod
    def _windows(self, items: ItemTexts[Item], options: RequestOptions) -> Iterator[Window[Item]]:
        """Yield items in windows."""

    @abstractmethod
    async def _answers(self, request: Request, *, has_begun: bool) -> list[Answer]:
        """Return the answers for the pairs of a window, once there is room for its work."""

    async def blocks(self, plan: TextPlan) -> AsyncIterator[list[bytes]]:
        """Yield the blocks of each window in order, as fields of an AlignTextsResponse."""
        compared = Comparisons()
        compare = texts.comparing(self._options)
        candidates = zip(plan.candidates, plan.pairs(), strict=True)
        async for some, answers in self._answered(candidates, compare, has_begun=False):
            compared.add(some, answers)
        decided = await asyncio.to_thread(plan.decide, compared.similarities)
        items = texts.block_items(plan, decided)
        async for blocks, answers in self._answered(items, self._options, has_begun=True):
            limit = self._limits.max_response_bytes
            yield await asyncio.to_thread(texts.written, blocks, answers, compared, limit)

    async def _answered(
        self, items: ItemTexts[Item], options: RequestOptions, *, has_begun: bool
    ) -> AsyncIterator[tuple[list[Item], list[Answer]]]:
        """Yield the items of each window with the answers for their pairs."""
        pending = self._windows(items, options)
        while (window := await asyncio.to_thread(next, pending, None)) is not None:
            yield window.items, await self._answers(window.request, has_begun=has_begun)


class WholeWork(TextWork):
    """The work on texts in one call: the comparisons are one request, the blocks another."""

    def check(self, plan: TextPlan) -> None:
        """Raise LimitError if there is more to compare than a request may have."""
        limit = self._limits.max_pairs
        if len(plan.candidates) > limit:
            raise RequestLimitError(
                f"{len(plan.candidates)} pairs of sentences to compare; the server takes at most "
                f"{limit} per request: align shorter texts",
                reason=ErrorReason.TOO_MANY_ITEMS,
            )

    def _windows(self, items: ItemTexts[Item], options: RequestOptions) -> Iterator[Window[Item]]:
        yield texts.whole(items, options, self._costs)

    async def _answers(self, request: Request, *, has_begun: bool) -> list[Answer]:
        # A call that was let in is not refused any more: half of its work is done.
        return await self._work.answers(request, waits=has_begun)


class WindowedWork(TextWork):
    """The work on texts of a stream."""

    def _windows(self, items: ItemTexts[Item], options: RequestOptions) -> Iterator[Window[Item]]:
        sized = texts.sized(items, options, self._costs)
        return windows(sized, options, bounds(self._limits, self._admission))

    async def _answers(self, request: Request, *, has_begun: bool) -> list[Answer]:
        return await self._work.of_window(request)
