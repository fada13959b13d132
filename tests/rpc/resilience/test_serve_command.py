import json
import os
import random
import re
import shlex
import signal
import socket
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import grpc
import pytest
from grpc_health.v1 import health_pb2, health_pb2_grpc
from support.pools import loaded_processes
from support.requests import batch
from support.server_process import get, started
from support.waiting import wait_until
from tokalign.server import config
from tokalign.v1 import align_pb2, align_pb2_grpc

from bench.procfs import descendants, stat
from bench.server_process import SERVE, ServerProcess

PAIR = align_pb2.Pair(source={"text": "A dog barked."}, target={"text": "Dogs bark."})


def test_sigterm_finishes_running_calls_and_exits_0(tmp_path):
    busy = [f"until:{tmp_path / 'free'}"] * 20
    with started() as server, grpc.insecure_channel(server.address) as channel:
        stub = align_pb2_grpc.AlignServiceStub(channel)
        with ThreadPoolExecutor() as threads:
            calls = [threads.submit(stub.BatchAlign, batch(*busy)) for _ in range(3)]
            scrape = f"{server.metrics_url}/metrics"
            wait_until(lambda: "tokalign_admitted_pairs 60.0" in get(scrape)[1])
            server.process.send_signal(signal.SIGTERM)
            server.read_until("draining")
            (tmp_path / "free").touch()
            assert server.process.wait(60) == 0
            for call in calls:
                assert [result.status.code for result in call.result().results] == [0] * 20
        events = [entry["event"] for entry in map(json.loads, server.rest().splitlines())]
        assert events == ["stopped"]


def test_sigterm_to_the_process_group_still_drains(tmp_path):
    with started() as server, grpc.insecure_channel(server.address) as channel:
        stub = align_pb2_grpc.AlignServiceStub(channel)
        call = stub.BatchAlign.future(batch(*[f"until:{tmp_path / 'free'}"] * 20))
        scrape = f"{server.metrics_url}/metrics"
        wait_until(lambda: "tokalign_admitted_pairs 20.0" in get(scrape)[1])
        for pid in descendants(server.process.pid):
            os.kill(pid, signal.SIGTERM)
        server.process.send_signal(signal.SIGTERM)
        server.read_until("draining")
        (tmp_path / "free").touch()
        assert server.process.wait(60) == 0
        assert len(call.result().results) == 20


def test_the_end_has_an_order(tmp_path):
    """NOT_SERVING first, calls taken for the delay, then refused; running ones are answered."""
    with (
        started("--drain-delay", "12", "--grace", "300") as server,
        grpc.insecure_channel(server.address) as channel,
    ):
        stub = align_pb2_grpc.AlignServiceStub(channel)
        watch = health_pb2_grpc.HealthStub(channel).Watch(
            health_pb2.HealthCheckRequest(service="tokalign.v1.AlignService")
        )
        serving, not_serving = (
            health_pb2.HealthCheckResponse.SERVING,
            health_pb2.HealthCheckResponse.NOT_SERVING,
        )
        assert next(watch).status == serving
        server.process.send_signal(signal.SIGTERM)
        assert next(watch).status == not_serving
        assert get(f"{server.metrics_url}/readyz")[0] == 503
        assert get(f"{server.metrics_url}/livez")[0] == 200
        assert len(stub.BatchAlign(batch("a"), timeout=60).results) == 1
        running = stub.BatchAlign.future(batch(f"until:{tmp_path / 'free'}"), timeout=60)
        # Else the next call might share its shard, and wait with it.
        wait_until((tmp_path / "free.begun").exists)
        codes = []

        def is_refused():
            try:
                stub.BatchAlign(batch("a"), timeout=60)
            except grpc.RpcError as error:
                codes.append(error.code())
            return grpc.StatusCode.UNAVAILABLE in codes

        wait_until(is_refused)
        # grpc cancels a call that it has read and not yet handed over at that very moment.
        assert set(codes[:-1]) <= {grpc.StatusCode.CANCELLED}
        (tmp_path / "free").touch()
        assert len(running.result().results) == 1
        # The watch of the health is still open; it must not hold up the end.
        assert server.process.wait(60) == 0


def test_server_whose_workers_cannot_be_replaced_ends_and_says_why(tmp_path):
    model = tmp_path / "model"
    model.touch()
    with started("--model", f"file:{model}", "--workers", "1") as server:
        model.unlink()
        with grpc.insecure_channel(server.address) as channel:
            call = align_pb2_grpc.AlignServiceStub(channel).BatchAlign.future(batch("hang"))
            scrape = f"{server.metrics_url}/metrics"
            wait_until(lambda: "tokalign_workers_busy 1.0" in get(scrape)[1])
            # The parent first, which would fork another.
            for pid in sorted(loaded_processes(server.process.pid)):
                os.kill(pid, signal.SIGKILL)
            assert server.process.wait(60) == 1
            assert call.exception() is not None
        errors = server.rest()
    assert "the model's file is gone" in errors
    assert "workers in a row ended before they were ready" in errors


def test_workers_over_the_memory_limit_are_replaced_and_no_call_fails():
    with (
        started("--max-worker-rss", "1") as server,
        grpc.insecure_channel(server.address) as channel,
    ):
        stub = align_pb2_grpc.AlignServiceStub(channel)
        for _ in range(3):
            assert stub.BatchAlign(batch("a"), timeout=30).results[0].status.code == 0
        lost = 'tokalign_worker_restarts_total{reason="memory"} 3.0'
        wait_until(lambda: lost in get(f"{server.metrics_url}/metrics")[1])


@pytest.mark.parametrize(
    ("affinity", "quota", "workers"),
    [
        ({0, 1, 2}, None, 3),
        ({0, 1, 2}, "max 100000", 3),
        ({0, 1, 2}, "150000 100000", 2),
        ({0}, "400000 100000", 1),
        ({0, 1}, "1000 100000", 1),
    ],
)
def test_auto_workers_follow_affinity_and_quota(monkeypatch, tmp_path, affinity, quota, workers):
    quota_file = tmp_path / "cpu.max"
    if quota is not None:
        quota_file.write_text(quota)
    monkeypatch.setattr(os, "sched_getaffinity", lambda pid: affinity)
    monkeypatch.setattr(config, "CPU_QUOTA", quota_file)
    assert config.auto_workers() == workers


def test_second_signal_ends_the_grace():
    with (
        started("--shard-timeout", "60") as server,
        grpc.insecure_channel(server.address) as channel,
    ):
        call = align_pb2_grpc.AlignServiceStub(channel).BatchAlign.future(batch("hang"))
        scrape = f"{server.metrics_url}/metrics"
        wait_until(lambda: "tokalign_workers_busy 1.0" in get(scrape)[1])
        server.process.send_signal(signal.SIGTERM)
        server.read_until("draining")
        assert server.stop() == 0
        assert call.exception() is not None


def test_no_process_survives_a_killed_server():
    with started() as server, grpc.insecure_channel(server.address) as channel:
        call = align_pb2_grpc.AlignServiceStub(channel).BatchAlign.future(batch("hang"))
        scrape = f"{server.metrics_url}/metrics"
        wait_until(lambda: "tokalign_workers_busy 1.0" in get(scrape)[1])
        below = descendants(server.process.pid)
        assert len(below) >= 3
        server.process.kill()
        wait_until(lambda: not any(map(stat, below)))
        assert call.exception() is not None


def test_stopped_workers_end_with_a_killed_server():
    with started() as server:
        wait_until(lambda: len(loaded_processes(server.process.pid)) == 3)
        workers = loaded_processes(server.process.pid)
        for pid in workers:
            os.kill(pid, signal.SIGSTOP)
        server.process.kill()
        wait_until(lambda: not any(map(stat, workers)))


def test_connections_that_speak_no_http_cost_nothing():
    rng = random.Random(0)
    preface = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
    with started() as server, grpc.insecure_channel(server.address) as channel:
        stub = align_pb2_grpc.AlignServiceStub(channel)
        stub.BatchAlign(batch("a"), timeout=60)
        files = Path(f"/proc/{server.process.pid}/fd")
        n_before = len(list(files.iterdir()))
        host, port = server.address.split(":")
        for index in range(200):
            with socket.create_connection((host, int(port)), timeout=60) as connection:
                junk = rng.randbytes(rng.randrange(200))
                connection.sendall(preface + junk if index % 2 else junk)
        assert stub.BatchAlign(batch("a"), timeout=60).results[0].status.code == 0
        wait_until(lambda: len(list(files.iterdir())) <= n_before + 2)
        assert server.stop() == 0


def serve(*flags, **options):
    """Return a finished `tokalign serve` that cannot start."""
    return subprocess.run(
        [*SERVE, *flags], capture_output=True, text=True, timeout=60, check=False, **options
    )


def test_variables_that_set_nothing_are_refused_with_a_suggestion():
    done = serve(env={**os.environ, "TOKALIGN_SERVE_WORKER": "2"})
    assert done.returncode == 2
    assert "the environment has TOKALIGN_SERVE_WORKER" in done.stderr
    assert "did you mean TOKALIGN_SERVE_WORKERS?" in done.stderr


def test_standard_input_and_output_may_be_closed():
    """Their numbers went to connections and pipes, and the server ended by SIGABRT."""
    command = shlex.join([*SERVE, "--port", "0", "--metrics-port", "-1", "--workers", "1"])
    server = ServerProcess(["sh", "-c", f"exec {command} <&- >&-"])
    try:
        with grpc.insecure_channel(server.wait_listening()) as channel:
            stub = align_pb2_grpc.AlignServiceStub(channel)
            assert stub.Align(align_pb2.AlignRequest(pair=PAIR)).alignment.score > 0
    finally:
        server.process.send_signal(signal.SIGTERM)
        assert server.process.wait(60) == 0


def on_a_terminal(*command):
    """Return what a command prints to a terminal until it has told how to stop it."""
    ours, theirs = os.openpty()
    process = subprocess.Popen([*SERVE[:-1], *command], stdout=theirs, stderr=theirs)
    os.close(theirs)
    said = b""
    try:
        while b"Ctrl-C" not in said:
            said += os.read(ours, 4096)
    finally:
        process.send_signal(signal.SIGINT)
        assert process.wait(60) == 0
        os.close(ours)
    return said.decode().replace("\r\n", "\n")


def test_a_terminal_gets_the_addresses_as_lines():
    said = on_a_terminal("serve", "--port", "0", "--http-port", "0", "--metrics-port", "-1")
    lines = [line.split() for line in said.splitlines()]
    assert [line[0] for line in lines[:3]] == ["gRPC", "HTTP", "playground"]
    assert lines[2][1] == f"{lines[1][1]}/"
    assert "{" not in said


def test_the_playground_tells_its_address():
    said = on_a_terminal("playground", "--no-browser")
    assert re.fullmatch(r"The playground is at http://127\.0\.0\.1:\d+/; Ctrl-C stops it\.\n", said)


def test_every_line_of_the_log_is_json():
    with started() as server:
        server.process.send_signal(signal.SIGTERM)
        assert server.process.wait(60) == 0
        server.rest()
        events = [entry["event"] for entry in server.log]
        assert any(event.startswith("listening on 127.0.0.1:") for event in events)
        assert len(server.log) == len(server.lines)
    done = serve("--port", "1", "--metrics-port", "-1", "--host", "256.1.1.1")
    assert done.returncode == 1
    entry = json.loads(done.stderr.splitlines()[-1])
    assert (entry["level"], "cannot listen" in entry["event"]) == ("error", True)
