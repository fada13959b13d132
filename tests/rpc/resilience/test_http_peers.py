"""Peers of the HTTP port that are slow, greedy, many or no peers of HTTP, on bare sockets."""

import asyncio
import gc
import hashlib
import json
import ssl
import weakref

import httpx
import pytest
import trustme
from support.server_process import started
from tokalign.server.http.call import HttpCall
from tokalign.server.http.listener import MAX_HEAD_BYTES

PAIR = json.dumps({"source": "a", "target": "b"}).encode()
POST = b"POST /v1/align HTTP/1.1\r\nhost: localhost\r\ncontent-length: %d\r\n\r\n"
WHOLE = POST % len(PAIR) + PAIR
HEALTH = b"GET /healthz HTTP/1.1\r\nhost: localhost\r\n\r\n"


class Peer:
    def __init__(self, reader, writer):
        self.reader = reader
        self.writer = writer

    async def status(self):
        """Return the status of the next answer, once it is whole; 0 where there is none."""
        line = await self.reader.readline()
        if not line:
            return 0
        length = 0
        while (header := await self.reader.readline()).strip():
            name, _, value = header.partition(b":")
            if name == b"content-length":
                length = int(value)
        self.body = await self.reader.readexactly(length)
        return int(line.split()[1])

    async def is_hung_up(self):
        try:
            return await self.reader.read() == b""
        except ConnectionError:
            return True


@pytest.fixture
async def connect(serving):
    """Yield a function that starts a server with some Config changed, and connects to it."""
    opened = []

    async def connect(**changed):
        stub = await serving(http_port=0, **changed)
        port = stub.http.base_url.port

        async def peer(data=b""):
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            opened.append(writer)
            writer.write(data)
            found = Peer(reader, writer)
            found.stub = stub
            return found

        return peer

    yield connect
    for writer in opened:
        writer.close()


async def test_headers_that_do_not_come_are_not_waited_for(connect):
    peer = await connect(handshake_timeout_s=0.2)
    silent, slow = await peer(), await peer(b"POST /v1/al")
    assert await silent.is_hung_up()
    assert await slow.status() == 408 and b"headers" in slow.body
    assert await slow.is_hung_up()
    again = await peer(HEALTH)
    assert await again.status() == 200
    again.writer.write(b"\r\n")  # neither a request nor silence
    assert await again.status() == 408


async def test_headers_are_bounded_whether_they_end_or_not(connect):
    peer = await connect()
    endless = await peer(b"GET / HTTP/1.1\r\nx: " + b"a" * (MAX_HEAD_BYTES + 1))
    assert await endless.status() == 431
    many = await peer(b"GET / HTTP/1.1\r\n" + b"a: b\r\n" * 10_000 + b"\r\n")
    assert await many.status() == 431
    long = await peer(
        b"GET /" + b"a" * (MAX_HEAD_BYTES + 1) + b" HTTP/1.1\r\nhost: localhost\r\n\r\n"
    )
    assert await long.status() in (404, 431)


async def test_bodies_that_do_not_come_are_not_waited_for(connect):
    peer = await connect(receive_timeout_s=0.2)
    slow = await peer(POST % 100 + b"{")
    assert await slow.status() == 408
    assert json.loads(slow.body)["code"] == "DEADLINE_EXCEEDED"
    assert await slow.is_hung_up()


async def test_a_body_that_was_refused_is_read_over_for_a_while_only(connect):
    peer = await connect(receive_timeout_s=0.5)
    large = await peer(POST % (1 << 30))
    assert await large.status() == 413
    large.writer.write(b"x" * 100_000)
    assert await large.is_hung_up()


async def test_a_peer_that_hangs_up_gives_its_room_back(connect):
    peer = await connect()
    gone = await peer(POST % 100 + b"{")
    calls = gone.stub.front.calls
    while not len(calls.receiving):
        await asyncio.sleep(0.01)
    gone.writer.close()
    while calls.running:
        await asyncio.sleep(0.01)
    assert len(calls.receiving) == 0


async def test_connections_are_bounded_and_the_next_is_told(connect):
    peer = await connect(max_connections=2)
    first, second = await peer(HEALTH), await peer(HEALTH)
    assert (await first.status(), await second.status()) == (200, 200)
    third = await peer()
    assert await third.status() == 503 and b"as many connections" in third.body
    first.writer.close()
    while True:
        again = await peer(HEALTH)
        if await again.status() == 200:
            break


async def test_what_is_no_http_is_told_so_in_json(connect):
    peer = await connect()
    for data in (b"\x16\x03\x01\x02\x00", b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", b"hello\r\n\r\n"):
        other = await peer(data)
        assert await other.status() == 400, data
        assert json.loads(other.body)["status"] == 400
        assert await other.is_hung_up()


@pytest.mark.parametrize("n", [3, 8, 300])
async def test_pipelined_requests_are_answered_in_order(connect, n):
    bodies = [json.dumps({**json.loads(PAIR), "id": str(k)}).encode() for k in range(n)]
    peer = await (await connect())(b"".join(POST % len(body) + body for body in bodies))
    for k in range(n):
        assert await peer.status() == 200
        assert json.loads(peer.body)["id"] == str(k)
    peer.writer.write(HEALTH * 8)
    assert [await peer.status() for _ in range(8)] == [200] * 8


async def test_pipelined_requests_that_come_in_pieces_are_answered(connect):
    peer = await (await connect())()
    data = (WHOLE + HEALTH) * 10
    for start in range(0, len(data), 7):
        peer.writer.write(data[start : start + 7])
        await peer.writer.drain()
    assert [await peer.status() for _ in range(20)] == [200] * 20


async def test_what_waits_behind_a_request_is_read_no_faster_than_it_is_answered(connect, tmp_path):
    go = tmp_path / "go"
    slow = json.dumps({"id": f"until:{go}", "source": "a", "target": "b"}).encode()
    peer = await (await connect())(POST % len(slow) + slow)
    large = json.dumps({"source": "a", "target": "b", "user": "x" * 100_000}).encode()
    peer.writer.write((POST % len(large) + large) * 200)
    flood = asyncio.create_task(peer.writer.drain())
    while not (tmp_path / "go.begun").exists():
        await asyncio.sleep(0.01)
    await asyncio.sleep(1)
    # Of 20 MB, the system holds some.
    assert peer.writer.transport.get_write_buffer_size() > 8 << 20
    go.touch()
    assert [await peer.status() for _ in range(201)] == [200] + [400] * 200
    await flood


async def test_time_in_the_line_does_not_count_against_a_head_or_a_body(connect, tmp_path):
    peer = await connect(handshake_timeout_s=0.2, receive_timeout_s=0.2)
    go = tmp_path / "go"
    slow = json.dumps({"id": f"until:{go}", "source": "a", "target": "b"}).encode()
    for rest in (HEALTH[:20], WHOLE[:-5]):
        go.unlink(missing_ok=True)
        other = await peer(POST % len(slow) + slow + WHOLE + rest)
        await asyncio.sleep(2.5)
        go.touch()
        assert [await other.status(), await other.status()] == [200, 200]
        # From then on, it does.
        assert await other.status() == 408


@pytest.mark.parametrize(
    "chunks",
    [b"xyz\r\n", b"5\r\n{}{}{}\r\n", b"-1\r\n", b"1\r\n{\r\n\r\n", b"fffffffffffffffff\r\n"],
)
@pytest.mark.parametrize("n_before", [0, 3])
async def test_bad_chunks_are_told_so_in_json_after_the_answers_before(connect, chunks, n_before):
    peer = await connect()
    head = b"POST /v1/align HTTP/1.1\r\nhost: localhost\r\ntransfer-encoding: chunked\r\n\r\n"
    for data in ([WHOLE * n_before + head + chunks], [WHOLE * n_before, head, chunks]):
        other = await peer()
        for part in data:
            other.writer.write(part)
            await asyncio.sleep(0.05)
        assert [await other.status() for _ in range(n_before)] == [200] * n_before
        assert await other.status() == 400
        problem = json.loads(other.body)
        assert (problem["status"], problem["reason"]) == (400, "MALFORMED_MESSAGE")
        assert await other.is_hung_up()
        while other.stub.front.calls.running:
            await asyncio.sleep(0.01)


async def test_garbage_behind_requests_is_told_so_after_their_answers(connect):
    peer = await connect()
    other = await peer(WHOLE * 5 + b"garbage\r\n\r\n" + HEALTH)
    assert [await other.status() for _ in range(6)] == [200] * 5 + [400]
    assert await other.is_hung_up()


async def test_a_refused_body_with_bad_chunks_has_one_answer(connect):
    peer = await connect()
    head = b"POST /nothing HTTP/1.1\r\nhost: localhost\r\ntransfer-encoding: chunked\r\n\r\n"
    other = await peer(head)
    assert await other.status() == 404
    other.writer.write(b"xyz\r\n")
    assert await other.is_hung_up()


async def test_a_peer_that_reads_nothing_is_hung_up_on(connect):
    peer = await connect(keepalive_timeout_s=0.5)
    texts = ["word " * 200] * 2000
    body = json.dumps({"query": "q", "documents": texts, "return_documents": True}).encode()
    deaf = await peer()
    deaf.writer.transport.pause_reading()
    deaf.writer.write(POST.replace(b"align", b"rerank") % len(body) + body)
    await deaf.writer.drain()
    calls = deaf.stub.front.calls
    while not calls.running:
        await asyncio.sleep(0.01)
    while deaf.stub.admission.bytes or calls.running:
        await asyncio.sleep(0.05)


async def test_an_old_connection_takes_no_more_requests(connect):
    peer = await connect(max_connection_age_s=0.2)
    old = await peer(HEALTH)
    assert await old.status() == 200
    assert await old.is_hung_up()


async def test_a_request_with_expect_is_told_to_go_on_or_refused(connect):
    peer = await connect()
    head = POST.replace(b"\r\n\r\n", b"\r\nexpect: 100-continue\r\n\r\n")
    asks = await peer(head % len(PAIR))
    assert await asks.status() == 100
    asks.writer.write(PAIR)
    assert await asks.status() == 200
    assert await (await peer(head % (1 << 30))).status() == 413


def test_running_requests_end_and_new_ones_are_refused_when_the_server_stops(tmp_path):
    go = tmp_path / "go"
    body = {"id": f"until:{go}", "source": "a", "target": "b"}

    async def stop(server, url):
        async with httpx.AsyncClient(timeout=60) as client:
            asked = asyncio.create_task(client.post(f"{url}/v1/align", json=body))
            while not (tmp_path / "go.begun").exists():
                await asyncio.sleep(0.01)
            stopping = asyncio.create_task(asyncio.to_thread(server.stop))
            while (await client.get(f"{url}/healthz")).status_code == 200:
                await asyncio.sleep(0.05)
            go.touch()
            assert (await asked).status_code == 200
            assert await stopping == 0

    with started("--http-port", "0", "--drain-delay", "5") as server:
        asyncio.run(stop(server, server.http_url))


def test_tls_and_tokens_hold_on_http(tmp_path):
    authority = trustme.CA()
    issued = authority.issue_cert("localhost", "127.0.0.1")
    certificate, key, tokens = (tmp_path / name for name in ("cert.pem", "key.pem", "tokens"))
    issued.private_key_pem.write_to_path(key)
    issued.cert_chain_pems[0].write_to_path(certificate)
    tokens.write_text(f"me {hashlib.sha256(b'secret').hexdigest()}\n")
    flags = ("--tls-cert", certificate, "--tls-key", key, "--token-file", tokens)
    with started("--http-port", "0", *map(str, flags)) as server:
        url = server.http_url.replace("http:", "https:")

        def align(authority, token="secret"):
            context = ssl.create_default_context()
            authority.configure_trust(context)
            headers = {"authorization": f"Bearer {token}"}
            with httpx.Client(verify=context, headers=headers) as client:
                return client.post(f"{url}/v1/align", content=PAIR).status_code

        assert align(authority) == 200 and align(authority, "wrong") == 401
        with pytest.raises(httpx.TransportError):
            httpx.get(f"{server.http_url}/healthz")
        other = trustme.CA()
        renewed = other.issue_cert("localhost", "127.0.0.1")
        renewed.private_key_pem.write_to_path(key)
        renewed.cert_chain_pems[0].write_to_path(certificate)
        assert align(other) == 200
        with pytest.raises(httpx.ConnectError):
            align(authority)


UPGRADES = (
    b"connection: Upgrade, HTTP2-Settings\r\nupgrade: h2c\r\nhttp2-settings: AAMAAABkAAQAAP__\r\n",
    b"Upgrade: websocket\r\nConnection: keep-alive, upgrade\r\n",
    b"connection: upgrade\r\nupgrade: h2c\r\nupgrade: TLS/1.2\r\n",
)


@pytest.mark.parametrize("asked", UPGRADES)
@pytest.mark.parametrize("step", [1, 7, 1 << 20])
async def test_a_request_that_asks_for_another_protocol_is_answered_in_this_one(
    connect, asked, step
):
    """curl --http2 and the client of Java send such requests."""
    length = b"content-length: %d\r\n\r\n" % len(PAIR)
    chunked = b"transfer-encoding: chunked\r\n\r\n%x\r\n%s\r\n0\r\n\r\n" % (len(PAIR), PAIR)
    head = b"POST /v1/align?x=1 HTTP/1.1\r\nhost: localhost\r\nx-request-id: mine\r\n" + asked
    data = head + length + PAIR + head + chunked + HEALTH.replace(b"\r\n\r\n", b"\r\n" + asked)
    data += b"\r\n" + WHOLE
    peer = await (await connect())()
    for start in range(0, len(data), step):
        peer.writer.write(data[start : start + step])
        await peer.writer.drain()
    assert [await peer.status() for _ in range(4)] == [200] * 4


async def test_what_asks_for_a_tunnel_is_refused(connect):
    for line in (b"CONNECT localhost:80", b"CONNECT /v1/align"):
        peer = await (await connect())(line + b" HTTP/1.1\r\nhost: localhost\r\n\r\n")
        assert await peer.status() in (400, 404, 405)
        assert json.loads(peer.body)["status"] >= 400


async def test_a_call_that_has_ended_is_freed_without_the_collector():
    # A collection of thousands of calls stops the server's loop for a fifth of a second.
    peer = asyncio.Event()

    async def receive():
        if not received:
            received.append(PAIR)
            return {"type": "http.request", "body": PAIR}
        await peer.wait()

    async def send(message):
        sent.append(message)

    async def answer():
        call = HttpCall({"headers": []}, receive, send, 1 << 10)
        assert await call.read() == PAIR
        await asyncio.sleep(0)  # the watcher begins to wait
        await call.respond(b"{}")
        call.finish()
        return weakref.ref(call)

    received, sent = [], []
    gc.disable()
    try:
        freed = await asyncio.create_task(answer())
        await asyncio.sleep(0.01)
        assert freed() is None
    finally:
        gc.enable()
    assert sent[1]["body"] == b"{}"
