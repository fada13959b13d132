"""How much may be waiting or running at once; more is refused at once, not queued."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from types import TracebackType

from tokalign.server.status import QueueFullError

SMALL_PAIRS = 32
RESERVE = 10
SHORTEST_RETRY_S = 0.01
LONGEST_RETRY_S = 5.0


class Admission:
    """Counts the pairs and bytes of admitted requests.

    Parameters
    ----------
    max_pairs, max_bytes : int
        A tenth of the pairs is kept for requests of at most SMALL_PAIRS.
    max_wait_s : float
        Requests are refused while the queue's head waits longer.
    clock : callable returning float
        Seconds; time.monotonic but in tests.

    Attributes
    ----------
    pairs, bytes : int
        Admitted and not yet answered.
    """

    def __init__(
        self,
        max_pairs: int,
        max_bytes: int,
        max_wait_s: float = math.inf,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.pairs = 0
        self.bytes = 0
        self._max_pairs = max_pairs
        self._max_bytes = max_bytes
        self._max_wait_s = max_wait_s
        self._clock = clock
        self._window_start = clock()
        self._window_pairs = 0
        self._pairs_per_s = 0.0

    def admit(self, n_pairs: int, n_bytes: int, wait_s: float = 0.0) -> Admitted:
        """Return a context that holds room for a request while it is worked on.

        Parameters
        ----------
        n_pairs, n_bytes : int
            Of the request.
        wait_s : float
            How long the head of the queue has waited.

        Raises
        ------
        QueueFullError
            If there is none; says when trying again is worth it.
        """
        # Bulk requests leave some room, so that they cannot shut out single calls.
        is_bulk = n_pairs > SMALL_PAIRS
        max_pairs = self._max_pairs - self._max_pairs // RESERVE if is_bulk else self._max_pairs
        if self.pairs + n_pairs > max_pairs:
            raise QueueFullError(
                f"{self.pairs} pairs are queued and the limit is {max_pairs}; try again later",
                retry_after_s=self._retry_after_s(self.pairs + n_pairs - max_pairs),
            )
        if self.bytes + n_bytes > self._max_bytes:
            raise QueueFullError(
                f"{self.bytes} bytes are queued and the limit is {self._max_bytes}; "
                "try again later",
                retry_after_s=self._retry_after_s(n_pairs),
            )
        if wait_s > self._max_wait_s:
            raise QueueFullError(
                f"requests wait more than {self._max_wait_s:g} s for a worker; try again later",
                retry_after_s=_rounded(wait_s),
            )
        return Admitted(self, n_pairs, n_bytes)

    def hold(self, n_pairs: int, n_bytes: int) -> None:
        """Count an admitted request."""
        self.pairs += n_pairs
        self.bytes += n_bytes

    def release(self, n_pairs: int, n_bytes: int) -> None:
        """Forget an answered request."""
        self.pairs -= n_pairs
        self.bytes -= n_bytes
        self._count(n_pairs)

    def _count(self, n_pairs: int) -> None:
        """Keep the rate of answered pairs over windows of about a second."""
        self._window_pairs += n_pairs
        elapsed = self._clock() - self._window_start
        if elapsed >= 1.0:
            self._pairs_per_s = self._window_pairs / elapsed
            self._window_start += elapsed
            self._window_pairs = 0

    def _retry_after_s(self, excess_pairs: int) -> float:
        """Return the time in which so many pairs are answered at the last known rate."""
        if not self._pairs_per_s:
            return 1.0
        return _rounded(excess_pairs / self._pairs_per_s)


def _rounded(retry_s: float) -> float:
    """Return a time to wait in hundredths, so that many refusals are the same message."""
    return round(min(max(retry_s, SHORTEST_RETRY_S), LONGEST_RETRY_S), 2)


class Admitted:
    """Holds the room of one request; a class, for a generator's context costs twice as much."""

    __slots__ = ("_admission", "_n_bytes", "_n_pairs")

    def __init__(self, admission: Admission, n_pairs: int, n_bytes: int) -> None:
        self._admission = admission
        self._n_pairs = n_pairs
        self._n_bytes = n_bytes

    def __enter__(self) -> None:
        self._admission.hold(self._n_pairs, self._n_bytes)

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._admission.release(self._n_pairs, self._n_bytes)
