"""How much may be waiting or running at once; more is refused at once, not queued."""

from __future__ import annotations

import math
from types import TracebackType

from tokalign.errors import LimitError
from tokalign.server.cost import UNIT_US
from tokalign.server.status import QueueFullError

SMALL_COST = 32
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
        A tenth of the cost is kept for requests of at most SMALL_COST.
    max_wait_s : float
        Requests are refused while the queue's head waits longer.

    Attributes
    ----------
    pairs, cost, bytes : int
        Admitted and not yet answered.
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
        self.max_request_cost = max_request_cost(max_cost)
        self._max_cost = max_cost
        self._max_bytes = max_bytes
        self._max_wait_s = max_wait_s

    def admit(
        self,
        n_pairs: int,
        n_bytes: int,
        wait_s: float = 0.0,
        *,
        cost: int | None = None,
        cost_per_s: float = 1e6 / UNIT_US,
    ) -> Admitted:
        """Return a context that holds room for a request while it is worked on.

        Parameters
        ----------
        n_pairs, n_bytes : int
            Of the request.
        wait_s : float
            How long the head of the queue has waited.
        cost : int, optional
            By default that of as many typical pairs.
        cost_per_s : float
            What the workers do in a second of work, by which a refusal says when to come back.

        Raises
        ------
        LimitError
            If the request costs more than one may ever.
        QueueFullError
            If there is no room now; says when trying again is worth it.
        """
        cost = n_pairs if cost is None else cost
        if cost > self.max_request_cost:
            raise LimitError(
                f"the request costs as much as {cost} typical pairs; the server takes at most "
                f"{self.max_request_cost}: send fewer or shorter pairs, or ask for less of each"
            )
        # Bulk requests leave some room, so that they cannot shut out single calls.
        max_cost = self._max_cost if cost <= SMALL_COST else self.max_request_cost
        if self.cost + cost > max_cost:
            raise QueueFullError(
                f"the work of {self.cost} typical pairs is queued and the limit is {max_cost}; "
                "try again later",
                retry_after_s=_rounded((self.cost + cost - max_cost) / cost_per_s),
            )
        if self.bytes + n_bytes > self._max_bytes:
            raise QueueFullError(
                f"{self.bytes} bytes are queued and the limit is {self._max_bytes}; "
                "try again later",
                retry_after_s=_rounded(cost / cost_per_s),
            )
        if wait_s > self._max_wait_s:
            raise QueueFullError(
                f"requests wait more than {self._max_wait_s:g} s for a worker; try again later",
                retry_after_s=_rounded(wait_s),
            )
        return Admitted(self, n_pairs, n_bytes, cost)

    def hold(self, n_pairs: int, n_bytes: int, cost: int) -> None:
        """Count an admitted request."""
        self.pairs += n_pairs
        self.cost += cost
        self.bytes += n_bytes

    def release(self, n_pairs: int, n_bytes: int, cost: int) -> None:
        """Forget an answered request."""
        self.pairs -= n_pairs
        self.cost -= cost
        self.bytes -= n_bytes


def _rounded(retry_s: float) -> float:
    """Return a time to wait in hundredths, so that many refusals are the same message."""
    return round(min(max(retry_s, SHORTEST_RETRY_S), LONGEST_RETRY_S), 2)


class Admitted:
    """Holds the room of one request; a class, for a generator's context costs twice as much."""

    __slots__ = ("_admission", "_cost", "_n_bytes", "_n_pairs")

    def __init__(self, admission: Admission, n_pairs: int, n_bytes: int, cost: int) -> None:
        self._admission = admission
        self._n_pairs = n_pairs
        self._n_bytes = n_bytes
        self._cost = cost

    def __enter__(self) -> None:
        self._admission.hold(self._n_pairs, self._n_bytes, self._cost)

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._admission.release(self._n_pairs, self._n_bytes, self._cost)
