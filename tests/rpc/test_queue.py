import asyncio

import grpc
import pytest
from grpc_health.v1 import health_pb2, health_pb2_grpc
from support.requests import pair
from support.statuses import code_of, failure
from support.waiting import until
from tokalign.server.config import MIB, RequestLimits
from tokalign.v1 import align_pb2

Code = grpc.StatusCode


async def test_full_queue_refuses_at_once_and_says_when_to_retry(serving, tmp_path):
    stub = await serving(queue_pairs=12, limits=RequestLimits(max_pairs=9))
    pairs = [pair(f"until:{tmp_path / 'free'}")] * 9
    busy = stub.BatchAlign(align_pb2.BatchAlignRequest(pairs=pairs))
    await until(lambda: stub.admission.pairs == 9)
    bulk = align_pb2.BatchAlignRequest(pairs=[pair()] * 2)
    small = stub.BatchAlign(bulk)
    await until(lambda: stub.admission.pairs == 11)
    code, message, details = await failure(stub.BatchAlign(bulk))
    assert code == Code.RESOURCE_EXHAUSTED
    assert "typical pairs is queued and the limit is 12" in message
    retry_ms = details["RetryInfo"].retry_delay.ToNanoseconds() / 1e6
    assert retry_ms > 0
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await stub.BatchAlign(bulk)
    (pushback,) = caught.value.trailing_metadata().get_all("grpc-retry-pushback-ms")
    assert retry_ms <= int(pushback) <= 1.5 * retry_ms + 1
    health = health_pb2_grpc.HealthStub(stub.channel)
    assert (await health.Check(health_pb2.HealthCheckRequest())).status == 1
    (tmp_path / "free").touch()
    await busy
    await small
    await until(lambda: stub.admission.pairs == stub.admission.bytes == 0)


async def test_request_of_too_much_work_is_refused_at_once(serving):
    stub = await serving()
    long = align_pb2.Sentence(text="word " * 512)
    request = align_pb2.BatchAlignRequest(
        pairs=[align_pb2.Pair(source=long, target={"tokens": ["word"] * 512})] * 64,
        options={"detail": align_pb2.DETAIL_SCORES},
    )
    code, message, _ = await failure(stub.BatchAlign(request))
    limit = (await stub.ListModels(align_pb2.ListModelsRequest())).limits.max_cost
    assert code == Code.INVALID_ARGUMENT
    assert f"typical pairs; the server takes at most {limit}: send fewer or shorter" in message
    assert limit == 18_000
    assert stub.admission.cost == 0
    request = align_pb2.RankRequest(
        question=long, candidates=[align_pb2.Candidate(sentence=long)] * 64
    )
    assert (await failure(stub.Rank(request)))[0] == Code.INVALID_ARGUMENT


async def test_queue_is_bounded_in_bytes(serving, tmp_path):
    stub = await serving(queue_bytes=MIB, limits=RequestLimits(max_request_bytes=MIB))
    big = pair(f"until:{tmp_path / 'free'}", source="a" * 600_000)
    busy = stub.Align(align_pb2.AlignRequest(pair=big))
    await until(lambda: stub.admission.bytes)
    code, message, _ = await failure(stub.Align(align_pb2.AlignRequest(pair=big)))
    assert (code, "bytes are queued" in message) == (Code.RESOURCE_EXHAUSTED, True)
    (tmp_path / "free").touch()
    await busy


async def test_deadline_is_kept_and_frees_the_queue(serving, tmp_path):
    stub = await serving()
    pairs = [pair(f"until:{tmp_path / 'free'}")] * 200
    call = stub.BatchAlign(align_pb2.BatchAlignRequest(pairs=pairs), timeout=3)
    await until(lambda: stub.admission.pairs)
    assert await code_of(call) == Code.DEADLINE_EXCEEDED
    await until(lambda: not stub.admission.pairs)
    (tmp_path / "free").touch()
    await stub.Align(align_pb2.AlignRequest(pair=pair()))
    await until(lambda: stub.pool.waiting_pairs == stub.admission.pairs == 0)


async def test_cancelled_call_frees_the_queue(serving, metrics, tmp_path):
    stub = await serving()
    pairs = [pair(f"until:{tmp_path / 'free'}")] * 200
    call = stub.BatchAlign(align_pb2.BatchAlignRequest(pairs=pairs))
    await until(lambda: stub.admission.pairs)
    call.cancel()
    await until(lambda: not stub.admission.pairs)
    (tmp_path / "free").touch()
    await stub.Align(align_pb2.AlignRequest(pair=pair()))
    await until(lambda: stub.pool.waiting_pairs == 0)
    labels = {"grpc_service": "tokalign.v1.AlignService", "grpc_method": "BatchAlign"}
    assert (
        metrics.registry.get_sample_value(
            "grpc_server_handled_total", {**labels, "grpc_code": "CANCELLED"}
        )
        == 1
    )


async def test_cancelled_stream_frees_the_queue(serving, tmp_path):
    stub = await serving()
    sent = asyncio.Event()
    pairs = [pair(f"until:{tmp_path / 'free'}")] * 100

    async def chunks():
        for _ in range(4):
            yield align_pb2.AlignStreamRequest(pairs=pairs)
        sent.set()
        await asyncio.Event().wait()

    call = stub.AlignStream(chunks())
    await sent.wait()
    await until(lambda: stub.admission.pairs == 400)
    call.cancel()
    await until(lambda: not stub.admission.pairs)
    (tmp_path / "free").touch()
    await stub.Align(align_pb2.AlignRequest(pair=pair()))
    await until(lambda: stub.pool.waiting_pairs == 0)


@pytest.mark.parametrize(
    ("method", "bad"),
    [
        ("Rank", align_pb2.RankRequest(question={"text": "q"}, by=99)),
        # One more than may be.
        ("BatchAlign", align_pb2.BatchAlignRequest(pairs=[pair()] * 41)),
        ("Ground", align_pb2.GroundRequest(answer="So.", passages=[{"text": "So."}] * 41)),
    ],
)
async def test_what_would_be_late_is_refused_before_it_is_read(serving, monkeypatch, method, bad):
    stub = await serving(limits=RequestLimits(max_pairs=40))
    monkeypatch.setattr(stub.pool, "most_wait_s", lambda: 1.0)
    monkeypatch.setattr(stub.pool, "wait_s", lambda request, deadline: 0.9)
    code, message, details = await failure(getattr(stub, method)(bad, timeout=0.5))
    assert (code, "after its deadline" in message) == (Code.RESOURCE_EXHAUSTED, True)
    assert details["RetryInfo"].retry_delay.ToNanoseconds() > 0
    for timeout in (60, None):  # there is time to read it
        code, _, _ = await failure(getattr(stub, method)(bad, timeout=timeout))
        assert code == Code.INVALID_ARGUMENT


@pytest.mark.parametrize("n_pairs", [40, 20])
async def test_a_batch_is_judged_by_its_least_cost_where_its_line_is_known(
    serving, monkeypatch, n_pairs
):
    stub = await serving()
    asked = []

    def wait_s(request, deadline):
        asked.append((sum(request.costs), request.is_interactive))
        return 0.0

    monkeypatch.setattr(stub.pool, "most_wait_s", lambda: 100.0)
    monkeypatch.setattr(stub.pool, "wait_s", wait_s)
    long = pair("", "word " * 200, "word " * 100)
    await stub.BatchAlign(align_pb2.BatchAlignRequest(pairs=[long] * n_pairs), timeout=60)
    # Before the message is read, it is asked whether the least work would be late. Twenty might
    # have been interactive, so they were costed first.
    *before, (cost, is_interactive) = [each for each in asked if each[0] > 1]
    assert before == ([(40, False)] if n_pairs == 40 else [])
    assert cost > 2 * n_pairs and not is_interactive
