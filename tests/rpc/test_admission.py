"""Admission of requests: their order, and callers whom the bytes of others do not shut out."""

import asyncio

import grpc
import pytest
from support.waiting import until
from tokalign.errors import LimitError
from tokalign.server.admission import SMALL_BYTES, Admission, Admitted, Ahead
from tokalign.server.rpc.streams import STREAM_BYTES
from tokalign.server.status import QueueFullError
from tokalign.v1 import align_pb2

Code = grpc.StatusCode
PAIR = {"source": {"text": "a"}, "target": {"text": "b"}}
FULL = 20_000


async def test_refusal_says_when_the_excess_will_be_done():
    admission = Admission(100, 1000)
    admitted = await admission.admit(90, 10)
    with pytest.raises(QueueFullError) as caught:
        await admission.admit(45, 1, ahead=lambda: Ahead(cost_per_s=90.0))
    assert caught.value.retry_after_s == pytest.approx(0.5)
    admitted.release()
    assert (admission.pairs, admission.bytes) == (0, 0)


async def test_bulk_requests_leave_room_for_small_ones():
    admission = Admission(100, 1000)
    await admission.admit(60, 1)
    with pytest.raises(QueueFullError):
        await admission.admit(33, 1)
    await admission.admit(30, 1)
    await admission.admit(10, 1)
    assert admission.pairs == 100


async def test_admission_counts_cost_and_not_pairs():
    admission = Admission(1000, 1000)
    admitted = [await admission.admit(2, 1, cost=800)]
    with pytest.raises(QueueFullError, match=r"800 typical pairs is queued.* 900;"):
        await admission.admit(1, 1, cost=101)
    admitted += [await admission.admit(n_pairs, 1, cost=32) for n_pairs in (32, 1)]
    assert (admission.pairs, admission.cost) == (35, 864)
    for each in admitted:
        each.release()
    assert (admission.pairs, admission.cost) == (0, 0)


async def test_request_that_could_never_be_queued_is_refused_for_good():
    admission = Admission(1000, 1000)
    assert admission.max_request_cost == 900
    for waits in (False, True):
        with pytest.raises(
            LimitError, match=r"901 typical pairs; the server takes at most 900: send"
        ):
            await admission.admit(3, 1, cost=901, waits=waits)
    await admission.admit(3, 1, cost=900)
    assert admission.cost == 900


async def test_long_wait_refuses_and_says_when_to_try_again():
    admission = Admission(100, 1000, max_wait_s=0.5)
    await admission.admit(1, 1, ahead=lambda: Ahead(0.5))
    with pytest.raises(QueueFullError, match=r"more than 0\.5 s") as caught:
        await admission.admit(1, 1, ahead=lambda: Ahead(0.7512))
    assert caught.value.retry_after_s == 0.25
    assert admission.pairs == 1


async def test_what_would_be_answered_after_its_deadline_is_refused():
    admission = Admission(1000, 1000)
    await admission.admit(20, 1, ahead=lambda: Ahead(0.5, 100.0))
    await admission.admit(20, 1, ahead=lambda: Ahead(0.5, 100.0, 1.0))
    with pytest.raises(QueueFullError, match="after its deadline") as caught:
        await admission.admit(40, 1, ahead=lambda: Ahead(0.5, 100.0, 1.0))
    # 0.5 + 0.4 s of work, of 0.85 * 1.0 - 0.005 s.
    assert caught.value.retry_after_s == pytest.approx(0.06, abs=0.005)
    # What finds nothing ahead is tried, whatever the speed is thought to be.
    await admission.admit(400, 1, ahead=lambda: Ahead(0.0, 100.0, 0.1))
    assert admission.pairs == 440


async def test_bytes_of_others_do_not_shut_small_requests_out():
    admission = Admission(100, 1 << 20)
    one = await admission.admit(1, 1 << 20, peer="one")
    another = await admission.admit(1, SMALL_BYTES, peer="another")
    assert admission.bytes > 1 << 20
    # A connection that holds so much itself is refused.
    with pytest.raises(QueueFullError, match="bytes"):
        await admission.admit(1, 1, peer="one")
    another.release()
    with pytest.raises(QueueFullError, match="bytes"):
        await admission.admit(1, SMALL_BYTES + 1, peer="another")
    one.release()
    assert admission.bytes == 0


async def test_an_answer_is_held_with_the_size_that_it_has():
    admission = Admission(100, 1000)
    admitted = await admission.admit(2, 300, cost=50, peer="one")
    assert (admission.pairs, admission.cost, admission.bytes) == (2, 50, 300)
    admitted.done(120)
    assert (admission.pairs, admission.cost, admission.bytes) == (0, 0, 120)
    admitted.release()
    assert admission.bytes == 0


async def test_a_request_is_released_once():
    admission = Admission(100, 1000)
    other = await admission.admit(1, 10, peer="one")
    admitted = await admission.admit(2, 20, peer="one")
    for _ in range(2):
        admitted.release()
    assert (admission.pairs, admission.cost, admission.bytes) == (1, 1, 10)
    other.release()
    assert (admission.pairs, admission.cost, admission.bytes) == (0, 0, 0)


def later(admission, name, let_in, *, cost=50, n_bytes=10):
    """Start a request that waits to be let in, and then notes its name and goes."""

    async def wait():
        admitted = await admission.admit(1, n_bytes, cost=cost, peer=name, waits=True)
        let_in.append(name)
        admitted.release()

    return asyncio.create_task(wait())


async def test_those_that_wait_are_let_in_as_they_came():
    admission, let_in = Admission(100, 1000), []
    first = Admitted(admission, 1, 10, 90, "first")
    tasks = [later(admission, name, let_in) for name in "abcd"]
    await until(lambda: admission.waiting_bytes == 40)
    tasks[1].cancel()
    await until(lambda: admission.waiting_bytes == 30)
    assert let_in == []
    first.release()
    await asyncio.wait(tasks)
    assert let_in == ["a", "c", "d"]
    assert (admission.cost, admission.waiting_bytes) == (0, 0)


async def test_who_is_cancelled_in_its_turn_passes_it_on():
    admission, let_in = Admission(100, 1000), []
    first = Admitted(admission, 1, 10, 90, "first")
    tasks = [later(admission, name, let_in) for name in "ab"]
    await until(lambda: admission.waiting_bytes == 20)
    first.release()
    tasks[0].cancel()
    await asyncio.wait_for(tasks[1], 30)
    assert let_in == ["b"]


async def test_who_is_cancelled_just_before_its_turn_passes_it_on():
    admission, let_in = Admission(100, 1000), []
    first = Admitted(admission, 1, 10, 90, "first")
    tasks = [later(admission, name, let_in) for name in "abc"]
    await until(lambda: admission.waiting_bytes == 30)
    tasks[0].cancel()
    tasks[1].cancel()
    first.release()
    await asyncio.wait_for(tasks[2], 30)
    assert let_in == ["c"]


async def test_work_on_bytes_that_are_held_needs_no_more_of_them():
    admission = Admission(100, 1 << 20)
    held = await admission.admit(0, 1 << 20, cost=0, peer="one")
    work = await admission.admit(5, 0, peer="one")
    assert (admission.pairs, admission.bytes) == (5, 1 << 20)
    with pytest.raises(QueueFullError, match="bytes"):
        await admission.admit(1, 1, peer="one")
    work.release()
    held.release()
    assert (admission.pairs, admission.bytes) == (0, 0)


async def test_who_lacks_something_else_lets_the_next_try():
    admission, let_in = Admission(100, 1 << 20), []
    large = Admitted(admission, 0, 1 << 20, 0, "first")
    tasks = [
        later(admission, name, let_in, cost=cost, n_bytes=500_000)
        for name, cost in (("large", 60), ("small", 10))
    ]
    await until(lambda: admission.waiting_bytes == 1_000_000)
    costly = Admitted(admission, 0, 0, 50, "first")
    large.release()
    await asyncio.wait_for(tasks[1], 30)
    assert let_in == ["small"]
    costly.release()
    await asyncio.wait_for(tasks[0], 30)
    assert let_in == ["small", "large"]


async def test_no_more_waits_than_may_be_held():
    admission, let_in = Admission(100, 1000), []
    first = Admitted(admission, 1, 10, 90, "first")
    task = later(admission, "a", let_in, n_bytes=900)
    await until(lambda: admission.waiting_bytes == 900)
    with pytest.raises(QueueFullError, match="typical pairs"):
        await later(admission, "b", let_in, n_bytes=101)
    first.release()
    await task


async def test_a_stream_waits_where_calls_are_refused(serving):
    stub = await serving()
    others = Admitted(stub.admission, 0, 0, FULL, "others", caller="127.0.0.1")
    stream = stub.AlignStream()
    for name in "12":
        await stream.write(align_pb2.AlignStreamRequest(chunk_id=name, pairs=[PAIR]))
    await stream.done_writing()
    await until(lambda: stub.admission.waiting_bytes)
    n_bytes = stub.admission.waiting_bytes
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await stub.Align(align_pb2.AlignRequest(pair=PAIR))
    assert caught.value.code() == Code.RESOURCE_EXHAUSTED
    # The second chunk has not been read.
    assert stub.admission.waiting_bytes == n_bytes
    others.release()
    answers = [answer async for answer in stream]
    assert sorted((answer.chunk_id, answer.status.code) for answer in answers) == [
        ("1", 0),
        ("2", 0),
    ]
    await until(lambda: stub.admission.bytes == stub.admission.cost == 0)


async def test_a_stream_that_nobody_reads_holds_a_bounded_number_of_bytes(serving):
    stub = await serving()
    begun = []
    admit = stub.admission.admit

    async def noted(*arguments, **options):
        admitted = await admit(*arguments, **options)
        begun.append(stub.admission.bytes)
        return admitted

    stub.admission.admit = noted
    stream = stub.AlignStream()
    large = {"source": {"text": "a" * 1_500_000}, "target": {"text": "b"}}

    async def write():
        for index in range(4):
            await stream.write(align_pb2.AlignStreamRequest(chunk_id=str(index), pairs=[large]))
        await stream.done_writing()

    writing = asyncio.create_task(write())
    assert len({(await stream.read()).chunk_id for _ in range(4)}) == 4
    await writing
    await until(lambda: stub.admission.bytes == 0)
    # Each alone, for with another it is more than a stream's share.
    assert len(begun) == 4
    assert max(begun) <= STREAM_BYTES
