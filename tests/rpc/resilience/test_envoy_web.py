"""JSON, gRPC-Web and CORS through deploy/envoy.yaml, with the model that ships."""

import http.client
import json
import struct
import urllib.request
from typing import NamedTuple

import grpc
import pytest
from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_status import rpc_status
from support.envoy import envoy, is_ready
from support.server_process import started
from support.waiting import wait_until
from tokalign.client import Client
from tokalign.codec.servers import ErrorReason
from tokalign.server.status import Failure
from tokalign.v1 import align_pb2, align_pb2_grpc

from bench.server_process import free_port

PAIR = {"id": "7", "source": "Dogs bark.", "target": "The dogs bark."}
MESSAGE = {"id": "7", "source": {"text": "Dogs bark."}, "target": {"text": "The dogs bark."}}
ORIGIN = "http://localhost:8000"


class Answer(NamedTuple):
    status: int
    headers: http.client.HTTPMessage
    body: bytes

    def json(self):
        return json.loads(self.body)


@pytest.fixture(scope="module")
def server():
    with started("--workers", "1", "--http-port", "0", fake=False) as server:
        yield server


@pytest.fixture(scope="module")
def address(server, tmp_path_factory):
    ports = [int(each.rpartition(":")[2]) for each in (server.address, server.http_url)]
    folder = tmp_path_factory.mktemp("envoy")
    with envoy(folder, ports[:1], http_ports=ports[1:]) as front:
        wait_until(lambda: is_ready(front), "Envoy found no server")
        wait_until(
            lambda: ask(front.address, "GET", "/v1/models").status == 200, "Envoy found no JSON"
        )
        yield front.address


def ask(address, method, path, body=None, headers=()):
    connection = http.client.HTTPConnection(address, timeout=120)
    try:
        connection.request(method, path, body, dict(headers))
        answer = connection.getresponse()
        return Answer(answer.status, answer.headers, answer.read())
    finally:
        connection.close()


def post(address, path, body):
    return ask(address, "POST", path, json.dumps(body), {"content-type": "application/json"})


def is_live(front):
    try:
        with urllib.request.urlopen(f"{front.status_url}/live", timeout=30) as answer:
            return answer.status == 200
    except OSError:
        return False


def assert_says(error, failure):
    """Check that a call has ended as a server would have ended it."""
    assert error.details() == failure.message
    assert rpc_status.from_call(error) == failure.to_proto()


def test_json_is_answered_by_the_servers_themselves(address):
    answer = post(address, "/v1/align", PAIR)
    assert answer.status == 200 and answer.headers["content-type"] == "application/json"
    assert answer.json()["id"] == "7" and answer.json()["model"] == "en"
    body = {"query": "Who bakes?", "documents": ["It rains.", "Marta bakes."]}
    for path in ("/v1/rerank", "/v2/rerank", "/rerank"):
        assert post(address, path, body).json()["results"][0]["index"] == 1
    assert ask(address, "GET", "/v1/models").json()["models"][0]["name"] == "en"
    assert ask(address, "GET", "/openapi.json").json()["openapi"] == "3.1.0"


def test_json_errors_are_the_servers(address):
    answer = post(address, "/v1/align", {**PAIR, "target": ""})
    assert answer.status == 400 and answer.json()["field"] == "target"


def test_events_come_one_by_one(address):
    body = {"answer": "Marta bakes. " * 200, "passages": ["Marta bakes."], "stream": True}
    connection = http.client.HTTPConnection(address, timeout=120)
    connection.request("POST", "/v1/ground", json.dumps(body))
    answer = connection.getresponse()
    first = answer.readline()
    assert first == b"event: sentence\n"
    assert answer.read().endswith(b"}\n\n")
    connection.close()


@pytest.mark.parametrize("path", ["/v1/aline", "/v2/align"])
def test_the_servers_refuse_wrong_paths(address, path):
    answer = post(address, path, PAIR)
    assert answer.status == 404 and answer.json()["detail"].startswith("no path ")


@pytest.mark.parametrize("path", ["/", "/nope", "/v1/align/"])
def test_paths_of_no_route_are_refused_as_the_servers_would(address, path):
    answer = post(address, path, PAIR)
    assert answer.status == 404
    assert answer.headers["content-type"] == "application/problem+json"
    assert answer.json() == {
        "title": "Not Found",
        "status": 404,
        "detail": "no such method or path",
        "code": "UNIMPLEMENTED",
        "reason": "METHOD_UNKNOWN",
    }


def test_the_callers_id_of_a_call_comes_back(address):
    answer = ask(address, "GET", "/v1/models", headers={"x-request-id": "page-17"})
    assert answer.headers["x-request-id"] == "page-17"
    seen = []
    with Client(address, request_id=lambda: "page-18", on_call=seen.append) as client:
        client.align("Dogs bark.", "The dogs bark.")
    assert [each.request_id for each in seen] == ["page-18"]


def test_methods_that_no_server_has_are_refused_with_a_reason(address):
    with grpc.insecure_channel(address) as channel:
        call = channel.unary_unary("/tokalign.v2.AlignService/Align")
        with pytest.raises(grpc.RpcError) as caught:
            call(b"", timeout=60)
    assert caught.value.code() is grpc.StatusCode.UNIMPLEMENTED
    assert_says(caught.value, Failure(ErrorReason.METHOD_UNKNOWN, "no such method or path"))


def test_without_a_server_answers_say_when_to_try_again(tmp_path):
    absent = Failure(
        ErrorReason.SERVER_STARTING, "no server answers; try again soon", retry_after_s=1.0
    )
    with envoy(tmp_path, [free_port()], http_ports=[free_port()]) as front:
        wait_until(lambda: is_live(front), "Envoy did not start")
        answer = post(front.address, "/v1/align", PAIR)
        assert answer.status == 503 and answer.headers["retry-after"] == "1"
        assert answer.json() == {
            "title": "Service Unavailable",
            "status": 503,
            "detail": absent.message,
            "code": "UNAVAILABLE",
            "reason": "SERVER_STARTING",
            "retry_after_s": 1,
        }
        with grpc.insecure_channel(front.address) as channel:
            stub = align_pb2_grpc.AlignServiceStub(channel)
            with pytest.raises(grpc.RpcError) as caught:
                stub.ListModels(align_pb2.ListModelsRequest(), timeout=60)
    assert_says(caught.value, absent)


def test_other_grpc_services_pass(address):
    with grpc.insecure_channel(address) as channel:
        stub = health_pb2_grpc.HealthStub(channel)
        asked = health_pb2.HealthCheckRequest(service="tokalign.v1.AlignService")
        assert stub.Check(asked, timeout=30).status == health_pb2.HealthCheckResponse.SERVING


def preflight(address, origin, headers="content-type,authorization"):
    asked = {
        "origin": origin,
        "access-control-request-method": "POST",
        "access-control-request-headers": headers,
    }
    return ask(address, "OPTIONS", "/v1/rerank", headers=asked)


@pytest.mark.parametrize("origin", [ORIGIN, "http://127.0.0.1"])
def test_pages_of_the_same_machine_may_call(address, origin):
    answer = preflight(address, origin)
    assert answer.status == 200
    assert answer.headers["access-control-allow-origin"] == origin
    allowed = answer.headers["access-control-allow-headers"]
    assert {"authorization", "content-type", "x-grpc-web"} <= set(allowed.split(", "))
    headers = {"origin": origin, "content-type": "application/json"}
    answer = ask(address, "POST", "/v1/align", json.dumps(PAIR), headers)
    assert answer.status == 200 and answer.headers["access-control-allow-origin"] == origin


@pytest.mark.parametrize("origin", ["http://evil.example", "http://localhost.evil.example", "null"])
def test_other_pages_may_not(address, origin):
    assert "access-control-allow-origin" not in preflight(address, origin).headers
    headers = {"origin": origin, "content-type": "text/plain"}
    answer = ask(address, "POST", "/v1/align", json.dumps(PAIR), headers)
    assert answer.status == 403 and answer.json()["reason"] == "ORIGIN_FORBIDDEN"


def grpc_web(address, request):
    """Return the message of a gRPC-Web call to Align and its trailers."""
    message = request.SerializeToString()
    headers = {"content-type": "application/grpc-web+proto", "x-grpc-web": "1", "origin": ORIGIN}
    answer = ask(
        address,
        "POST",
        "/tokalign.v1.AlignService/Align",
        struct.pack(">BI", 0, len(message)) + message,
        headers,
    )
    assert answer.status == 200 and answer.headers["access-control-allow-origin"] == ORIGIN
    frames, rest = {}, answer.body
    while rest:
        kind, size = struct.unpack_from(">BI", rest)
        frames[kind], rest = rest[5 : 5 + size], rest[5 + size :]
    trailers = dict(line.split(":", 1) for line in frames.get(128, b"").decode().splitlines())
    return frames.get(0), {**answer.headers, **trailers}


def test_grpc_web_is_answered(address):
    message, trailers = grpc_web(address, align_pb2.AlignRequest(pair=MESSAGE))
    assert trailers["grpc-status"].strip() == "0"
    assert list(align_pb2.AlignResponse.FromString(message).alignment.target_indices) == [1, 2, 3]


def test_grpc_web_errors_have_their_details(address):
    message, trailers = grpc_web(address, align_pb2.AlignRequest())
    assert message is None and trailers["grpc-status"].strip() == "3"
    assert trailers["grpc-status-details-bin"]
