"""Callers share the server: nobody's calls wait for all of another's, however many these are."""

import asyncio
import hashlib
import itertools
import time

import grpc
import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.requests import pair, request_of
from support.waiting import until
from tokalign.codec.options import RequestOptions
from tokalign.codec.servers import ErrorReason
from tokalign.server.admission import Admission, Ahead
from tokalign.server.config import RequestLimits
from tokalign.server.observe.record import CallRecord
from tokalign.server.rpc.addresses import address_of
from tokalign.server.rpc.refusals import LONGEST_S, MAX_HELD, OTHERS_S, PER_S, Refusals
from tokalign.server.status import Failure, QueueFullError
from tokalign.server.workers.batching import FairQueue
from tokalign.server.workers.shards import Task
from tokalign.v1 import align_pb2, align_pb2_grpc

OPTIONS = RequestOptions("m", "a")
BOUND = 10


def task_of(caller, *costs, deadline=None, is_interactive=False):
    CallRecord().make_current()
    request = request_of(OPTIONS, [b""] * len(costs), costs, is_interactive=is_interactive)
    task = Task(request, deadline)
    task.call.principal = caller
    return task


def served(queue, n_shards):
    """Take some shards and return whose slices they have."""
    shards = [queue.take(BOUND) for _ in range(n_shards)]
    return [part.task.call.principal for shard in shards if shard for part in shard.slices]


# The queue.


@pytest.mark.parametrize("is_interactive", [True, False])
async def test_the_first_task_of_a_caller_waits_for_no_other_of_a_crowd(is_interactive):
    queue = FairQueue(BOUND)
    for _ in range(320):
        queue.push(task_of("crowd", *[5] * 10, is_interactive=is_interactive))
    assert served(queue, 5) == ["crowd"] * 5
    queue.push(task_of("polite", *[5] * 4, is_interactive=is_interactive))
    assert served(queue, 4) == ["polite", "crowd", "polite", "crowd"]


@pytest.mark.parametrize("costs", [(3,), (10,), (25,), (1, 25)])
async def test_callers_have_equal_shares_however_they_cut_their_work(costs):
    queue = FairQueue(BOUND)
    for _ in range(100):
        queue.push(task_of("one", *costs))
    for _ in range(30):
        queue.push(task_of("other", *[5] * 10))
    done = {"one": 0, "other": 0}
    for _ in range(24):
        for part in queue.take(BOUND).slices:
            done[part.task.call.principal] += part.cost
    assert abs(done["one"] - done["other"]) <= 25 + BOUND


async def test_callers_that_come_and_go_leave_one_that_stays_its_share():
    queue = FairQueue(BOUND)
    queue.push(task_of("stays", *[5] * 100))
    names = []
    for k in itertools.islice(itertools.cycle(range(9)), 90):
        queue.push(task_of(f"goes-{k}", 10))
        names += served(queue, 1)
    assert names.count("stays") == 9


async def test_a_caller_alone_has_everything_in_the_order_of_what_is_due():
    queue = FairQueue(BOUND)
    later = time.monotonic() + 3600
    late, soon = (task_of("one", 5, 5, deadline=later + s) for s in (1.5, 1.0))
    for task in (late, soon):
        task.queued_at = later
        queue.push(task)
    assert [queue.take(BOUND).slices[0].task for _ in range(2)] == [soon, late]
    assert queue.take(BOUND) is None and not queue.waiting


@given(
    steps=st.lists(
        st.one_of(
            st.none(),
            st.tuples(
                st.sampled_from("abc"), st.lists(st.integers(1, BOUND), min_size=1, max_size=9)
            ),
        ),
        max_size=80,
    )
)
def test_callers_that_both_wait_are_given_as_much(steps):
    """Between two callers that wait all the time the difference is at most a shard of each."""

    async def run():
        queue = FairQueue(BOUND)
        waiting, given = dict.fromkeys("abc", 0), dict.fromkeys("abc", 0)
        since = {}
        for step in [*steps, *[None] * 800]:
            if step is not None:
                caller, costs = step
                queue.push(task_of(caller, *costs))
                waiting[caller] += sum(costs)
            else:
                shard = queue.take(BOUND)
                assert (shard is None) == (not any(waiting.values()))
                if shard is None:
                    break
                (part,) = shard.slices
                waiting[part.task.call.principal] -= part.cost
                given[part.task.call.principal] += part.cost
            for one, other in itertools.combinations("abc", 2):
                if not (waiting[one] and waiting[other]):
                    since.pop((one, other), None)
                    continue
                before = since.setdefault((one, other), dict(given))
                gained = [given[name] - before[name] for name in (one, other)]
                assert abs(gained[0] - gained[1]) <= 2 * BOUND
        assert not any(waiting.values())

    asyncio.run(run())


class SlowQueue:
    """Lists of tasks by caller, of which the least served caller's is next."""

    def __init__(self):
        self.callers, self.at, self.number = {}, 0, itertools.count()

    def push(self, caller, costs):
        found = self.callers.setdefault(caller, [self.at, next(self.number), []])
        found[2].append(list(costs))

    def take(self):
        while self.callers:
            caller = min(self.callers, key=lambda name: self.callers[name][:2])
            self.at, _, tasks = self.callers[caller]
            if not tasks:
                del self.callers[caller]
                continue
            task = tasks.pop(0)
            part = [task.pop(0)]
            while task and sum(part) + task[0] <= BOUND:
                part.append(task.pop(0))
            if task:
                tasks.append(task)  # all are due at once
            self.callers[caller][:2] = self.at + sum(part), next(self.number)
            return caller, part
        return None


@given(
    steps=st.lists(
        st.one_of(
            st.none(),
            st.tuples(
                st.sampled_from("abcd"), st.lists(st.integers(1, BOUND), min_size=1, max_size=5)
            ),
        ),
        max_size=60,
    )
)
def test_shards_are_those_of_a_slow_queue(steps):
    async def run():
        queue, slow = FairQueue(BOUND), SlowQueue()
        due = time.monotonic() + 3600  # of all, so that a caller's are served as they came
        for step in [*steps, *[None] * 300]:
            if step is not None:
                task = task_of(step[0], *step[1], deadline=due)
                task.queued_at = due
                queue.push(task)
                slow.push(*step)
                continue
            shard, wanted = queue.take(BOUND), slow.take()
            if wanted is None:
                assert shard is None
                continue
            (part,) = shard.slices
            costs = list(part.task.request.costs[part.start : part.stop])
            assert (part.task.call.principal, costs) == wanted

    asyncio.run(run())


async def test_the_wait_of_a_caller_is_for_its_own_work_and_as_much_of_the_others():
    queue = FairQueue(BOUND, lambda: 100.0)
    for _ in range(10):
        queue.push(task_of("crowd", *[5] * 10, is_interactive=True))
    for _ in range(2):
        queue.push(task_of("polite", *[5] * 2, is_interactive=True))
    request = request_of(OPTIONS, [b""] * 12, [5] * 12, is_interactive=True)
    waits = {
        name: (queue.wait_s(request, None, 0, name), queue.beside_s(request, None, name))
        for name in ("crowd", "polite", "new")
    }
    assert waits == {"crowd": (5.2, 0.0), "polite": (0.4, 0.6), "new": (0.0, 0.8)}


# Admission.


async def test_a_caller_alone_may_hold_all_and_another_still_gets_its_share():
    admission = Admission(1000, 10_000)
    crowd = [await admission.admit(10, 500, cost=50, caller="crowd") for _ in range(18)]
    for caller, cost in (("crowd", 50), ("polite", 501)):
        with pytest.raises(QueueFullError, match="typical pairs"):
            await admission.admit(1, 1, cost=cost, caller=caller)
    polite = await admission.admit(1, 1, cost=450, caller="polite")
    crowd.pop().release()
    # It holds more than its share now, and nothing of the other's is given to it.
    with pytest.raises(QueueFullError, match="typical pairs"):
        await admission.admit(1, 1, cost=50, caller="crowd")
    for each in [polite, *crowd]:
        each.release()
    assert (admission.cost, admission.bytes, admission.pairs) == (0, 0, 0)
    assert (await admission.admit(1, 1, cost=900, caller="crowd")) is not None


async def test_shares_count_for_bytes_as_well_and_are_bounded():
    admission = Admission(1000, 4 << 20)
    await admission.admit(1, 4 << 20, caller="crowd", peer="1")
    with pytest.raises(QueueFullError, match="bytes"):
        await admission.admit(1, 1 << 20, caller="crowd", peer="2")
    for k in range(2):
        await admission.admit(1, 1 << 20, caller=f"polite-{k}")
    with pytest.raises(QueueFullError, match="bytes"):
        await admission.admit(1, 1 << 20, caller="polite-2")
    assert admission.bytes == 6 << 20


async def test_bytes_without_work_need_no_room_for_work():
    admission = Admission(100, 1 << 20)
    await admission.admit(1, 1, cost=90, caller="crowd")
    await admission.admit(1, 1, cost=40, caller="polite")
    await admission.admit(0, 1, cost=0, caller="crowd")
    assert admission.cost == 130


@given(
    steps=st.lists(st.tuples(st.sampled_from("abc"), st.integers(0, 400)), max_size=60),
    max_cost=st.integers(100, 1000),
)
def test_who_is_within_its_share_is_let_in_and_the_sum_stays_bounded(steps, max_cost):
    async def run():
        admission, held = Admission(max_cost, 1 << 30), {name: [] for name in "abc"}
        most = admission.max_request_cost
        for caller, cost in steps:
            if not cost:
                if held[caller]:
                    held[caller].pop(0)[1].release()
                continue
            costs = {name: sum(c for c, _ in held[name]) for name in "abc"}
            total = sum(costs.values())
            n_callers = sum(c > 0 or name == caller for name, c in costs.items())
            is_within = (costs[caller] + cost) * n_callers <= most
            try:
                admitted = await admission.admit(1, 0, cost=cost, caller=caller)
            except Exception:
                assert total + cost > most
                assert not is_within or total + cost > 1.5 * most
            else:
                held[caller].append((cost, admitted))
            assert admission.cost <= 1.5 * max_cost

    asyncio.run(run())


async def test_of_those_that_wait_the_caller_that_holds_least_is_let_in_first():
    admission, let_in = Admission(1000, 1 << 20), []
    crowd = [await admission.admit(1, 1, cost=300, caller="crowd") for _ in range(3)]

    async def wait(caller):
        admitted = await admission.admit(1, 1, cost=500, caller=caller, waits=True)
        let_in.append(caller)
        await asyncio.sleep(0)
        admitted.release()

    tasks = [asyncio.create_task(wait(caller)) for caller in ("crowd", "crowd", "polite")]
    await until(lambda: admission.waiting_bytes == 3)
    crowd.pop().release()
    # What is freed is kept for it, also where a smaller request comes that does not wait.
    with pytest.raises(QueueFullError):
        await admission.admit(1, 1, cost=250, caller="crowd")
    for each in crowd:
        each.release()
    await asyncio.wait(tasks)
    assert let_in[0] == "polite" and admission.cost == admission.waiting_bytes == 0


async def test_what_others_are_given_meanwhile_counts_for_the_deadline():
    admission = Admission(1000, 1000)
    await admission.admit(20, 1, ahead=lambda: Ahead(0.1, 100.0, 1.0))
    with pytest.raises(QueueFullError, match="after its deadline"):
        await admission.admit(20, 1, ahead=lambda: Ahead(0.1, 100.0, 1.0, beside_s=0.6))


# Who calls.


@pytest.mark.parametrize(
    ("peers", "address"),
    [
        (["ipv4:192.0.2.7:1", "ipv4:192.0.2.7:65535", "192.0.2.7:80"], "192.0.2.7"),
        (["ipv6:%5B::ffff:192.0.2.7%5D:1", "::ffff:192.0.2.7:1"], "192.0.2.7"),
        (
            ["ipv6:%5B2001:db8::1%5D:1", "ipv6:[2001:db8:0:0:9::8]:2", "2001:db8::7:80"],
            "2001:db8::/64",
        ),
        (["ipv6:%5Bfe80::1%25eth0%5D:1"], "fe80::/64"),
        (["unix:"], "unix:"),
        (["unix:/run/a.sock"], "unix:/run/a.sock"),
        ([":0"], ":0"),
    ],
)
def test_an_address_stands_for_all_its_ports(peers, address):
    assert [address_of(peer) for peer in peers] == [address] * len(peers)


FULL = Failure(ErrorReason.QUEUE_FULL, "full")


class Clock:
    now = 100.0

    def __call__(self):
        return self.now


def refusals_of(*callers):
    refusals = Refusals(Clock())
    for caller in callers:
        refusals.note(caller)
    return refusals


def test_refusals_are_held_where_others_call_and_there_are_many():
    refusals = refusals_of("polite", "crowd")
    held = [refusals.hold_s("crowd", FULL, None) for _ in range(400)]
    assert held[: PER_S - 1] == [0.0] * (PER_S - 1)
    assert held == sorted(held)
    assert held[3 * PER_S] == pytest.approx(2 + 1 / PER_S)
    assert held[-1] == LONGEST_S
    assert refusals.hold_s("polite", FULL, None) == 0.0
    assert refusals.hold_s("crowd", FULL, 1.0) == 0.5  # it has a deadline
    refusals._clock.now += LONGEST_S + 1.1
    assert refusals.hold_s("crowd", FULL, None) == 0.0


@pytest.mark.parametrize(
    ("callers", "reason", "waited_s"),
    [
        (["crowd"], ErrorReason.QUEUE_FULL, 0.0),
        (["polite", "crowd"], ErrorReason.INVALID_INPUT, 0.0),
        (["polite", "crowd"], ErrorReason.MEMORY_SHORT, 0.0),
        (["polite", "crowd"], ErrorReason.QUEUE_FULL, OTHERS_S),
    ],
)
def test_other_refusals_are_told_at_once(callers, reason, waited_s):
    refusals = refusals_of(*callers)
    refusals._clock.now += waited_s
    failure = Failure(reason, "no")
    assert {refusals.hold_s("crowd", failure, None) for _ in range(200)} == {0.0}


async def test_no_more_refusals_are_held_than_may_be_and_callers_are_forgotten():
    refusals = refusals_of("polite", "crowd")
    for _ in range(PER_S):
        refusals.hold_s("crowd", FULL, None)
    tasks = [asyncio.create_task(refusals.hold("crowd", FULL, None)) for _ in range(MAX_HELD)]
    await asyncio.sleep(0)
    assert refusals.hold_s("crowd", FULL, None) == 0.0
    for task in tasks:
        task.cancel()
    await asyncio.wait(tasks)
    assert refusals.hold_s("crowd", FULL, None) > 0.0
    for k in range(1000):
        refusals._clock.now += 2.0
        refusals.note(str(k))
        refusals.hold_s(str(k), FULL, None)
    assert len(refusals._next_at) <= 3


# The whole server.

TOKENS = {"crowd": "c" * 32, "polite": "p" * 32}


def metadata(name):
    return (("authorization", f"Bearer {TOKENS[name]}"),)


@pytest.fixture
def token_file(tmp_path):
    path = tmp_path / "tokens"
    hashes = {name: hashlib.sha256(token.encode()).hexdigest() for name, token in TOKENS.items()}
    path.write_text("".join(f"{name} {digits}\n" for name, digits in hashes.items()))
    return path


def stubs(address, n_connections):
    options = [("grpc.use_local_subchannel_pool", 1)]
    channels = [grpc.aio.insecure_channel(address, options=options) for _ in range(n_connections)]
    return channels, [align_pb2_grpc.AlignServiceStub(channel) for channel in channels]


async def asked(stub, protocol, n_pairs):
    """Return whether the polite caller is answered."""
    if protocol == "http":
        body = {"pairs": [{"source": "a b", "target": "a c"}] * n_pairs}
        answer = await stub.http.post("/v1/align", json=body, headers=dict(metadata("polite")))
        return answer.status_code == 200
    request = align_pb2.BatchAlignRequest(pairs=[pair()] * n_pairs)
    try:
        await stub.BatchAlign(request, timeout=60, metadata=metadata("polite"))
    except grpc.aio.AioRpcError:
        return False
    return True


@pytest.mark.parametrize("protocol", ["grpc", "http"])
@pytest.mark.parametrize("n_connections", [1, 8])
async def test_beside_a_crowd_that_holds_all_a_polite_caller_is_answered(
    serving, token_file, tmp_path, protocol, n_connections
):
    stub = await serving(
        token_file=token_file, http_port=0, queue_pairs=200, limits=RequestLimits(max_pairs=100)
    )
    channels, crowd = stubs(stub.address, n_connections)
    free = tmp_path / "free"
    body = align_pb2.BatchAlignRequest(pairs=[pair(f"until:{free}")] * 10)
    calls = [
        crowd[k % n_connections].BatchAlign(body, metadata=metadata("crowd")) for k in range(20)
    ]
    await until(lambda: stub.admission.pairs == 200)
    refused = crowd[0].BatchAlign(body, metadata=metadata("crowd"))
    assert await refused.code() == grpc.StatusCode.RESOURCE_EXHAUSTED
    polite = [asyncio.create_task(asked(stub, protocol, 10)) for _ in range(3)]
    await until(lambda: stub.admission.pairs == 230)
    refused = crowd[-1].BatchAlign(body, metadata=metadata("crowd"))
    assert await refused.code() == grpc.StatusCode.RESOURCE_EXHAUSTED
    free.touch()
    assert await asyncio.gather(*polite) == [True] * 3
    assert len(await asyncio.gather(*calls)) == 20
    await until(lambda: stub.admission.cost == stub.admission.bytes == 0)
    for channel in channels:
        await channel.close()


@pytest.mark.parametrize("protocol", ["grpc", "http"])
async def test_a_polite_caller_is_answered_before_what_a_crowd_has_waiting(
    serving, token_file, tmp_path, protocol
):
    stub = await serving(token_file=token_file, http_port=0, max_streams=100)
    free = tmp_path / "free"
    channels, (crowd,) = stubs(stub.address, 1)
    n_done = 0

    async def one(pair_id):
        nonlocal n_done
        body = align_pb2.BatchAlignRequest(pairs=[pair(pair_id), *[pair()] * 19])
        await crowd.BatchAlign(body, metadata=metadata("crowd"))
        n_done += 1

    calls = [asyncio.create_task(one(f"until:{free}")) for _ in range(2)]
    await until(lambda: stub.pool.n_busy == 2)
    calls += [asyncio.create_task(one("")) for _ in range(60)]
    await until(lambda: stub.admission.pairs == 62 * 20)
    polite = asyncio.create_task(asked(stub, protocol, 20))
    await until(lambda: stub.admission.pairs == 63 * 20)
    free.touch()
    assert await polite
    assert n_done < 31  # of 62 that came before
    await asyncio.gather(*calls)
    for channel in channels:
        await channel.close()


async def test_without_tokens_addresses_are_callers_and_no_header_is_believed(serving, tmp_path):
    stub = await serving(http_port=0, queue_pairs=200, limits=RequestLimits(max_pairs=100))
    free = tmp_path / "free"
    transport = httpx.AsyncHTTPTransport(local_address="127.0.0.2")
    url = str(stub.http.base_url)
    async with httpx.AsyncClient(base_url=url, transport=transport, timeout=60) as crowd:
        source = {"source": "a", "target": "b", "id": f"until:{free}"}

        def call(k):
            forged = {"x-forwarded-for": f"192.0.2.{k}", "x-tokalign-caller": f"caller-{k}"}
            return crowd.post("/v1/align", json={"pairs": [source] * 10}, headers=forged)

        calls = [asyncio.create_task(call(k)) for k in range(20)]
        await until(lambda: stub.admission.pairs == 200)
        assert (await call(20)).status_code == 429
        polite = (
            asyncio.create_task(asked(stub, "http", 10)),
            asyncio.create_task(asked(stub, "grpc", 10)),
        )
        await until(lambda: stub.admission.pairs == 220)
        free.touch()
        assert await asyncio.gather(*polite) == [True, True]
        assert {answer.status_code for answer in await asyncio.gather(*calls)} == {200}
