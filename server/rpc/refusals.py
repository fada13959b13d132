"""Refusals, which are held back of callers that have too many for others to be heard.

grpc hands the event loop one call at a time, in the order in which they came, whosever they are. A
caller that has hundreds of calls refused and sends each again at once would have another's call
wait for all of them.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable

from tokalign.codec.servers import ErrorReason
from tokalign.server.status import Failure

PER_S = 25
"""Where others call as well, a caller is told of so many refusals a second, and of a second's at
once."""
LONGEST_S = 4.0
"""No refusal is held for longer, nor for more than half of the time that its call has left."""
MAX_HELD = 1_000
"""Refusals held at a time; each holds a call, and no message."""
OTHERS_S = 10.0
"""Who called so long ago still does."""

_OF_LOAD = frozenset(
    {
        ErrorReason.QUEUE_FULL,
        ErrorReason.QUEUE_BYTES_FULL,
        ErrorReason.WAIT_TOO_LONG,
        ErrorReason.DEADLINE_TOO_SHORT,
        ErrorReason.QUOTA_EXCEEDED,
        ErrorReason.TOO_MUCH_AT_ONCE,
    }
)


class Refusals:
    """Says for how long each refusal is held.

    Parameters
    ----------
    clock : callable returning float
        Seconds.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._n_held = 0
        # Who called last, and who called last of the others.
        self._latest = self._other = ("", -OTHERS_S)
        # When a caller's next refusal may be told, if no more than a second's have been.
        self._next_at: dict[str, float] = {}

    def note(self, caller: str) -> None:
        """Note a call."""
        if self._latest[0] != caller:
            self._other = self._latest
        self._latest = caller, self._clock()

    def hold_s(self, caller: str, failure: Failure, left_s: float | None) -> float:
        """Return for how many seconds a refusal is held of a call that has `left_s` left."""
        now = self._clock()
        others_at = self._other[1] if self._latest[0] == caller else self._latest[1]
        is_held = failure.reason in _OF_LOAD and now - others_at < OTHERS_S
        if not is_held or self._n_held >= MAX_HELD:
            return 0.0
        longest_s = LONGEST_S if left_s is None else min(LONGEST_S, left_s / 2)
        next_at = max(self._next_at.pop(caller, 0.0), now - 1.0) + 1 / PER_S
        hold_s = min(max(0.0, next_at - now), longest_s)
        # At the end, so that those that have been silent longest are at the beginning.
        self._next_at[caller] = min(next_at, now + LONGEST_S)
        oldest = next(iter(self._next_at))
        if self._next_at[oldest] < now - 1.0:
            del self._next_at[oldest]
        return hold_s

    async def hold(self, caller: str, failure: Failure, left_s: float | None) -> None:
        """Return once a refusal may be told."""
        hold_s = self.hold_s(caller, failure, left_s)
        if not hold_s:
            return
        self._n_held += 1
        try:
            await asyncio.sleep(hold_s)
        finally:
            self._n_held -= 1
