"""Admission: how much may wait or run at once. More is refused at once, or waits to be let in.

Callers have equal shares of it. One alone may hold all; as soon as others come, they are let in
beyond the limit within their shares, and then the one that holds more than its share is not.
"""

from __future__ import annotations

import asyncio
import math
from collections import OrderedDict
from collections.abc import Callable
from typing import NamedTuple

from tokalign.codec.servers import ErrorReason
from tokalign.server.quotas import Quota
from tokalign.server.requests.cost import UNIT_US
from tokalign.server.requests.request import SMALL_COST
from tokalign.server.status import QueueFullError, RequestLimitError

SMALL_BYTES = 128 << 10
RESERVE = 10
SHORTEST_RETRY_S = 0.01
LONGEST_RETRY_S = 5.0
# So much of a limit is kept beside it for callers within their shares.
BESIDE = 0.5
# What ends in this share of the time that is left, less what an answer takes to be written, is
# taken to end in time.
PROMPT = 0.85
ANSWER_S = 0.005


def max_request_cost(max_cost: int) -> int:
    """Return the most that a request larger than SMALL_COST may cost."""
    return max_cost - max_cost // RESERVE


class Ahead(NamedTuple):
    """What a request finds at the workers.

    Attributes
    ----------
    wait_s : float
        How long they will take for what is served before it.
    cost_per_s : float
        Work that they do per second.
    within_s : float or None
        In how many seconds the request must be answered, where it has a deadline.
    beside_s : float
        How long they will work for other callers while the request is served.
    """

    wait_s: float = 0.0
    cost_per_s: float = 1e6 / UNIT_US
    within_s: float | None = None
    beside_s: float = 0.0


NOTHING_AHEAD = Ahead()


class Admission:
    """Counts the pairs, the cost and the bytes of the requests that were let in.

    Parameters
    ----------
    max_cost, max_bytes : int
        Most typical pairs (see requests/cost.py) and bytes, and half as much again for callers that
        hold no more than their shares. A tenth of the cost is kept for requests of at most
        SMALL_COST. A request of at most SMALL_BYTES whose connection holds no more is let in beyond
        the bytes, so that large requests of others do not shut it out; the number of connections
        bounds that.
    max_wait_s : float
        Requests are refused that would wait longer for a worker.

    Attributes
    ----------
    pairs : int
        Of admitted requests that are not done.
    waiting_bytes : int
        Of requests that wait to be let in, at most `max_bytes`.
    max_request_cost : int
        Most that one request may cost.
    """

    def __init__(
        self,
        max_cost: int,
        max_bytes: int,
        max_wait_s: float = math.inf,
    ) -> None:
        self.pairs = 0
        self.waiting_bytes = 0
        self.max_request_cost = max_request_cost(max_cost)
        self._max_cost = max_cost
        self._max_bytes = max_bytes
        self._max_wait_s = max_wait_s
        self._work, self._bytes, self._of_peers = _Room(), _Room(), _Room()

    @property
    def cost(self) -> int:
        """Typical pairs of admitted requests that are not done."""
        return self._work.held

    @property
    def bytes(self) -> int:
        """Bytes of admitted requests and their answers, until these are written."""
        return self._bytes.held

    async def admit(
        self,
        n_pairs: int,
        n_bytes: int,
        *,
        cost: int | None = None,
        peer: str = "",
        caller: str = "",
        ahead: Callable[[], Ahead] = lambda: NOTHING_AHEAD,
        waits: bool = False,
        quota: Quota | None = None,
    ) -> Admitted:
        """Let a request in, and return what counts it until it is released.

        Parameters
        ----------
        n_pairs, n_bytes : int
            Of the request. The bytes are with those that its answer will take; 0 where another
            admission counts them.
        cost : int, optional
            By default that of as many typical pairs.
        peer : str
            The connection that it came by.
        caller : str
            Whose share it is part of.
        ahead : callable returning Ahead
            What is served before it.
        waits : bool
            Whether it waits where there is no room now. Then the callers that hold least are let in
            first, and the requests of one as they came.
        quota : Quota, optional
            Charged once the request is let in.

        Raises
        ------
        LimitError
            If the request costs more than any may.
        QueueFullError
            If there is no room now and the request does not wait, too many bytes wait already, or
            it would be answered after its deadline. It says when trying again is worth it.
        """
        cost = n_pairs if cost is None else cost
        room: _Room | None = None
        while (lack := self._lack(n_bytes, ahead(), cost, peer, caller)) is not None:
            wanted, refusal = lack
            if not waits or (room is None and self.waiting_bytes + n_bytes > self._max_bytes):
                raise refusal
            is_first = wanted is room
            if room is not None and not is_first:
                room.next()
            room = wanted
            self.waiting_bytes += n_bytes
            try:
                await room.turn(caller, cost if room is self._work else n_bytes, is_first)
            finally:
                self.waiting_bytes -= n_bytes
        if room is not None:
            room.next()
        return Admitted(self, n_pairs, n_bytes, cost, peer, quota, caller)

    def _lack(
        self, n_bytes: int, ahead: Ahead, cost: int, peer: str, caller: str
    ) -> tuple[_Room, QueueFullError] | None:
        """Return why a request cannot be let in now, and for what it may wait; None if it can."""
        cost_per_s = ahead.cost_per_s
        if cost > self.max_request_cost:
            raise RequestLimitError(
                f"the request costs as much as {cost} typical pairs; the server takes at most "
                f"{self.max_request_cost}: send fewer or shorter pairs, or ask for less of each",
                reason=ErrorReason.REQUEST_TOO_COSTLY,
            )
        # Bulk requests leave some room, so that they cannot shut out single calls.
        max_cost = self._max_cost if cost <= SMALL_COST else self.max_request_cost
        if cost and not self._work.has(cost, caller, max_cost):
            return self._work, QueueFullError(
                f"the work of {self.cost} typical pairs is queued and the limit is {max_cost}; "
                "try again later",
                reason=ErrorReason.QUEUE_FULL,
                retry_after_s=_rounded((self.cost + cost - max_cost) / cost_per_s),
            )
        # What is alone is let in, however large, and so is work on bytes that are held already.
        is_small = max(n_bytes, self._of_peers.by_caller.get(peer, 0)) <= SMALL_BYTES
        is_let_in = is_small or not (self.bytes and n_bytes)
        if not (is_let_in or self._bytes.has(n_bytes, caller, self._max_bytes)):
            return self._bytes, QueueFullError(
                f"{self.bytes} bytes are queued and the limit is {self._max_bytes}; "
                "try again later",
                reason=ErrorReason.QUEUE_BYTES_FULL,
                retry_after_s=_rounded(cost / cost_per_s),
            )
        late = self.late(ahead, cost)
        return None if late is None else (self._work, late)

    def check_time(self, ahead: Ahead, cost: int) -> None:
        """Raise QueueFullError if what comes now and costs so much would be late."""
        if (late := self.late(ahead, cost)) is not None:
            raise late

    def late(self, ahead: Ahead, cost: int) -> QueueFullError | None:
        """Return why what comes now and costs so much would be late; None if it is in time."""
        wait_s, cost_per_s, within_s, beside_s = ahead
        if wait_s > self._max_wait_s:
            return QueueFullError(
                f"the request would wait more than {self._max_wait_s:g} s for a worker; try again "
                "later",
                reason=ErrorReason.WAIT_TOO_LONG,
                retry_after_s=_rounded(wait_s - self._max_wait_s),
            )
        # What finds nothing ahead is let in: so a speed that was measured wrong does not last.
        if within_s is None or wait_s == 0.0:
            return None
        late_s = wait_s + beside_s + cost / cost_per_s - (PROMPT * within_s - ANSWER_S)
        if late_s <= 0:
            return None
        return QueueFullError(
            "the request would be answered after its deadline, for other work is ahead; try again "
            "later, or allow more time",
            reason=ErrorReason.DEADLINE_TOO_SHORT,
            retry_after_s=_rounded(late_s),
        )

    def count(self, n_pairs: int, n_bytes: int, cost: int, peer: str, caller: str) -> None:
        """Add to what is held; where a number is negative, those that wait for it try again."""
        self.pairs += n_pairs
        for room, name, amount in (
            (self._of_peers, peer, n_bytes),
            (self._bytes, caller, n_bytes),
            (self._work, caller, cost),
        ):
            if amount:
                room.held += amount
                if held := room.by_caller.get(name, 0) + amount:
                    room.by_caller[name] = held
                else:
                    del room.by_caller[name]
                if amount < 0 and room.turns:
                    room.next()


def _rounded(retry_s: float) -> float:
    """Return a time to wait in hundredths, so that many refusals are the same message."""
    return round(min(max(retry_s, SHORTEST_RETRY_S), LONGEST_RETRY_S), 2)


class _Room:
    """What requests hold some of, and those that wait for some.

    Attributes
    ----------
    held : int
        In all.
    by_caller : dict from str to int
        What each caller holds that holds something.
    turns : dict from str to OrderedDict from Future to int
        How much each request wants that waits, by its caller and in order.
    """

    def __init__(self) -> None:
        self.held = 0
        self.by_caller: dict[str, int] = {}
        self.turns: dict[str, OrderedDict[asyncio.Future[None], int]] = {}

    def has(self, amount: int, caller: str, most: int) -> bool:
        """Return whether a caller may hold so much more, where `most` is the limit."""
        held = self.by_caller.get(caller, 0)
        n_callers = len({caller, *self.by_caller, *self.turns})
        if (held + amount) * n_callers <= most:
            return self.held + amount <= most + BESIDE * most
        # Else those that never wait would take what is freed before it is enough for the first.
        first = self._first()
        if first is not None and self.by_caller.get(first, 0) < held:
            amount += next(iter(self.turns[first].values()))
        return self.held + amount <= most

    async def turn(self, caller: str, amount: int, is_first: bool) -> None:
        """Wait behind the caller's others, or before them after a turn that came to nothing."""
        turn = asyncio.get_running_loop().create_future()
        turns = self.turns.setdefault(caller, OrderedDict())
        turns[turn] = amount
        if is_first:
            turns.move_to_end(turn, last=False)
        try:
            await turn
        except asyncio.CancelledError:
            self._leave(caller, turn)
            self.next()  # its turn may have come
            raise
        self._leave(caller, turn)

    def next(self) -> None:
        """Let the first request try; it keeps its place until it does."""
        caller = self._first()
        if caller is not None:
            turn = next(iter(self.turns[caller]))
            if not turn.done():  # else it is about to try, or was cancelled and calls this
                turn.set_result(None)

    def _first(self) -> str | None:
        """Return which of the callers that wait holds least; None if none waits."""
        return min(self.turns, key=lambda each: self.by_caller.get(each, 0), default=None)

    def _leave(self, caller: str, turn: asyncio.Future[None]) -> None:
        turns = self.turns[caller]
        del turns[turn]
        if not turns:
            del self.turns[caller]


class Admitted:
    """A request that was let in: it is counted from the start until it is released.

    Parameters
    ----------
    n_pairs, n_bytes, cost, peer, quota, caller
        As of Admission.admit.

    Attributes
    ----------
    n_bytes : int
        Held now.
    """

    __slots__ = ("_admission", "_caller", "_cost", "_n_pairs", "_peer", "_quota", "n_bytes")

    def __init__(
        self,
        admission: Admission,
        n_pairs: int,
        n_bytes: int,
        cost: int,
        peer: str,
        quota: Quota | None = None,
        caller: str = "",
    ) -> None:
        self._admission = admission
        self._caller = caller
        self._n_pairs = n_pairs
        self.n_bytes = n_bytes
        self._cost = cost
        self._peer = peer
        self._quota = quota
        if quota is not None:
            quota.take(cost)
        admission.count(n_pairs, n_bytes, cost, peer, caller)

    def done(self, n_bytes: int) -> None:
        """Stop counting the work, which is done; count so many bytes from now on."""
        if self._quota is not None:
            self._quota.release(self._cost)
        self._admission.count(
            -self._n_pairs, n_bytes - self.n_bytes, -self._cost, self._peer, self._caller
        )
        self._n_pairs = self._cost = 0
        self.n_bytes = n_bytes

    def release(self, ended: object = None) -> None:
        """Stop counting the request: its answer was written, or will never be.

        `ended` is the call, where that calls this at its end.
        """
        self.done(0)
