"""JSON, gRPC-Web and CORS through deploy/envoy.yaml, with the model that ships."""

import http.client
import json
import struct
from typing import NamedTuple

import grpc
import pytest
from grpc_health.v1 import health_pb2, health_pb2_grpc
from support.envoy import envoy, is_ready
from support.server_process import started
from support.waiting import wait_until
from tokalign.v1 import align_pb2

PAIR = {"id": "7", "source": {"text": "Dogs bark."}, "target": {"text": "The dogs bark."}}
ORIGIN = "http://localhost:8000"


class Answer(NamedTuple):
    status: int
    headers: http.client.HTTPMessage
    body: bytes

    def json(self):
        return json.loads(self.body)


@pytest.fixture(scope="module")
def server():
    with started("--workers", "1", fake=False) as server:
        yield server


@pytest.fixture(scope="module")
def address(server, tmp_path_factory):
    port = int(server.address.rpartition(":")[2])
    with envoy(tmp_path_factory.mktemp("envoy"), [port]) as front:
        wait_until(lambda: is_ready(front), "Envoy found no server")
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


def test_json_is_transcoded(address):
    answer = post(address, "/v1/align", {"pair": PAIR})
    assert answer.status == 200
    assert answer.json()["id"] == "7" and answer.json()["model"]["name"] == "en"
    assert answer.json()["alignment"]["target_indices"] == [1, 2, 3]
    answer = post(address, "/v1/align", {"pair": PAIR, "options": {"model": "none"}})
    assert (answer.status, answer.json()["code"]) == (404, 5)
    assert ask(address, "GET", "/v1/models").json()["models"][0]["name"] == "en"


def test_json_has_the_fields_that_are_zero(address):
    candidates = [{"sentence": {"text": text}} for text in ("Marta bakes.", "It rains.")]
    answer = post(
        address, "/v1/rank", {"question": {"text": "Who bakes?"}, "candidates": candidates}
    )
    first = answer.json()["ranking"][0]
    assert first["index"] == 0 and first["result"]["status"]["code"] == 0
    assert first["result"]["alignment"]["source"]["starts"][0] == 0


def test_json_errors_name_the_field(address):
    answer = post(address, "/v1/align", {"pair": {"source": {"text": "a"}, "target": {"text": ""}}})
    assert answer.status == 400
    (detail,) = answer.json()["details"]
    assert detail["field_violations"][0]["field"] == "pair.target.text"


def test_large_answers_pass_as_json(address):
    text = "Marta Lindqvist founded the small bakery beside the old town hall in 1987 ."
    candidates = [{"id": str(n), "sentence": {"text": text}} for n in range(2000)]
    answer = post(address, "/v1/rank", {"question": {"text": "Who?"}, "candidates": candidates})
    assert answer.status == 200, answer.body[:200]
    assert sorted(each["index"] for each in answer.json()["ranking"]) == list(range(2000))
    pair = {"source": {"text": text}, "target": {"text": "Who founded the bakery in 1987 ?"}}
    answer = post(address, "/v1/align:batch", {"pairs": [pair] * 500})
    assert answer.status == 200, answer.body[:200]
    assert [each["status"]["code"] for each in answer.json()["results"]] == [0] * 500


def test_large_requests_pass_as_json_and_larger_ones_are_refused(address):
    pair = {**PAIR, "source": {"text": "a" * 19_000}}
    scores = {"detail": "DETAIL_SCORES"}
    answer = post(address, "/v1/align:batch", {"pairs": [pair] * 200, "options": scores})
    assert answer.status == 200, answer.body[:200]
    assert len(answer.json()["results"]) == 200
    answer = post(address, "/v1/align:batch", {"pairs": [pair] * 230, "options": scores})
    assert answer.status == 413


UNKNOWN = [
    ({"pair": PAIR, "option": {}}, "option"),
    ({"pair": PAIR, "options": {"symetrization": 1}}, "symetrization"),
    ({"pair": PAIR, "options": {"model": "en", "top_k": 1}}, "top_k"),
    ({"pair": {**PAIR, "source": {"txt": "Dogs bark."}}}, "txt"),
    ({"pair": PAIR, "options": {"\u00fcber": True}}, "?u00fcber"),
    ({"pair": PAIR, 'a"b\\': 1}, "a??b??"),
]


@pytest.mark.parametrize(("body", "name"), UNKNOWN)
def test_json_fields_that_no_message_has_are_refused(address, body, name):
    answer = post(address, "/v1/align", body)
    assert answer.status == 400
    assert answer.json() == {"code": 3, "message": f"no field is called {name}", "details": []}


def test_misspelt_fields_are_found_in_lists_and_after_them(address):
    request = {"question": {"text": "q"}, "candidates": [{"id": "1"}, {"sentense": {}}]}
    assert b"called sentense" in post(address, "/v1/rank", request).body
    request = {"candidates": [{"id": "1", "sentence": {"tokens": ["a", "b"]}}], "rank": 1}
    assert b"called rank" in post(address, "/v1/rank", request).body


@pytest.mark.parametrize(
    "pair",
    [
        {"id": '"top": {', "source": {"text": 'He said: "a": \\"'}, "target": {"text": "[{ : }]"}},
        {"source": {"tokens": ["a", "}"], "heads": [-1, 0], "relations": ["r", "s"]},
         "target": {"text": "a 🥐"}},
    ],
)  # fmt: skip
def test_no_text_looks_like_a_field(address, pair):
    for name, ensure_ascii in (("minConfidence", True), ("min_confidence", False)):
        options = {"posteriors": True, name: 0.5, "symmetrization": "SYMMETRIZATION_JOINT"}
        body = json.dumps({"pair": pair, "options": options}, ensure_ascii=ensure_ascii).encode()
        headers = {"content-type": "application/json"}
        assert ask(address, "POST", "/v1/align", body, headers).status == 200


def test_what_is_no_json_is_refused(address):
    for body in (b"{", b'{"pair', b"[" * 100_000, b'"', b"", b'{"pair": {"id": "\\'):
        headers = {"content-type": "application/json"}
        assert ask(address, "POST", "/v1/align", body, headers).status == 400


@pytest.mark.parametrize("path", ["/v1/aline", "/v2/align", "/"])
def test_wrong_paths_are_refused_at_once(address, path):
    answer = post(address, path, {"pair": PAIR})
    # An answer by a server, after any number of tries, would bear the time that it took.
    assert answer.status == 404 and "x-envoy-upstream-service-time" not in answer.headers


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
    return ask(address, "OPTIONS", "/v1/rank", headers=asked)


@pytest.mark.parametrize("origin", [ORIGIN, "http://127.0.0.1"])
def test_pages_of_the_same_machine_may_call(address, origin):
    answer = preflight(address, origin)
    assert answer.status == 200
    assert answer.headers["access-control-allow-origin"] == origin
    allowed = answer.headers["access-control-allow-headers"]
    assert {"authorization", "content-type", "x-grpc-web"} <= set(allowed.split(", "))
    headers = {"origin": origin, "content-type": "application/json"}
    answer = ask(address, "POST", "/v1/align", json.dumps({"pair": PAIR}), headers)
    assert answer.status == 200 and answer.headers["access-control-allow-origin"] == origin


@pytest.mark.parametrize("origin", ["http://evil.example", "http://localhost.evil.example", "null"])
def test_other_pages_may_not(address, origin):
    assert "access-control-allow-origin" not in preflight(address, origin).headers


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
    message, trailers = grpc_web(address, align_pb2.AlignRequest(pair=PAIR))
    assert trailers["grpc-status"].strip() == "0"
    assert list(align_pb2.AlignResponse.FromString(message).alignment.target_indices) == [1, 2, 3]


def test_grpc_web_errors_have_their_details(address):
    message, trailers = grpc_web(address, align_pb2.AlignRequest())
    assert message is None and trailers["grpc-status"].strip() == "3"
    assert trailers["grpc-status-details-bin"]
