"""A pool of worker processes that share one set of models, and the queue of their work.

ProcessPoolExecutor is broken for good after one death. Here a dead or hung worker is replaced, and
its shard is tried again. How the worker has ended decides how:

- Killed or stopped from outside: nothing is blamed, and another worker gets the shard.
- Crashed or hung: each pair is tried alone, so that it is known which one was in progress. The pair
  on which two workers crash or hang alone fails, and no other.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections import deque
from collections.abc import Callable, Iterator

from tokalign.codec.servers import ErrorReason, ModelInfo
from tokalign.server.observe import record
from tokalign.server.observe.faults import report
from tokalign.server.observe.logs import Quoting
from tokalign.server.observe.metrics import Metrics
from tokalign.server.requests.answers import Answer
from tokalign.server.requests.cost import Speed
from tokalign.server.requests.request import Request
from tokalign.server.requests.wire import texts_of
from tokalign.server.status import NotServingError
from tokalign.server.workers import frames
from tokalign.server.workers.batching import FairQueue
from tokalign.server.workers.process import WorkerProcess
from tokalign.server.workers.shards import Shard, Task
from tokalign.server.workers.supervision import PoolSettings, Supervisor

HOLD_S = 0.003
# About sixty times what a worker takes for a unit of cost.
PATIENCE_S = 0.01
# How a worker ends through what it does, and so often a pair alone must have been there.
BLAMING = frozenset({"died", "hung"})
ENOUGH_DEATHS = 2
# A shard that takes so many times as long as it should is given to another worker as well.
HEDGE = 10.0
# For so long calls without a deadline are tried again whose workers are killed from outside.
RETRY_S = 60.0


class Pool:
    """Worker processes and their queue.

    All methods belong to one event loop.

    Parameters
    ----------
    is_loop_busy : callable returning bool
        While the event loop is busy, calls wait for it rather than for workers, and a shard costs
        the loop and a worker as much as several calls do. So single calls are held until there is a
        shard of them, or one has waited for HOLD_S.

    Attributes
    ----------
    failed : asyncio.Future
        Gets a ModelError if workers keep dying before they are ready and none is left.
    cost_per_s : float
        Work that all workers do per second in which they work; lost ones are soon replaced.
    """

    def __init__(
        self,
        settings: PoolSettings,
        metrics: Metrics,
        is_loop_busy: Callable[[], bool] = lambda: False,
    ) -> None:
        self.settings = settings
        self._metrics = metrics
        self._is_loop_busy = is_loop_busy
        self._speed = Speed()
        self.cost_per_s = settings.workers * self._speed.cost_per_s
        self._queue = FairQueue(settings.shard_pairs, lambda: self.cost_per_s)
        self._retries: deque[Shard] = deque()
        self._supervisor = Supervisor(settings, metrics, self)
        self.failed = self._supervisor.failed
        self._dispatching = False
        self._holding: asyncio.TimerHandle | None = None
        self._drained: asyncio.Event | None = None
        self._n_users = 0

    async def start(self) -> None:
        """Start the workers and wait until all have loaded their models.

        Raises
        ------
        ModelError
            If a model or annotator cannot be loaded.
        """
        await self._supervisor.start()

    def submit(
        self, request: Request, deadline: float | None = None
    ) -> asyncio.Future[list[Answer]]:
        """Queue a request and return the future of its answers, one per pair, in order.

        Parameters
        ----------
        deadline : float, optional
            By time.monotonic. The future gets an ExpiredError where pairs have not started by
            then. Cancelling the future drops what has not started.

        Raises
        ------
        NotServingError
            If the pool is closed.
        """
        if self._supervisor.is_closing:
            raise NotServingError("the server is stopping; try another one")
        task = Task(request, deadline)
        if request.pairs:
            self._queue.push(task)
            if self._supervisor.idle:
                self.on_idle()
        else:
            task.future.set_result([])
        return task.future

    @property
    def models(self) -> tuple[ModelInfo, ...]:
        """What the workers have loaded; the default first."""
        return self._supervisor.models

    @property
    def waiting_pairs(self) -> int:
        """Pairs that no worker has been given yet."""
        return self._queue.waiting + sum(map(len, self._retries))

    @property
    def waiting_cost(self) -> int:
        """Cost of those pairs."""
        return self._queue.waiting_cost + sum(shard.cost for shard in self._retries)

    def wait_s(self, request: Request, deadline: float | None) -> float:
        """Return how long the workers will take for what is served before the call's request."""
        return self._queue.wait_s(request, deadline, self._running(), record.current().principal)

    def beside_s(self, request: Request, deadline: float | None) -> float:
        """Return how long they will work for other callers while a request is served."""
        return self._queue.beside_s(request, deadline, record.current().principal)

    def most_wait_s(self) -> float:
        """Return the most that wait_s and beside_s are together, whatever is asked for."""
        # Each counts at most all that waits, and where two kinds wait, twice.
        return (4 * self._queue.waiting_cost + self._running() / 2) / self.cost_per_s

    def _running(self) -> int:
        """Return what the shards cost that workers have; those that wait for one again, twice."""
        running = 0
        for worker in self._supervisor.ready:
            if worker.shard is not None:
                running += worker.shard.cost
        for shard in self._retries:
            running += 2 * shard.cost
        return running

    @property
    def n_ready(self) -> int:
        """Workers that have loaded their models."""
        return len(self._supervisor.ready)

    @property
    def n_busy(self) -> int:
        """Workers with a shard."""
        return sum(worker.shard is not None for worker in self._supervisor.ready)

    @property
    def pids(self) -> list[int]:
        """Process ids of the ready workers."""
        return [worker.pid for worker in self._supervisor.ready]

    @contextlib.contextmanager
    def in_use(self) -> Iterator[None]:
        """Keep the pool from being drained between the requests of one call."""
        self._n_users += 1
        try:
            yield
        finally:
            self._n_users -= 1
            self.on_idle()

    @property
    def _waits(self) -> bool:
        return bool(self._queue.waiting or self._retries)

    @property
    def _is_used(self) -> bool:
        return bool(self._waits or self.n_busy or self._n_users)

    async def drained(self) -> None:
        """Wait until nothing waits or uses it any more, and no worker has a shard."""
        while self._is_used:
            self._drained = self._drained or asyncio.Event()
            self._drained.clear()
            await self._drained.wait()

    async def close(self) -> None:
        """Kill the workers and wait until they are gone; unanswered tasks get NotServingError."""
        if self._holding is not None:
            self._holding.cancel()
        await self._supervisor.stop_starting()
        while (shard := self._queue.take(1 << 30)) is not None:
            self._retries.append(shard)
        for worker in self._supervisor.ready:
            if worker.shard is not None:
                self._retries.append(worker.shard)
        for shard in self._retries:
            shard.fail(NotServingError("the server has stopped; try another one"))
        await self._supervisor.kill_all()

    # Reports of the supervisor.

    def on_idle(self) -> None:
        """Dispatch once everything that arrived with this turn of the event loop is queued.

        Under load, many calls arrive in one turn and share a shard; an idle server loses nothing.
        """
        if not self._dispatching:
            self._dispatching = True
            asyncio.get_running_loop().call_soon(self._dispatch)

    def on_done(self, worker: WorkerProcess, shard: Shard, message: frames.Done) -> None:
        """Hand out the answers of a shard."""
        if shard.is_answered:
            return
        codes = [answer.code for answer in message.answers]
        self._metrics.observe_shard(codes, message.seconds)
        self._metrics.cost.inc(shard.cost)
        # While others wait, the time between two shards counts as well.
        is_full = bool(self._queue.waiting)
        taken_s = time.monotonic() - worker.given_at if is_full else sum(message.seconds.values())
        self._speed.add(shard.cost, taken_s)
        self.cost_per_s = self.settings.workers * self._speed.cost_per_s
        for part in shard.slices:
            if (trace := part.task.call.trace) is not None:
                trace.computed(worker.given_at, len(part), worker.pid, message.seconds)
        shard.fill(message.answers)

    def on_lost(self, worker: WorkerProcess, shard: Shard) -> None:
        """Try the shard of a worker that ended again, or give up its one pair."""
        if shard.is_answered:
            return
        is_blamed = worker.end_reason in BLAMING
        shard.deaths += is_blamed
        if any(other.shard is shard for other in self._supervisor.ready):
            return
        shard.is_hedged = False
        now = time.monotonic()
        if not is_blamed:
            if shard.lost_at is None:
                shard.lost_at = now
            if now - shard.lost_at < RETRY_S or shard.has_deadlines():
                self._retries.append(shard)
            else:
                message = "workers are killed again and again; try again later"
                shard.fail(NotServingError(message, reason=ErrorReason.SERVER_STARTING))
        elif len(shard) > 1:
            self._retries.extend(shard.singles())
        elif shard.deaths < ENOUGH_DEATHS:
            self._retries.append(shard)
        else:
            (part,) = shard.slices
            request = part.task.request
            quoted = Quoting(texts_of, request.options, request.shared, part.pairs[0])
            failure = report(
                "a pair killed every worker it was given to",
                ErrorReason.PAIR_KILLS_WORKERS,
                pair=quoted,
            )
            shard.fill([Answer.failed(failure)])

    def on_look(self) -> None:
        """Give what takes too long to a second worker, since a worker may stand still alone.

        The first answer counts. A second worker that takes too long as well is called off: then the
        pairs are slow and not the worker, and others must not wait for two workers.
        """
        now = time.monotonic()
        for worker in list(self._supervisor.ready):
            shard = worker.shard
            if shard is None:
                continue
            is_late = now - worker.given_at > HEDGE * shard.cost / self._speed.cost_per_s
            if shard.is_answered or (is_late and worker.is_hedge):
                worker.kill("slow")
            elif is_late and not shard.is_hedged and not self._waits and self._supervisor.idle:
                shard.is_hedged = True
                self._give(shard, is_hedge=True)

    # Sharing what waits over idle workers.

    def _dispatch(self) -> None:
        self._dispatching = False
        idle = self._supervisor.idle
        while self._retries and idle:
            shard = self._retries.popleft()
            if shard.is_wanted():
                self._give(shard)
        if self._queue.waiting and idle:
            self._share(self._n_given_to())
        if self._drained is not None and not self._is_used:
            self._drained.set()

    def _share(self, n_idle: int) -> None:
        """Split what waits over so many idle workers, rather than give all to the first."""
        if not n_idle:
            return
        size = self._queue.even(n_idle, self.n_ready)
        for _ in range(n_idle):
            taken = self._queue.take(size, self._takes_heavy())
            if taken is None:
                return
            self._began(taken)
            self._give(taken)

    def _n_given_to(self) -> int:
        """Return how many of the idle workers share what waits now."""
        queue, settings = self._queue, self.settings
        n_idle = len(self._supervisor.idle)
        if queue.is_pressing(settings.shard_pairs):
            return n_idle
        n_free = n_idle - settings.spare_workers
        if n_free > 0 and not self._is_loop_busy():
            return n_free
        if self._holding is not None:
            return 0  # asked again by then
        age_s = queue.age_s()
        if age_s >= HOLD_S:
            return max(1, n_free)
        loop = asyncio.get_running_loop()
        self._holding = loop.call_later(HOLD_S - age_s, self._stop_holding)
        return 0

    def _takes_heavy(self) -> bool:
        """Return whether the next worker may get a heavy pair, or is kept for other pairs."""
        if not self._queue.expects_small():
            return True
        bound = self.settings.shard_pairs
        workers = self._supervisor.ready
        n_heavy = sum(w.shard is not None and w.shard.cost > bound for w in workers)
        return n_heavy + 1 < max(2, self.n_ready)

    def _stop_holding(self) -> None:
        self._holding = None
        self._dispatch()

    def _began(self, shard: Shard) -> None:
        """Record how long tasks have waited, once a worker gets their first pairs."""
        now = time.monotonic()
        for part in shard.slices:
            if part.start == 0:
                self._metrics.queue_seconds.observe(part.task.begin(now))

    def _give(self, shard: Shard, *, is_hedge: bool = False) -> None:
        self._metrics.shard_pairs.observe(len(shard))
        # The worker that was busy last has its caches warm.
        worker = self._supervisor.idle.pop()
        timeout_s = self.settings.shard_timeout_s + PATIENCE_S * shard.cost
        worker.give(shard, timeout_s, is_hedge=is_hedge)
