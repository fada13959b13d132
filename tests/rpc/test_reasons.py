"""Reasons that callers get, by what went wrong."""

import grpc
import pytest
from grpc_health.v1 import health_pb2, health_pb2_grpc
from support.statuses import reason
from tokalign.client import AsyncClient, ErrorReason, NotFoundError
from tokalign.server.admission import Admitted
from tokalign.server.config import RequestLimits
from tokalign.v1 import align_pb2

PAIR = {"source": {"text": "Dogs bark."}, "target": {"text": "The dogs bark."}}


def ask(stub, **fields):
    return stub.Align(align_pb2.AlignRequest(pair=PAIR, **fields))


def batch(stub, n_pairs):
    return stub.BatchAlign(align_pb2.BatchAlignRequest(pairs=[PAIR] * n_pairs))


async def test_requests_that_cannot_be_used(serving):
    stub = await serving(limits=RequestLimits(max_pairs=3, max_response_bytes=100))
    assert (await reason(ask(stub, options={"min_confidence": 2})))[0] == "INVALID_INPUT"
    assert (await reason(batch(stub, 4)))[0] == "TOO_MANY_ITEMS"
    assert (await reason(batch(stub, 3)))[0] == "ANSWER_TOO_LARGE"
    raw = stub.channel.unary_unary("/tokalign.v1.AlignService/Align")
    assert (await reason(raw(b"\xff")))[0] == "MALFORMED_MESSAGE"
    question = align_pb2.RankRequest(question={"text": "a" * 30_000})
    assert (await reason(stub.Rank(question)))[0] == "LIMIT_EXCEEDED"


async def test_names_that_are_not_there(serving):
    stub = await serving()
    for kind in ("model", "annotator"):
        told, details = await reason(ask(stub, options={kind: "other"}))
        assert told == f"{kind.upper()}_NOT_FOUND"
        resource = details["ResourceInfo"]
        assert (resource.resource_type, resource.resource_name) == (f"tokalign/{kind}", "other")
    health = health_pb2_grpc.HealthStub(stub.channel)
    told, details = await reason(health.Check(health_pb2.HealthCheckRequest(service="other")))
    assert (told, details["ResourceInfo"].resource_name) == ("SERVICE_NOT_FOUND", "other")


async def test_a_method_that_is_not_there(serving):
    stub = await serving()
    for method in ("/tokalign.v1.AlignService/Guess", "/other.Service/Align"):
        call = stub.channel.unary_unary(method)
        with pytest.raises(grpc.aio.AioRpcError) as caught:
            await call(b"")
        assert caught.value.code() is grpc.StatusCode.UNIMPLEMENTED
        assert (await reason(call(b"")))[0] == "METHOD_UNKNOWN"


async def test_what_is_refused_for_now(serving):
    stub = await serving(queue_pairs=20_000)
    others = Admitted(stub.admission, 0, 0, 20_000, "others", caller="127.0.0.1")
    told, details = await reason(ask(stub))
    assert (told, details["RetryInfo"].retry_delay.ToMilliseconds() > 0) == ("QUEUE_FULL", True)
    others.release()
    others = Admitted(stub.admission, 0, 64 << 20, 0, "others", caller="127.0.0.1")
    large = align_pb2.AlignRequest(pair={**PAIR, "id": "a" * 200_000})
    assert (await reason(stub.Align(large)))[0] == "QUEUE_BYTES_FULL"
    others.release()


async def test_a_server_that_loads(serving):
    stub = await serving(pool=False)
    assert (await reason(ask(stub)))[0] == "SERVER_STARTING"


async def test_items_of_a_batch_and_chunks_have_reasons(serving):
    stub = await serving()
    bad, fatal = ({"source": {"text": text}} for text in ("fail:source", "die"))
    answer = await stub.BatchAlign(align_pb2.BatchAlignRequest(pairs=[PAIR, bad, fatal]))
    names = [align_pb2.ErrorReason.Name(each.status.reason) for each in answer.results]
    assert names == [
        "ERROR_REASON_UNSPECIFIED",
        "ERROR_REASON_INVALID_INPUT",
        "ERROR_REASON_PAIR_KILLS_WORKERS",
    ]
    stream = stub.AlignStream()
    options = {"model": "other"}
    await stream.write(align_pb2.AlignStreamRequest(pairs=[PAIR], options=options))
    status = (await stream.read()).status
    assert align_pb2.ErrorReason.Name(status.reason) == "ERROR_REASON_MODEL_NOT_FOUND"
    await stream.done_writing()


async def test_client_has_the_reason_and_the_id_of_the_log(serving, monkeypatch, caplog):
    stub = await serving()
    async with AsyncClient(stub.address, retry=None) as client:
        with pytest.raises(NotFoundError) as caught:
            await client.align("a", "b", model="other")
        assert caught.value.reason is ErrorReason.MODEL_NOT_FOUND

        def fail(*arguments):
            raise RuntimeError

        monkeypatch.setattr(stub.pool, "submit", fail)
        with pytest.raises(Exception, match="internal error") as failed:
            await client.align("a", "b")
    logged = [record.error_id for record in caplog.records if hasattr(record, "error_id")]
    assert failed.value.metadata == {"error_id": logged[-1]}
