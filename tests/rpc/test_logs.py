"""What the log of a running server says, and that it holds no sentences unless asked to."""

import json
import logging
import urllib.request

import grpc
import pytest
from support.server_process import started
from tokalign.server import app
from tokalign.server.observe.logs import JsonFormatter, Quoting
from tokalign.v1 import align_pb2, align_pb2_grpc

SECRET = "Xylophonist"


def pair(pair_id="1", **columns):
    return {
        "id": pair_id,
        "source": {"text": f"The {SECRET} slept."},
        "target": {"text": f"{SECRET}s sleep.", **columns},
    }


def provoke(address):
    """Make every kind of call and error that involves a sentence; return their codes."""
    codes = []
    with grpc.insecure_channel(address) as channel:
        stub = align_pb2_grpc.AlignServiceStub(channel)
        calls = [
            (stub.Align, align_pb2.AlignRequest(pair=pair())),
            (stub.Align, align_pb2.AlignRequest(pair=pair(tags=["NN"]))),
            (stub.Align, align_pb2.AlignRequest(pair=pair(), options={"model": SECRET})),
            (stub.BatchAlign, align_pb2.BatchAlignRequest(pairs=[pair(), pair(heads=[7])])),
            (
                stub.Rank,
                align_pb2.RankRequest(question={"text": SECRET}, candidates=[{}, {"id": SECRET}]),
            ),
            (stub.BatchAlign, align_pb2.BatchAlignRequest(pairs=[pair()] * 20_000)),
        ]
        for method, request in calls:
            try:
                method(request, timeout=30)
                codes.append("OK")
            except grpc.RpcError as error:
                codes.append(error.code().name)
        chunk = align_pb2.AlignStreamRequest(chunk_id=SECRET, pairs=[pair()])
        list(stub.AlignStream(iter([chunk]), timeout=30))
    return codes


def test_no_sentence_is_logged_even_at_the_finest_level():
    with started("--log-level", "debug", fake=False) as server:
        codes = provoke(server.address)
        url = f"{server.metrics_url}/metrics"
        with urllib.request.urlopen(url, timeout=10) as answer:
            assert SECRET not in answer.read().decode()
        assert server.stop() == 0
        rest = server.rest()
    assert {"OK", "INVALID_ARGUMENT", "NOT_FOUND"} <= set(codes)
    assert '"event": "stopped"' in rest
    assert SECRET.lower() not in (rest + json.dumps(server.log)).lower()


def failures(*flags):
    """Return the log's errors after a pair that killed workers and one that broke the engine."""
    with started(*flags) as server, grpc.insecure_channel(server.address) as channel:
        stub = align_pb2_grpc.AlignServiceStub(channel)
        for action in ("die", "raise"):
            with pytest.raises(grpc.RpcError) as caught:
                stub.Align(align_pb2.AlignRequest(pair=pair(action)), timeout=30)
            assert caught.value.code() == grpc.StatusCode.INTERNAL
            assert SECRET not in caught.value.details()
        server.stop()
        lines = server.rest().splitlines()
    entries = [json.loads(line) for line in lines]
    return [entry for entry in entries if "error_id" in entry]


def test_failures_are_logged_without_the_sentences():
    entries = failures()
    assert [entry["event"] for entry in entries].count("ValueError") >= 2
    assert not any(SECRET in json.dumps(entry) for entry in entries)


def test_failures_quote_their_sentences_where_asked_for():
    entries = failures("--log-sentences")
    (killer, breaker) = [entry for entry in entries if "pair" in entry]
    assert killer["pair"] == {"source": f"The {SECRET} slept.", "target": f"{SECRET}s sleep."}
    assert breaker["pair"] == killer["pair"]
    reasons = [entry["reason"] for entry in entries if entry["event"] == "ValueError"]
    assert reasons[0] == f"cannot read The {SECRET} slept."


def test_what_no_task_awaited_is_logged_without_its_text(caplog):
    app._log_unhandled(None, {"message": "lost", "exception": ValueError(SECRET), "task": SECRET})
    app._log_unhandled(None, {"message": "a socket broke"})
    lines = [JsonFormatter().format(record) for record in caplog.records]
    assert [json.loads(line)["event"] for line in lines] == ["ValueError", "a socket broke"]
    assert SECRET not in "".join(lines) + caplog.text


def test_log_record_becomes_one_json_line(caplog):
    logging.getLogger("x").warning("lost", extra={"pairs": 3, "text": Quoting(str, "private")})
    line = JsonFormatter().format(caplog.records[-1])
    entry = json.loads(line)
    assert (entry["event"], entry["level"], entry["pairs"]) == ("lost", "warning", 3)
    assert "private" not in line + caplog.text
    assert json.loads(JsonFormatter(sentences=True).format(caplog.records[-1]))["text"] == "private"
