import asyncio
import time
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.requests import request_of
from tokalign.codec.options import RequestOptions
from tokalign.codec.writing import Joined
from tokalign.errors import LimitError
from tokalign.server.observe.record import CallRecord
from tokalign.server.quotas import Quota, QuotaLimits
from tokalign.server.requests.answers import Answer
from tokalign.server.status import ExpiredError
from tokalign.server.workers.batching import SMALL_S, FairQueue, even_share
from tokalign.server.workers.frames import Run
from tokalign.server.workers.shards import Shard, Slice, Task
from tokalign.types.options import AlignOptions
from tokalign.v1 import align_pb2

OPTIONS = RequestOptions("m", "a")


def task_of(pairs, deadline=None, options=OPTIONS, **fields):
    return Task(request_of(options, pairs, **fields), deadline)


def tasks_of(sizes):
    return [
        task_of([bytes([index, j]) for j in range(n_pairs)]) for index, n_pairs in enumerate(sizes)
    ]


@given(cost=st.integers(1, 10_000), n_workers=st.integers(1, 8), bound=st.integers(1, 64))
def test_work_is_shared_evenly_in_as_few_turns_as_can_be(cost, n_workers, bound):
    share = even_share(cost, n_workers, bound)
    assert 1 <= share <= bound
    n_turns = -(-cost // (n_workers * bound))
    assert share * n_workers * n_turns >= cost
    assert (share - 1) * n_workers * n_turns < cost  # none could have less


def test_ranking_of_two_rounds_keeps_both_workers_busy_to_the_end():
    async def run():
        queue = FairQueue(32)
        queue.push(task_of([bytes([j]) for j in range(50)], costs=[2] * 50))
        shards = []
        # Both are idle at first, then one after the other.
        for n_idle in (2, 1, 1, 1):
            shards.append(queue.take(even_share(queue.waiting_cost, n_idle, 32)))
        return list(map(len, shards)), queue.waiting

    sizes, waiting = asyncio.run(run())
    assert waiting == 0
    assert max(sizes) <= 16
    assert max(sizes) - min(sizes) <= 4


def shards_of(cost, n_idle, n_workers, small_first=False):
    """Return what the shards of one task of typical pairs cost, with a bound of 32."""

    async def run():
        queue = FairQueue(32)
        if small_first:
            queue.push(costing(1))
            queue.take(32)
        queue.push(costing(*[1] * cost))
        sizes = [queue.take(queue.even(n, n_workers)).cost for n in n_idle]
        while queue.waiting:
            sizes.append(queue.take(queue.even(1, n_workers)).cost)
        return sizes

    return asyncio.run(run())


def test_large_requests_get_large_shards_and_their_last_ones_are_small():
    assert shards_of(300, (1,), 1) == [100, 100, 100]
    assert shards_of(100, (2, 1), 2) == [50, 25, 25]
    sizes = shards_of(1000, (2, 1), 2)
    assert max(sizes) > 100 and max(sizes[-2:]) <= 32
    assert max(shards_of(1000, (2, 1), 2, small_first=True)) == 8


@given(sizes=st.lists(st.integers(1, 40), max_size=12), limit=st.integers(1, 20))
def test_queue_hands_out_every_pair_once_in_bounded_shards(sizes, limit):
    async def run():
        queue = FairQueue(32)
        tasks = tasks_of(sizes)
        for task in tasks:
            queue.push(task)
        while (shard := queue.take(limit)) is not None:
            assert 0 < len(shard) <= limit
            shard.fill([Answer(pair) for run in shard.runs() for pair in run.pairs])
        assert queue.waiting == 0
        for task in tasks:
            assert [answer.alignment for answer in task.future.result()] == list(task.request.pairs)

    asyncio.run(run())


async def test_task_whose_answers_grow_too_large_ends_and_keeps_none():
    queue = FairQueue(32)
    task = task_of([b"a"] * 5, max_answer_bytes=2 << 20)
    other = task_of([b"b"])
    queue.push(task)
    queue.push(other)
    task.fill(0, [Answer(bytes(1 << 20))] * 2)
    assert not task.future.done()
    task.fill(2, [Answer(b"x")])
    with pytest.raises(LimitError, match=r"larger than 2097152 bytes .* send fewer pairs"):
        await task.future
    task.fill(3, [Answer(b"x")] * 2)  # on its way when the task ended
    while (shard := queue.take(8)) is not None:
        if shard.is_wanted():
            shard.fill([Answer(b"y")] * len(shard))
    assert await other.future == [Answer(b"y")]


@given(
    requests=st.lists(st.lists(st.integers(1, 60), min_size=1, max_size=12), max_size=8),
    bound=st.integers(1, 40),
    size=st.integers(1, 40),
)
def test_shards_cost_what_their_requests_cost_and_no_more_than_the_bound(requests, bound, size):
    async def run():
        queue = FairQueue(bound)
        tasks = [task_of([b""] * len(costs), costs=costs) for costs in requests]
        for task in tasks:
            queue.push(task)
        assert queue.waiting_cost == sum(map(sum, requests))
        served = {id(task): 0 for task in tasks}
        while (shard := queue.take(min(size, bound))) is not None:
            assert len(shard) == 1 or shard.cost <= min(size, bound)
            for part in shard.slices:
                served[id(part.task)] += part.cost
            shard.fill([Answer(b"")] * len(shard))
        assert list(served.values()) == list(map(sum, requests))
        assert queue.waiting == queue.waiting_cost == 0
        assert all(task.future.done() for task in tasks)

    asyncio.run(run())


def costing(*costs, deadline=None, **fields):
    return task_of([b""] * len(costs), deadline, costs=costs, **fields)


def bulk(*costs, **fields):
    return costing(*costs, is_interactive=False, **fields)


def order(queue, **names):
    """Take all shards and return the names of their tasks, one character for each slice."""
    return order_of(queue, 1000, **names)


def order_of(queue, n_shards, **names):
    """Take the next shards and return the names of their tasks."""
    taken = []
    while n_shards > len(taken) and (shard := queue.take(10)) is not None:
        taken.append("".join(n for part in shard.slices for n in names if names[n] is part.task))
    return taken


async def test_heavy_pairs_get_their_share_of_work_and_not_of_turns():
    queue = FairQueue(10)
    h, b = costing(30, 30), costing(*[5] * 16)
    for task in (h, b):
        queue.push(task)
    assert order(queue, h=h, b=b) == ["b", "b", "b", "h", "b", "b", "b", "h", "b", "b"]


async def test_single_call_waits_for_one_shard_however_many_large_requests_there_are():
    queue = FairQueue(10)
    large = {name: bulk(*[5] * 4) for name in "abcd"}
    for task in large.values():
        queue.push(task)
    queue.take(10)
    lone, late = costing(1), costing(9)
    queue.push(lone)
    assert order_of(queue, 1, s=lone, **large) == ["s"]
    queue.push(late)
    assert order_of(queue, 3, s=late, **large) == ["a", "s", "a"]


async def test_both_kinds_get_half_of_the_work_where_both_wait():
    queue = FairQueue(8)
    large = bulk(*[1] * 40)
    small = [costing(1) for _ in range(40)]
    for task in (large, *small):
        queue.push(task)
    done = {True: 0, False: 0}
    for _ in range(12):
        shard = queue.take(8)
        done[shard.slices[0].task is large] += shard.cost
    assert abs(done[True] - done[False]) <= 8


async def test_small_tasks_share_a_shard():
    queue = FairQueue(32)
    lone, other = costing(1), costing(1)
    queue.push(lone)
    queue.push(other)
    assert [part.task for part in queue.take(4).slices] == [lone, other]


async def test_what_is_due_first_is_served_first():
    queue = FairQueue(32)
    now = time.monotonic()
    late, soon, none = (bulk(1, 1, deadline=deadline) for deadline in (now + 9, now + 1, None))
    for task in (late, soon, none):
        queue.push(task)
    assert order(queue, l=late, s=soon, n=none) == ["s", "l", "n"]
    large, small = bulk(*[1] * 20_000), bulk(1, 1)
    queue.push(large)
    queue.push(small)
    assert small.due < large.due  # its own work counts where there is no deadline


async def test_what_would_be_late_is_dropped_before_it_starts():
    queue = FairQueue(32, lambda: 100.0)
    hopeless, fine = (bulk(*[1] * 200, deadline=time.monotonic() + s) for s in (1.0, 60.0))
    queue.push(hopeless)
    queue.push(fine)
    assert [part.task for part in queue.take(10).slices] == [fine]
    assert isinstance(hopeless.future.exception(), ExpiredError)


async def test_wait_is_the_work_that_is_served_before():
    queue = FairQueue(32, lambda: 100.0)
    now = time.monotonic()
    single, ranking = (request_of(OPTIONS, [b""] * n, is_interactive=n == 1) for n in (1, 50))
    assert queue.wait_s(single, None, running=40) == 0.2
    queue.push(bulk(*[1] * 30, deadline=now + 0.5))
    queue.push(bulk(*[1] * 20, deadline=now + 9.0))
    assert queue.wait_s(single, None, running=0) == 0.0
    assert queue.wait_s(ranking, now + 1, running=0) == 0.3
    assert queue.wait_s(ranking, None, running=0) == 0.5
    queue.push(costing(1))  # both kinds wait
    assert queue.wait_s(single, None, running=0) == 0.02
    assert queue.wait_s(ranking, None, running=0) == 1.0


async def test_large_requests_take_short_turns_while_small_ones_come():
    queue = FairQueue(12)
    large, small = costing(*[1] * 40), costing(1)
    queue.push(large)
    assert not queue.expects_small()
    assert queue.take(12).cost == 12
    queue.push(small)
    assert queue.expects_small()
    assert [queue.take(12).cost for _ in range(3)] == [1, 3, 3]
    queue._small_at -= SMALL_S + 1
    assert not queue.expects_small()
    assert queue.take(12).cost == 12


async def test_heavy_pair_gives_way_to_small_requests_as_often_as_it_costs():
    queue = FairQueue(10)
    heavy, small = costing(40), [costing(10) for _ in range(5)]
    for task in (heavy, *small):
        queue.push(task)
    queue.take(10)
    names = dict(zip("abcd", small[1:], strict=True))
    assert order_of(queue, 5, h=heavy, **names) == ["a", "b", "c", "h", "d"]


async def test_heavy_pair_alone_is_taken_at_once():
    queue = FairQueue(10)
    task = costing(1000, 2, 3)
    queue.push(task)
    assert [len(queue.take(10)), len(queue.take(10)), queue.waiting] == [1, 2, 0]


async def test_heavy_pairs_are_passed_over_where_a_worker_is_kept_for_others():
    queue = FairQueue(10)
    heavy, mixed, light = costing(11), costing(1, 11, 1), costing(1)
    for task in (heavy, mixed, light):
        queue.push(task)
    for expected in (light, mixed):
        shard = queue.take(10, takes_heavy=False)
        assert [part.task for part in shard.slices] == [expected]
    assert queue.take(10, takes_heavy=False) is None
    assert queue.waiting_cost == 23
    assert order(queue, h=heavy, m=mixed) == ["h", "m", "m"]


async def test_heavy_pair_that_nobody_waits_for_is_dropped_before_it_starts():
    queue = FairQueue(10)
    given_up, expired, wanted = costing(11), costing(11, 11, deadline=0.0), costing(11)
    for task in (given_up, expired, wanted):
        queue.push(task)
    given_up.future.cancel()
    assert [part.task for part in queue.take(10).slices] == [wanted]
    assert isinstance(expired.future.exception(), ExpiredError)
    assert queue.waiting == queue.waiting_cost == 0
    assert not queue.is_pressing(10)


async def test_what_is_begun_has_time_left_for_the_way_of_its_answer(monkeypatch):
    now = time.monotonic()
    queue = FairQueue(10, lambda: 1e3)
    begun, not_begun = (costing(1, 1, deadline=now + 1) for _ in range(2))
    queue.push(begun)
    assert len(queue.take(1)) == 1
    queue.push(not_begun)
    monkeypatch.setattr(time, "monotonic", lambda: now + 0.95)
    assert [part.task for part in queue.take(1).slices] == [begun]
    assert queue.take(1) is None
    assert isinstance(not_begun.future.exception(), ExpiredError)


async def test_what_was_not_begun_is_given_back_to_the_caller_and_its_quota():
    call = CallRecord()
    call.quota = Quota("alice", QuotaLimits(1e-9, 100))
    call.make_current()
    queue = FairQueue(10)
    tasks = costing(3, 4), costing(11, 11, deadline=0.0), costing(9)
    for task in tasks:
        call.quota.take(task.cost)
        queue.push(task)
    assert (call.pairs, call.cost) == (5, 38)
    assert len(queue.take(3)) == 1
    tasks[0].future.cancel()
    assert [part.task for part in queue.take(10).slices] == [tasks[2]]
    await asyncio.sleep(0)
    assert tasks[1].future.done()
    assert (call.pairs, call.cost) == (2, 12)
    assert call.quota.lack(88) is None and call.quota.lack(89) is not None


@given(sizes=st.lists(st.integers(1, 9), min_size=1, max_size=8))
def test_singles_hold_every_pair_in_order(sizes):
    async def run():
        tasks = tasks_of(sizes)
        shard = Shard([Slice(task, 0, len(task), task.cost) for task in tasks])
        singles = shard.singles()
        assert [len(single) for single in singles] == [1] * len(shard)
        flat = [pair for single in singles for run in single.runs() for pair in run.pairs]
        assert flat == [pair for run in shard.runs() for pair in run.pairs]

    asyncio.run(run())


async def test_calls_with_equal_options_share_a_run():
    queue = FairQueue(32)
    other = replace(OPTIONS, align=AlignOptions(posteriors=True))
    for options, pair in ((OPTIONS, b"a"), (replace(OPTIONS), b"b"), (other, b"c")):
        queue.push(task_of([pair], options=options))
    assert queue.take(9).runs() == [Run(OPTIONS, b"", (b"a", b"b")), Run(other, b"", (b"c",))]


@given(
    pair_id=st.text(), index=st.integers(0, 2**32 - 1), name=st.text(), text=st.text(max_size=300)
)
def test_joined_fields_equal_the_built_message(pair_id, index, name, text):
    alignment = align_pb2.Alignment(source={"text": text})
    result = Joined(align_pb2.AlignResult)(id=pair_id, alignment=alignment.SerializeToString())
    joined = Joined(align_pb2.RankResponse)(
        ranking=[Joined(align_pb2.RankedCandidate)(index=index, result=result)],
        model=Joined(align_pb2.ModelRef)(name=name),
    )
    expected = align_pb2.RankResponse(
        ranking=[{"index": index, "result": {"id": pair_id, "alignment": alignment}}],
        model={"name": name},
    )
    assert joined == expected.SerializeToString()


async def test_only_some_single_calls_can_wait_for_more():
    queue = FairQueue(32)
    assert not queue.is_pressing(3)
    assert queue.age_s() == 0.0
    singles = [task_of([b"a"]) for _ in range(3)]
    singles[0].queued_at -= 100.0
    for task in singles[:2]:
        queue.push(task)
    assert not queue.is_pressing(3)
    assert queue.age_s() >= 100.0
    queue.push(singles[2])
    assert queue.is_pressing(3)
    assert len(queue.take(3)) == 3
    queue.push(task_of([b"a", b"b"]))
    assert queue.is_pressing(9)
    queue.take(1)
    assert queue.is_pressing(9)
    queue.take(1)
    assert not queue.is_pressing(9)


async def test_pairs_share_a_run_only_with_those_of_the_same_target():
    queue = FairQueue(32)
    for shared, pair in ((b"q", b"a"), (b"q", b"b"), (b"", b"c")):
        queue.push(task_of([pair], shared=shared))
    assert queue.take(9).runs() == [
        Run(OPTIONS, b"q", (b"a", b"b")),
        Run(OPTIONS, b"", (b"c",)),
    ]
