"""The bound on the server's own memory: requests refused, calls ended, memory given back."""

import asyncio
import dataclasses
import subprocess
import sys
import time

import grpc
import pytest
from support.statuses import reason
from support.waiting import until
from tokalign.codec.reasons import ErrorReason
from tokalign.server.observe import memory
from tokalign.server.observe import watch as watch_module
from tokalign.server.observe.memory import MemoryBound
from tokalign.server.observe.watch import TRIM_BYTES, Watch
from tokalign.server.status import Failure, QueueFullError
from tokalign.v1 import align_pb2

Code = grpc.StatusCode
REQUEST = align_pb2.AlignRequest(pair={"source": {"text": "a"}, "target": {"text": "b"}})


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
