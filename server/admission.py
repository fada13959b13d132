"""How much may be waiting or running at once; more is refused at once, or waits to be let in."""

from __future__ import annotations

import asyncio
import math
from collections import OrderedDict
from collections.abc import Callable
from types import TracebackType
from typing import Self

from tokalign.errors import LimitError
from tokalign.server.cost import UNIT_US
from tokalign.server.status import QueueFullError

SMALL_COST = 32
SMALL_BYTES = 128 << 10
RESERVE = 10
SHORTEST_RETRY_S = 0.01
LONGEST_RETRY_S = 5.0


def max_request_cost(max_cost: int) -> int:
    """Return the most that a request larger than SMALL_COST may cost."""
    return max_cost - max_cost // RESERVE


class Admission:
    """Counts the cost (in typical pairs, see server/cost.py) and bytes of admitted requests.

    Parameters
    ----------
    max_cost, max_bytes : int
        A tenth of the cost is kept for requests of at most SMALL_COST. Requests of at most
        SMALL_BYTES whose connection holds no more are let in beyond the bytes, so that what others
        hold shuts nobody out; the number of connections bounds that.
    max_wait_s : float
        Requests are refused while the queue's head waits longer.

    Attributes
    ----------
    pairs, cost : int
        Admitted and not yet done.
    bytes : int
        Of admitted requests and their answers, until these are written.
    waiting_bytes : int
        Of requests that wait to be let in, at most `max_bytes`.
    max_request_cost : int
    """

    def __init__(
        self,
        max_cost: int,
        max_bytes: int,
        max_wait_s: float = math.inf,
    ) -> None:
        self.pairs = 0
        self.cost = 0
        self.bytes = 0
        self.waiting_bytes = 0
        self.max_request_cost = max_request_cost(max_cost)
        self._max_cost = max_cost
        self._max_bytes = max_bytes
        self._max_wait_s = max_wait_s
        self._by_peer: dict[str, int] = {}
        self._for_work = _Line()
        self._for_bytes = _Line()

    def admit(
        self,
        n_pairs: int,
        n_bytes: int,
        wait_s: float = 0.0,
        *,
        cost: int | None = None,
        cost_per_s: float = 1e6 / UNIT_US,
        peer: str = "",
    ) -> Admitted:
        """Return a context that holds room for a request while it is worked on.

        Parameters
        ----------
        n_pairs, n_bytes : int
            Of the request, with what its answer will take.
        wait_s : float
            How long the head of the queue has waited.
        cost : int, optional
            By default that of as many typical pairs.
        cost_per_s : float
            What the workers do in a second of work, by which a refusal says when to come back.
        peer : str
            Its connection.

        Raises
        ------
        LimitError
            If the request costs more than one may ever.
        QueueFullError
            If there is no room now; says when trying again is worth it.
        """
        cost = n_pairs if cost is None else cost
        lack = self._lack(n_bytes, wait_s, cost, cost_per_s, peer)
        if lack is not None:
            raise lack[1]
        return Admitted(self, n_pairs, n_bytes, cost, peer)

    async def admit_later(
        self,
        n_pairs: int,
        n_bytes: int,
        wait_s: Callable[[], float],
        *,
        cost: int,
        cost_per_s: float = 1e6 / UNIT_US,
        peer: str,
    ) -> Admitted:
        """Do as `admit` once there is room; of those that wait, who came first is let in first.

        The context is to be entered before anything else is awaited.

        Raises
        ------
        LimitError
            If the request costs more than one may ever.
        QueueFullError
            If too many bytes wait already.
        """
        line = None
        while (lack := self._lack(n_bytes, wait_s(), cost, cost_per_s, peer)) is not None:
            if line is None and self.waiting_bytes + n_bytes > self._max_bytes:
                raise lack[1]
            is_first = lack[0] is line
            if line is not None and not is_first:
                line.next()
            line = lack[0]
            self.waiting_bytes += n_bytes
            try:
                await line.turn(is_first)
            finally:
                self.waiting_bytes -= n_bytes
        if line is not None:
            line.next()
        return Admitted(self, n_pairs, n_bytes, cost, peer)

    def _lack(
        self, n_bytes: int, wait_s: float, cost: int, cost_per_s: float, peer: str
    ) -> tuple[_Line, QueueFullError] | None:
        """Return why a request cannot be let in now, and where it may wait; None if it can."""
        if cost > self.max_request_cost:
            raise LimitError(
                f"the request costs as much as {cost} typical pairs; the server takes at most "
                f"{self.max_request_cost}: send fewer or shorter pairs, or ask for less of each"
            )
        # Bulk requests leave some room, so that they cannot shut out single calls.
        max_cost = self._max_cost if cost <= SMALL_COST else self.max_request_cost
        if self.cost + cost > max_cost:
            return self._for_work, QueueFullError(
                f"the work of {self.cost} typical pairs is queued and the limit is {max_cost}; "
                "try again later",
                retry_after_s=_rounded((self.cost + cost - max_cost) / cost_per_s),
            )
        is_small = max(n_bytes, self._by_peer.get(peer, 0)) <= SMALL_BYTES
        # What is alone is let in, however large.
        if self.bytes and self.bytes + n_bytes > self._max_bytes and not is_small:
            return self._for_bytes, QueueFullError(
                f"{self.bytes} bytes are queued and the limit is {self._max_bytes}; "
                "try again later",
                retry_after_s=_rounded(cost / cost_per_s),
            )
        if wait_s > self._max_wait_s:
            return self._for_work, QueueFullError(
                f"requests wait more than {self._max_wait_s:g} s for a worker; try again later",
                retry_after_s=_rounded(wait_s),
            )
        return None

    def hold(self, n_pairs: int, n_bytes: int, cost: int, peer: str) -> None:
        """Count an admitted request."""
        self.pairs += n_pairs
        self.cost += cost
        self._hold_bytes(n_bytes, peer)

    def done(self, n_pairs: int, n_bytes: int, cost: int, peer: str) -> None:
        """Forget a request's work; `n_bytes` are what its answer takes beyond what was thought."""
        self.pairs -= n_pairs
        self.cost -= cost
        self._hold_bytes(n_bytes, peer)
        self._for_work.next()

    def release(self, n_bytes: int, peer: str) -> None:
        """Forget an answer that was written."""
        self._hold_bytes(-n_bytes, peer)

    def _hold_bytes(self, n_bytes: int, peer: str) -> None:
        self.bytes += n_bytes
        held = self._by_peer.get(peer, 0) + n_bytes
        if held:
            self._by_peer[peer] = held
        else:
            self._by_peer.pop(peer, None)
        if n_bytes < 0:
            self._for_bytes.next()


def _rounded(retry_s: float) -> float:
    """Return a time to wait in hundredths, so that many refusals are the same message."""
    return round(min(max(retry_s, SHORTEST_RETRY_S), LONGEST_RETRY_S), 2)


class _Line:
    """Who waits for the same, in order."""

    def __init__(self) -> None:
        self._turns: OrderedDict[asyncio.Future[None], None] = OrderedDict()

    async def turn(self, is_first: bool) -> None:
        """Wait at the end, or at the beginning for who had a turn in vain."""
        turn = asyncio.get_running_loop().create_future()
        self._turns[turn] = None
        if is_first:
            self._turns.move_to_end(turn, last=False)
        try:
            await turn
        except asyncio.CancelledError:
            if self._turns.pop(turn, turn) is turn:
                self.next()  # who has left in one's turn passes it on
            raise

    def next(self) -> None:
        """Let the first try."""
        if self._turns:
            turn, _ = self._turns.popitem(last=False)
            turn.set_result(None)


class Admitted:
    """Holds the room of one request; a class, for a generator's context costs twice as much.

    Attributes
    ----------
    n_bytes : int
    """

    __slots__ = ("_admission", "_cost", "_n_pairs", "_peer", "n_bytes")

    def __init__(
        self, admission: Admission, n_pairs: int, n_bytes: int, cost: int, peer: str
    ) -> None:
        self._admission = admission
        self._n_pairs = n_pairs
        self.n_bytes = n_bytes
        self._cost = cost
        self._peer = peer

    def __enter__(self) -> Self:
        self._admission.hold(self._n_pairs, self.n_bytes, self._cost, self._peer)
        return self

    def done(self, n_bytes: int) -> None:
        """Let go of the work, once; the bytes are held until the end."""
        more = n_bytes - self.n_bytes
        self.n_bytes = n_bytes
        self._admission.done(self._n_pairs, more, self._cost, self._peer)
        self._n_pairs = self._cost = 0

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._n_pairs or self._cost:
            self.done(self.n_bytes)
        self._admission.release(self.n_bytes, self._peer)
