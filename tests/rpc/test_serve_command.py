import contextlib
import json
import os
import random
import re
import signal
import socket
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import grpc
import pytest
from grpc_health.v1 import health_pb2, health_pb2_grpc
from support.requests import batch
from support.server_process import FAKE, get, started
from support.waiting import wait_until
from tokalign.load.process import running_server
from tokalign.load.procfs import descendants, stat
from tokalign.server import config
from tokalign.v1 import align_pb2_grpc


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
            call = align_pb2_grpc.AlignServiceStub(channel).BatchAlign.future(batch("die"))
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
        below = descendants(server.process.pid)
        workers = [pid for pid, seen in below.items() if seen.parent != server.process.pid]
        assert len(workers) == 2
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


def test_killed_fork_server_costs_nothing(tmp_path):
    with started() as server, grpc.insecure_channel(server.address) as channel:
        stub = align_pb2_grpc.AlignServiceStub(channel)
        (fork_server,) = [
            pid
            for pid in descendants(server.process.pid)
            if stat(pid)[1] == server.process.pid
            and b"forkserver" in Path(f"/proc/{pid}/cmdline").read_bytes()
        ]
        os.kill(fork_server, signal.SIGKILL)
        wait_until(lambda: stat(fork_server) is None)
        for name in ("a", f"die-once:{tmp_path / 'one'}", f"die-once:{tmp_path / 'two'}", "b"):
            assert stub.BatchAlign(batch(name), timeout=60).results[0].status.code == 0
        wait_until(lambda: "tokalign_workers_ready 2.0" in get(f"{server.metrics_url}/metrics")[1])
        below = descendants(server.process.pid)
        assert server.stop() == 0
        wait_until(lambda: not any(map(stat, below)))


def test_server_that_is_loading_says_so_and_can_be_stopped():
    with started("--model", "slow:60", wait=False) as server:
        port = server.read_until('"event": "metrics"') and server.log[-1]["port"]
        assert get(f"http://127.0.0.1:{port}/readyz")[0] == 503
        assert get(f"http://127.0.0.1:{port}/livez")[0] == 200
        wait_until(lambda: len(descendants(server.process.pid)) >= 4)
        below = descendants(server.process.pid)
        assert server.stop() == 0
        wait_until(lambda: not any(map(stat, below)))


def test_ipv6_is_served():
    with started("--host", "::1") as server, grpc.insecure_channel(server.address) as channel:
        assert server.address.startswith("[::1]:")
        stub = align_pb2_grpc.AlignServiceStub(channel)
        assert len(stub.BatchAlign(batch("a"), timeout=60).results) == 1
        assert get(f"{server.metrics_url}/readyz")[0] == 200


def serve_with(limits):
    """Return the command that serves under these limits of a shell."""
    return ("sh", "-c", f'{limits}; exec "$@"', "sh", sys.executable, "-c", FAKE, "serve")


def test_idle_connections_leave_descriptors_to_probes_and_calls():
    with (
        running_server("--workers", "1", command=serve_with("ulimit -n 256")) as server,
        grpc.insecure_channel(server.address) as channel,
        contextlib.ExitStack() as stack,
    ):
        stub = align_pb2_grpc.AlignServiceStub(channel)
        assert stub.BatchAlign(batch("a"), timeout=60).results[0].status.code == 0
        (limited,) = [entry for entry in server.log if "limited by" in entry["event"]]
        assert limited["connections"] == 256 - 128 - 8
        host, port = server.address.split(":")
        for _ in range(300):
            # Those beyond the limit are closed.
            with contextlib.suppress(OSError):
                peer = stack.enter_context(socket.create_connection((host, int(port)), timeout=60))
                peer.sendall(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\4\0\0\0\0\0")
        assert get(f"{server.metrics_url}/livez")[0] == 200
        assert "tokalign_workers_ready 1.0" in get(f"{server.metrics_url}/metrics")[1]
        assert stub.BatchAlign(batch("a"), timeout=60).results[0].status.code == 0


def test_too_few_descriptors_end_the_server_with_what_it_needs():
    command = serve_with("ulimit -n 130")
    with running_server("--workers", "1", command=command, wait=False) as server:
        assert server.process.wait(60) == 1
        assert "130 open files are allowed; 1 workers and a connection need 137" in server.rest()


def test_limit_of_descriptors_is_raised_as_far_as_it_may_be():
    command = serve_with("ulimit -Sn 200; ulimit -Hn 700")
    with running_server("--workers", "1", command=command) as server:
        limits = Path(f"/proc/{server.process.pid}/limits").read_text()
        assert re.search(r"^Max open files +700 +700 ", limits, re.M)
        (logged,) = [entry for entry in server.log if entry["event"] == "descriptors"]
        assert (logged["before"], logged["allowed"]) == (200, 700)


def test_missing_model_ends_the_server_with_its_name():
    with started("--model", "missing", wait=False) as server:
        errors = server.rest()
        assert server.process.wait(30) == 1
        assert "no model 'missing'" in errors


def test_taken_port_ends_the_server():
    with started() as server:
        port = server.address.rpartition(":")[2]
        with started("--port", port, wait=False) as second:
            errors = second.rest()
            assert second.process.wait(30) == 1
            assert "cannot listen on 127.0.0.1" in errors


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        (["--workers", "0"], "workers is 0"),
        (["--workers", "many"], "wanted a number or auto"),
        (["--queue-pairs", "5"], "could never be queued"),
        (["--max-tokens", "600"], "wanted 1 to 512"),
        (["--port", "70000"], "wanted 0 to 65535"),
        (["--model", "a", "--model", "a"], "each once"),
        (["--grace", "-1"], "wanted 0 to"),
    ],
)
def test_contradictory_flags_are_usage_errors(flags, message):
    with started(*flags, wait=False) as server:
        errors = server.rest()
        assert server.process.wait(30) == 2
        assert message in errors


def test_options_come_from_the_environment(monkeypatch):
    monkeypatch.setenv("TOKALIGN_SERVE_MODEL", "missing")
    with started(wait=False) as server:
        assert "no model 'missing'" in server.rest()
