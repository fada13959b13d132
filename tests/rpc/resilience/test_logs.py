"""Logs of a running server: they hold no sentences unless asked to, and wait for no reader."""

import contextlib
import fcntl
import json
import logging
import os
import signal
import socket
import struct
import subprocess
import sys
import urllib.request

import grpc
import pytest
from grpc_health.v1 import health_pb2, health_pb2_grpc
from support.server_process import FAKE, started
from support.waiting import wait_until
from tokalign.server import app
from tokalign.server.observe.logs import (
    JsonFormatter,
    LineWriter,
    PlainFormatter,
    QueuedHandler,
    Quoting,
)
from tokalign.server.observe.metrics import Metrics, MetricsServer
from tokalign.v1 import align_pb2, align_pb2_grpc

from bench.server_process import free_port

SECRET = "Xylophonist"


def pair(pair_id="1", **columns):
    return {
        "id": pair_id,
        "source": {"text": f"The {SECRET} slept."},
        "target": {"text": f"{SECRET}s sleep.", **columns},
    }


def provoke(address):
    """Make every kind of call and error that involves a sentence; return their codes."""
    codes = []
    with grpc.insecure_channel(address) as channel:
        stub = align_pb2_grpc.AlignServiceStub(channel)
        calls = [
            (stub.Align, align_pb2.AlignRequest(pair=pair())),
            (stub.Align, align_pb2.AlignRequest(pair=pair(tags=["NN"]))),
            (stub.Align, align_pb2.AlignRequest(pair=pair(), options={"model": SECRET})),
            (stub.BatchAlign, align_pb2.BatchAlignRequest(pairs=[pair(), pair(heads=[7])])),
            (
                stub.Rank,
                align_pb2.RankRequest(question={"text": SECRET}, candidates=[{}, {"id": SECRET}]),
            ),
            (stub.BatchAlign, align_pb2.BatchAlignRequest(pairs=[pair()] * 20_000)),
        ]
        for method, request in calls:
            try:
                method(request, timeout=30)
                codes.append("OK")
            except grpc.RpcError as error:
                codes.append(error.code().name)
        chunk = align_pb2.AlignStreamRequest(chunk_id=SECRET, pairs=[pair()])
        list(stub.AlignStream(iter([chunk]), timeout=30))
    return codes


def test_no_sentence_is_logged_even_at_the_finest_level():
    with started("--log-level", "debug", fake=False) as server:
        codes = provoke(server.address)
        url = f"{server.metrics_url}/metrics"
        with urllib.request.urlopen(url, timeout=60) as answer:
            assert SECRET not in answer.read().decode()
        assert server.stop() == 0
        rest = server.rest()
    assert {"OK", "INVALID_ARGUMENT", "NOT_FOUND"} <= set(codes)
    assert '"event": "stopped"' in rest
    assert SECRET.lower() not in (rest + json.dumps(server.log)).lower()


def failures(*flags):
    """Return the log's errors after a pair that killed workers and one that broke the engine."""
    with started(*flags) as server, grpc.insecure_channel(server.address) as channel:
        stub = align_pb2_grpc.AlignServiceStub(channel)
        for action in ("die", "raise"):
            with pytest.raises(grpc.RpcError) as caught:
                stub.Align(align_pb2.AlignRequest(pair=pair(action)), timeout=30)
            assert caught.value.code() == grpc.StatusCode.INTERNAL
            assert SECRET not in caught.value.details()
        server.stop()
        lines = server.rest().splitlines()
    entries = [json.loads(line) for line in lines]
    return [entry for entry in entries if "error_id" in entry]


def test_failures_are_logged_without_the_sentences():
    entries = failures()
    assert [entry["event"] for entry in entries].count("ValueError") >= 2
    assert not any(SECRET in json.dumps(entry) for entry in entries)


def test_failures_quote_their_sentences_where_asked_for():
    entries = failures("--log-sentences")
    (killer, breaker) = [entry for entry in entries if "pair" in entry]
    assert killer["pair"] == {"source": f"The {SECRET} slept.", "target": f"{SECRET}s sleep."}
    assert breaker["pair"] == killer["pair"]
    reasons = [entry["reason"] for entry in entries if entry["event"] == "ValueError"]
    assert reasons[0] == f"cannot read The {SECRET} slept."


def test_what_no_task_awaited_is_logged_without_its_text(caplog):
    app._log_unhandled(None, {"message": "lost", "exception": ValueError(SECRET), "task": SECRET})
    app._log_unhandled(None, {"message": "a socket broke"})
    lines = [JsonFormatter().format(record) for record in caplog.records]
    assert [json.loads(line)["event"] for line in lines] == ["ValueError", "a socket broke"]
    assert SECRET not in "".join(lines) + caplog.text


def test_log_record_becomes_one_json_line(caplog):
    logging.getLogger("x").warning("lost", extra={"pairs": 3, "text": Quoting(str, "private")})
    line = JsonFormatter().format(caplog.records[-1])
    entry = json.loads(line)
    assert (entry["event"], entry["level"], entry["pairs"]) == ("lost", "warning", 3)
    assert "private" not in line + caplog.text
    assert json.loads(JsonFormatter(sentences=True).format(caplog.records[-1]))["text"] == "private"


def test_a_person_gets_a_plain_line_without_control_characters(caplog):
    quoted = Quoting(str, "private")
    logging.getLogger("x").warning("lost\x1b[2J", extra={"pairs": 3, "text": quoted})
    line = PlainFormatter().format(caplog.records[-1])
    assert line == "warning: lost␛[2J pairs=3"


@pytest.fixture
def stuck_pipe():
    """Return the ends of a pipe that holds one page and is full."""
    reading, writing = os.pipe()
    fcntl.fcntl(writing, fcntl.F_SETPIPE_SZ, 4096)
    os.write(writing, b"." * 4096)
    yield reading, writing
    os.close(reading)
    os.close(writing)


def serves(channel):
    """Whether the server has loaded its models."""
    with contextlib.suppress(grpc.RpcError):
        answer = health_pb2_grpc.HealthStub(channel).Check(
            health_pb2.HealthCheckRequest(), timeout=60, wait_for_ready=True
        )
        return answer.status == health_pb2.HealthCheckResponse.SERVING


def test_server_whose_log_nobody_reads_answers_and_stops(stuck_pipe):
    _, writing = stuck_pipe
    port = free_port()
    flags = ["serve", "--port", str(port), "--metrics-port", "0", "--workers", "2"]
    server = subprocess.Popen([sys.executable, "-c", FAKE, *flags], stderr=writing)
    try:
        with grpc.insecure_channel(f"127.0.0.1:{port}") as channel:
            stub = align_pb2_grpc.AlignServiceStub(channel)
            wait_until(lambda: serves(channel), "the server is not ready")
            # Logged by workers and by the server.
            for action, code in (("", "OK"), ("raise", "INTERNAL"), ("die", "INTERNAL")) * 2:
                request = align_pb2.BatchAlignRequest(pairs=[pair(action)])
                answer = stub.BatchAlign(request, timeout=60, wait_for_ready=True)
                assert grpc.StatusCode[code].value[0] == answer.results[0].status.code
        server.send_signal(signal.SIGTERM)
        assert server.wait(60) == 0
    finally:
        server.kill()
        server.wait()


def read_lines(descriptor, count):
    with os.fdopen(os.dup(descriptor), "rb", buffering=0) as file:
        text = b""
        while text.count(b"\n") < count:
            text += file.read(65536)
    return text.decode().lstrip(".").splitlines()


def test_what_finds_no_room_is_dropped_counted_and_told_when_lines_flow(stuck_pipe):
    reading, writing = stuck_pipe
    handler = QueuedHandler(JsonFormatter())
    handler.writer = writer = LineWriter(handler._dropped_line, writing, max_lines=3)
    writer.put("first")
    wait_until(lambda: not writer._lines, "the first line is not taken")
    # It hangs in its write, and three wait.
    for number in range(10):
        writer.put(str(number))
    assert not writer.flush(0.01)
    assert writer.dropped == 7
    lines = read_lines(reading, 5)
    assert writer.flush(60)
    (told,) = [json.loads(line) for line in lines if line.startswith("{")]
    assert told["lines"] == 7
    assert told["event"] == "log lines dropped; their reader was stuck"
    assert [line for line in lines if not line.startswith("{")] == ["first", "0", "1", "2"]


@pytest.mark.parametrize("is_blocking", [False, True])
def test_lines_arrive_whole_and_in_order(is_blocking):
    reading, writing = os.pipe()
    os.set_blocking(writing, is_blocking)
    writer = LineWriter(str, writing, max_lines=100)
    wanted = [f"{number} " + "x" * 9000 + "\udcff" for number in range(100)]
    for line in wanted:
        writer.put(line)
    assert read_lines(reading, 100) == [line.replace("\udcff", "\\udcff") for line in wanted]
    assert writer.flush(60) and writer.dropped == 0
    os.close(reading)
    writer.put("nobody reads this any more")
    assert writer.flush(60) and writer.dropped == 1
    os.close(writing)


def test_record_that_cannot_be_formatted_is_one_line_too(stuck_pipe):
    reading, writing = stuck_pipe
    handler = QueuedHandler(JsonFormatter())
    handler.writer = LineWriter(handler._dropped_line, writing)
    handler.emit(logging.makeLogRecord({"name": "x", "msg": "%d", "args": ("no number",)}))
    (line,) = read_lines(reading, 1)
    assert json.loads(line)["event"] == "log record cannot be formatted"


def test_metrics_port_prints_no_tracebacks_of_requests_that_break(capfd, monkeypatch):
    # As the server logs, whatever other tests have set up in this process.
    handler = logging.StreamHandler()
    handler.setFormatter(JsonFormatter())
    for name, handlers in ((None, [handler]), ("tokalign", [])):
        monkeypatch.setattr(logging.getLogger(name), "handlers", handlers)
    monkeypatch.setattr(logging.getLogger("tokalign"), "propagate", True)
    monitor = MetricsServer("127.0.0.1", 0, Metrics(), is_live=lambda: True, is_ready=lambda: True)
    # Too long for a line, nonsense, and a reset in the middle of an answer.
    for text in (b"GET /" + b"x" * 70_000, b"\xff\x00\r\n\r\n", b"GET /metrics HTTP/1.0\r\n\r\n"):
        with socket.create_connection(("127.0.0.1", monitor.port), timeout=60) as peer:
            peer.sendall(text)
            peer.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    with urllib.request.urlopen(f"http://127.0.0.1:{monitor.port}/livez", timeout=60) as answer:
        assert answer.status == 200
    monitor.close()
    printed = capfd.readouterr().err.splitlines()
    assert [line for line in printed if not line.startswith("{")] == []
