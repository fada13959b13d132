"""Quotas of callers: how much work each may ask for, per second and at once."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from typing import NamedTuple

from tokalign.codec.servers import ErrorReason
from tokalign.server.status import QueueFullError

BURST_S = 10.0
"""A caller may save up the budget of so many seconds, where its quota does not say how much."""
# When work ends is not known; a caller whose work is under way comes back soon.
_BUSY_RETRY_S = 0.1


# Reading so many bytes of JSON takes as long as a typical pair.
_READ_BYTES = 4096


def reading_cost(n_bytes: int) -> int:
    """Return what a request of so many bytes costs that is read and then refused."""
    return 1 + n_bytes // _READ_BYTES


class QuotaLimits(NamedTuple):
    """What a caller may ask for, in typical pairs; see requests/cost.py.

    Attributes
    ----------
    burst : float
        Most that is saved up while the caller is silent.
    at_once : float
        Most that waits or runs at a time.
    """

    cost_per_s: float = math.inf
    burst: float = math.inf
    at_once: float = math.inf


class Quota:
    """The budget of one caller: a token bucket of cost, and a bound on what is under way.

    A request is let in once its cost is saved up, or as much as `burst` allows; a dearer one leaves
    a debt, which is paid back before the next one. Else it could never be let in. For the same
    reason a request is let in, whatever it costs, where nothing of the caller is under way.

    Parameters
    ----------
    name : str
        The caller's.
    clock : callable returning float
        Seconds.

    Attributes
    ----------
    held : int
        Cost that waits or runs.
    """

    def __init__(
        self, name: str, limits: QuotaLimits, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.limits = limits
        self.held = 0
        self._name = name
        self._clock = clock
        self._left = limits.burst
        self._at = clock()

    def lack(self, cost: int) -> QueueFullError | None:
        """Return why a request of such a cost cannot be let in now; None if it can."""
        rate, burst, at_once = self.limits
        if rate < math.inf:
            now = self._clock()
            self._left = min(burst, self._left + rate * (now - self._at))
            self._at = now
            missing = min(cost, burst) - self._left
            if missing > 0:
                return QueueFullError(
                    f"{self._name!r} has used up its {rate:g} typical pairs per second; try again "
                    "later",
                    reason=ErrorReason.QUOTA_EXCEEDED,
                    retry_after_s=math.ceil(100 * missing / rate) / 100,
                )
        if self.held and self.held + cost > at_once:
            return QueueFullError(
                f"{self._name!r} has work of {self.held} typical pairs under way, and may have "
                f"{at_once:g}; wait for some of it",
                reason=ErrorReason.TOO_MUCH_AT_ONCE,
                retry_after_s=_BUSY_RETRY_S,
            )
        return None

    def take(self, cost: int) -> None:
        """Charge a request that was let in."""
        self._left -= cost
        self.held += cost

    def charge(self, cost: int) -> None:
        """Charge work that is done already."""
        self._left -= cost

    def give_back(self, cost: int) -> None:
        """Take back the charge for what was not begun."""
        self._left = min(self.limits.burst, self._left + cost)

    def release(self, cost: int) -> None:
        """Count work as done."""
        self.held -= cost
