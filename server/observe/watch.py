"""Watch over the event loop and its process: lag, memory, and whether the loop turns."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Awaitable, Callable
from pathlib import Path

from tokalign.server.observe import memory
from tokalign.server.observe.memory import MemoryBound, OutOfMemoryError

LOOK_S = 0.05
TRIM_S = 1.0
TRIM_BYTES = 32 << 20
# Memory that a trim left was in use, and may have been freed since.
AGAIN_S = 10.0
BUSY_SHARE = 0.85
# Memory is lost that is short for so long while nothing runs, or for so long whatever runs: nothing
# new is begun meanwhile. Garbage is looked for every FREE_S.
FREE_S = 1.0
LOST_S = 5.0
LOST_BUSY_S = 30.0

# Nanoseconds that the thread which opens it has run and has waited for a processor.
_SCHEDSTAT = Path("/proc/thread-self/schedstat")


async def _report_nothing(is_short: bool) -> None:
    """Tell nobody."""


class Watch:
    """Looks every LOOK_S for as long as the loop runs.

    Parameters
    ----------
    observe_lag : callable taking seconds
        By which the loop came late to a look, because something held it for so long.
    relieve : callable
        Frees what can be freed; called at each look while more than seven eighths of the memory
        are held.
    is_idle : callable returning bool
        Whether no call is worked on.
    report : callable taking bool
        Told, and awaited, when memory becomes short or enough again.

    Attributes
    ----------
    last_look : float
        By time.monotonic; it is old if the loop is stuck.
    is_busy : bool
        Whether the loop had something to do for BUSY_SHARE of the time or more before that look.
        Time in which it waited for a processor counts.
    """

    def __init__(
        self,
        bound: MemoryBound,
        observe_lag: Callable[[float], None],
        relieve: Callable[[], None],
        is_idle: Callable[[], bool] = lambda: False,
        report: Callable[[bool], Awaitable[None]] = _report_nothing,
    ) -> None:
        self.last_look = time.monotonic()
        self.is_busy = False
        self._bound = bound
        self._observe_lag = observe_lag
        self._relieve = relieve
        self._is_idle = is_idle
        self._report = report
        self._short_since = self._idle_since = self._freed_at = self.last_look
        self._trimmed_at = self.last_look
        self._trimmed_bytes = self._least_bytes = bound.look()

    async def run(self) -> None:
        """Look until cancelled.

        Raises
        ------
        OutOfMemoryError
            If memory is lost.
        """
        thread = ThreadClock()
        work_s = thread.seconds()
        while True:
            await asyncio.sleep(LOOK_S)
            now = time.monotonic()
            self._observe_lag(max(0.0, now - self.last_look - LOOK_S))
            before_s, work_s = work_s, thread.seconds()
            self.is_busy = work_s - before_s >= BUSY_SHARE * (now - self.last_look)
            self.last_look = now
            was_short = self._bound.is_short
            resident = self._bound.look()
            if self._bound.is_short != was_short:
                await self._report(self._bound.is_short)
            if not self._bound.is_short:
                self._short_since = now
            if not (self._bound.is_short and self._is_idle()):
                self._idle_since = self._freed_at = now
            elif now - self._freed_at > FREE_S:
                await asyncio.to_thread(memory.collect)
                self.last_look = self._freed_at = time.monotonic()
            self._check_lost(now)
            if resident > self._bound.max_bytes * 7 // 8:
                self._relieve()
            self._least_bytes = min(self._least_bytes, resident)
            self._trimmed_bytes = min(self._trimmed_bytes, resident)
            has_grown = resident > self._trimmed_bytes + TRIM_BYTES
            is_large = resident > self._least_bytes + TRIM_BYTES
            waited_s = now - self._trimmed_at
            if (has_grown and waited_s > TRIM_S) or (is_large and waited_s > AGAIN_S):
                await asyncio.to_thread(memory.give_back)
                # The wait for the thread is no lag of the loop.
                self.last_look = self._trimmed_at = time.monotonic()
                self._trimmed_bytes = self._bound.look()

    def _check_lost(self, now: float) -> None:
        """Raise OutOfMemoryError if memory is short for too long."""
        for since, most_s in ((self._idle_since, LOST_S), (self._short_since, LOST_BUSY_S)):
            if now - since > most_s:
                raise OutOfMemoryError(
                    f"more than three quarters of the {self._bound.max_bytes >> 20} MiB of memory "
                    f"are held for {most_s:g} s without reason; the server ends, to be started anew"
                )


class ThreadClock:
    """The time for which the thread that makes it had something to do."""

    def __init__(self) -> None:
        self._file = os.open(_SCHEDSTAT, os.O_RDONLY) if _SCHEDSTAT.exists() else None

    def __del__(self) -> None:
        if self._file is not None:
            os.close(self._file)

    def seconds(self) -> float:
        """Return how long it ran, and how long it waited for a processor if the system tells."""
        if self._file is None:
            return time.thread_time()
        ran_ns, waited_ns, _ = os.pread(self._file, 64, 0).split()
        return (int(ran_ns) + int(waited_ns)) / 1e9
