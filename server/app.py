"""A server from its configuration to its end: start, serve, drain."""

from __future__ import annotations

import asyncio
import logging
import signal
import time
from collections.abc import Awaitable, Callable

import uvloop
from tokalign.server import process
from tokalign.server.admission import Admission
from tokalign.server.config import Config
from tokalign.server.engine import EngineFactory, EngineSettings
from tokalign.server.metrics import Metrics, MetricsServer
from tokalign.server.pool import Pool, PoolSettings

log = logging.getLogger(__name__)

HEARTBEAT_S = 1.0
SILENCE_S = 15.0

Announce = Callable[[str], None]


def run(config: Config, announce: Announce, factory: EngineFactory) -> None:
    """Serve until SIGTERM or SIGINT, then drain and return.

    Parameters
    ----------
    config : Config
    announce : callable taking str
        Called with "HOST:PORT" once the server is SERVING.
    factory : EngineFactory
        What workers load: aligners.load, but in tests of the machinery.

    Raises
    ------
    AlignError
        If the port is taken, a model cannot be loaded, or no worker is left.
    """
    process.start_fork_server()
    uvloop.run(App(config, announce, factory).serve())


class App:
    """One server.

    The order of the end: report NOT_SERVING, wait `drain_delay_s` while calls are still taken,
    refuse new calls, let running ones finish for up to `grace_s`, stop the workers, close the
    metrics port. A second signal ends the waits.
    """

    def __init__(self, config: Config, announce: Announce, factory: EngineFactory) -> None:
        self._config = config
        self._announce = announce
        self._factory = factory
        self._metrics = Metrics()
        self._admission = Admission(config.queue_pairs, config.queue_bytes)
        self._stop = asyncio.Event()
        self._hurry = asyncio.Event()
        self._is_serving = False
        self._last_beat = time.monotonic()

    async def serve(self) -> None:
        """Serve until told to stop."""
        # Imported only now: the fork server must be running before grpc is loaded.
        from tokalign.server import frontend

        loop = asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(number, self._on_stop_signal)
        front = frontend.Frontend(self._config, self._metrics, self._admission)
        pool = Pool(self._pool_settings(), self._metrics)
        self._gauges(pool)
        heartbeat = asyncio.create_task(self._beat())
        monitor: MetricsServer | None = None
        try:
            address = await front.start()
            monitor = self._start_monitor()
            if await self._unless(self._stop, pool.start()):
                await front.serve_from(pool)
                self._is_serving = True
                self._announce(address)
                log.info("serving", extra={"address": address, "workers": pool.n_ready})
                await self._unless(self._stop, asyncio.shield(pool.failed))
        finally:
            self._is_serving = False
            log.info("draining", extra={"calls": front.calls.running})
            if pool.failed.done():
                await pool.close()
            await front.refuse()
            if not pool.failed.done():
                await self._unless(self._hurry, asyncio.sleep(self._config.drain_delay_s))
            await self._unless(self._hurry, front.stop(self._config.grace_s))
            await front.stop(0)
            await pool.close()
            heartbeat.cancel()
            if monitor is not None:
                await asyncio.to_thread(monitor.close)
            log.info("stopped")

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

    def _pool_settings(self) -> PoolSettings:
        config = self._config
        return PoolSettings(
            workers=config.workers,
            engine=EngineSettings(config.models, config.annotators, config.limits),
            factory=self._factory,
            shard_pairs=config.shard_pairs,
            shard_timeout_s=config.shard_timeout_s,
            start_timeout_s=config.start_timeout_s,
            max_worker_rss_bytes=config.max_worker_rss_bytes,
        )

    def _gauges(self, pool: Pool) -> None:
        gauge = self._metrics.gauge
        admission = self._admission
        gauge("tokalign_admitted_pairs", "Pairs waiting or running.", lambda: admission.pairs)
        gauge("tokalign_admitted_bytes", "Bytes of their requests.", lambda: admission.bytes)
        gauge("tokalign_queue_pairs", "Pairs no worker has been given.", lambda: pool.waiting_pairs)
        gauge("tokalign_workers_ready", "Workers that can align.", lambda: pool.n_ready)
        gauge("tokalign_workers_busy", "Workers with a shard.", lambda: pool.n_busy)

    def _start_monitor(self) -> MetricsServer | None:
        if self._config.metrics_port is None:
            return None
        monitor = MetricsServer(
            self._config.host,
            self._config.metrics_port,
            self._metrics,
            is_live=lambda: time.monotonic() - self._last_beat < SILENCE_S,
            is_ready=lambda: self._is_serving,
        )
        log.info("metrics", extra={"port": monitor.port})
        return monitor

    async def _beat(self) -> None:
        """Show the monitor's thread that the event loop still turns."""
        while True:
            self._last_beat = time.monotonic()
            await asyncio.sleep(HEARTBEAT_S)
