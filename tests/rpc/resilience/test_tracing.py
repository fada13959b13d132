"""OpenTelemetry spans of a running server, received by a collector in this process."""

import contextlib
import http.server
import json
import socket
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from concurrent import futures

import grpc
import pytest
from support.server_process import started
from tokalign.errors import InputError, MissingPackageError
from tokalign.server.http.call import SPANS
from tokalign.server.observe import tracing
from tokalign.v1 import align_pb2, align_pb2_grpc

from bench.server_process import TOKALIGN

pytest.importorskip("opentelemetry.sdk", reason="opentelemetry is not installed")

from opentelemetry.proto.collector.trace.v1 import (
    trace_service_pb2,
    trace_service_pb2_grpc,
)

TRACE_ID = "0af7651916cd43dd8448eb211c80319c"
CALLER_ID = "b7ad6b7169203331"
PARENT = f"00-{TRACE_ID}-{CALLER_ID}-01"
ERROR = 2


class Collector:
    """Receives OTLP by HTTP and by grpc."""

    def __init__(self):
        self.spans = []
        self.services = set()
        collector = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                body = self.rfile.read(int(self.headers["content-length"]))
                collector.take(trace_service_pb2.ExportTraceServiceRequest.FromString(body))
                self.send_response(200)
                self.end_headers()

            def log_message(self, *arguments):
                """Print nothing."""

        self.http = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.http.serve_forever, daemon=True).start()
        self.grpc = grpc.server(futures.ThreadPoolExecutor(2))

        class Service(trace_service_pb2_grpc.TraceServiceServicer):
            def Export(self, request, context):  # noqa: N802
                collector.take(request)
                return trace_service_pb2.ExportTraceServiceResponse()

        trace_service_pb2_grpc.add_TraceServiceServicer_to_server(Service(), self.grpc)
        self.grpc_port = self.grpc.add_insecure_port("127.0.0.1:0")
        self.grpc.start()

    def take(self, request):
        for resource in request.resource_spans:
            for attribute in resource.resource.attributes:
                if attribute.key == "service.name":
                    self.services.add(attribute.value.string_value)
            for scope in resource.scope_spans:
                self.spans += scope.spans

    def named(self, name):
        return [span for span in self.spans if span.name == name]

    def close(self):
        self.http.shutdown()
        self.http.server_close()
        self.grpc.stop(0).wait()


@pytest.fixture
def collector():
    collector = Collector()
    yield collector
    collector.close()


@pytest.fixture
def traced(collector, monkeypatch):
    """Return the flags of a server that sends its spans to the collector by HTTP."""
    url = f"http://127.0.0.1:{collector.http.server_port}"
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", url)
    return ["--traces"]


def pair(pair_id="1", source="a b"):
    return {"id": pair_id, "source": {"text": source}, "target": {"text": "b"}}


def attributes(span):
    values = {}
    for attribute in span.attributes:
        value = attribute.value
        values[attribute.key] = getattr(value, value.WhichOneof("value"))
    return values


def test_call_queue_compute_and_stages_continue_the_callers_trace(traced, collector):
    with started(*traced) as server, grpc.insecure_channel(server.address) as channel:
        stub = align_pb2_grpc.AlignServiceStub(channel)
        metadata = [("traceparent", PARENT)]
        stub.Align(align_pb2.AlignRequest(pair=pair()), metadata=metadata, timeout=60)
        assert server.stop() == 0
    (call,) = collector.named("tokalign.v1.AlignService/Align")
    assert (call.trace_id.hex(), call.parent_span_id.hex()) == (TRACE_ID, CALLER_ID)
    assert attributes(call) == {
        "rpc.system": "grpc",
        "rpc.service": "tokalign.v1.AlignService",
        "rpc.method": "Align",
        "tokalign.model": "fake",
        "rpc.grpc.status_code": 0,
        "tokalign.pairs": 1,
        "tokalign.shards": 1,
    }
    (queue,), (compute,), (stage,) = map(collector.named, ("queue", "compute", "align"))
    assert queue.parent_span_id == compute.parent_span_id == call.span_id
    assert stage.parent_span_id == compute.span_id
    assert {span.trace_id for span in collector.spans} == {call.trace_id}
    assert attributes(compute)["tokalign.pairs"] == 1
    # One process reads one clock, so the parts lie in their wholes; but each time is converted by
    # itself, and a busy machine may run others between the two clocks' readings.
    slack_ns = 1_000_000_000
    assert call.start_time_unix_nano <= queue.start_time_unix_nano + slack_ns
    assert queue.end_time_unix_nano <= compute.start_time_unix_nano + slack_ns
    assert compute.end_time_unix_nano <= call.end_time_unix_nano + slack_ns
    assert stage.end_time_unix_nano - stage.start_time_unix_nano == pytest.approx(1e6, abs=2e3)
    assert collector.services == {"tokalign"}


@pytest.mark.parametrize("protocol", ["http/protobuf", "grpc"])
@pytest.mark.parametrize("backlog", [0, 8], ids=["never accepts", "never answers"])
def test_a_collector_that_does_not_answer_keeps_no_server(protocol, backlog, monkeypatch):
    with contextlib.ExitStack() as stack:
        silent = stack.enter_context(socket.create_server(("127.0.0.1", 0), backlog=backlog))
        # The kernel takes so many connections that a collector without a backlog does not accept.
        for _ in range(0 if backlog else 4):
            filling = stack.enter_context(socket.socket())
            filling.setblocking(False)
            filling.connect_ex(silent.getsockname())
        url = f"http://127.0.0.1:{silent.getsockname()[1]}"
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", url)
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_PROTOCOL", protocol)
        server = stack.enter_context(started("--traces", "--grace", "1", "--drain-delay", "0"))
        with grpc.insecure_channel(server.address) as channel:
            stub = align_pb2_grpc.AlignServiceStub(channel)
            stub.Align(align_pb2.AlignRequest(pair=pair()), timeout=60)
        assert server.stop(timeout_s=15) == 0
        assert "traces lost" in server.rest()


def posted(server, path, body, **headers):
    """Return the status of the answer to JSON, and its text."""
    url = f"{server.http_url}{path}"
    headers["traceparent"] = PARENT
    request = urllib.request.Request(url, json.dumps(body).encode(), headers)
    try:
        with urllib.request.urlopen(request, timeout=60) as answer:
            return answer.status, answer.read()
    except urllib.error.HTTPError as error:
        with error:
            return error.code, error.read()


def test_requests_of_http_have_the_conventions_of_http(traced, collector):
    body = {"source": "a b", "target": "b"}
    bodies = {
        200: body,
        400: {**body, "source": "", "target": "confidential"},
        404: {**body, "model": "none"},
        500: {**body, "id": "die"},
    }
    with started(*traced, "--http-port", "0") as server:
        seen = [posted(server, "/v1/align", each)[0] for each in bodies.values()]
        packed, _ = posted(server, "/v1/align", body, **{"content-encoding": "gzip"})
        assert server.stop() == 0
    assert [*seen, packed] == [*bodies, 415]
    spans = {
        attributes(span)["http.response.status_code"]: span
        for span in collector.named("POST /v1/align")
    }
    assert set(spans) == {*bodies, 415}
    assert attributes(spans[200]) == {
        "http.request.method": "POST",
        "http.route": "/v1/align",
        "http.response.status_code": 200,
        "network.protocol.version": "1.1",
        "url.path": "/v1/align",
        "url.scheme": "http",
        "tokalign.model": "fake",
        "tokalign.pairs": 1,
        "tokalign.shards": 1,
    }
    assert {status for status, span in spans.items() if span.status.code == ERROR} == {500}
    assert attributes(spans[500])["error.type"] == "500"
    assert "internal error" in spans[500].status.message
    for span in spans.values():
        assert (span.trace_id.hex(), span.parent_span_id.hex()) == (TRACE_ID, CALLER_ID)
        assert not any(name.startswith("rpc.") for name in attributes(span))
    assert not any("confidential" in str(span) for span in collector.spans)


@pytest.mark.parametrize(("name", "is_fault"), [("INVALID_ARGUMENT", False), ("INTERNAL", True)])
def test_event_stream_that_breaks_off_has_its_status_and_says_why(name, is_fault):
    class Begun:
        def status(self, code, reason):
            return 200

    ending = SPANS.ended(Begun(), 1, name, "")
    assert ending.attributes == {"http.response.status_code": 200, "error.type": name}
    assert ending.is_fault == is_fault


def test_failures_and_their_codes_are_shown_without_sentences(traced, collector):
    with started(*traced) as server, grpc.insecure_channel(server.address) as channel:
        stub = align_pb2_grpc.AlignServiceStub(channel)
        for name in ("fail:source.text", "die"):
            with pytest.raises(grpc.RpcError):
                stub.Align(
                    align_pb2.AlignRequest(pair=pair(name, source="confidential")), timeout=20
                )
        assert server.stop() == 0
    callers_fault, servers_fault = sorted(
        collector.named("tokalign.v1.AlignService/Align"), key=lambda span: span.status.code
    )
    assert attributes(callers_fault)["rpc.grpc.status_code"] == 3
    assert callers_fault.status.code != ERROR
    assert attributes(servers_fault)["rpc.grpc.status_code"] == 13
    assert servers_fault.status.code == ERROR
    assert "internal error" in servers_fault.status.message
    assert not any("confidential" in str(span) for span in collector.spans)


def test_spans_of_a_large_batch_are_bounded_and_its_shards_counted(traced, collector):
    n_pairs = 16 * tracing.MAX_SHARD_SPANS  # of which a shard takes some while nobody else calls
    with (
        started(*traced, "--shard-pairs", "1") as server,
        grpc.insecure_channel(server.address) as channel,
    ):
        request = align_pb2.BatchAlignRequest(pairs=[pair()] * n_pairs)
        align_pb2_grpc.AlignServiceStub(channel).BatchAlign(request, timeout=60)
        assert server.stop() == 0
    (call,) = collector.named("tokalign.v1.AlignService/BatchAlign")
    assert attributes(call)["tokalign.pairs"] == n_pairs
    assert tracing.MAX_SHARD_SPANS < attributes(call)["tokalign.shards"] <= n_pairs
    assert len(collector.named("compute")) == tracing.MAX_SHARD_SPANS


def test_spans_go_by_grpc_and_under_the_name_given(collector, monkeypatch):
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_PROTOCOL", "grpc")
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", f"http://127.0.0.1:{collector.grpc_port}")
    monkeypatch.setenv("OTEL_SERVICE_NAME", "mine")
    with started("--traces") as server, grpc.insecure_channel(server.address) as channel:
        stub = align_pb2_grpc.AlignServiceStub(channel)
        stub.Align(align_pb2.AlignRequest(pair=pair()), timeout=60)
        assert server.stop() == 0
    assert len(collector.named("tokalign.v1.AlignService/Align")) == 1
    assert collector.services == {"mine"}


def test_unsampled_calls_leave_nothing(traced, collector, monkeypatch):
    monkeypatch.setenv("OTEL_TRACES_SAMPLER", "parentbased_always_off")
    with started(*traced) as server, grpc.insecure_channel(server.address) as channel:
        stub = align_pb2_grpc.AlignServiceStub(channel)
        stub.Align(align_pb2.AlignRequest(pair=pair()), timeout=60)
        assert server.stop() == 0
    assert collector.spans == []


def test_absent_collector_costs_no_call_and_little_time(monkeypatch):
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:1")
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_TIMEOUT", "1")  # seconds, by default ten
    with started("--traces") as server, grpc.insecure_channel(server.address) as channel:
        stub = align_pb2_grpc.AlignServiceStub(channel)
        stub.Align(align_pb2.AlignRequest(pair=pair()), timeout=60)
        assert server.stop() == 0


def test_nothing_is_imported_unless_asked_for(collector, monkeypatch):
    monkeypatch.setenv(
        "OTEL_EXPORTER_OTLP_ENDPOINT", f"http://127.0.0.1:{collector.http.server_port}"
    )
    with started() as server, grpc.insecure_channel(server.address) as channel:
        stub = align_pb2_grpc.AlignServiceStub(channel)
        stub.Align(align_pb2.AlignRequest(pair=pair()), timeout=60)
        assert server.stop() == 0
    assert collector.spans == []
    code = "import sys, tokalign.server.rpc.frontend; print('opentelemetry' in sys.modules)"
    answer = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True
    )
    assert answer.stdout == "False\n"


def test_missing_package_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "opentelemetry.sdk.resources", None)
    with pytest.raises(MissingPackageError, match=r"pip install '\.\[otel\]'"):
        tracing.otlp_provider()


def test_unknown_protocol_ends_the_server(monkeypatch):
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_PROTOCOL", "smoke-signals")
    with pytest.raises(InputError, match="http/protobuf or grpc"):
        tracing.otlp_provider()
    answer = subprocess.run(
        [*TOKALIGN, "serve", "--port", "0", "--metrics-port", "-1", "--traces"],
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert answer.returncode == 1
    assert "smoke-signals" in answer.stderr


def test_times_of_the_monotonic_clock_become_those_of_day():
    before = time.time_ns()
    converted = tracing.epoch_ns(time.monotonic())
    # Others may run between the two clocks' readings.
    assert before - 1e9 < converted < time.time_ns() + 1e9
