import asyncio
import contextlib
import dataclasses
import math
import os
import signal
import time

import pytest
from support import loaded
from support.pools import asked, loaded_processes, running_pool, sources
from support.waiting import until
from tokalign.errors import ModelError
from tokalign.server.status import ExpiredError, NotServingError
from tokalign.server.workers import pool as pool_module
from tokalign.server.workers import process as process_module
from tokalign.server.workers import supervision

from bench.procfs import stat

INTERNAL = 13


def restarts(metrics, reason):
    return metrics.registry.get_sample_value("tokalign_worker_restarts_total", {"reason": reason})


@pytest.fixture(autouse=True)
def none_loaded():
    loaded.end()


@pytest.fixture
async def pool(pool_settings, metrics, monkeypatch):
    # Otherwise a worker that takes long to die may be answered for before its end is counted.
    monkeypatch.setattr(pool_module, "HEDGE", math.inf)
    async with running_pool(pool_settings, metrics) as pool:
        yield pool


async def test_answers_keep_the_order_of_pairs(pool):
    ids = [str(index) for index in range(1000)]
    answers = await asyncio.gather(pool.submit(asked(*ids)), pool.submit(asked()))
    assert sources(answers[0]) == ids
    assert answers[1] == []


async def test_workers_hold_no_grpc(pool):
    (answer,) = await pool.submit(asked("grpc"))
    assert answer.score == 0.0


async def test_shard_of_a_killed_worker_is_answered_by_another(pool, metrics, tmp_path):
    answers = await pool.submit(asked("a", f"die-once:{tmp_path / 'died'}", "b"))
    assert [answer.code for answer in answers] == [0, 0, 0]
    assert restarts(metrics, "died") == 1


async def test_pair_that_kills_workers_fails_alone(pool):
    ids = [*map(str, range(5)), "die", *map(str, range(5, 11))]
    answers = await pool.submit(asked(*ids))
    assert [answer.code for answer in answers] == [INTERNAL if name == "die" else 0 for name in ids]
    assert "internal error" in answers[5].message
    await until(lambda: pool.n_ready == 2)


async def test_pair_in_a_worker_that_others_kill_is_never_blamed(pool, metrics, tmp_path):
    ids = [f"killed-once:{tmp_path / str(index)}" for index in range(6)]
    answers = await pool.submit(asked(*ids))
    assert [answer.code for answer in answers] == [0] * 6
    assert restarts(metrics, "killed") == 6
    assert restarts(metrics, "died") == 0


async def test_pair_without_a_deadline_is_tried_again_for_a_time(pool, monkeypatch):
    monkeypatch.setattr(pool_module, "RETRY_S", 0.5)
    with pytest.raises(NotServingError, match="killed again and again"):
        await asyncio.wait_for(pool.submit(asked("killed")), 60)
    call = pool.submit(asked("killed"), time.monotonic() + 60)
    await asyncio.sleep(1)
    assert not call.done()
    call.cancel()


async def test_idle_worker_that_is_killed_is_replaced(pool):
    old = set(pool.pids)
    os.kill(next(iter(old)), signal.SIGKILL)
    await until(lambda: pool.n_ready == 2 and set(pool.pids) != old)
    assert len(await pool.submit(asked("a", "b", "c"))) == 3


async def test_files_are_not_read_again_while_a_process_is_left(pool_settings, metrics, tmp_path):
    model = tmp_path / "model"
    model.touch()
    engine = dataclasses.replace(pool_settings.engine, models=(f"file:{model}",))
    settings = dataclasses.replace(pool_settings, engine=engine)
    async with running_pool(settings, metrics) as pool:
        await until(lambda: len(loaded_processes(os.getpid())) == 3)
        first = loaded_processes(os.getpid())
        model.unlink()
        for pid in first:
            os.kill(pid, signal.SIGKILL)
            await until(
                lambda: len(loaded_processes(os.getpid()) - first) > 0 and pool.n_ready == 2
            )
            assert len(await pool.submit(asked("a", "b", "c"))) == 3
        await until(lambda: len(loaded_processes(os.getpid())) == 3)
        assert not first & loaded_processes(os.getpid())


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGSTOP])
async def test_pool_outlives_all_its_processes(pool, number):
    for _ in range(3):
        for pid in loaded_processes(os.getpid()):
            os.kill(pid, number)
        answers = await asyncio.wait_for(pool.submit(asked("a", "b", "c")), 60)
        assert sources(answers) == ["a", "b", "c"]


async def test_a_fork_that_was_stopped_before_it_was_known_is_replaced(
    pool_settings, metrics, monkeypatch
):
    monkeypatch.setattr(process_module, "FORK_TIMEOUT_S", 0.2)
    fork, held = process_module.WorkerProcess.fork, []

    async def stopped_at_first(process, parent):
        if held:
            return await fork(process, parent)
        async with process._connection(process_module.FORK_TIMEOUT_S) as ends:
            held.extend(os.dup(each.fileno()) for each in ends)

    monkeypatch.setattr(process_module.WorkerProcess, "fork", stopped_at_first)
    async with running_pool(pool_settings, metrics) as pool:
        assert pool.n_ready == 2
        assert restarts(metrics, "slow start") == 1
    for descriptor in held:
        os.close(descriptor)


async def test_kills_of_starting_workers_do_not_end_the_pool(pool, monkeypatch):
    monkeypatch.setattr(supervision, "FAILED_STARTS", 3)
    for _ in range(12):
        known = loaded_processes(os.getpid())
        for pid in known:
            os.kill(pid, signal.SIGKILL)
        await until(lambda: loaded_processes(os.getpid()) - known)  # noqa: B023
    assert len(await asyncio.wait_for(pool.submit(asked("a", "b", "c")), 60)) == 3


async def test_what_cannot_be_forked_is_loaded_by_each_worker(pool_settings, metrics):
    engine = dataclasses.replace(pool_settings.engine, models=("threaded",))
    settings = dataclasses.replace(pool_settings, engine=engine)
    async with running_pool(settings, metrics) as pool:
        assert {stat(pid).parent for pid in pool.pids} == {os.getpid()}
        assert len(loaded_processes(os.getpid())) == 2
        os.kill(pool.pids[0], signal.SIGKILL)
        await until(lambda: len(loaded_processes(os.getpid())) == pool.n_ready == 2)
        assert len(await pool.submit(asked("a", "b", "c"))) == 3


async def test_stopped_worker_is_replaced_and_its_shard_answered(pool_settings, metrics):
    settings = dataclasses.replace(pool_settings, workers=1, shard_timeout_s=200)
    async with running_pool(settings, metrics) as pool:
        os.kill(pool.pids[0], signal.SIGSTOP)
        answers = await pool.submit(asked("a"))
    assert sources(answers) == ["a"]
    assert restarts(metrics, "stopped") == 1


async def test_silent_shard_is_answered_by_a_second_worker(pool_settings, metrics, tmp_path):
    settings = dataclasses.replace(pool_settings, shard_timeout_s=200)
    async with running_pool(settings, metrics) as pool:
        answers = await pool.submit(asked("a", f"hang-once:{tmp_path / 'hung'}", "b"))
        assert [answer.code for answer in answers] == [0, 0, 0]
        await until(lambda: restarts(metrics, "slow") == 1)
        await until(lambda: pool.n_busy == 0)
    assert metrics.registry.get_sample_value("tokalign_cost_total") == 3


async def test_slow_pair_does_not_keep_two_workers(pool_settings, metrics, tmp_path):
    settings = dataclasses.replace(pool_settings, shard_timeout_s=200)
    async with running_pool(settings, metrics) as pool:
        slow = pool.submit(asked(f"until:{tmp_path / 'free'}"))
        await until(lambda: restarts(metrics, "slow") == 1)
        await until(lambda: pool.n_ready == 2)
        assert len(await pool.submit(asked("a", "b"))) == 2
        assert (pool.n_busy, slow.done()) == (1, False)
        (tmp_path / "free").touch()
        (answer,) = await slow
    assert answer.code == 0


async def test_pair_that_hangs_fails_alone(pool_settings, metrics):
    settings = dataclasses.replace(pool_settings, shard_timeout_s=2)
    async with running_pool(settings, metrics) as pool:
        answers = await pool.submit(asked("a", "hang", "b"))
    assert [answer.code for answer in answers] == [0, INTERNAL, 0]


async def test_worker_is_hung_only_by_the_cost_of_its_shard(pool_settings, metrics):
    settings = dataclasses.replace(pool_settings, shard_timeout_s=0.2)
    async with running_pool(settings, metrics) as pool:
        answers = await pool.submit(asked("sleep:0.8", costs=[10_000]))
        assert [answer.code for answer in answers] == [0]
        answers = await pool.submit(asked("hang", costs=[1]))
        assert [answer.code for answer in answers] == [INTERNAL]


async def test_expired_pairs_are_dropped(pool_settings, metrics, tmp_path):
    settings = dataclasses.replace(pool_settings, workers=1)
    async with running_pool(settings, metrics) as pool:
        busy = pool.submit(asked(f"until:{tmp_path / 'free'}"))
        await until(lambda: pool.n_busy)
        deadline = time.monotonic() + 0.05
        late = pool.submit(asked("a", "b"), deadline)
        await until(lambda: time.monotonic() > deadline)
        (tmp_path / "free").touch()
        with pytest.raises(ExpiredError, match="2 of 2 pairs"):
            await late
        await busy


async def test_cancelled_pairs_are_not_started(pool_settings, metrics):
    settings = dataclasses.replace(pool_settings, workers=1, shard_pairs=2)
    async with running_pool(settings, metrics) as pool:
        batch = pool.submit(asked(*["sleep:0.05"] * 100))
        batch.cancel()
        await pool.submit(asked("a"))
        await until(lambda: not pool.waiting_pairs)
        assert metrics.registry.get_sample_value("tokalign_shard_pairs_sum") == 1


async def test_worker_over_its_memory_is_replaced(pool_settings, metrics):
    settings = dataclasses.replace(pool_settings, workers=1, max_worker_rss_bytes=1)
    restarts = metrics.worker_restarts.labels("memory")
    async with running_pool(settings, metrics) as pool:
        for _ in range(2):
            assert sources(await pool.submit(asked("a"))) == ["a"]
        # An answer comes before the end of the worker that gave it is seen.
        await until(lambda: restarts.total == 2)


@pytest.mark.parametrize(("room_mib", "restarts"), [(-1, 2), (304, 0)])
async def test_worker_may_hold_so_much_beside_its_models(
    pool_settings, metrics, monkeypatch, room_mib, restarts
):
    monkeypatch.setattr(supervision, "ROOM_BYTES", room_mib << 20)
    settings = dataclasses.replace(pool_settings, workers=1, max_worker_rss_bytes=None)
    lost = metrics.worker_restarts.labels("memory")
    async with running_pool(settings, metrics) as pool:
        for _ in range(2):
            assert sources(await pool.submit(asked("a"))) == ["a"]
        await until(lambda: lost.total == restarts)


async def test_missing_model_is_a_clear_error(pool_settings, metrics):
    engine = dataclasses.replace(pool_settings.engine, models=("missing",))
    settings = dataclasses.replace(pool_settings, engine=engine)
    with pytest.raises(ModelError, match="no model 'missing'"):
        async with running_pool(settings, metrics):
            pass


async def test_workers_that_never_start_fail_the_pool(pool_settings, metrics, monkeypatch):
    monkeypatch.setattr(supervision, "FAILED_STARTS", 3)
    engine = dataclasses.replace(pool_settings.engine, models=("suicidal",))
    settings = dataclasses.replace(pool_settings, engine=engine)
    with pytest.raises(ModelError, match="workers in a row ended"):
        async with running_pool(settings, metrics):
            pass


async def test_closed_pool_answers_not_serving(pool_settings, metrics):
    async with running_pool(pool_settings, metrics) as pool:
        waiting = pool.submit(asked(*["hang"] * 5))
    with pytest.raises(NotServingError):
        await waiting
    with pytest.raises(NotServingError):
        pool.submit(asked("a"))


async def test_no_worker_outlives_its_pool(pool_settings, metrics):
    async with running_pool(pool_settings, metrics) as pool:
        pids = pool.pids
        hung = pool.submit(asked("hang"))
    with contextlib.suppress(NotServingError):
        await hung

    def gone(pid):
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return True
        return False

    await until(lambda: all(map(gone, pids)))


async def test_pool_is_drained_once_nothing_waits_and_no_worker_is_busy(
    pool_settings, metrics, tmp_path
):
    async with running_pool(pool_settings, metrics) as pool:
        await asyncio.wait_for(pool.drained(), 60)
        answer = pool.submit(asked(f"until:{tmp_path / 'free'}"))
        drained = asyncio.ensure_future(pool.drained())
        await until(lambda: pool.n_busy)
        assert not drained.done()
        (tmp_path / "free").touch()
        await asyncio.wait_for(drained, 60)
        assert answer.done()


async def test_engine_that_raises_is_as_one_that_dies(pool, metrics):
    answers = await asyncio.wait_for(pool.submit(asked("a", "raise", "b")), 60)
    assert [answer.code for answer in answers] == [0, INTERNAL, 0]
    assert restarts(metrics, "died") >= 3
