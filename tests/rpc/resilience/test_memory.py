"""The bound on the server's own memory: requests refused, calls ended, memory given back."""

import asyncio
import dataclasses
import json
import subprocess
import sys
import time
import urllib.error
import urllib.request

import grpc
import pytest
from grpc_health.v1 import health_pb2, health_pb2_grpc
from support.server_process import get
from support.statuses import reason
from support.waiting import until, wait_until
from tokalign.codec.servers import ErrorReason
from tokalign.server.observe import memory
from tokalign.server.observe import watch as watch_module
from tokalign.server.observe.memory import MemoryBound, OutOfMemoryError
from tokalign.server.observe.watch import TRIM_BYTES, Watch
from tokalign.server.rpc.service import SERVICE
from tokalign.server.status import Failure, QueueFullError
from tokalign.v1 import align_pb2

from bench.server_process import TOKALIGN, running_server

Code = grpc.StatusCode
REQUEST = align_pb2.AlignRequest(pair={"source": {"text": "a"}, "target": {"text": "b"}})


def post(url, body):
    """Return the status, the headers and the body of an answer."""
    try:
        with urllib.request.urlopen(url, body, timeout=60) as answer:
            return answer.status, answer.headers, answer.read()
    except urllib.error.HTTPError as error:
        return error.code, error.headers, error.read()


def check(address):
    command = [*TOKALIGN, "serve", "--check", address]
    return subprocess.run(command, capture_output=True, timeout=60)


@dataclasses.dataclass
class Process:
    """A process whose memory is what a test says."""

    resident: int = 0

    def resident_bytes(self):
        return self.resident


def test_calls_are_refused_above_three_quarters_and_each_change_is_logged(caplog):
    process = Process(75)
    bound = MemoryBound(100, process.resident_bytes)
    bound.look()
    bound.check()
    process.resident = 76
    for _ in range(3):
        assert bound.look() == 76
        with pytest.raises(QueueFullError) as caught:
            bound.check()
    assert caught.value.retry_after_s > 0
    process.resident = 75
    bound.look()
    bound.check()
    assert [record.levelname for record in caplog.records] == ["WARNING", "WARNING"]
    assert caplog.records[0].resident_bytes == 76


async def test_watch_observes_the_lag_and_relieves_a_full_process():
    process = Process(87)
    lags, relieved = [], []
    watch = Watch(
        MemoryBound(100, process.resident_bytes), lags.append, lambda: relieved.append(None)
    )
    task = asyncio.create_task(watch.run())
    await until(lambda: len(lags) > 1)
    assert not relieved
    process.resident = 88
    await until(lambda: len(relieved) > 1)
    task.cancel()
    assert all(lag >= 0 for lag in lags)


async def test_watch_tells_whether_the_loop_is_busy(monkeypatch):
    is_busy = True

    class Clock:
        def seconds(self):
            return time.monotonic() if is_busy else 0.0

    monkeypatch.setattr(watch_module, "ThreadClock", Clock)
    watch = Watch(MemoryBound(1 << 40, lambda: 0), lambda lag: None, lambda: None)
    assert not watch.is_busy
    task = asyncio.create_task(watch.run())
    await until(lambda: watch.is_busy)
    is_busy = False
    await until(lambda: not watch.is_busy)
    task.cancel()


def test_work_grows_while_a_thread_runs():
    clock = watch_module.ThreadClock()
    began_s, deadline = clock.seconds(), time.monotonic() + 60
    while clock.seconds() - began_s < 0.01:
        assert time.monotonic() < deadline
    assert 0 < clock.seconds() - began_s < 70


async def test_watch_gives_memory_back_once_it_has_grown(monkeypatch):
    process = Process(TRIM_BYTES)
    given_back = []

    def give_back():
        given_back.append(process.resident)
        process.resident = TRIM_BYTES

    monkeypatch.setattr(memory, "give_back", give_back)
    lags = []
    watch = Watch(MemoryBound(1 << 40, process.resident_bytes), lags.append, lambda: None)
    task = asyncio.create_task(watch.run())
    process.resident = 2 * TRIM_BYTES
    await until(lambda: len(lags) > 30)
    assert not given_back
    process.resident = 2 * TRIM_BYTES + 1
    await until(lambda: given_back)
    n_lags = len(lags)
    await until(lambda: len(lags) > n_lags + 30)
    task.cancel()
    assert given_back == [2 * TRIM_BYTES + 1]


async def test_watch_gives_back_what_is_freed_after_a_trim_at_the_peak(monkeypatch):
    process = Process(TRIM_BYTES)
    monkeypatch.setattr(watch_module, "AGAIN_S", 0.0)
    given_back = []
    monkeypatch.setattr(memory, "give_back", lambda: given_back.append(process.resident))
    watch = Watch(MemoryBound(1 << 40, process.resident_bytes), lambda lag: None, lambda: None)
    task = asyncio.create_task(watch.run())
    process.resident = 3 * TRIM_BYTES
    # All was in use at the first.
    await until(lambda: len(given_back) > 1)
    task.cancel()
    assert set(given_back) == {3 * TRIM_BYTES}


def resident_after(script):
    """Return the growth of a new process, in bytes, that allocates and frees as told."""
    whole = f"""
from tokalign.server.observe import memory
from tokalign.server.observe import watch as watch_module
def grown():
    return memory.Memory().resident_bytes() - before
before = memory.Memory().resident_bytes()
{script}
"""
    done = subprocess.run([sys.executable, "-c", whole], capture_output=True, timeout=60)
    assert done.returncode == 0, done.stderr.decode()
    return [int(line) for line in done.stdout.split()]


def test_memory_that_was_freed_is_given_back():
    # Small blocks with a survivor behind them, which glibc keeps.
    full, freed, given_back = resident_after(
        "blocks = [bytearray(60_000) for _ in range(1000)]; print(grown());"
        "survivors = blocks[-1:]; del blocks; print(grown());"
        "memory.give_back(); print(grown())"
    )
    assert full > 50_000_000
    assert freed > 50_000_000
    assert given_back < 20_000_000


def test_large_blocks_go_back_when_they_are_freed():
    freed = "blocks = [bytearray(4_000_000) for _ in range(20)]; last = blocks[-1]; del blocks;"
    # The first round has glibc's threshold rise, the second is kept.
    (kept,) = resident_after(f"{freed} del last; {freed} print(grown())")
    (left,) = resident_after(f"memory.keep_little(); {freed} del last; {freed} print(grown())")
    assert kept > 40_000_000
    assert left < 10_000_000


async def test_server_short_of_memory_refuses_calls_and_chunks_and_serves_again(serving):
    stub = await serving()
    stream = stub.AlignStream()
    await stream.write(align_pb2.AlignStreamRequest(chunk_id="1", pairs=[REQUEST.pair]))
    assert (await stream.read()).status.code == 0
    stub.memory.is_short = True
    told, details = await reason(stub.Align(REQUEST))
    assert told == "MEMORY_SHORT"
    assert details["RetryInfo"].retry_delay.seconds == 1
    await stream.write(align_pb2.AlignStreamRequest(chunk_id="2", pairs=[REQUEST.pair]))
    assert (await stream.read()).status.code == Code.RESOURCE_EXHAUSTED.value[0]
    stub.memory.is_short = False
    assert (await stub.Align(REQUEST)).model.name == "fake"
    stub.front.calls.receiving.end_all(Failure(ErrorReason.MEMORY_SHORT, "as told"))
    assert await stream.code() == Code.RESOURCE_EXHAUSTED


@pytest.mark.parametrize(
    ("name", "is_idle"), [("LOST_S", lambda: True), ("LOST_BUSY_S", lambda: False)]
)
async def test_watch_ends_where_memory_stays_short_without_reason(monkeypatch, name, is_idle):
    process = Process(75)
    monkeypatch.setattr(watch_module, name, 0.2)
    reported = []

    async def report(is_short):
        reported.append(is_short)

    bound = MemoryBound(100, process.resident_bytes)
    watch = Watch(bound, lambda lag: None, lambda: None, is_idle, report)
    task = asyncio.create_task(watch.run())
    await asyncio.sleep(0.4)
    assert not task.done() and not reported
    process.resident = 76
    with pytest.raises(OutOfMemoryError, match="three quarters"):
        await asyncio.wait_for(task, 60)
    assert reported == [True]


async def test_watch_frees_garbage_where_memory_is_short_with_nothing_running(monkeypatch):
    process = Process(76)
    monkeypatch.setattr(watch_module, "FREE_S", 0.0)
    monkeypatch.setattr(memory, "collect", lambda: setattr(process, "resident", 10))
    bound = MemoryBound(100, process.resident_bytes)
    is_short = []

    async def report(value):
        is_short.append(value)

    watch = Watch(bound, lambda lag: None, lambda: None, lambda: True, report)
    task = asyncio.create_task(watch.run())
    await until(lambda: is_short)
    assert is_short == [False] and not task.done()
    task.cancel()


async def test_health_is_not_serving_while_memory_is_short(serving):
    stub = await serving()
    stub.memory.is_short = True
    await stub.front.report()
    question = health_pb2.HealthCheckRequest(service=SERVICE)
    health = health_pb2_grpc.HealthStub(stub.channel)
    assert (await health.Check(question)).status == health_pb2.HealthCheckResponse.NOT_SERVING
    stub.memory.is_short = False
    await stub.front.report()
    assert (await health.Check(question)).status == health_pb2.HealthCheckResponse.SERVING


def test_a_server_that_memory_stays_short_of_says_so_and_ends(tmp_path):
    short, script = tmp_path / "short", tmp_path / "serve.py"
    script.write_text(
        "from pathlib import Path\n"
        "from tokalign.cli.main import main\n"
        "from tokalign.server.observe import memory, watch\n"
        f"short = Path({str(short)!r})\n"
        "memory.Memory.resident_bytes = lambda self: (500 if short.exists() else 1) << 20\n"
        "watch.LOST_S = 10.0\n"
        "if __name__ == '__main__':\n"
        "    main(prog_name='tokalign')\n"
    )
    command = (sys.executable, str(script), "serve")
    with running_server("--workers", "1", "--http-port", "0", command=command) as server:
        assert get(f"{server.http_url}/healthz")[0] == 200
        short.touch()
        wait_until(lambda: get(f"{server.metrics_url}/readyz")[0] == 503)
        assert get(f"{server.metrics_url}/livez")[0] == 200
        assert get(f"{server.http_url}/healthz")[0] == 503
        status, headers, text = post(f"{server.http_url}/v1/align", b"{}")
        assert (status, json.loads(text)["reason"]) == (503, "MEMORY_SHORT")
        assert headers["retry-after"] and headers["x-envoy-immediate-health-check-fail"]
        assert check(server.address).returncode != 0
        assert "without reason" in server.rest()
        assert server.process.wait(60) == 1
