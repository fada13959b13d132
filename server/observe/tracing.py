"""OpenTelemetry traces, off unless asked for: the call, its wait in the queue, its work.

A call's span continues the trace that its metadata names (W3C trace context, or what
OTEL_PROPAGATORS says). Below it lie `queue`, up to the first pair given to a worker, and one
`compute` per shard, with the stages that the worker timed. Nothing here imports opentelemetry until
a Tracing is made, and spans never hold sentences.
"""

from __future__ import annotations

import importlib
import logging
import os
import threading
import time
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from tokalign.errors import InputError, MissingPackageError, quoted

if TYPE_CHECKING:
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.trace import Span

log = logging.getLogger(__name__)

MAX_SHARD_SPANS = 32
# So long the last spans may take when the server stops.
CLOSE_S = 2.0
# Faults of the server; a fault of the caller is no error of the span (semantic conventions).
SERVER_FAULTS = frozenset(
    {"UNKNOWN", "DEADLINE_EXCEEDED", "UNIMPLEMENTED", "INTERNAL", "UNAVAILABLE", "DATA_LOSS"}
)
EXPORTERS = {
    "http/protobuf": "opentelemetry.exporter.otlp.proto.http.trace_exporter",
    "grpc": "opentelemetry.exporter.otlp.proto.grpc.trace_exporter",
}


class Ending(NamedTuple):
    """How a call's span ends.

    Attributes
    ----------
    is_fault : bool
        Whether the server is to blame.
    """

    attributes: Mapping[str, int | str]
    is_fault: bool


class SpanConvention(Protocol):
    """What the spans of one kind of calls are called and say."""

    def begun(self, service: str, method: str, call: Any) -> tuple[str, Mapping[str, str]]:
        """Return the name of a span and its first attributes; `call` is what handlers get."""

    def ended(self, call: Any, code: int, name: str, reason: str) -> Ending:
        """Return how it ends, by the call's google.rpc.Code, its name and the ErrorReason."""


class GrpcSpans:
    """Spans of gRPC."""

    def begun(self, service: str, method: str, call: Any) -> tuple[str, Mapping[str, str]]:
        """See SpanConvention."""
        attributes = {"rpc.system": "grpc", "rpc.service": service, "rpc.method": method}
        return f"{service}/{method}", attributes

    def ended(self, call: Any, code: int, name: str, reason: str) -> Ending:
        """See SpanConvention."""
        return Ending({"rpc.grpc.status_code": code}, name in SERVER_FAULTS)


GRPC = GrpcSpans()


class Tracing:
    """Makes the spans of calls.

    Parameters
    ----------
    provider : opentelemetry.sdk.trace.TracerProvider
        See otlp_provider.
    """

    def __init__(self, provider: TracerProvider) -> None:
        from opentelemetry import propagate, trace

        self._provider = provider
        self._tracer = provider.get_tracer("tokalign.server")
        self._extract = propagate.extract
        self._kind = trace.SpanKind.SERVER

    def begin(
        self, name: str, attributes: Mapping[str, str], metadata: Mapping[str, Any]
    ) -> CallTrace | None:
        """Start a call's span; return None if it is not sampled."""
        span = self._tracer.start_span(name, self._extract(metadata), self._kind, attributes)
        if not span.is_recording():
            return None
        return CallTrace(self, span)

    def child(self, parent: Span, name: str, begin_s: float, **attributes: int | str) -> Span:
        """Return a span below another one that began at `begin_s` by time.monotonic."""
        from opentelemetry import trace

        return self._tracer.start_span(
            name,
            trace.set_span_in_context(parent),
            attributes={f"tokalign.{name}": value for name, value in attributes.items()},
            start_time=epoch_ns(begin_s),
        )

    def close(self) -> None:
        """Send what has not been sent; blocks for CLOSE_S at most."""
        # The exporter waits for a collector that does not answer, whatever limit it is given. A
        # daemon does not keep the process.
        closing = threading.Thread(target=self._provider.shutdown, name="traces", daemon=True)
        closing.start()
        closing.join(CLOSE_S)
        if closing.is_alive():
            log.warning("traces lost", extra={"reason": f"no answer within {CLOSE_S:g} s"})


class CallTrace:
    """The spans of one call, which may have several requests in the queue, as streams do.

    Parameters
    ----------
    span : opentelemetry.trace.Span
        The call's, which is recording.
    """

    def __init__(self, tracing: Tracing, span: Span) -> None:
        self._tracing = tracing
        self._span = span
        self._shards = 0
        self._pairs = 0

    @property
    def trace_id(self) -> str:
        """The id of the trace in 32 hexadecimal digits."""
        return f"{self._span.get_span_context().trace_id:032x}"

    def queued(self, begin_s: float, end_s: float) -> None:
        """Record a request's wait for its first pair to be given to a worker.

        Times are those of time.monotonic, in seconds.
        """
        self._tracing.child(self._span, "queue", begin_s).end(epoch_ns(end_s))

    def computed(
        self, begin_s: float, n_pairs: int, worker_pid: int, stages: Mapping[str, float]
    ) -> None:
        """Record a shard that was answered just now.

        Parameters
        ----------
        begin_s : float
            When it was given to the worker, by time.monotonic.
        n_pairs : int
            Pairs of this call in it; the shard may hold other calls' as well.
        stages : mapping from name to seconds
            Of the whole shard, in order. The rest of the span's time is the way to the worker
            and back.
        """
        self._shards += 1
        self._pairs += n_pairs
        if self._shards > MAX_SHARD_SPANS:
            return
        end_s = time.monotonic()
        span = self._tracing.child(
            self._span, "compute", begin_s, pairs=n_pairs, worker_pid=worker_pid
        )
        at_s = max(begin_s, end_s - sum(stages.values()))
        for name, seconds in stages.items():
            self._tracing.child(span, name, at_s).end(epoch_ns(at_s + seconds))
            at_s += seconds
        span.end(epoch_ns(end_s))

    def end(self, ending: Ending, message: str, told: Mapping[str, str]) -> None:
        """End the call's span, with a message where the server failed.

        `told` are further attributes, without the prefix of their names.
        """
        from opentelemetry.trace import Status, StatusCode

        self._span.set_attributes(
            {
                **ending.attributes,
                "tokalign.pairs": self._pairs,
                "tokalign.shards": self._shards,
                **{f"tokalign.{name}": value for name, value in told.items()},
            }
        )
        if ending.is_fault:
            self._span.set_status(Status(StatusCode.ERROR, message))
        self._span.end()


def epoch_ns(monotonic_s: float) -> int:
    """Return a time of time.monotonic as nanoseconds since 1970."""
    return time.time_ns() - round((time.monotonic() - monotonic_s) * 1e9)


def otlp_provider() -> TracerProvider:
    """Return a provider that sends spans by OTLP, as the OTEL_* variables say.

    The protocol is http/protobuf unless OTEL_EXPORTER_OTLP_TRACES_PROTOCOL or
    OTEL_EXPORTER_OTLP_PROTOCOL is grpc; the service is named tokalign unless OTEL_SERVICE_NAME
    or OTEL_RESOURCE_ATTRIBUTES names it.

    Raises
    ------
    InputError
        If opentelemetry is not installed or the protocol is unknown.
    """
    protocol = (
        os.environ.get("OTEL_EXPORTER_OTLP_TRACES_PROTOCOL")
        or os.environ.get("OTEL_EXPORTER_OTLP_PROTOCOL")
        or "http/protobuf"
    )
    if protocol not in EXPORTERS:
        raise InputError(
            f"OTEL_EXPORTER_OTLP_PROTOCOL is {quoted(protocol)}; wanted {' or '.join(EXPORTERS)}",
            field="traces",
        )
    try:
        from opentelemetry.sdk.resources import Resource
        from opentelemetry.sdk.trace import TracerProvider
        from opentelemetry.sdk.trace.export import BatchSpanProcessor

        exporter = importlib.import_module(EXPORTERS[protocol]).OTLPSpanExporter()
    except ImportError as error:
        raise MissingPackageError.of("traces", error, "otel") from error
    resource = Resource.create()
    if str(resource.attributes["service.name"]).startswith("unknown_service"):
        resource = resource.merge(Resource({"service.name": "tokalign"}))
    provider = TracerProvider(resource=resource, shutdown_on_exit=False)  # Tracing.close does it
    provider.add_span_processor(BatchSpanProcessor(exporter))
    return provider
