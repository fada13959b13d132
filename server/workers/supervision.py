"""The processes of a pool: the first one loads, others are forked from it, lost ones replaced.

The process that workers are forked from, the *parent*, gets no shards. Where it ends, an idle
worker takes its place. So files are read again only where no process is left, or where what was
loaded cannot be forked; then each worker loads for itself.

However many processes are killed, others follow. A pool fails if nothing loaded is left and its
files cannot be loaded any more.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import time
from collections import deque
from dataclasses import dataclass
from typing import Any, Protocol

from tokalign.codec.servers import ModelInfo
from tokalign.errors import ModelError
from tokalign.server.observe.metrics import Metrics
from tokalign.server.workers import frames
from tokalign.server.workers.engine import EngineFactory, EngineSettings
from tokalign.server.workers.process import WorkerProcess, adopt_orphans
from tokalign.server.workers.shards import Shard

log = logging.getLogger(__name__)

FIRST_BACKOFF_S = 0.05
LAST_BACKOFF_S = 5.0
FAILED_STARTS = 8
LOOK_S = 0.2
"""So often hung and stopped processes are looked for."""
ROOM_BYTES = 304 << 20
"""Memory that a worker may hold beside its models: words, their comparisons, and its shard."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PoolSettings:
    """Number of workers, what they load, and how long they may take (see Config).

    `spare_workers` of the idle ones get no single calls, unless there is a shard of them or one has
    waited for HOLD_S. Where there is a worker for every processor, the event loop needs one of the
    processors while single calls arrive; spreading the calls thin over all workers costs a fifth
    more processor time per call than a few larger shards.

    A pair that costs more than `shard_pairs`, in typical pairs, is a shard of its own. If small
    requests have come lately, such pairs leave one worker to all others. So these wait for a long
    pair only where there is one worker.
    """

    workers: int
    engine: EngineSettings
    factory: EngineFactory
    shard_pairs: int = 32
    shard_timeout_s: float = 30.0
    start_timeout_s: float = 120.0
    max_worker_rss_bytes: int | None = None  # else ROOM_BYTES more than it held when ready
    spare_workers: int = 0


class Employer(Protocol):
    """Gets the reports of the supervisor, in the event loop."""

    def on_idle(self) -> None:
        """A worker is idle, or there is one worker fewer."""

    def on_done(self, worker: WorkerProcess, shard: Shard, message: frames.Done) -> None:
        """A shard was answered."""

    def on_lost(self, worker: WorkerProcess, shard: Shard) -> None:
        """The worker of a shard ended."""

    def on_look(self) -> None:
        """LOOK_S have passed."""


class Supervisor:
    """Keeps as many workers as the settings say.

    Attributes
    ----------
    models : tuple of ModelInfo
        As the workers loaded them; the default first.
    failed : asyncio.Future
        Gets a ModelError if processes keep ending before they are ready and none is left.
    ready : set of WorkerProcess
        Workers that have loaded their models.
    idle : deque of WorkerProcess
        Workers without a shard; the one that answered last is at the end.
    is_closing : bool
        Whether no more are started.
    """

    def __init__(self, settings: PoolSettings, metrics: Metrics, employer: Employer) -> None:
        self.models: tuple[ModelInfo, ...] = ()
        self.failed: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self.ready: set[WorkerProcess] = set()
        self.idle: deque[WorkerProcess] = deque()
        self._settings = settings
        self._metrics = metrics
        self._employer = employer
        self._parent: WorkerProcess | None = None
        self._may_fork = True
        self._starting: dict[WorkerProcess, asyncio.Task[None]] = {}
        self._started = asyncio.Event()
        self._failed_starts = 0
        self._closing = asyncio.Event()
        self._all_gone = asyncio.Event()
        self._looking: asyncio.Task[None] | None = None

    async def start(self) -> None:
        """Start the workers and wait until all have loaded their models.

        Raises
        ------
        ModelError
            If a model or annotator cannot be loaded.
        """
        adopt_orphans()
        self._looking = asyncio.create_task(self._look())
        self._replenish()
        started = asyncio.ensure_future(self._started.wait())
        either: set[asyncio.Future[Any]] = {started, self.failed}
        try:
            await asyncio.wait(either, return_when=asyncio.FIRST_COMPLETED)
            if self.failed.done():
                await self.failed
        finally:
            started.cancel()

    @property
    def is_closing(self) -> bool:
        """Whether no more are started."""
        return self._closing.is_set()

    async def stop_starting(self) -> None:
        """Start no more processes, and wait for those that are being started."""
        self._closing.set()
        await asyncio.gather(*self._starting.values())

    async def kill_all(self) -> None:
        """Kill the processes after `stop_starting` and wait until they are gone."""
        for process in self._processes:
            process.kill("closed")
        if self._processes:
            await self._all_gone.wait()
        if self._looking is not None:
            self._looking.cancel()
        if not self.failed.done():
            self.failed.cancel()

    @property
    def _processes(self) -> list[WorkerProcess]:
        parent = [] if self._parent is None else [self._parent]
        return [*self.ready, *self._starting, *parent]

    # Reports of processes.

    def on_message(self, process: WorkerProcess, message: Any) -> None:
        """Take a frame."""
        process.late_at = float("inf")
        if isinstance(message, frames.Done):
            self._on_done(process, message)
        elif isinstance(message, frames.Ready):
            self._on_ready(process, message)
        else:
            log.error("a worker could not load", extra={"reason": message.message})
            process.kill("refused")
            if not self._started.is_set() and not self.failed.done():
                self.failed.set_exception(ModelError(message.message))

    def on_lost(self, process: WorkerProcess) -> None:
        """Replace a process that ended and pass on its shard."""
        was_starting = self._starting.pop(process, None) is not None
        self.ready.discard(process)
        if process in self.idle:
            self.idle.remove(process)
        if process is self._parent:
            self._parent = None
        if self.is_closing:
            if not self._processes:
                self._all_gone.set()
            return
        reason = process.end_reason
        shard, process.shard = process.shard, None
        extra = {"worker": process.pid, "reason": reason, "pairs": len(shard or ())}
        log.warning("worker lost", extra=extra)
        self._metrics.worker_restarts.labels(reason).inc()
        if shard is not None:
            self._employer.on_lost(process, shard)
        # Whoever kills processes must not end the server. One that never came up may be too large
        # for the machine.
        if was_starting and (reason != "killed" or not self._started.is_set()):
            self._on_failed_start(reason)
        self._replenish()
        self._employer.on_idle()

    # What the reports lead to.

    def _on_ready(self, process: WorkerProcess, message: frames.Ready) -> None:
        if self.models and message.models != self.models:
            # The file changed under a running server: answers must not depend on the worker.
            log.error("a worker loaded another model than its peers; reload the server")
            process.kill("mismatch")
            return
        self.models = message.models
        self._may_fork = message.may_fork
        self._failed_starts = 0
        self._starting.pop(process, None)
        process.pid = message.pid
        process.loaded_bytes = message.rss_bytes
        if self._may_fork and self._parent is None:
            self._parent = process
        else:
            self.ready.add(process)
            self.idle.append(process)
            self._employer.on_idle()
        if len(self.ready) >= self._settings.workers:
            self._started.set()
        self._replenish()

    def _on_done(self, worker: WorkerProcess, message: frames.Done) -> None:
        shard, worker.shard = worker.shard, None
        if shard is None:
            return
        self._employer.on_done(worker, shard, message)
        limit = self._settings.max_worker_rss_bytes or worker.loaded_bytes + ROOM_BYTES
        if message.rss_bytes > limit:
            worker.kill("memory")
            return
        self.idle.append(worker)
        if self._parent is None:
            self._replenish()
        self._employer.on_idle()

    def _on_failed_start(self, reason: str) -> None:
        self._failed_starts += 1
        is_last = not self.ready and self._parent is None
        if self._failed_starts >= FAILED_STARTS and is_last and not self.failed.done():
            self.failed.set_exception(
                ModelError(
                    f"{self._failed_starts} workers in a row ended before they were ready "
                    f"({reason}); see the log above, or raise the start timeout"
                )
            )

    def _replenish(self) -> None:
        """Start what is missing of the parent and the workers."""
        if self.is_closing:
            return
        if self._may_fork and self._parent is None:
            if self.idle:
                # The one with the coldest caches.
                self._parent = self.idle.popleft()
                self.ready.discard(self._parent)
            else:
                # A busy worker is soon idle.
                if not self.ready and not self._starting:
                    self._start()
                return
        n_missing = self._settings.workers - len(self.ready) - len(self._starting)
        for _ in range(n_missing):
            self._start()

    def _start(self) -> None:
        process = WorkerProcess(self, self._settings.start_timeout_s)
        self._starting[process] = asyncio.create_task(self._start_later(process))

    async def _start_later(self, process: WorkerProcess) -> None:
        if self._failed_starts:
            backoff = min(FIRST_BACKOFF_S * 2**self._failed_starts, LAST_BACKOFF_S)
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._closing.wait(), backoff)
        if self.is_closing:
            del self._starting[process]
            return
        settings = self._settings
        try:
            if self._parent is not None:
                await process.fork(self._parent)
            else:
                await process.spawn(settings.factory, settings.engine)
        except OSError as error:
            log.error("cannot start a worker", extra={"reason": str(error)})
            del self._starting[process]
            self._on_failed_start(str(error))
            self._replenish()

    async def _look(self) -> None:
        """Kill processes that do not answer in time or are stopped."""
        while True:
            await asyncio.sleep(LOOK_S)
            now = time.monotonic()
            for process in self._processes:
                if now > process.late_at:
                    process.kill("hung" if process in self.ready else "slow start")
                elif (state := process.state()) == b"T":
                    process.kill("stopped")
                elif state == b"Z":
                    # One that was being forked has its socket as well.
                    process.disconnect()
            self._employer.on_look()
