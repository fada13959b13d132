"""The worker processes of a pool: started, replaced when they end, and ended.

If processes keep ending before they are ready, later ones start after ever longer pauses, and the
pool fails once none is left.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections import deque
from dataclasses import dataclass
from typing import Any, Protocol

from tokalign.codec import ModelInfo
from tokalign.errors import ModelError
from tokalign.server.observe.metrics import Metrics
from tokalign.server.workers import frames
from tokalign.server.workers.engine import EngineFactory, EngineSettings
from tokalign.server.workers.process import WorkerProcess
from tokalign.server.workers.shards import Shard

log = logging.getLogger(__name__)

FIRST_BACKOFF_S = 0.05
LAST_BACKOFF_S = 5.0
FAILED_STARTS = 8
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

    def on_lost(self, shard: Shard) -> None:
        """The worker of a shard ended."""


class Supervisor:
    """Keeps as many workers as the settings say.

    Attributes
    ----------
    models : tuple of ModelInfo
        As the workers loaded them; the default first.
    failed : asyncio.Future
        Gets a ModelError if workers keep dying before they are ready and none is left.
    workers, ready : set of WorkerProcess
        All that run, and those of them that have loaded their models.
    idle : deque of WorkerProcess
        Workers without a shard; the one that answered last is at the end.
    is_closing : bool
        Whether no more are started.
    """

    def __init__(self, settings: PoolSettings, metrics: Metrics, employer: Employer) -> None:
        self.models: tuple[ModelInfo, ...] = ()
        self.failed: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self.workers: set[WorkerProcess] = set()
        self.ready: set[WorkerProcess] = set()
        self.idle: deque[WorkerProcess] = deque()
        self._settings = settings
        self._metrics = metrics
        self._employer = employer
        self._spawning: set[asyncio.Task[None]] = set()
        self._started = asyncio.Event()
        self._failed_starts = 0
        self._closing = asyncio.Event()
        self._all_gone = asyncio.Event()

    async def start(self) -> None:
        """Start the workers and wait until all have loaded their models.

        Raises
        ------
        ModelError
            If a model or annotator cannot be loaded.
        """
        for _ in range(self._settings.workers):
            self._spawn()
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
        """Start no more workers, and wait for those that are being started."""
        self._closing.set()
        await asyncio.gather(*self._spawning)

    async def kill_all(self) -> None:
        """Kill the workers after `stop_starting` and wait until they are gone."""
        for worker in list(self.workers):
            worker.kill("closed")
        if self.workers:
            await self._all_gone.wait()
        if not self.failed.done():
            self.failed.cancel()

    # Reports of workers.

    def on_connected(self, worker: WorkerProcess) -> None:
        """Count a new worker, before any of its messages."""
        self.workers.add(worker)

    def on_message(self, worker: WorkerProcess, message: Any) -> None:
        """Take a worker's frame."""
        worker.unlimited()
        if isinstance(message, frames.Done):
            self._on_done(worker, message)
        elif isinstance(message, frames.Ready):
            self._on_ready(worker, message)
        else:
            log.error("a worker could not load", extra={"reason": message.message})
            worker.kill("refused")
            if not self._started.is_set() and not self.failed.done():
                self.failed.set_exception(ModelError(message.message))

    def on_lost(self, worker: WorkerProcess) -> None:
        """Replace a worker that ended and pass on its shard."""
        self.workers.discard(worker)
        was_ready = worker in self.ready
        self.ready.discard(worker)
        if worker in self.idle:
            self.idle.remove(worker)
        if self.is_closing:
            if not self.workers:
                self._all_gone.set()
            return
        reason = worker.kill_reason
        log.warning(
            "worker lost",
            extra={"worker": worker.pid, "reason": reason, "pairs": len(worker.shard or ())},
        )
        self._metrics.worker_restarts.labels(reason).inc()
        shard, worker.shard = worker.shard, None
        if shard is not None:
            self._employer.on_lost(shard)
        if not was_ready:
            self._failed_starts += 1
            if self._failed_starts >= FAILED_STARTS and not self.ready:
                self._give_up(reason)
        self._spawn()
        self._employer.on_idle()

    # What the reports lead to.

    def _on_ready(self, worker: WorkerProcess, message: frames.Ready) -> None:
        if self.models and message.models != self.models:
            # The file changed under a running server: answers must not depend on the worker.
            log.error("a worker loaded another model than its peers; reload the server")
            worker.kill("mismatch")
            return
        self.models = message.models
        worker.loaded_bytes = message.rss_bytes
        self.ready.add(worker)
        self._failed_starts = 0
        self.idle.append(worker)
        if len(self.ready) >= self._settings.workers:
            self._started.set()
        self._employer.on_idle()

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
        self._employer.on_idle()

    def _give_up(self, reason: str) -> None:
        if not self.failed.done():
            self.failed.set_exception(
                ModelError(
                    f"{self._failed_starts} workers in a row ended before they were ready "
                    f"({reason}); see the log above, or raise the start timeout"
                )
            )

    def _spawn(self) -> None:
        task = asyncio.create_task(self._spawn_later())
        self._spawning.add(task)
        task.add_done_callback(self._spawning.discard)

    async def _spawn_later(self) -> None:
        if self._failed_starts:
            backoff = min(FIRST_BACKOFF_S * 2**self._failed_starts, LAST_BACKOFF_S)
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._closing.wait(), backoff)
        if self.is_closing:
            return
        settings = self._settings
        worker = WorkerProcess(self, settings.start_timeout_s)
        try:
            await worker.start(settings.factory, settings.engine)
        except OSError as error:
            log.error("cannot start a worker", extra={"reason": str(error)})
            self._failed_starts += 1
            self._spawn()
