"""Log lines that a thread writes to standard error, so that nothing else waits for it."""

from __future__ import annotations

import os
import select
import threading
import time
from collections import deque
from collections.abc import Callable

MAX_LINES = 1000
FLUSH_S = 1.0
_STDERR = 2


class LineWriter:
    """A bounded queue of lines, and the thread that writes them.

    The thread starts with the first line. Lines that find no room are dropped.

    Parameters
    ----------
    tell_dropped : callable taking int
        Returns the line that says how many were dropped; it is written once lines flow again.
    descriptor : int
        Where to write; it may block or not.
    max_lines : int
        Most lines that wait.

    Attributes
    ----------
    dropped : int
        Lines since the start.
    """

    def __init__(
        self,
        tell_dropped: Callable[[int], str],
        descriptor: int = _STDERR,
        max_lines: int = MAX_LINES,
    ) -> None:
        self.dropped = 0
        self._tell_dropped = tell_dropped
        self._descriptor = descriptor
        self._max_lines = max_lines
        self._lines: deque[str] = deque()
        # Its lock may be taken twice: within put() the collector may end an object that logs.
        self._changed = threading.Condition()
        self._is_writing = False
        self._is_running = False

    def put(self, line: str) -> None:
        """Queue a line, which has no line break at its end."""
        with self._changed:
            if not self._is_running:
                self._is_running = True
                # A daemon, because the process must be able to end while a write hangs.
                threading.Thread(target=self._run, name="log", daemon=True).start()
            if len(self._lines) < self._max_lines:
                self._lines.append(line)
                self._changed.notify_all()
            else:
                self.dropped += 1

    def flush(self, timeout_s: float = FLUSH_S) -> bool:
        """Wait at most `timeout_s` until all lines are written; return whether they are."""
        ends_at = time.monotonic() + timeout_s
        with self._changed:
            while self._lines or self._is_writing:
                if not self._changed.wait(ends_at - time.monotonic()):
                    return False
        return True

    def _run(self) -> None:
        told = 0
        while True:
            with self._changed:
                self._is_writing = False
                self._changed.notify_all()
                self._changed.wait_for(lambda: self._lines)
                line = self._lines.popleft()
                self._is_writing = True
                dropped = self.dropped
            self._write(line)
            if dropped > told:
                self._write(self._tell_dropped(dropped - told))
                told = dropped

    def _write(self, line: str) -> None:
        rest = memoryview(f"{line}\n".encode(errors="backslashreplace"))
        try:
            while rest:
                try:
                    rest = rest[os.write(self._descriptor, rest) :]
                except BlockingIOError:
                    select.select([], [self._descriptor], [])
        except OSError:
            # The reader is gone.
            with self._changed:
                self.dropped += 1
