"""Bearer tokens at Envoy: deploy/tokens.lua and refuse.lua beside the server's own check."""

import contextlib
import json
import time
import urllib.error
import urllib.request

import grpc
import pytest
from grpc_status import rpc_status
from support.envoy import TOKEN, calls_at, code_of, guarding, replace_text, request, token_file
from support.waiting import wait_until
from tokalign.server.observe.faults import failure_of
from tokalign.server.rpc.tokens import TokenFile
from tokalign.server.status import ReasonedError


@pytest.fixture(scope="module")
def guarded(tmp_path_factory):
    """Envoy before one server that asks for tokens."""
    with guarding(tmp_path_factory.mktemp("guarded")) as found:
        yield found


@pytest.fixture
def guarded_alone(tmp_path):
    """The same for one test, which may change the tokens."""
    with guarding(tmp_path) as found:
        yield found


def json_call(address, headers=()):
    """Return the status of a call by HTTP and JSON, and its answer."""
    body = b'{"source": "a", "target": "b"}'
    headers = {"content-type": "application/json", **dict(headers)}
    asked = urllib.request.Request(f"http://{address}/v1/align", body, headers)
    try:
        with urllib.request.urlopen(asked, timeout=30) as answer:
            return answer.status, json.loads(answer.read())
    except urllib.error.HTTPError as error:
        return error.code, json.loads(error.read())


def test_calls_without_a_good_token_reach_no_server(guarded):
    front, stub, server = guarded
    before = calls_at(server), calls_at(server, "v1/align")
    for token in (None, "", "secret2", "s" * 513, "s" * 2000):
        assert code_of(stub, token) is grpc.StatusCode.UNAUTHENTICATED, token
    status, answer = json_call(front.address)
    assert status == 401 and answer["reason"] == "TOKEN_MISSING"
    assert json_call(front.address, [("authorization", "Basic c2VjcmV0")])[0] == 401
    assert (calls_at(server), calls_at(server, "v1/align")) == before
    wait_until(lambda: json_call(front.address, TOKEN)[0] == 200, "JSON is not answered")
    assert calls_at(server, "v1/align") == before[1] + 1


@pytest.mark.parametrize("authorization", [None, "Bearer secret2"])
def test_envoy_refuses_tokens_in_the_words_of_the_server(guarded, tmp_path, authorization):
    _, stub, _ = guarded
    tokens = TokenFile(token_file(tmp_path, ["another"]))
    with pytest.raises(ReasonedError) as expected:
        tokens.check(authorization or "")
    metadata = [("authorization", authorization)] if authorization else []
    with pytest.raises(grpc.RpcError) as caught:
        stub.Align(request(), timeout=30, metadata=metadata)
    assert rpc_status.from_call(caught.value) == failure_of(expected.value).to_proto()


def test_envoy_and_the_server_know_the_same_tokens_of_every_length(guarded_alone, tmp_path):
    _, stub, _ = guarded_alone
    # Either side of what one and two blocks of SHA-256 hold, and the longest.
    tokens = ["".join(chr(33 + (i * 7) % 90) for i in range(n)) for n in (1, 55, 56, 64, 119, 512)]
    token_file(tmp_path, tokens)
    for token in tokens:
        wait_until(lambda token=token: code_of(stub, token) is grpc.StatusCode.OK, token)
    assert code_of(stub, "secret") is grpc.StatusCode.UNAUTHENTICATED


def test_envoy_reads_its_token_file_as_the_server_does(guarded_alone, tmp_path):
    _, stub, _ = guarded_alone
    path = token_file(tmp_path, ["one", "two"])
    wait_until(lambda: code_of(stub, "two") is grpc.StatusCode.OK)
    # A damaged file leaves the last good tokens: what is added to it is not read either.
    replace_text(path, path.read_text().replace("someone", "someone else", 1))
    began = time.monotonic()
    while time.monotonic() < began + 2:
        assert code_of(stub, "one") is grpc.StatusCode.OK
    path.write_text("")
    wait_until(lambda: code_of(stub, "one") is grpc.StatusCode.UNAUTHENTICATED)
    token_file(tmp_path, ["one"])
    wait_until(lambda: code_of(stub, "one") is grpc.StatusCode.OK)
    path.unlink()
    # Nothing is refused by Envoy then, and everything by the server.
    wait_until(lambda: code_of(stub, "one") is grpc.StatusCode.UNAUTHENTICATED)


def test_no_peer_can_say_who_calls(guarded):
    front, stub, server = guarded
    before = calls_at(server)
    with pytest.raises(grpc.RpcError) as caught:
        stub.Align(request(), timeout=30, metadata=[("x-tokalign-caller", "someone")])
    assert caught.value.code() is grpc.StatusCode.UNAUTHENTICATED
    assert json_call(front.address, [("x-tokalign-caller", "someone")])[0] == 401
    assert calls_at(server) == before


def test_access_log_names_the_caller_and_holds_no_token(guarded):
    front, stub, _ = guarded
    stub.Align(request(), timeout=30, metadata=TOKEN)
    code_of(stub, "a-bad-token")
    # Where no token belongs, in the address.
    asked = urllib.request.Request(f"http://{front.address}/v1/models?token=secret")
    with contextlib.suppress(urllib.error.HTTPError):
        urllib.request.urlopen(asked, timeout=30)

    def lines():
        return [json.loads(line) for line in front.log.read_text().splitlines()]

    wait_until(lambda: any(line["path"] == "/v1/models" for line in lines()), "nothing is logged")
    calls = [line for line in lines() if line["path"] == "/tokalign.v1.AlignService/Align"]
    assert {line["code"]: line["caller"] for line in calls} == {
        "OK": "someone",
        "UNAUTHENTICATED": None,
    }
    assert all(line["server"] for line in calls if line["code"] == "OK")
    for word in ("secret", "a-bad-token", "Bearer"):
        assert word not in front.log.read_text()


def test_refused_tokens_are_counted(guarded):
    front, stub, _ = guarded

    def refused():
        with urllib.request.urlopen(f"{front.status_url}/metrics", timeout=30) as answer:
            lines = answer.read().decode().splitlines()
        found = [line for line in lines if line.startswith("envoy_tokalign_unauthenticated{")]
        return float(found[0].split()[-1]) if found else 0.0

    before = refused()
    assert code_of(stub, None) is code_of(stub, "bad") is grpc.StatusCode.UNAUTHENTICATED
    assert json_call(front.address)[0] == 401
    wait_until(lambda: refused() == before + 3, "refused calls are not counted")
    assert code_of(stub, "secret") is grpc.StatusCode.OK
    assert refused() == before + 3
