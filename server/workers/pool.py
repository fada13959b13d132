"""A supervised pool of worker processes that share one set of models.

ProcessPoolExecutor is broken for good after one death. Here a dead or hung worker is replaced,
its shard goes to another worker once, and where that one dies as well the shard is halved until
the pair that kills workers stands alone; only that pair fails.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import time
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from tokalign.codec import RequestOptions
from tokalign.errors import ModelError
from tokalign.processes import after_death
from tokalign.server import requests
from tokalign.server.cost import Speed
from tokalign.server.observe.logs import Quoting
from tokalign.server.observe.metrics import Metrics
from tokalign.server.status import NotServingError, report
from tokalign.server.workers import frames
from tokalign.server.workers.batching import FairQueue
from tokalign.server.workers.engine import EngineFactory, EngineSettings
from tokalign.server.workers.process import WorkerProcess
from tokalign.server.workers.shards import MAX_ANSWER_BYTES, Shard, Task

log = logging.getLogger(__name__)

FIRST_BACKOFF_S = 0.05
LAST_BACKOFF_S = 5.0
FAILED_STARTS = 8
HOLD_S = 0.003
# Forty times what a worker takes for a unit of cost.
PATIENCE_S = 0.01


@dataclass(frozen=True, slots=True, kw_only=True)
class PoolSettings:
    """How many workers, what they load, and how long they may take (see Config).

    `spare_workers` of the idle ones are not given single calls unless a shard of them has piled
    up or one has waited for HOLD_S. Where there is a worker for every processor, the event loop
    needs one for itself while single calls arrive; spreading them thin over all workers costs a
    fifth more processor time per call than a few larger shards.

    A pair that costs more than `shard_pairs`, in typical pairs, is a shard of its own. Such pairs
    leave one worker to the others where small requests have come lately, so that those wait for
    no long pair but where there is one worker alone.
    """

    workers: int
    engine: EngineSettings
    factory: EngineFactory
    shard_pairs: int = 32
    shard_timeout_s: float = 30.0
    start_timeout_s: float = 120.0
    max_worker_rss_bytes: int | None = None
    spare_workers: int = 0


class Pool:
    """Worker processes, their queue, and what to do when one dies.

    All methods belong to one event loop.

    Attributes
    ----------
    settings : PoolSettings
    models : tuple of frames.LoadedModel
        As the workers loaded them; the default first.
    failed : asyncio.Future
        Gets a ModelError where workers keep dying before they are ready and none is left.
    """

    def __init__(self, settings: PoolSettings, metrics: Metrics) -> None:
        self.models: tuple[frames.LoadedModel, ...] = ()
        self.failed: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self.settings = settings
        self._metrics = metrics
        self._queue = FairQueue(settings.shard_pairs)
        self._retries: deque[Shard] = deque()
        self._workers: set[WorkerProcess] = set()
        self._ready: set[WorkerProcess] = set()
        self._idle: deque[WorkerProcess] = deque()
        self._spawning: set[asyncio.Task[None]] = set()
        self._started = asyncio.Event()
        self._failed_starts = 0
        self._closing = asyncio.Event()
        self._all_gone = asyncio.Event()
        self._dispatching = False
        self._holding: asyncio.TimerHandle | None = None
        self._unanswered = 0
        self._answered = asyncio.Event()
        self._answered.set()
        self._speed = Speed()

    async def start(self) -> None:
        """Start the workers and wait until all have loaded their models.

        Raises
        ------
        ModelError
            If a model or annotator cannot be loaded.
        """
        for _ in range(self.settings.workers):
            self._spawn()
        started = asyncio.ensure_future(self._started.wait())
        either: set[asyncio.Future[Any]] = {started, self.failed}
        try:
            await asyncio.wait(either, return_when=asyncio.FIRST_COMPLETED)
            if self.failed.done():
                await self.failed
        finally:
            started.cancel()

    def submit(
        self,
        options: RequestOptions,
        pairs: Sequence[bytes],
        deadline: float | None = None,
        shared: bytes = b"",
        costs: Sequence[int] | None = None,
        max_answer_bytes: int = MAX_ANSWER_BYTES,
    ) -> asyncio.Future[list[frames.Answer]]:
        """Queue pairs and return the future of their answers, one per pair, in order.

        Parameters
        ----------
        options : RequestOptions
            Naming a loaded model and annotator.
        pairs : sequence of bytes
            Serialised tokalign.v1.Pair messages.
        deadline : float, optional
            By time.monotonic. The future gets an ExpiredError where pairs have not started by
            then. Cancelling the future drops what has not started.
        shared : bytes, optional
            The serialised Pair.target of all pairs, which then hold none themselves.
        costs : sequence of int, optional
            Of the pairs, in typical ones; see server/cost.py. By default 1 each.
        max_answer_bytes : int
            Of all answers together; the future gets a LimitError where they are larger.

        Raises
        ------
        NotServingError
            If the pool is closed.
        """
        if self._closing.is_set():
            raise NotServingError("the server is stopping; try another one")
        task = Task(options, pairs, deadline, shared, costs, max_answer_bytes)
        if pairs:
            self._unanswered += 1
            task.future.add_done_callback(self._on_answered)
            self._queue.push(task)
            self._dispatch_soon()
        else:
            task.future.set_result([])
        return task.future

    @property
    def waiting_pairs(self) -> int:
        """Pairs that no worker has been given yet."""
        return self._queue.waiting + sum(map(len, self._retries))

    @property
    def waiting_cost(self) -> int:
        """What those pairs cost."""
        return self._queue.waiting_cost + sum(shard.cost for shard in self._retries)

    def wait_s(self, cost: int) -> float:
        """Return how long the task ahead of a pair of some cost has waited for its turn."""
        return self._queue.wait_s(cost > self.settings.shard_pairs)

    @property
    def cost_per_s(self) -> float:
        """What all workers do in a second of work, however little they had to do of late."""
        return max(self.n_ready, 1) * self._speed.cost_per_s

    @property
    def n_ready(self) -> int:
        """Workers that have loaded their models."""
        return len(self._ready)

    @property
    def n_busy(self) -> int:
        """Workers with a shard."""
        return sum(worker.shard is not None for worker in self._workers)

    @property
    def pids(self) -> list[int]:
        """Process ids of the ready workers."""
        return [worker.pid for worker in self._ready]

    async def drained(self) -> None:
        """Wait until every task has been answered or given up."""
        while self._unanswered:
            self._answered.clear()
            await self._answered.wait()

    async def close(self) -> None:
        """Kill the workers and wait until they are gone; unanswered tasks get NotServingError."""
        self._closing.set()
        if self._holding is not None:
            self._holding.cancel()
        await asyncio.gather(*self._spawning)
        while (shard := self._queue.take(1 << 30)) is not None:
            self._retries.append(shard)
        for worker in list(self._workers):
            if worker.shard is not None:
                self._retries.append(worker.shard)
            worker.kill("closed")
        for shard in self._retries:
            for part in shard.slices:
                _abandon(part.task.future)
        if self._workers:
            await self._all_gone.wait()
        if not self.failed.done():
            self.failed.cancel()

    # What workers report.

    def on_connected(self, worker: WorkerProcess) -> None:
        """Count a new worker; comes before any of its messages."""
        self._workers.add(worker)

    def on_message(self, worker: WorkerProcess, message: Any) -> None:
        """Take a worker's frame."""
        worker.unlimited()
        if isinstance(message, frames.Ready):
            self._on_ready(worker, message)
        elif isinstance(message, frames.Refused):
            log.error("a worker could not load", extra={"reason": message.message})
            worker.kill("refused")
            if not self._started.is_set() and not self.failed.done():
                self.failed.set_exception(ModelError(message.message))
        else:
            self._on_done(worker, message)

    def on_lost(self, worker: WorkerProcess) -> None:
        """Replace a worker that ended and see to its shard."""
        self._workers.discard(worker)
        was_ready = worker in self._ready
        self._ready.discard(worker)
        if worker in self._idle:
            self._idle.remove(worker)
        if self._closing.is_set():
            if not self._workers:
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
            self._retry(shard)
        if not was_ready:
            self._failed_starts += 1
            if self._failed_starts >= FAILED_STARTS and not self.n_ready:
                self._give_up(reason)
        self._spawn()
        self._dispatch()

    def _on_answered(self, _: asyncio.Future[list[frames.Answer]]) -> None:
        self._unanswered -= 1
        if self._unanswered == 0:
            self._answered.set()

    # What follows from it.

    def _on_ready(self, worker: WorkerProcess, message: frames.Ready) -> None:
        if self.models and message.models != self.models:
            # The file changed under a running server: answers must not depend on the worker.
            log.error("a worker loaded another model than its peers; reload the server")
            worker.kill("mismatch")
            return
        self.models = message.models
        self._ready.add(worker)
        self._failed_starts = 0
        self._idle.append(worker)
        if self.n_ready >= self.settings.workers:
            self._started.set()
        self._dispatch()

    def _on_done(self, worker: WorkerProcess, message: frames.Done) -> None:
        shard, worker.shard = worker.shard, None
        if shard is None:
            return
        self._metrics.observe_shard(message.answers, message.seconds)
        self._metrics.cost.inc(shard.cost)
        self._speed.add(shard.cost, sum(message.seconds.values()))
        for part in shard.slices:
            if part.task.trace is not None:
                part.task.trace.computed(shard.given_at, len(part), worker.pid, message.seconds)
        shard.fill(message.answers)
        limit = self.settings.max_worker_rss_bytes
        if limit is not None and message.rss_bytes > limit:
            worker.kill("memory")
            return
        self._idle.append(worker)
        self._dispatch_soon()

    def _dispatch_soon(self) -> None:
        """Dispatch once everything that arrived with this turn of the event loop is queued.

        Under load many calls arrive in one turn and share a shard; an idle server loses nothing.
        """
        if not self._dispatching:
            self._dispatching = True
            asyncio.get_running_loop().call_soon(self._dispatch)

    def _dispatch(self) -> None:
        self._dispatching = False
        while self._idle and (shard := self._next_shard()) is not None:
            now = shard.given_at = time.monotonic()
            if shard.deaths == 0:
                for part in shard.slices:
                    if part.start == 0:
                        self._metrics.queue_seconds.observe(now - part.task.queued_at)
                        if part.task.trace is not None:
                            part.task.trace.queued(part.task.queued_at, now)
            self._metrics.shard_pairs.observe(len(shard))
            # The worker that was busy last has its caches warm.
            self._idle.pop().give(shard, self.settings.shard_timeout_s + PATIENCE_S * shard.cost)

    def _next_shard(self) -> Shard | None:
        while self._retries:
            shard = self._retries.popleft()
            if shard.is_wanted():
                return shard
        settings = self.settings
        n_idle = len(self._idle)
        if not self._queue.is_pressing(settings.shard_pairs, HOLD_S):
            n_idle -= settings.spare_workers
        if n_idle <= 0:
            if self._queue.waiting and self._holding is None:
                loop = asyncio.get_running_loop()
                self._holding = loop.call_later(HOLD_S, self._stop_holding)
            return None
        # What waits is split over the idle workers rather than given to the first of them.
        return self._queue.take(self._queue.even(n_idle, self.n_ready), self._takes_heavy())

    def _takes_heavy(self) -> bool:
        """Return whether a worker may be given a heavy pair, or is kept for the others."""
        if not self._queue.expects_small():
            return True
        bound = self.settings.shard_pairs
        n_heavy = sum(w.shard is not None and w.shard.cost > bound for w in self._workers)
        return n_heavy + 1 < max(2, self.n_ready)

    def _stop_holding(self) -> None:
        self._holding = None
        self._dispatch()

    def _retry(self, shard: Shard) -> None:
        parts = after_death(shard)
        self._retries.extend(parts)
        if not parts:
            (part,) = shard.slices
            failure = report(
                "a pair killed every worker it was given to",
                pair=Quoting(requests.texts, part.task.shared + part.task.pairs[part.start]),
            )
            shard.fill([frames.Answer(b"", code=failure.code, message=failure.message)])

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
        if self._closing.is_set():
            return
        settings = self.settings
        worker = WorkerProcess(self, settings.start_timeout_s)
        try:
            await worker.start(settings.factory, settings.engine)
        except OSError as error:
            log.error("cannot start a worker", extra={"reason": str(error)})
            self._failed_starts += 1
            self._spawn()


def _abandon(future: asyncio.Future[list[frames.Answer]]) -> None:
    if not future.done():
        future.set_exception(NotServingError("the server has stopped; try another one"))
        future.exception()  # marks it as seen, for nobody may be waiting any more
