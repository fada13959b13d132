"""Reports of calls beside their answers: times, and the id that the caller gave."""

import contextlib
import time

import pytest
from support.blocking_client import Blocking
from support.texts import NEW, OLD
from tokalign.client import Client, ErrorReason, NotFoundError
from tokalign.client.base import report_of
from tokalign.v1 import align_pb2

from bench.server_process import FREE_PORTS, SERVE, ServerProcess

PAIR = {"source": {"text": "Dogs bark."}, "target": {"text": "The dogs bark."}}
SLOW = {"source": {"text": "sleep:0.05"}, "target": {"text": "b"}}


async def trailers_of(call):
    with contextlib.suppress(Exception):
        await call
    return dict(await call.trailing_metadata())


async def test_answers_tell_their_times_and_echo_the_id(serving):
    stub = await serving()
    began_s = time.monotonic()
    call = stub.Align(align_pb2.AlignRequest(pair=SLOW), metadata=(("x-request-id", "a-7"),))
    trailers = await trailers_of(call)
    whole_ms = 1000 * (time.monotonic() - began_s)
    assert trailers["x-request-id"] == "a-7"
    report = report_of("Align", trailers.items())
    assert report.compute_ms >= 50 and report.queue_ms >= 0
    assert report.compute_ms + report.queue_ms <= whole_ms


async def test_times_of_a_batch_are_those_of_the_whole(serving, pool_settings):
    stub = await serving()
    request = align_pb2.BatchAlignRequest(pairs=[{**SLOW, "id": ""}] * 3)
    report = report_of("BatchAlign", (await trailers_of(stub.BatchAlign(request))).items())
    assert report.compute_ms >= 50


async def test_calls_that_no_worker_gets_have_no_times(serving):
    stub = await serving()
    assert await trailers_of(stub.ListModels(align_pb2.ListModelsRequest())) == {}
    refused = align_pb2.AlignRequest(pair=PAIR, options={"model": "other"})
    trailers = await trailers_of(stub.Align(refused, metadata=(("x-request-id", "b"),)))
    assert trailers["x-request-id"] == "b" and "server-timing" not in trailers
    assert "grpc-status-details-bin" in trailers


@pytest.mark.parametrize("request_id", ["a" * 129, ""])
async def test_ids_that_cannot_be_used_are_not_echoed(serving, request_id):
    stub = await serving()
    call = stub.Align(align_pb2.AlignRequest(pair=PAIR), metadata=(("x-request-id", request_id),))
    assert "x-request-id" not in await trailers_of(call)


async def test_streams_tell_at_their_end(serving):
    stub = await serving()
    call = stub.AlignStream(metadata=(("x-request-id", "s"),))
    for _ in range(2):
        await call.write(align_pb2.AlignStreamRequest(pairs=[SLOW]))
        await call.read()
    await call.done_writing()
    trailers = await trailers_of(call)
    assert trailers["x-request-id"] == "s"
    assert report_of("AlignStream", trailers.items()).compute_ms >= 100


@pytest.fixture(scope="module")
def address():
    server = ServerProcess([*SERVE, *FREE_PORTS, "--workers", "1"])
    server.wait_listening()
    yield server.address
    server.stop()


@pytest.mark.parametrize("kind", [Client, Blocking])
def test_clients_report_each_call(address, kind):
    ids, reports = iter("abcdefgh"), []
    with kind(address, request_id=lambda: next(ids), on_call=reports.append) as client:
        client.align("Dogs bark.", "The dogs bark.")
        client.batch_align([("a", "b")])
        list(client.align_stream([("a", "b")]))
        client.align_texts(OLD * 300, NEW * 300, timeout_s=60)
        list(client.ground_stream(["It rains. "], ["It rains."]))
        with pytest.raises(NotFoundError):
            client.align("a", "b", model="other")
        client.list_models()
    assert [(each.method, each.request_id) for each in reports] == [
        ("Align", "a"),
        ("BatchAlign", "b"),
        ("AlignStream", "c"),
        ("AlignTextsStream", "d"),
        ("GroundStream", "e"),
        ("Align", "f"),
        ("ListModels", "g"),
    ]
    assert all(each.compute_ms > 0 and each.queue_ms >= 0 for each in reports[:5])
    assert [each.error for each in reports[:5]] == [None] * 5
    assert reports[5].error.reason is ErrorReason.MODEL_NOT_FOUND
    assert (reports[5].queue_ms, reports[5].compute_ms) == (None, None)


def test_failed_stream_is_reported_once(address):
    for kind in (Client, Blocking):
        reports = []
        with kind(address, on_call=reports.append) as client, pytest.raises(NotFoundError):
            list(client.ground_stream(["a"], ["b"], model="other"))
        assert [each.error.reason for each in reports] == [ErrorReason.MODEL_NOT_FOUND]
