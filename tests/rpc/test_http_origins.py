"""Web pages and the HTTP port: whose pages may call it, and by what names it is called."""

import json

import httpx
import pytest
from support.http import raw
from support.server_process import started
from tokalign.errors import InputError
from tokalign.server.config import Config
from tokalign.server.hosts import ServerNames

PAIR = {"source": "a", "target": "b"}
PATHS = (
    ("POST", "/v1/align"),
    ("POST", "/v2/rerank"),
    ("GET", "/v1/models"),
    ("GET", "/healthz"),
    ("GET", "/openapi.json"),
    ("GET", "/"),
    ("HEAD", "/"),
    ("GET", "/v1/nothing"),
    ("OPTIONS", "/v1/align"),
    ("DELETE", "/v1/align"),
)
FOREIGN = (
    "http://evil.test",
    "https://evil.test:8443",
    "null",
    "file://",
    "http://localhost",
    "http://localhost.evil.test",
    "http://127.0.0.1",
    "chrome-extension://aaaa",
    "",
)


def is_refused(answer, detail):
    assert answer.status_code == 403, answer.text
    assert answer.headers["content-type"] == "application/problem+json"
    assert "access-control-allow-origin" not in answer.headers
    if answer.request.method != "HEAD":
        problem = answer.json()
        assert detail in problem["detail"]
        assert (problem["code"], problem["reason"]) == ("PERMISSION_DENIED", "ORIGIN_FORBIDDEN")


@pytest.mark.parametrize("origin", FOREIGN)
async def test_pages_of_other_origins_are_refused_on_every_path(serving, metrics, origin):
    http = (await serving(http_port=0)).http
    for method, path in PATHS:
        headers = {"origin": origin, "content-type": "text/plain"}
        answer = await http.request(method, path, headers=headers, content=json.dumps(PAIR))
        is_refused(answer, "--http-origin")
    read = metrics.registry.get_sample_value
    labels = {"grpc_service": "http", "grpc_method": "v1/align"}
    assert read("grpc_server_started_total", labels) == 0


async def test_a_foreign_page_is_refused_before_its_body_is_read(serving):
    http = (await serving(http_port=0)).http
    host = f"localhost:{http.base_url.port}".encode()
    head = b"POST /v1/align HTTP/1.1\r\nhost: %s\r\norigin: http://evil.test\r\n" % host
    status, problem = await raw(http.base_url.port, head + b"content-length: 1000000\r\n\r\n{")
    assert (status, problem["reason"]) == (403, "ORIGIN_FORBIDDEN")
    # Of two origins, both have to be allowed.
    own = b"origin: http://%s\r\n" % host
    status, _ = await raw(http.base_url.port, head + own + b"content-length: 0\r\n\r\n")
    assert status == 403


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1", "[::1]", "LocalHost", "127.0.0.2"])
async def test_pages_of_the_server_itself_may_call(serving, host):
    http = (await serving(http_port=0)).http
    for port, scheme in ((f":{http.base_url.port}", "http"), ("", "http"), ("", "https")):
        headers = {"host": f"{host}{port}", "origin": f"{scheme}://{host.lower()}{port}"}
        answer = await http.post("/v1/align", json=PAIR, headers=headers)
        assert answer.status_code == 200, answer.text
    # Proxies may write the port that browsers leave out.
    for port, scheme in ((80, "http"), (443, "https")):
        headers = {"host": f"{host}:{port}", "origin": f"{scheme}://{host.lower()}"}
        assert (await http.post("/v1/align", json=PAIR, headers=headers)).status_code == 200
    headers = {"host": f"{host}:1", "origin": f"http://{host.lower()}:2"}
    is_refused(await http.post("/v1/align", json=PAIR, headers=headers), "--http-origin")


@pytest.mark.parametrize(
    "host",
    ["evil.test", "evil.test:8080", "localhost.evil.test", "10.0.0.1", "[::2]", "x.localhost"],
)
async def test_a_server_on_loopback_has_no_other_names(serving, host):
    http = (await serving(http_port=0)).http
    for method, path in PATHS:
        for headers in ({"host": host}, {"host": host, "origin": f"http://{host}"}):
            is_refused(await http.request(method, path, headers=headers), "--http-host")


async def test_a_name_that_is_told_may_be_used(serving):
    http = (await serving(http_port=0, http_hosts=("align.example.org", "other"))).http
    for host in ("align.example.org", "ALIGN.example.org:8443", "other:80", "localhost"):
        headers = {"host": host, "origin": f"https://{host.lower()}"}
        assert (await http.post("/v1/align", json=PAIR, headers=headers)).status_code == 200
    for host in ("example.org", "x.align.example.org", "align.example.org.evil.test"):
        is_refused(await http.post("/v1/align", json=PAIR, headers={"host": host}), "--http-host")


async def test_all_names_may_be_used_where_that_is_told(serving):
    everywhere = (await serving(http_port=0, http_hosts=("*",))).http
    assert (await everywhere.get("/healthz", headers={"host": "evil.test"})).status_code == 200


@pytest.mark.parametrize("address", ["localhost", "::1", "127.0.0.5"])
def test_every_address_of_loopback_is_guarded(address):
    names = ServerNames(address, ())
    assert names.may_call("localhost:8080") and not names.may_call("evil.test")


def test_what_listens_beyond_loopback_takes_all_names_unless_some_are_told():
    assert ServerNames("0.0.0.0", ()).may_call("align.internal")
    told = ServerNames("0.0.0.0", ("align.internal",))
    assert told.may_call("align.internal:80") and told.may_call("localhost")
    assert not told.may_call("evil.test")


def test_the_metrics_port_has_the_same_names():
    with started("--http-host", "metrics.internal") as server:
        for host, status in (("evil.test", 403), ("metrics.internal", 200), ("localhost", 200)):
            for path in ("/metrics", "/livez", "/readyz"):
                answer = httpx.get(f"{server.metrics_url}{path}", headers={"host": host})
                assert answer.status_code == status


async def test_allowed_origins_may_call_and_others_still_may_not(serving):
    origins = ("https://www.example.org", "chrome-extension://aaaa")
    http = (await serving(http_port=0, http_origins=origins)).http
    for origin in origins:
        answer = await http.post("/v1/align", json=PAIR, headers={"origin": origin})
        assert answer.status_code == 200
        assert answer.headers["access-control-allow-origin"] == origin
    is_refused(
        await http.post("/v1/align", json=PAIR, headers={"origin": "https://example.org"}),
        "--http-origin",
    )
    anyone = (await serving(http_port=0, http_origins=("*",))).http
    for origin in ("https://example.org", "null"):
        answer = await anyone.post("/v1/align", json=PAIR, headers={"origin": origin})
        assert answer.headers["access-control-allow-origin"] == "*"


@pytest.mark.parametrize(
    "asked",
    [
        {"access-control-request-method": "DELETE"},
        {"access-control-request-method": "POST", "access-control-request-headers": "x-other"},
    ],
)
async def test_refused_preflights_are_answered_in_json(serving, asked):
    origin = "https://www.example.org"
    http = (await serving(http_port=0, http_origins=(origin,))).http
    answer = await http.options("/v1/align", headers={"origin": origin, **asked})
    problem = answer.json()
    assert answer.headers["content-type"] == "application/problem+json"
    assert problem["status"] == answer.status_code == 403
    assert "GET, POST" in problem["detail"] and "content-type" in problem["detail"]
    asked = {"access-control-request-method": "POST"}
    answer = await http.options("/v1/align", headers={"origin": "https://evil.test", **asked})
    is_refused(answer, "--http-origin")


@pytest.mark.parametrize(
    "heads",
    [
        b"",
        b"host: localhost\r\nhost: localhost\r\n",
        b"host: localhost\r\nHost: evil.test\r\n",
        b"host: localhost, evil.test\r\n",
        b"host: localhost/@evil.test\r\n",
        b"host: evil.test@localhost\r\n",
        b"host: localhost:x\r\n",
        b"host: [::1\r\n",
        b"host: local host\r\n",
    ],
)
async def test_requests_without_one_host_are_refused(serving, heads):
    for hosts in ((), ("*",)):
        http = (await serving(http_port=0, http_hosts=hosts)).http
        for line in (b"GET /healthz", b"POST /v1/align", b"GET /nothing"):
            status, problem = await raw(
                http.base_url.port, line + b" HTTP/1.1\r\n" + heads + b"\r\n"
            )
            assert (status, problem["reason"]) == (400, "MALFORMED_MESSAGE")
            assert "host" in problem["detail"]


async def test_what_speaks_http_1_0_needs_no_host(serving):
    http = (await serving(http_port=0)).http
    port, line = http.base_url.port, b"GET /healthz HTTP/1.0\r\n"
    assert (await raw(port, line + b"\r\n"))[0] == 200
    assert (await raw(port, line + b"host: evil.test\r\n\r\n"))[0] == 403


def test_names_and_origins_are_checked():
    for host in ("https://example.org", "example.org:80", "example.org/", ""):
        with pytest.raises(InputError, match="wanted a name without a port"):
            Config(http_hosts=(host,))
    for origin in ("example.org", "https://example.org/", "null"):
        with pytest.raises(InputError, match="wanted SCHEME://HOST"):
            Config(http_origins=(origin,))
