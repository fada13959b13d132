"""A server from its configuration to its end: start, serve, reload, drain."""

from __future__ import annotations

import asyncio
import gc
import logging
import signal
import time
from collections.abc import Awaitable, Callable, Coroutine, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import uvloop
from tokalign.errors import AlignError
from tokalign.server import descriptors
from tokalign.server.admission import Admission
from tokalign.server.config import Config, authority, auto_workers
from tokalign.server.hosts import ServerNames
from tokalign.server.observe import logs, memory
from tokalign.server.observe.faults import failure_of
from tokalign.server.observe.memory import Memory, MemoryBound
from tokalign.server.observe.metrics import Metrics, MetricsServer
from tokalign.server.observe.watch import Watch
from tokalign.server.workers.engine import EngineFactory, EngineSettings
from tokalign.server.workers.pool import Pool
from tokalign.server.workers.supervision import PoolSettings

if TYPE_CHECKING:
    from tokalign.server.http.routes import HttpFrontend
    from tokalign.server.rpc.frontend import Frontend

log = logging.getLogger(__name__)

SILENCE_S = 15.0
# So many new objects, less those freed, have the collector look at them.
GARBAGE = 10_000

Announce = Callable[[Mapping[str, str]], None]
"""Takes the addresses of the ports by what they are for: gRPC, HTTP, metrics."""


def run(config: Config, announce: Announce, factory: EngineFactory) -> None:
    """Serve until SIGTERM or SIGINT, then drain and return. SIGHUP reloads the models.

    Parameters
    ----------
    announce : Announce
        Called once the server is SERVING.
    factory : EngineFactory
        Makes the engine of each worker: aligners.load, except in tests.

    Raises
    ------
    AlignError
        If the port is taken, a model cannot be loaded, or no worker is left.
    """
    memory.forbid_cores()
    config = descriptors.fit(config, descriptors.raise_limit())
    memory.keep_little()

    async def serve() -> None:
        await App(config, announce, factory).serve()

    uvloop.run(serve())


class App:
    """One server, made inside the event loop that it runs on.

    At its end it reports NOT_SERVING, waits `drain_delay_s` while calls are still taken, refuses
    new calls, lets running ones finish for up to `grace_s`, stops the workers, sends the last spans
    and closes the metrics port. A second signal ends the waits.

    Attributes
    ----------
    pool : Pool
        Serves new calls. A reload replaces it; the old one finishes what it has.
    """

    def __init__(self, config: Config, announce: Announce, factory: EngineFactory) -> None:
        self.reloads = 0
        self._config = config
        self._announce = announce
        self._factory = factory
        self._metrics = Metrics()
        self._admission = Admission(config.queue_pairs, config.queue_bytes, config.queue_wait_s)
        self._stop = asyncio.Event()
        self._hurry = asyncio.Event()
        self._reloading = asyncio.Lock()
        self._background: set[asyncio.Task[None]] = set()
        self._front: Frontend | None = None
        self._http: HttpFrontend | None = None
        self._is_serving = False
        self._reload_is_asked = False
        self._memory = MemoryBound(config.max_server_rss_bytes, Memory().resident_bytes)
        self._watch = Watch(
            self._memory,
            self._metrics.loop_lag_seconds.observe,
            self._relieve,
            self._is_idle,
            self._report_memory,
        )
        self.pool = self._new_pool(config.models)
        self._gauges()

    @property
    def admitted_pairs(self) -> int:
        """Pairs waiting or running."""
        return self._admission.pairs

    @property
    def running_calls(self) -> int:
        """Calls begun and not yet answered."""
        return self._front.calls.running if self._front else 0

    async def serve(self) -> None:
        """Serve until told to stop."""
        # Imported only now: grpc's threads start after memory.keep_little().
        from tokalign.server.rpc import frontend

        loop = asyncio.get_running_loop()
        loop.set_exception_handler(_log_unhandled)
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(number, self._on_stop_signal)
        loop.add_signal_handler(signal.SIGHUP, self._on_reload_signal)
        front = self._front = frontend.Frontend(
            self._config, self._metrics, self._admission, self._memory
        )
        watching = asyncio.create_task(self._watch.run())
        monitor: MetricsServer | None = None
        try:
            addresses = {"gRPC": await front.start(self)}
            await self._start_http(front, addresses)
            monitor = self._start_monitor(addresses)
            if await self._unless(self._stop, self.pool.start()):
                await front.serve_from(front.prepared(self.pool))
                self._metrics.show_models(self.pool.models)
                self._is_serving = True
                # What has been loaded stays; the collector need not look at it again.
                gc.collect()
                gc.freeze()
                # Calls under way have thousands of objects that are no garbage. The collector
                # would look at them every few calls.
                gc.set_threshold(GARBAGE, 10, 10)
                self._announce(addresses)
                log.info(
                    "serving", extra={"address": addresses["gRPC"], "workers": self.pool.n_ready}
                )
                await self._unless(self._stop, self._failure(watching))
        finally:
            self._is_serving = False
            await self._drain(front)
            watching.cancel()
            if monitor is not None:
                await asyncio.to_thread(monitor.close)
            log.info("stopped")

    async def reload(self, models: Sequence[str] = ()) -> None:
        """Load models in new workers and serve from them once all are ready.

        Calls that have begun finish on the old models. Empty `models` loads the same names or
        paths again.

        Raises
        ------
        ModelError, ResourceError
            If one cannot be loaded; then the old models go on serving.
        """
        async with self._reloading:
            await self._reload(models)

    async def _reload(self, models: Sequence[str]) -> None:
        assert self._front is not None
        names = tuple(models) or self.pool.settings.engine.models
        new = self._new_pool(names)
        try:
            await new.start()
            # Whatever can fail has failed before anything is switched.
            serving = self._front.prepared(new)
        except BaseException as error:
            log.error("reload refused", extra={"models": names, "reason": str(error)})
            self._metrics.reloads.labels("refused").inc()
            await new.close()
            raise
        old, self.pool = self.pool, new
        self._keep(self._retire(old))
        await self._front.serve_from(serving)
        self._metrics.show_models(new.models)
        self.reloads += 1
        self._metrics.reloads.labels("done").inc()
        log.info("reloaded", extra={"models": [model.name for model in new.models]})

    async def _retire(self, pool: Pool) -> None:
        """Let a replaced pool finish its calls, then close it; close it at once if it fails."""
        drained = asyncio.ensure_future(pool.drained())
        try:
            await asyncio.wait({drained, pool.failed}, return_when=asyncio.FIRST_COMPLETED)
            if pool.failed.done():
                log.error(
                    "the old models' workers are gone",
                    extra={"reason": str(pool.failed.exception())},
                )
        finally:
            drained.cancel()
            await pool.close()

    async def _drain(self, front: Frontend) -> None:
        log.info("draining", extra={"calls": front.calls.running})
        if self.pool.failed.done():
            await self.pool.close()
        await front.refuse()
        if not self.pool.failed.done():
            await self._unless(self._hurry, asyncio.sleep(self._config.drain_delay_s))
        fronts = [each for each in (front, self._http) if each is not None]
        for grace_s in (self._config.grace_s, 0):
            stopped = asyncio.gather(*[each.stop(grace_s) for each in fronts])
            await self._unless(self._hurry if grace_s else asyncio.Event(), stopped)
        for task in self._background:
            task.cancel()
        await asyncio.gather(*self._background, return_exceptions=True)
        await self.pool.close()
        await asyncio.to_thread(front.close)

    async def _failure(self, watching: asyncio.Task[None]) -> None:
        """Wait until the serving pool has failed for good, or the watch; raise its error."""
        while True:
            watched = self.pool
            await asyncio.wait({watched.failed, watching}, return_when=asyncio.FIRST_COMPLETED)
            if watching.done():
                # Balancers know it since memory became short.
                self._hurry.set()
                await watching
            if watched is self.pool:
                await watched.failed

    async def _unless(self, event: asyncio.Event, work: Awaitable[object]) -> bool:
        """Await `work` unless `event` comes first; return whether the work was finished."""
        task = asyncio.ensure_future(work)
        waiting = asyncio.create_task(event.wait())
        try:
            await asyncio.wait({task, waiting}, return_when=asyncio.FIRST_COMPLETED)
            if task.done():
                task.result()
            return task.done()
        finally:
            waiting.cancel()
            task.cancel()

    def _on_stop_signal(self) -> None:
        if self._stop.is_set():
            self._hurry.set()
        self._stop.set()

    def _on_reload_signal(self) -> None:
        if self._is_serving and not self._reload_is_asked:
            self._reload_is_asked = True
            self._keep(self._reload_quietly())

    async def _reload_quietly(self) -> None:
        async with self._reloading:
            # A signal that comes from now on may be about files newer than those read here. This
            # reload answers all signals that came before.
            self._reload_is_asked = False
            try:
                await self._reload(())
            except AlignError:
                log.info("the old models stay")

    def _keep(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(work)
        self._background.add(task)
        task.add_done_callback(self._background.discard)

    def _new_pool(self, models: Sequence[str]) -> Pool:
        config = self._config
        settings = PoolSettings(
            workers=config.workers,
            engine=EngineSettings(tuple(models), config.annotators, config.limits, config.device),
            factory=self._factory,
            shard_pairs=config.shard_pairs,
            shard_timeout_s=config.shard_timeout_s,
            start_timeout_s=config.start_timeout_s,
            max_worker_rss_bytes=config.max_worker_rss_bytes,
            spare_workers=max(0, config.workers + 1 - auto_workers()) if config.workers > 1 else 0,
        )
        return Pool(settings, self._metrics, lambda: self._watch.is_busy)

    def _gauges(self) -> None:
        gauge = self._metrics.gauge
        admission = self._admission
        gauge("tokalign_admitted_pairs", "Pairs waiting or running.", lambda: admission.pairs)
        gauge("tokalign_admitted_cost", "What they cost.", lambda: admission.cost)
        gauge(
            "tokalign_admitted_bytes",
            "Bytes of their requests, and of answers that are not written.",
            lambda: admission.bytes,
        )
        gauge(
            "tokalign_memory_max_bytes",
            "Resident memory the server's own process may have.",
            lambda: self._memory.max_bytes,
        )
        gauge(
            "tokalign_memory_short",
            "1 while calls are refused for lack of memory.",
            lambda: self._memory.is_short,
        )
        gauge(
            "tokalign_queue_pairs",
            "Pairs no worker has been given.",
            lambda: self.pool.waiting_pairs,
        )
        gauge("tokalign_log_dropped", "Log lines dropped since the start.", logs.dropped)
        gauge("tokalign_queue_cost", "What those cost.", lambda: self.pool.waiting_cost)
        gauge("tokalign_workers_ready", "Workers that can align.", lambda: self.pool.n_ready)
        gauge("tokalign_workers_busy", "Workers with a shard.", lambda: self.pool.n_busy)

    async def _start_http(self, front: Frontend, addresses: dict[str, str]) -> None:
        """Listen for HTTP, if there is a port for it, and add its address."""
        if self._config.http_port is None:
            return
        # Imported here: 30 MB that a server of gRPC alone spares.
        from tokalign.server.http.routes import HttpFrontend

        self._http = HttpFrontend(self._config, front, self._is_ready)
        port = await self._http.start()
        scheme = "https" if self._config.tls_certificate else "http"
        addresses["HTTP"] = f"{scheme}://{authority(self._config.tcp_host, port)}"
        if self._config.playground:
            addresses["playground"] = f"{addresses['HTTP']}/"

    def _start_monitor(self, addresses: dict[str, str]) -> MetricsServer | None:
        config = self._config
        if config.metrics_port is None:
            return None
        names = ServerNames(config.tcp_host, config.http_hosts)
        monitor = MetricsServer(
            config.tcp_host,
            config.metrics_port,
            self._metrics,
            is_live=lambda: time.monotonic() - self._watch.last_look < SILENCE_S,
            is_ready=self._is_ready,
            may_call=names.may_call,
        )
        addresses["metrics"] = f"http://{authority(config.tcp_host, monitor.port)}/metrics"
        log.info("metrics", extra={"port": monitor.port})
        return monitor

    def _is_ready(self) -> bool:
        return self._is_serving and not self._memory.is_short

    def _is_idle(self) -> bool:
        """Return whether all running calls wait for their callers."""
        return self._front is None or self.running_calls <= len(self._front.calls.receiving)

    async def _report_memory(self, is_short: bool) -> None:
        if self._front is not None and self._is_serving:
            await self._front.report()

    def _relieve(self) -> None:
        """End the calls whose messages are still arriving, because what they hold is unused."""
        if self._front is not None:
            self._front.calls.receiving.end_all(failure_of(self._memory.refusal()))


def _log_unhandled(loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
    """Log an error that no task awaited; asyncio's own handler would quote the exception."""
    error = context.get("exception")
    if isinstance(error, BaseException):
        failure_of(error)
    else:
        log.error(str(context["message"]))
