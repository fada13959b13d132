"""Worker processes on the side of the server: started, forked, given shards, killed."""

from __future__ import annotations

import asyncio
import contextlib
import ctypes
import math
import multiprocessing
import os
import signal
import socket
import time
from collections.abc import AsyncIterator
from multiprocessing.connection import Connection
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, cast

from tokalign.server.observe import logs
from tokalign.server.workers import frames, worker
from tokalign.server.workers.engine import EngineFactory, EngineSettings
from tokalign.server.workers.shards import Shard

if TYPE_CHECKING:
    from multiprocessing.context import SpawnProcess

CRASHES = frozenset(
    {signal.SIGSEGV, signal.SIGABRT, signal.SIGBUS, signal.SIGILL, signal.SIGFPE, signal.SIGSYS}
)
"""Signals by which a process ends through what it does; the others come from outside."""

# Of Linux's prctl.h.
_PR_SET_CHILD_SUBREAPER = 36
_FORK = frames.encode(frames.Fork())
# A fork has all that it needs, so it is ready within milliseconds. Until then nobody knows its
# process, which may have been stopped.
FORK_TIMEOUT_S = 10.0


def adopt_orphans() -> None:
    """Become the parent of processes whose parent ends, so that it is known how they end.

    Workers are forked by workers, twice each; see worker.py. Where the system cannot do that, every
    worker that ends is taken for crashed.
    """
    prctl: Any = getattr(ctypes.CDLL(None), "prctl", None)
    if prctl is not None:
        prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


class Owner(Protocol):
    """Gets the reports of a process, in the event loop."""

    def on_message(self, process: WorkerProcess, message: Any) -> None:
        """A frame arrived."""

    def on_lost(self, process: WorkerProcess) -> None:
        """The process has ended; called once."""


class WorkerProcess(asyncio.Protocol):
    """A worker, its socket, and the shard it is working on.

    Parameters
    ----------
    start_timeout_s : float
        It must be ready so many seconds after it was started, a fork after FORK_TIMEOUT_S.

    Attributes
    ----------
    pid : int
        0 until it is ready.
    given_at : float
        When it got its shard, by time.monotonic.
    is_hedge : bool
        Whether another worker had its shard already.
    loaded_bytes : int
        Its resident memory when it was ready.
    late_at : float
        When it must have answered, by time.monotonic; infinity where nothing is awaited.
    end_reason : str
        Why it has ended: the reason given to kill(), "killed" from outside, or "died" by itself.
        Empty while it lives.
    """

    def __init__(self, owner: Owner, start_timeout_s: float) -> None:
        self.pid = 0
        self.shard: Shard | None = None
        self.given_at = 0.0
        self.is_hedge = False
        self.loaded_bytes = 0
        self.late_at = math.inf
        self.end_reason = ""
        self._owner = owner
        self._start_timeout_s = start_timeout_s
        self._reader = frames.FrameReader()
        self._sock: socket.socket | None = None
        self._lifeline: Connection | None = None
        self._transport: asyncio.WriteTransport | None = None
        self._spawned: SpawnProcess | None = None

    async def spawn(self, factory: EngineFactory, settings: EngineSettings) -> None:
        """Start the process from nothing, so that it reads its files."""
        # There is a worker for each processor, and what has threads of its own cannot be forked.
        os.environ.setdefault("OMP_NUM_THREADS", "1")
        async with self._connection(self._start_timeout_s) as ends:
            arguments = (*ends, factory, settings, logs.settings())
            spawned = multiprocessing.get_context("spawn").Process(
                target=worker.main, args=arguments, name="tokalign-worker", daemon=True
            )
            await asyncio.to_thread(spawned.start)
            self._spawned, self.pid = spawned, spawned.pid or 0

    async def fork(self, parent: WorkerProcess) -> None:
        """Have the process forked from an idle one, with all that it has loaded."""
        assert parent._sock is not None
        async with self._connection(min(FORK_TIMEOUT_S, self._start_timeout_s)) as ends:
            # Where the parent has ended, so has this process: its end of the socket is closed.
            with contextlib.suppress(OSError):
                socket.send_fds(parent._sock, [_FORK], [each.fileno() for each in ends])

    @contextlib.asynccontextmanager
    async def _connection(self, timeout_s: float) -> AsyncIterator[worker.Ends]:
        """Yield the process's own ends, which it has got at the end, and connect to the others.

        From then on it must be ready within `timeout_s`.
        """
        self._sock, its_sock = socket.socketpair()
        # Only this process holds the writing end; the worker dies when it closes. Each worker has
        # its own pipe, because a pipe signals only one process.
        its_lifeline, self._lifeline = multiprocessing.Pipe(duplex=False)
        try:
            with its_sock, its_lifeline:
                yield worker.Ends(its_sock, its_lifeline)
        except BaseException:
            self._sock.close()
            self._lifeline.close()
            raise
        self.late_at = time.monotonic() + timeout_s
        self._sock.setblocking(False)
        await asyncio.get_running_loop().create_unix_connection(lambda: self, sock=self._sock)

    def give(self, shard: Shard, timeout_s: float, *, is_hedge: bool = False) -> None:
        """Send a shard, which must be answered in time."""
        assert self._transport is not None
        self.is_hedge = is_hedge
        self.shard = shard
        self.given_at = time.monotonic()
        self.late_at = self.given_at + timeout_s
        self._transport.write(frames.encode(shard.runs()))

    def state(self) -> bytes:
        """Return the letter that Linux has for its state: T where a signal has stopped it."""
        try:
            # The name, in brackets, may hold anything.
            return Path(f"/proc/{self.pid}/stat").read_bytes().rpartition(b")")[2].split()[0]
        except OSError:
            return b""

    def disconnect(self) -> None:
        """Take the process for ended; on_lost follows."""
        if self._transport is not None:
            self._transport.abort()

    def kill(self, reason: str) -> None:
        """Kill the process, even where it is stopped; on_lost follows."""
        self.end_reason = self.end_reason or reason
        if self.pid:
            with contextlib.suppress(ProcessLookupError):
                os.kill(self.pid, signal.SIGKILL)
        else:
            self.disconnect()
        if self._lifeline is not None:
            self._lifeline.close()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Keep the transport; called by asyncio."""
        self._transport = cast(asyncio.WriteTransport, transport)

    def data_received(self, data: bytes) -> None:
        """Pass on the messages that are complete; called by asyncio."""
        for message in self._reader.feed(data):
            self._owner.on_message(self, message)

    def connection_lost(self, exc: Exception | None) -> None:
        """Find out how the process has ended; called by asyncio."""
        self.kill("")  # one that has only closed its socket
        signal_number = self._ended_by()
        is_crash = signal_number is None or signal_number in CRASHES
        self.end_reason = self.end_reason or ("died" if is_crash else "killed")
        self._owner.on_lost(self)

    def _ended_by(self) -> int | None:
        """Return the signal that ended the process, or None where it is unknown or none.

        A process closes its socket when it has given back its memory, so it is not waited for long.
        """
        if self._spawned is not None:
            self._spawned.join()
            code = self._spawned.exitcode or 0
        else:
            try:
                code = os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1]) if self.pid else 0
            except ChildProcessError:
                return None
        return -code if code < 0 else None
