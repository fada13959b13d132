"""Requests received from callers: counts and codes, never times."""

import asyncio
import gc
import hashlib
import tracemalloc
import types

import grpc
import pytest
from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection_pb2, reflection_pb2_grpc
from support.waiting import until
from tokalign.codec.servers import ErrorReason
from tokalign.server.config import Config, RequestLimits
from tokalign.server.rpc import frontend, health
from tokalign.server.status import ExpiredError, Failure
from tokalign.v1 import align_pb2

Code = grpc.StatusCode
REQUEST = align_pb2.AlignRequest(pair={"source": {"text": "a"}, "target": {"text": "b"}})
METHODS = ("Align", "BatchAlign", "Rank", "ListModels")
TOKEN = "a token"


def unfinished(stub, method, service="tokalign.v1.AlignService", **arguments):
    """Return a unary call whose headers are sent and whose message never is."""
    return stub.channel.stream_unary(f"/{service}/{method}")(**arguments)


@pytest.fixture
def token_file(tmp_path):
    path = tmp_path / "tokens"
    path.write_text(f"alice {hashlib.sha256(TOKEN.encode()).hexdigest()}\n")
    return path


@pytest.mark.parametrize("method", METHODS)
async def test_stranger_is_refused_before_the_message_is_read(serving, token_file, method):
    stub = await serving(token_file=token_file)
    call = unfinished(stub, method)
    assert await asyncio.wait_for(call.code(), 60) == Code.UNAUTHENTICATED
    assert len(stub.front.calls.receiving) == 0


async def test_strangers_stream_and_reflection_are_refused_at_once(serving, token_file):
    stub = await serving(token_file=token_file, reflection=True)
    assert await asyncio.wait_for(stub.AlignStream().code(), 60) == Code.UNAUTHENTICATED
    describe = reflection_pb2_grpc.ServerReflectionStub(stub.channel).ServerReflectionInfo
    assert await asyncio.wait_for(describe().code(), 60) == Code.UNAUTHENTICATED
    metadata = (("authorization", f"Bearer {TOKEN}"),)
    question = reflection_pb2.ServerReflectionRequest(list_services="")
    answers = [answer async for answer in describe(iter([question]), metadata=metadata)]
    assert answers[0].list_services_response.service


async def test_message_that_does_not_arrive_ends_its_call_and_no_other(serving, metrics):
    # Long enough for the other call's message on a busy machine.
    stub = await serving(receive_timeout_s=2.0)
    late = unfinished(stub, "Align")
    assert await asyncio.wait_for(late.code(), 60) == Code.DEADLINE_EXCEEDED
    assert "did not arrive within 2 s" in await late.details()
    assert (await stub.Align(REQUEST)).model.name == "fake"
    labels = {"grpc_service": "tokalign.v1.AlignService", "grpc_method": "Align"}
    value = metrics.registry.get_sample_value
    await until(lambda: stub.front.calls.running == 0)
    code = {"grpc_code": "DEADLINE_EXCEEDED"}
    assert value("grpc_server_handled_total", {**labels, **code}) == 1


async def test_silent_stream_is_left_alone(serving):
    stub = await serving(receive_timeout_s=0.1)
    call = stub.AlignStream()
    await asyncio.sleep(1.5)  # a sweep passes
    await call.write(align_pb2.AlignStreamRequest(chunk_id="7"))
    await call.done_writing()
    assert [answer.chunk_id async for answer in call] == ["7"]


async def test_call_that_ends_without_a_message_is_told(serving):
    stub = await serving()
    call = stub.channel.stream_unary("/tokalign.v1.AlignService/Align")(iter(()))
    assert await asyncio.wait_for(call.code(), 60) == Code.CANCELLED
    assert "before its message was whole" in await call.details()


async def test_all_that_are_receiving_can_be_ended(serving):
    stub = await serving()
    calls = [unfinished(stub, "Align") for _ in range(5)] + [stub.AlignStream()]
    receiving = stub.front.calls.receiving
    await until(lambda: len(receiving) == 6)
    receiving.end_all(Failure(ErrorReason.MEMORY_SHORT, "as told"))
    for call in calls:
        assert await asyncio.wait_for(call.code(), 60) == Code.RESOURCE_EXHAUSTED
        assert await call.details() == "as told"
    await until(lambda: stub.front.calls.running == 0)
    assert len(receiving) == 0


async def test_compressed_message_is_refused_before_it_is_unpacked(serving):
    stub = await serving()
    call = stub.Align(REQUEST, compression=grpc.Compression.Gzip)
    assert await call.code() == Code.UNIMPLEMENTED


async def test_health_is_asked_in_time_or_refused(serving):
    stub = await serving()
    calls = [unfinished(stub, "Check", health.SERVICE) for _ in range(2 * health.MAX_READING)]
    for call in calls:
        assert await asyncio.wait_for(call.code(), 60) == Code.DEADLINE_EXCEEDED
    checks = health_pb2_grpc.HealthStub(stub.channel)
    assert (await checks.Check(health_pb2.HealthCheckRequest())).status == 1
    call = stub.channel.unary_unary(f"/{health.SERVICE}/Check")(b"\xff")
    assert await call.code() == Code.INVALID_ARGUMENT


async def test_watchers_of_the_health_are_bounded(serving, monkeypatch):
    monkeypatch.setattr(health, "MAX_WATCHERS", 2)
    stub = await serving()
    watch = health_pb2_grpc.HealthStub(stub.channel).Watch
    watching = [watch(health_pb2.HealthCheckRequest()) for _ in range(2)]
    for call in watching:
        assert (await call.read()).status == 1
    refused = watch(health_pb2.HealthCheckRequest())
    assert await refused.code() == Code.RESOURCE_EXHAUSTED
    watching[0].cancel()
    await until(lambda: stub.front._health._watchers.total() == 1)
    assert (await watch(health_pb2.HealthCheckRequest()).read()).status == 1


def test_options_bound_what_a_connection_may_hold():
    config = Config(
        max_connections=3,
        max_streams=5,
        max_connection_idle_s=7,
        limits=RequestLimits(max_request_bytes=1000),
    )
    options = dict(frontend._channel_options(config))
    assert options["grpc.max_allowed_incoming_connections"] == 3
    assert options["grpc.max_concurrent_streams"] == 5
    assert options["grpc.max_connection_idle_ms"] == 7000
    assert options["grpc.max_receive_message_length"] == 1000
    assert options["grpc.compression_enabled_algorithms_bitset"] == 1
    assert options["grpc.http2.bdp_probe"] == 0


@pytest.mark.parametrize("method", ["Align", "BatchAlign", "Rank"])
async def test_refused_request_is_forgotten_without_the_garbage_collector(serving, method):
    stub = await serving()
    call = stub.channel.unary_unary(f"/tokalign.v1.AlignService/{method}")
    kind = getattr(align_pb2, f"{method}Request")
    data = kind(options={"model": "m" * 1_000_000}).SerializeToString()

    def large():
        # Of the server, what is left of large requests; this process is the client as well.
        found = tracemalloc.take_snapshot().traces
        return sum(trace.size > 900_000 for trace in found)

    async def refused():
        assert await call(data).code() != Code.OK

    await refused()
    gc.collect()
    gc.disable()
    tracemalloc.start()
    try:
        for _ in range(10):
            await refused()
        await until(lambda: stub.front.calls.running == 0)
        # grpc's own threads may still hold a request that was answered just now.
        await until(lambda: large() <= 1, "large requests are not forgotten")
    finally:
        tracemalloc.stop()
        gc.enable()


WORK = ("Align", "BatchAlign", "Rank", "AlignTexts", "Ground")


def busy_for(monkeypatch, pool, interactive_s, bulk_s):
    """Have the pool's workers be taken for so many seconds, for each kind of work."""

    def wait_s(request, deadline):
        return interactive_s if request.is_interactive else bulk_s

    monkeypatch.setattr(pool, "most_wait_s", lambda: interactive_s + bulk_s)
    monkeypatch.setattr(pool, "wait_s", wait_s)


@pytest.mark.parametrize("method", WORK)
async def test_call_that_is_late_whatever_it_asks_for_is_refused_before_its_message_is_read(
    serving, monkeypatch, method
):
    stub = await serving(queue_wait_s=60.0)
    busy_for(monkeypatch, stub.pool, 40.0, 40.0)
    call = unfinished(stub, method, timeout=30)
    assert await asyncio.wait_for(call.code(), 60) == Code.RESOURCE_EXHAUSTED
    trailers = dict(await call.trailing_metadata())
    assert b"DEADLINE_TOO_SHORT" in trailers["grpc-status-details-bin"]
    assert len(stub.front.calls.receiving) == 0


@pytest.mark.parametrize(
    ("method", "timeout_s", "interactive_s", "bulk_s"),
    [
        ("Align", None, 5.0, 5.0),  # it has no deadline
        ("Rank", 300, 40.0, 40.0),  # there is time for both
        ("BatchAlign", 30, 40.0, 0.1),  # bulk work has its own line
        ("Align", 30, 0.1, 40.0),
        ("ListModels", 30, 40.0, 40.0),  # it is no work
    ],
)
async def test_call_that_may_be_in_time_is_read(
    serving, monkeypatch, method, timeout_s, interactive_s, bulk_s
):
    stub = await serving(queue_wait_s=60.0)
    busy_for(monkeypatch, stub.pool, interactive_s, bulk_s)
    call = unfinished(stub, method, timeout=timeout_s)
    await until(lambda: len(stub.front.calls.receiving) == 1)
    call.cancel()


@pytest.mark.parametrize(
    ("path", "within_s", "status", "reason"),
    [
        ("rerank", 30, 429, "DEADLINE_TOO_SHORT"),
        ("align", 30, 429, "DEADLINE_TOO_SHORT"),
        ("similarity", 30, 429, "DEADLINE_TOO_SHORT"),
        ("ground", 30, 429, "DEADLINE_TOO_SHORT"),
        ("diff", 30, 429, "DEADLINE_TOO_SHORT"),
        ("align", 300, 400, "MALFORMED_MESSAGE"),
    ],
)
async def test_request_of_http_that_is_late_is_refused_before_its_body_is_looked_at(
    serving, monkeypatch, path, within_s, status, reason
):
    stub = await serving(queue_wait_s=60.0, http_port=0)
    busy_for(monkeypatch, stub.pool, 40.0, 40.0)
    headers = {"request-timeout": str(within_s)}
    answer = await stub.http.post(f"/v1/{path}", content=b"[]", headers=headers)
    assert (answer.status_code, answer.json()["reason"]) == (status, reason)


async def test_call_whose_deadline_has_passed_is_not_begun(serving):
    stub = await serving()
    context = types.SimpleNamespace(time_remaining=lambda: 0.0)
    with pytest.raises(ExpiredError):  # although nothing is ahead of it
        stub.front.service.check_soonest(context)
