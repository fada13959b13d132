"""Large JSON bodies: lists are counted while they are made, and what nobody reads is not made."""

import asyncio
import hashlib
import json
import threading
from types import SimpleNamespace

import grpc
import httpx
import pytest
from tokalign.errors import InputError, LimitError
from tokalign.server.admission import Admission
from tokalign.server.http import json_bodies
from tokalign.server.http.json_bodies import (
    SMALL_BYTES,
    AlignRequest,
    BodyReader,
    GroundRequest,
    RerankRequest,
    SimilarityRequest,
)
from tokalign.server.observe.memory import MemoryBound
from tokalign.server.rpc.work import InTurn
from tokalign.server.status import QueueFullError, RequestLimitError
from tokalign.v1 import align_pb2, align_pb2_grpc

from bench.server_process import running_server

MOST = 100
PADDING = " " * SMALL_BYTES
BODIES = [
    (AlignRequest, {"pairs": [{"source": "a", "target": "b"}]}),
    (SimilarityRequest, {"source": "a", "targets": ["b", {"text": "c"}]}),
    (RerankRequest, {"query": "q", "documents": ["a", {"text": "b"}], "user": [1], "top_n": None}),
    (GroundRequest, {"answer": "a", "passages": ["a", {"id": "x", "text": "b"}]}),
]


def check_number(n_items, name):
    if n_items > MOST:
        raise RequestLimitError(f"more than {MOST} {name}", reason="TOO_MANY_ITEMS", field=name)


def read(kind, body):
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    return BodyReader(kind).read(data, check_number)


@pytest.mark.parametrize(("kind", "body"), BODIES)
def test_a_large_body_is_read_as_a_small_one(kind, body):
    small = read(kind, body)
    large = read(kind, (json.dumps(body)[:-1] + PADDING + "}").encode())
    # Nothing is made of what is passed over.
    for name in json_bodies.PASSED_OVER:
        if hasattr(small, name) and getattr(small, name) is not json_bodies.UNSET:
            setattr(large, name, getattr(small, name))
    assert large == small


@pytest.mark.parametrize(
    ("kind", "head", "name"),
    [
        (AlignRequest, '{"pairs": [', "pairs"),
        (SimilarityRequest, '{"source": "a", "targets": [', "targets"),
        (RerankRequest, '{"query": "q", "documents": [', "documents"),
        (RerankRequest, '{"query": "q", "documents": ["a"], "rank_fields": [', "rank_fields"),
        (GroundRequest, '{"answer": "a", "passages": [', "passages"),
    ],
)
@pytest.mark.parametrize("item", ["{}", '""', "[]", "0", "null", '{"id": 1}', ' "a" '])
def test_a_list_is_made_no_longer_than_it_may_be(kind, head, name, item, monkeypatch):
    made = []
    scan = json_bodies._scan
    monkeypatch.setattr(json_bodies, "_scan", lambda *given: made.append(1) or scan(*given))
    body = f"{head}{','.join([item] * SMALL_BYTES)}]}}".encode()
    with pytest.raises(LimitError) as caught:
        read(kind, body)
    assert caught.value.field == name
    assert MOST < len(made) <= MOST + 2  # with another field's item


@pytest.mark.parametrize("n_items", [1, SMALL_BYTES])
def test_an_unknown_field_is_named_whatever_it_holds(n_items):
    body = '{"zzz": [' + ",".join(["{}"] * n_items) + '], "pairs": []}'
    with pytest.raises(InputError, match="no field is called 'zzz'"):
        read(AlignRequest, body.encode())


@pytest.mark.parametrize(
    ("value", "error"),
    [
        ("[{}]", "model is an array; wanted a string"),
        ('{"a": 1}', "model is an object; wanted a string"),
        ("3", "model is 3; wanted a string"),
        ("x", "the body is no JSON object"),
        ("[" * 100_000, "nested too deeply"),
    ],
)
def test_a_field_of_a_large_body_that_cannot_be_used_is_named(value, error):
    with pytest.raises(InputError, match=error):
        read(AlignRequest, ('{"model": ' + value + PADDING + "}").encode())


@pytest.mark.parametrize("body", [b"[" + b"0," * SMALL_BYTES + b"0]", b'"' + b"a" * SMALL_BYTES])
def test_a_large_body_that_is_no_object_is_refused(body):
    with pytest.raises(InputError, match="the body is no JSON object"):
        read(AlignRequest, body)


async def test_a_caller_pays_for_what_is_read_and_refused(tmp_path):
    tokens = tmp_path / "tokens"
    tokens.write_text(f"alice {hashlib.sha256(b'secret').hexdigest()} cost=0.01 burst=100\n")
    head = {"authorization": "Bearer secret"}
    pair = {"source": "dogs bark", "target": "a dog barks"}
    many = {"pairs": [{}] * 30_000}
    message = align_pb2.AlignRequest(pair={"source": {"text": "a"}, "target": {"text": "b"}})
    with running_server(
        *("--workers", "1", "--http-port", "0", "--token-file", str(tokens))
    ) as server:
        async with (
            httpx.AsyncClient(base_url=server.http_url, headers=head, timeout=60) as client,
            grpc.aio.insecure_channel(server.address) as channel,
        ):
            stub = align_pb2_grpc.AlignServiceStub(channel)
            assert (await client.post("/v1/align", json=pair)).status_code == 200
            answer = await client.post("/v1/align", json={"pairs": [{}] * 50})
            assert answer.status_code == 200
            for _ in range(2):
                answer = await client.post("/v1/align", json=many)
                assert answer.json()["reason"] == "TOO_MANY_ITEMS"
            # A third is refused before it is read.
            answer = await client.post("/v1/align", json=many)
            assert answer.json()["reason"] == "QUOTA_EXCEEDED"
            for _ in range(8):
                answer = await client.post("/v1/align", json={"sauce": "a"})
                assert answer.json()["reason"] == "INVALID_INPUT"
            answer = await client.post("/v1/align", json=pair)
            assert answer.json()["reason"] == "QUOTA_EXCEEDED"
            with pytest.raises(grpc.aio.AioRpcError, match="used up"):
                await stub.Align(message, metadata=tuple(head.items()))


async def test_a_caller_pays_for_texts_that_have_nothing_to_compare(tmp_path):
    tokens = tmp_path / "tokens"
    tokens.write_text(f"alice {hashlib.sha256(b'secret').hexdigest()} cost=0.01 burst=500\n")
    head = {"authorization": "Bearer secret"}
    texts = {"old": "Rain fell.\n" * 400, "new": "Dogs bark.\n" * 400}
    with running_server(
        *("--workers", "1", "--http-port", "0", "--token-file", str(tokens))
    ) as server:
        async with httpx.AsyncClient(base_url=server.http_url, headers=head, timeout=60) as client:
            answers = [await client.post("/v1/diff", json=texts) for _ in range(3)]
    assert [each.status_code for each in answers] == [200, 200, 429]
    assert answers[2].json()["reason"] == "QUOTA_EXCEEDED"


CALL = SimpleNamespace(peer=lambda: "peer")


def in_turn(max_bytes=1 << 40):
    return InTurn(Admission(100, max_bytes), MemoryBound(1 << 40, lambda: 0))


async def test_large_requests_are_read_one_at_a_time_and_small_ones_pass_by():
    turns = in_turn()
    running, may_end = threading.Semaphore(0), threading.Event()
    most, now = 0, 0

    def work():
        nonlocal most, now
        now += 1
        most = max(most, now)
        running.release()
        may_end.wait(60)
        now -= 1

    large = [asyncio.create_task(turns.read(1 << 20, CALL, work)) for _ in range(3)]
    await asyncio.to_thread(running.acquire, timeout=60)
    assert await turns.read(10, CALL, lambda: "small") == "small"
    # One whose caller hangs up has its turn until its thread ends.
    large[0].cancel()
    await asyncio.sleep(0)
    assert not large[1].done() and most == 1
    may_end.set()
    with pytest.raises(asyncio.CancelledError):
        await large[0]
    await asyncio.gather(*large[1:])
    assert most == 1


async def test_large_requests_that_wait_count_by_their_bytes():
    turns = in_turn(max_bytes=3 << 20)
    may_end = threading.Event()
    first = asyncio.create_task(turns.read(1 << 20, CALL, may_end.wait, 60))
    await asyncio.sleep(0)
    with pytest.raises(QueueFullError):
        await turns.read(1 << 20, CALL, len, ())
    may_end.set()
    await first
    assert await turns.read(1 << 20, CALL, len, ()) == 0


async def test_an_error_of_a_large_request_does_not_hold_what_was_made_of_it():
    def fail():
        made = [0] * 1000
        raise InputError(str(len(made)))

    with pytest.raises(InputError, match="1000") as caught:
        await in_turn().read(1 << 20, CALL, fail)
    trace, names = caught.value.__traceback__, []
    while trace is not None:
        names.append(trace.tb_frame.f_code.co_name)
        trace = trace.tb_next
    assert "fail" not in names
