"""Prometheus metrics and their port, with /livez and /readyz beside /metrics.

The parent process owns every metric; workers send the times of their stages with each shard.
"""

from __future__ import annotations

import functools
import io
import logging
import socket
import threading
from collections import Counter as Tally
from collections.abc import Callable, Iterable, Sequence
from socketserver import ThreadingMixIn
from typing import Any
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer, make_server

from prometheus_client import (
    CollectorRegistry,
    Gauge,
    make_wsgi_app,
)
from prometheus_client.gc_collector import GCCollector
from prometheus_client.platform_collector import PlatformCollector
from prometheus_client.process_collector import ProcessCollector
from tokalign.codec.servers import ModelInfo
from tokalign.errors import InputError
from tokalign.server.observe.collectors import Counted, Counter, Histogram, Series, Usage
from tokalign.server.status import code_name

log = logging.getLogger(__name__)

# A pair takes about 0.2 ms, so the first buckets are as fine; the last hold bulk requests.
SECONDS = (
    *(0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05),
    *(0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0),
)
STAGE_SECONDS = (0.00005, 0.0001, *SECONDS)
PAIRS = (1, 2, 4, 8, 16, 32, 64, 128, 256, 512)
# Requests of the metrics port that are answered at once; each has a thread.
MAX_SCRAPES = 32
REASONS = (
    "died", "killed", "stopped", "hung", "slow", "slow start", "refused", "mismatch", "memory",
)  # fmt: skip


# What a call ends with after it was worked on. Others are refused, most of them at once.
_FAILURES = frozenset({"CANCELLED", "DEADLINE_EXCEEDED", "INTERNAL", "UNKNOWN"})


def outcome_of(code: str) -> str:
    """Return the label of a call's time by the name of its code: answered, failed or refused."""
    if code == "OK":
        return "answered"
    return "failed" if code in _FAILURES else "refused"


class Metrics:
    """Every metric of one server, in a registry of its own."""

    def __init__(self) -> None:
        self.registry = registry = CollectorRegistry()
        ProcessCollector(registry=registry)
        PlatformCollector(registry=registry)
        GCCollector(registry=registry)
        counter = functools.partial(Counter, registry=registry)
        histogram = functools.partial(Histogram, registry=registry)
        labels = ("grpc_service", "grpc_method")
        self.started = counter("grpc_server_started", "Calls begun.", labels)
        self.handled = counter(
            "grpc_server_handled", "Calls ended, by status code.", (*labels, "grpc_code")
        )
        self.handling_seconds = histogram(
            "grpc_server_handling_seconds",
            "Time from a call's arrival to its answer, by outcome.",
            (*labels, "outcome"),
            buckets=SECONDS,
        )
        self.queue_seconds = histogram(
            "tokalign_queue_seconds",
            "Time a request waited for its first pair to be given to a worker.",
            buckets=STAGE_SECONDS,
        ).labels()
        self.stage_seconds = histogram(
            "tokalign_stage_seconds",
            "Time a worker spent on one shard, by stage.",
            ("stage",),
            buckets=STAGE_SECONDS,
        )
        self.shard_pairs = histogram(
            "tokalign_shard_pairs", "Pairs given to a worker at a time.", buckets=PAIRS
        ).labels()
        self.loop_lag_seconds = histogram(
            "tokalign_loop_lag_seconds",
            "Time by which the event loop came late to a look every 50 ms.",
            buckets=SECONDS,
        ).labels()
        self.pairs = counter("tokalign_pairs", "Pairs answered, by status code.", ("code",))
        self.cost = counter(
            "tokalign_cost", "Cost of the pairs answered, in typical pairs."
        ).labels()
        self.worker_restarts = counter(
            "tokalign_worker_restarts", "Workers lost and replaced, by reason.", ("reason",)
        )
        self.reloads = counter("tokalign_reloads", "Reloads of the models.", ("result",))
        _show_zeros(self.reloads, ("done", "refused"))
        _show_zeros(self.worker_restarts, REASONS)
        self.usage = Usage()
        registry.register(self.usage)
        self._model_info = Gauge(
            "tokalign_model_info",
            "1 for each loaded model.",
            ("name", "version", "digest"),
            registry=registry,
        )
        self._gauges: list[Gauge] = []
        # Finding a labelled child takes longer than counting in it.
        self._pairs_by_code = functools.cache(lambda code: self.pairs.labels(code_name(code)))
        self._stage = functools.cache(self.stage_seconds.labels)
        self.ended_by = functools.cache(self._ended_by)

    def _ended_by(self, service: str, method: str, code: str) -> tuple[Counted, Series]:
        """Return what counts the ended calls of a method by a code, and what has their times."""
        seconds = self.handling_seconds.labels(service, method, outcome_of(code))
        return self.handled.labels(service, method, code), seconds

    def show_models(self, models: Sequence[ModelInfo]) -> None:
        """Show the models that serve from now on."""
        self._model_info.clear()
        for model in models:
            self._model_info.labels(model.name, model.version, model.digest).set(1)

    def gauge(self, name: str, help_text: str, read: Callable[[], float]) -> None:
        """Add a gauge that is read at each scrape."""
        gauge = Gauge(name, help_text, registry=self.registry)
        gauge.set_function(read)
        self._gauges.append(gauge)

    def observe_shard(self, codes: Sequence[int], seconds: dict[str, float]) -> None:
        """Count a shard's pairs by their codes, and its time by stage."""
        if len(codes) == 1:
            self._pairs_by_code(codes[0]).inc()
        else:
            for code, count in Tally(codes).items():
                self._pairs_by_code(code).inc(count)
        for stage, spent in seconds.items():
            self._stage(stage).observe(spent)


def _show_zeros(counter: Counter, values: Iterable[str]) -> None:
    """Show a counter of one label from the start for these values."""
    for value in values:
        counter.labels(value)


class MetricsServer:
    """Serves /metrics, /livez and /readyz from a thread of its own.

    Parameters
    ----------
    host, port : str, int
        Port 0 takes a free one.
    is_live, is_ready : callable returning bool
        Called in the server's thread at each probe.
    may_call : callable taking str and returning bool
        Whether a request with this header host is answered; one without it is.

    Raises
    ------
    InputError
        If nobody can listen on the port, such as because it is taken.
    """

    def __init__(
        self,
        host: str,
        port: int,
        metrics: Metrics,
        *,
        is_live: Callable[[], bool],
        is_ready: Callable[[], bool],
        may_call: Callable[[str], bool] = lambda host: True,
    ) -> None:
        exposition = make_wsgi_app(metrics.registry)
        probes = {"/livez": is_live, "/readyz": is_ready}

        def application(environ: dict[str, Any], start_response: Any) -> Any:
            path, host = environ["PATH_INFO"], environ.get("HTTP_HOST")
            is_known = host is None or may_call(host)
            if is_known and path == "/metrics":
                try:
                    return exposition(environ, start_response)
                except Exception:
                    log.exception("metrics cannot be shown")
                    raise
            probe = probes.get(path)
            if not is_known:
                status, body = "403 Forbidden", b"the server has another name; see --http-host\n"
            elif probe is None:
                status, body = "404 Not Found", b"try /metrics, /livez or /readyz\n"
            elif probe():
                status, body = "200 OK", b"ok\n"
            else:
                status, body = "503 Service Unavailable", b"no\n"
            start_response(status, [("Content-Type", "text/plain; charset=utf-8")])
            return [body]

        kind = _IPv6Server if ":" in host else _ThreadingServer
        try:
            self._server = make_server(host, port, application, kind, _QuietHandler)
        except OSError as error:
            raise InputError(
                f"cannot listen on {host}:{port}; is the port taken?", field="metrics_port"
            ) from error
        self._thread = threading.Thread(
            target=self._server.serve_forever, name="metrics", daemon=True
        )
        self._thread.start()

    @property
    def port(self) -> int:
        """The bound port."""
        return self._server.server_port

    def close(self) -> None:
        """Stop serving."""
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


class _ThreadingServer(ThreadingMixIn, WSGIServer):
    daemon_threads = True

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self._free = threading.BoundedSemaphore(MAX_SCRAPES)

    def process_request(self, request: Any, client_address: Any) -> None:
        """Answer in a thread, or hang up if too many are being answered."""
        if not self._free.acquire(blocking=False):
            self.shutdown_request(request)
            return
        try:
            super().process_request(request, client_address)
        except BaseException:
            self._free.release()  # there is no thread
            raise

    def process_request_thread(self, request: Any, client_address: Any) -> None:
        """Answer; called in the thread."""
        try:
            super().process_request_thread(request, client_address)
        finally:
            self._free.release()

    def handle_error(self, request: object, client_address: object) -> None:
        """Log a request that failed; the library would print, and wait."""
        log.warning("metrics request failed", exc_info=True)


class _IPv6Server(_ThreadingServer):
    address_family = socket.AF_INET6


class _QuietHandler(WSGIRequestHandler):
    timeout = 10

    def get_stderr(self) -> io.StringIO:
        """Return a file that drops what the library prints about peers that do not read."""
        return io.StringIO()

    def log_message(self, format: str, *args: Any) -> None:
        """Log nothing: a probe every second is no news."""
