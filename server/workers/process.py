"""Worker processes on the side of the server: started, given shards, killed."""

from __future__ import annotations

import asyncio
import multiprocessing
import signal
import socket
import time
from multiprocessing import forkserver
from multiprocessing.connection import Connection
from typing import TYPE_CHECKING, Any, Protocol, cast

from tokalign.server.observe import logs
from tokalign.server.workers import frames, worker
from tokalign.server.workers.engine import EngineFactory, EngineSettings
from tokalign.server.workers.shards import Shard

if TYPE_CHECKING:
    from multiprocessing.context import ForkServerContext, ForkServerProcess

PRELOADED = ("tokalign.server.workers.worker", "tokalign.server.workers.aligners")


def start_fork_server() -> None:
    """Start the process that workers are forked from, with their modules already imported.

    Call it before grpc is imported: a process with grpc's threads must not be forked. The fork
    server inherits that signals are ignored, so that a SIGTERM to the whole process group does not
    end it before the server has drained.
    """
    multiprocessing.set_forkserver_preload(list(PRELOADED))
    ignored = {
        number: signal.signal(number, signal.SIG_IGN) for number in (signal.SIGTERM, signal.SIGHUP)
    }
    try:
        forkserver.ensure_running()
    finally:
        for number, handler in ignored.items():
            signal.signal(number, handler)


class Owner(Protocol):
    """Gets the reports of a worker, in the event loop."""

    def on_connected(self, process: WorkerProcess) -> None:
        """The process was started; called once, before any message."""

    def on_message(self, process: WorkerProcess, message: Any) -> None:
        """A frame arrived."""

    def on_lost(self, process: WorkerProcess) -> None:
        """The process ended or closed its socket; called once."""


class WorkerProcess(asyncio.Protocol):
    """A worker, its socket, and the shard it is working on.

    Attributes
    ----------
    shard : Shard or None
    loaded_bytes : int
        Its resident memory when it was ready.
    kill_reason : str
        Why it ended: the reason given to kill(), or "died" if it ended by itself. Empty while it
        lives.
    """

    def __init__(self, owner: Owner, start_timeout_s: float) -> None:
        self.shard: Shard | None = None
        self.loaded_bytes = 0
        self.kill_reason = ""
        self._owner = owner
        self._start_timeout_s = start_timeout_s
        self._reader = frames.FrameReader()
        self._transport: asyncio.WriteTransport | None = None
        self._process: ForkServerProcess | None = None
        self._lifeline: Connection | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._fires_at = 0.0
        self._limit: tuple[float, str] | None = None

    async def start(self, factory: EngineFactory, settings: EngineSettings) -> None:
        """Fork the process and connect to it; its Ready message follows."""
        context: ForkServerContext = multiprocessing.get_context("forkserver")
        ours, theirs = socket.socketpair()
        # Only this process holds the writing end; the worker dies when it closes. Each worker has
        # its own pipe, because a pipe signals only one process.
        lifeline, self._lifeline = multiprocessing.Pipe(duplex=False)
        with theirs, lifeline:
            process = context.Process(
                target=worker.main,
                args=(theirs, lifeline, factory, settings, logs.settings()),
                name="tokalign-worker",
                daemon=True,
            )
            # start() talks to the fork server over a blocking socket.
            await asyncio.to_thread(process.start)
        self._process = process
        ours.setblocking(False)
        await asyncio.get_running_loop().create_unix_connection(lambda: self, sock=ours)

    @property
    def pid(self) -> int:
        """Process id, 0 before it was started."""
        return (self._process.pid if self._process else None) or 0

    def give(self, shard: Shard, timeout_s: float) -> None:
        """Send a shard; the process is killed if it does not answer in time."""
        assert self._transport is not None
        self.shard = shard
        self.limit(timeout_s, "hung")
        self._transport.write(frames.encode(shard.runs()))

    def limit(self, timeout_s: float, reason: str) -> None:
        """Kill the process after a time unless unlimited() is called first."""
        # One timer serves many shards: when it fires, it looks at the limit of that moment.
        ends_at = time.monotonic() + timeout_s
        self._limit = (ends_at, reason)
        if self._timer is None or ends_at < self._fires_at:
            self._arm(timeout_s)

    def unlimited(self) -> None:
        """Lift the limit."""
        self._limit = None

    def _arm(self, delay_s: float) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._timer = asyncio.get_running_loop().call_later(delay_s, self._check_limit)
        self._fires_at = time.monotonic() + delay_s

    def _check_limit(self) -> None:
        self._timer = None
        if self._limit is not None:
            ends_at, reason = self._limit
            remaining = ends_at - time.monotonic()
            if remaining <= 0:
                self.kill(reason)
            else:
                self._arm(remaining)

    def kill(self, reason: str) -> None:
        """Kill the process, even where it is stopped; on_lost follows."""
        self.kill_reason = self.kill_reason or reason
        if self._process is not None and self._process.is_alive():
            self._process.kill()
        if self._transport is not None:
            self._transport.abort()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Keep the transport; called by asyncio."""
        self._transport = cast(asyncio.WriteTransport, transport)
        self.limit(self._start_timeout_s, "slow start")
        self._owner.on_connected(self)

    def data_received(self, data: bytes) -> None:
        """Pass on the messages that are complete; called by asyncio."""
        for message in self._reader.feed(data):
            self._owner.on_message(self, message)

    def connection_lost(self, exc: Exception | None) -> None:
        """Report the death; called by asyncio."""
        self.unlimited()
        if self._timer is not None:
            self._timer.cancel()
        self.kill("died")
        if self._lifeline is not None:
            self._lifeline.close()
        self._owner.on_lost(self)
