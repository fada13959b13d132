"""Room for the work of the service's methods, and work beside the event loop."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, ParamSpec, Protocol, TypeVar

from tokalign.codec.options import RequestOptions
from tokalign.errors import InputError, LimitError
from tokalign.server.admission import NOTHING_AHEAD, Admission, Admitted, Ahead
from tokalign.server.observe import record
from tokalign.server.observe.memory import MemoryBound
from tokalign.server.quotas import reading_cost
from tokalign.server.requests.answers import Answer
from tokalign.server.requests.request import Request
from tokalign.server.rpc.receiving import Context
from tokalign.server.status import ExpiredError
from tokalign.server.workers.pool import Pool

# Reading or joining so many bytes takes the event loop a few milliseconds at most.
LOOP_BYTES = 1 << 16
# Bytes that are held of each byte of a request that waits to be read: itself, and its fields.
READ = 2

SMALLEST = [
    Request(RequestOptions(), (), (1,), is_interactive=is_interactive)
    for is_interactive in (True, False)
]
"""The least that a call can ask for, of each kind of work."""

P = ParamSpec("P")
Value = TypeVar("Value")


class InTurn:
    """Reads large requests one at a time, for what is made of one may be thirty times as large.

    One that waits for its turn is let in by its bytes.
    """

    def __init__(self, admission: Admission, memory: MemoryBound) -> None:
        self._admission = admission
        self._memory = memory
        self._turn = asyncio.Lock()

    async def read(
        self,
        n_bytes: int,
        context: Context,
        function: Callable[P, Value],
        *args: P.args,
        **kwargs: P.kwargs,
    ) -> Value:
        """Return what a function makes of a request of so many bytes.

        Raises
        ------
        QueueFullError
            If there is no room for its bytes, memory is short, or the caller's quota is used up.
        """
        if n_bytes <= LOOP_BYTES:
            return function(*args, **kwargs)
        call = record.current()
        held = await self._admission.admit(
            0, READ * n_bytes, cost=0, peer=call.peer, caller=call.principal
        )
        try:
            async with self._turn:
                self._memory.check()
                if call.quota and (refusal := call.quota.lack(reading_cost(n_bytes))) is not None:
                    raise refusal
                reading = asyncio.ensure_future(
                    asyncio.to_thread(_forgetting, partial(function, *args, **kwargs))
                )
                try:
                    return await asyncio.shield(reading)
                finally:
                    # The thread goes on where the caller has hung up: its turn lasts as long.
                    await asyncio.wait({reading})
                    del reading  # an error holds this frame
        finally:
            held.release()


def _forgetting(function: Callable[[], Value]) -> Value:
    """Call a function; its errors do not hold its frames, and so all that it made of a request."""
    try:
        return function()
    except InputError as error:
        error.__cause__ = error.__context__ = None
        raise error.with_traceback(None)  # noqa: B904


class Holder(Protocol):
    """What holds room for a request: a call, or a chunk of a stream."""

    @property
    def context(self) -> Context:
        """The call's context."""

    @property
    def waits(self) -> bool:
        """Whether it waits where the server has no room for the request."""

    async def room(self, n_bytes: int) -> None:
        """Wait until it may hold so many bytes itself."""

    def hold(self, admitted: Admitted) -> None:
        """Hold what was let in until the answer is written."""


class UnaryCall:
    """A call with one answer; where the server has no room, it is refused at once."""

    waits = False

    def __init__(self, context: Context) -> None:
        self.context = context

    async def room(self, n_bytes: int) -> None:
        """Return at once: a call has no bounds of its own."""

    def hold(self, admitted: Admitted) -> None:
        """Hold what was let in until the call has ended."""
        release: Any = admitted.release  # grpc's stubs know callbacks by the name of what they take
        self.context.add_done_callback(release)


async def admit(
    admission: Admission,
    pool: Pool,
    request: Request,
    n_bytes: int,
    context: Context,
    *,
    waits: bool,
) -> Admitted:
    """Let a request of a call in that holds so many bytes; see Admission.admit.

    What is beyond the caller's quota is refused, or waits until there is some left.
    """
    costs, call = request.costs, record.current()
    quota = call.quota
    if quota is not None:
        while costs and (refusal := quota.lack(sum(costs))) is not None:
            if not waits:
                raise refusal
            await asyncio.sleep(refusal.retry_after_s)

    return await admission.admit(
        len(costs),
        n_bytes,
        cost=sum(costs),
        peer=call.peer,
        caller=call.principal,
        ahead=partial(_ahead, admission, pool, request, context, waits=waits),
        waits=waits,
        quota=quota,
    )


def check_soonest(admission: Admission, pool: Pool, context: Context) -> None:
    """Raise QueueFullError where a call would be late whatever it asks for: before it is read.

    Raises
    ------
    ExpiredError
        If its deadline has passed already.
    """
    remaining = context.time_remaining()
    if remaining is not None and remaining <= 0:
        raise ExpiredError("the deadline passed before the call was begun; allow more time")
    most = Ahead(pool.most_wait_s(), pool.cost_per_s, remaining)
    if admission.late(most, 1) is None:
        return
    until = deadline(context)
    wait_s = min([pool.wait_s(smallest, until) for smallest in SMALLEST])
    admission.check_time(most._replace(wait_s=wait_s), 1)


def check_time(admission: Admission, pool: Pool, request: Request, context: Context) -> None:
    """Raise QueueFullError if a request would be late, so that it is refused before it is read.

    Under overload most are, and reading costs more than all else that is done for them. The wait is
    that of the line which the request names, so one taken for interactive has to be sure to be, but
    for a ranking or an answer so large that it is bulk work.
    """
    ahead = _ahead(admission, pool, request, context, waits=False)
    admission.check_time(ahead, sum(request.costs))


def _ahead(
    admission: Admission, pool: Pool, request: Request, context: Context, *, waits: bool
) -> Ahead:
    """Return what a request of the current call finds at the workers.

    It is looked up only where the request would be late if all that waits were served before it.
    """
    if not request.costs:
        return NOTHING_AHEAD
    within_s = None if waits else context.time_remaining()
    most = Ahead(pool.most_wait_s(), pool.cost_per_s, within_s)
    if admission.late(most, sum(request.costs)) is None:
        return most
    until = deadline(context)
    beside_s = 0.0 if within_s is None else pool.beside_s(request, until)
    return Ahead(pool.wait_s(request, until), pool.cost_per_s, within_s, beside_s)


async def answered(
    admission: Admission, pool: Pool, holder: Holder, request: Request, n_bytes: int
) -> list[Answer]:
    """Return the answers to a request that holds so many bytes, once it is let in.

    The work counts until it is done, the bytes until the answer is written: a caller who does not
    read holds memory, but no worker.
    """
    held_bytes = n_bytes + request.answer_bytes
    await holder.room(held_bytes)
    admitted = await admit(admission, pool, request, held_bytes, holder.context, waits=holder.waits)
    holder.hold(admitted)
    try:
        answers = await pool.submit(request, deadline(holder.context))
        for answer in answers:
            n_bytes += len(answer.alignment)
    finally:
        admitted.done(n_bytes)
    return answers


@contextlib.contextmanager
def naming_the_stream(name: str) -> Iterator[None]:
    """Say in a LimitError that what is long has a call of its own."""
    try:
        yield
    except LimitError as error:
        error.args = (f"{error}; or call {name}",)
        raise


def deadline(context: Context) -> float | None:
    """Return when a call must have ended, by time.monotonic; None where it has no deadline."""
    remaining = context.time_remaining()
    return None if remaining is None else time.monotonic() + remaining


async def off_loop(
    n_bytes: int, function: Callable[P, Value], *args: P.args, **kwargs: P.kwargs
) -> Value:
    """Call a function, in a thread where it works on many bytes."""
    if n_bytes <= LOOP_BYTES:
        return function(*args, **kwargs)
    return await asyncio.to_thread(function, *args, **kwargs)
