"""The sharing of what waits over the workers of a pool."""

import asyncio
import dataclasses
import math

from support.pools import asked, running_pool
from support.waiting import until
from tokalign.server.workers import pool as pool_module


async def test_single_call_overtakes_a_large_batch(pool_settings, metrics):
    settings = dataclasses.replace(pool_settings, workers=1, shard_pairs=4)
    async with running_pool(settings, metrics) as pool:
        batch = pool.submit(asked(*["sleep:0.005"] * 200))
        await pool.submit(asked("lone"))
        assert not batch.done()
        assert pool.waiting_pairs >= 180
        await batch


async def test_long_pairs_leave_a_worker_to_single_calls(pool_settings, metrics, tmp_path):
    async with running_pool(pool_settings, metrics) as pool:
        await pool.submit(asked("first"))
        long = [f"until:{tmp_path / 'free'}"] * 3
        batch = pool.submit(asked(*long, costs=[1000] * 3))
        await until(lambda: pool.n_busy)
        await pool.submit(asked("lone"))
        assert (pool.n_busy, pool.waiting_pairs, pool.waiting_cost) == (1, 2, 2000)
        (tmp_path / "free").touch()
        await batch


async def test_long_pairs_use_all_workers_where_nothing_else_comes(
    pool_settings, metrics, tmp_path
):
    async with running_pool(pool_settings, metrics) as pool:
        long = [f"until:{tmp_path / 'free'}"] * 3
        batch = pool.submit(asked(*long, costs=[1000] * 3))
        await until(lambda: pool.n_busy == 2)
        (tmp_path / "free").touch()
        await batch
    assert metrics.registry.get_sample_value("tokalign_cost_total") == 3000


async def test_spare_worker_is_for_batches_and_for_calls_held_up(pool_settings, metrics):
    settings = dataclasses.replace(pool_settings, spare_workers=1, shard_timeout_s=100)
    async with running_pool(settings, metrics) as pool:
        stuck = pool.submit(asked("hang"))
        await until(lambda: pool.n_busy)
        (held,) = await asyncio.wait_for(pool.submit(asked("held")), 60)
        assert len(await asyncio.wait_for(pool.submit(asked(*"ab")), 60)) == 2
        assert (held.code, stuck.done()) == (0, False)


async def test_busy_loop_holds_single_calls_for_a_larger_shard(pool_settings, metrics, monkeypatch):
    monkeypatch.setattr(pool_module, "HOLD_S", 60.0)
    settings = dataclasses.replace(pool_settings, shard_pairs=3)
    async with running_pool(settings, metrics, lambda: True) as pool:
        first = pool.submit(asked("a"))
        await asyncio.sleep(0.1)
        assert (pool.n_busy, pool.waiting_pairs) == (0, 1)
        await asyncio.gather(first, pool.submit(asked("b")), pool.submit(asked("c")))
        await asyncio.wait_for(pool.submit(asked("d", "e")), 60)


async def test_held_call_is_answered_when_no_other_comes(pool_settings, metrics):
    async with running_pool(pool_settings, metrics, lambda: True) as pool:
        (answer,) = await asyncio.wait_for(pool.submit(asked("a")), 60)
        assert answer.code == 0


async def test_large_task_is_shared_equally_by_idle_workers(pool_settings, metrics):
    settings = dataclasses.replace(pool_settings, workers=2, shard_pairs=32)
    async with running_pool(settings, metrics) as pool:
        await pool.submit(asked(*map(str, range(50)), costs=[2] * 50))
    read = metrics.registry.get_sample_value
    assert read("tokalign_shard_pairs_count") == 2
    assert read("tokalign_shard_pairs_bucket", {"le": "16.0"}) == 0


async def test_single_calls_leave_the_spare_worker_idle(
    pool_settings, metrics, monkeypatch, tmp_path
):
    monkeypatch.setattr(pool_module, "HOLD_S", 60.0)
    # Otherwise the spare worker may get the first call as well, which takes long.
    monkeypatch.setattr(pool_module, "HEDGE", math.inf)
    settings = dataclasses.replace(pool_settings, spare_workers=1)
    async with running_pool(settings, metrics) as pool:
        first = pool.submit(asked(f"until:{tmp_path / 'free'}"))
        await until(lambda: pool.n_busy)
        second = pool.submit(asked("a"))
        await asyncio.sleep(0.1)
        assert (pool.n_busy, pool.waiting_pairs) == (1, 1)
        (tmp_path / "free").touch()
        await asyncio.gather(first, second)
