"""Strangers before Envoy: what deploy/envoy.yaml bounds, one by one; bench/attack floods it."""

import asyncio
import contextlib
import gzip
import http.client
import os
import select
import signal
import socket
import urllib.request

import grpc
import pytest
from grpc_health.v1 import health_pb2, health_pb2_grpc
from support.envoy import (
    FLAGS,
    TOKEN,
    Load,
    by_stub,
    calls_at,
    code_of,
    envoy,
    guarding,
    is_ready,
    listener_of,
    manager_of,
)
from support.server_process import started
from support.waiting import until, wait_until

from bench.attack.peer import Peer, message
from bench.procfs import resident_mib

ALIGN = "/tokalign.v1.AlignService/Align"


@pytest.fixture(scope="module")
def guarded(tmp_path_factory):
    """Envoy before one server that asks for tokens."""
    with guarding(tmp_path_factory.mktemp("guarded")) as found:
        yield found


def metric(front, name):
    """Return the sum of a metric of Envoy's."""
    with urllib.request.urlopen(f"{front.status_url}/metrics", timeout=30) as answer:
        lines = answer.read().decode().splitlines()
    return sum(float(line.split()[-1]) for line in lines if line.startswith(f"{name}{{"))


def ask(front, method, path, headers=()):
    """Return the status of a call over HTTP/1.1."""
    connection = http.client.HTTPConnection(front.address, timeout=60)
    try:
        connection.request(method, path, headers=dict(headers))
        return connection.getresponse().status
    finally:
        connection.close()


@pytest.mark.parametrize(
    "kind", ["application/grpc", "application/grpc+proto", "application/grpc;x=y"]
)
def test_grpc_over_http1_is_refused(guarded, kind):
    front, _, server = guarded
    before = calls_at(server)
    assert ask(front, "POST", ALIGN, {"content-type": kind, **dict(TOKEN)}) == 415
    assert calls_at(server) == before


def check(front):
    """Return what gRPC's health check says at Envoy."""
    with grpc.insecure_channel(front.address) as channel:
        asked = health_pb2.HealthCheckRequest(service="tokalign.v1.AlignService")
        return health_pb2_grpc.HealthStub(channel).Check(asked, timeout=30).status


def test_envoy_answers_health_itself_and_nobody_may_watch(guarded):
    front, _, server = guarded
    at_server = calls_at(server, "Watch")
    assert check(front) == health_pb2.HealthCheckResponse.SERVING
    assert ask(front, "GET", "/ready") == 200
    with grpc.insecure_channel(front.address) as channel, pytest.raises(grpc.RpcError) as caught:
        list(health_pb2_grpc.HealthStub(channel).Watch(health_pb2.HealthCheckRequest()))
    # By which gRPC's own clients know that there is nothing to watch.
    assert caught.value.code() is grpc.StatusCode.UNIMPLEMENTED
    assert calls_at(server, "Watch") == at_server


def test_envoy_is_not_ready_without_a_healthy_server(tmp_path):
    with started(*FLAGS) as server, envoy(tmp_path, [int(server.address.split(":")[1])]) as front:
        wait_until(lambda: is_ready(front), "Envoy found no server")
        server.process.kill()
        wait_until(lambda: not is_ready(front), "Envoy is ready without a server")
        assert check(front) == health_pb2.HealthCheckResponse.NOT_SERVING
        assert ask(front, "GET", "/ready") == 503
        # Envoy itself is alive, and must not be restarted for that.
        with urllib.request.urlopen(f"{front.status_url}/live", timeout=30) as answer:
            assert answer.status == 200


@pytest.mark.parametrize("path", ["/v1%2fmodels", "/v1%5Cmodels", "/v1/models%00"])
def test_paths_that_servers_might_read_otherwise_are_refused(guarded, path):
    assert ask(guarded[0], "GET", path, TOKEN) == 400


def test_paths_are_made_plain_and_headers_with_underscores_refused(guarded):
    for path in ("/v1/models", "/v1//models", "/x/../v1/models"):
        assert ask(guarded[0], "GET", path, TOKEN) == 200
    assert ask(guarded[0], "GET", "/v1/models", {**dict(TOKEN), "a_b": "1"}) == 400


def test_strangers_who_call_often_wait_and_callers_do_not(guarded):
    front, stub, _ = guarded
    delayed = "envoy_http_fault_delays_injected"
    before = metric(front, delayed)
    for _ in range(300):
        assert code_of(stub, "secret") is grpc.StatusCode.OK
    assert metric(front, delayed) == before

    async def refused():
        peer = await Peer.open(front.address)
        for n_ended in range(0, 200, 8):
            for _ in range(8):
                await peer.call(end=True)
            await until(lambda most=n_ended + 8: peer.ended >= most)
        await peer.close()

    asyncio.run(refused())
    assert metric(front, delayed) > before


@pytest.mark.parametrize(
    "path", ["/nothing", "/ready", "/v1/align", "/grpc.health.v1.Health/Watch"]
)
def test_strangers_wait_whatever_they_ask_for(guarded, path):
    front, _, _ = guarded
    delayed = "envoy_http_fault_delays_injected"
    before = metric(front, delayed)
    host, port = front.address.split(":")
    calls = f"GET {path} HTTP/1.1\r\nhost: a\r\n\r\n".encode() * 1000  # one after the other
    with socket.create_connection((host, int(port))) as peer:
        peer.sendall(calls)
        wait_until(lambda: metric(front, delayed) > before, "all were answered at once")


PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
SETTINGS = bytes(3) + b"\x04" + bytes(5)


@pytest.mark.parametrize(
    "sent",
    [b"", PREFACE + SETTINGS, b"POST /v1/align HTTP/1.1\r\nhost: a\r\nx-slow:"],
    ids=["silent", "idle", "slow headers"],
)
def test_connections_without_calls_are_closed(tmp_path, sent):
    def sooner(config):
        common = manager_of(config)["common_http_protocol_options"]
        for where, name, shipped in (
            (listener_of(config), "listener_filters_timeout", "5s"),
            (common, "idle_timeout", "60s"),
            (manager_of(config), "request_headers_timeout", "10s"),
        ):
            assert where[name] == shipped
            where[name] = "0.5s"

    with started(*FLAGS) as server:
        port = int(server.address.split(":")[1])
        with envoy(tmp_path, [port], change=sooner) as front:
            wait_until(lambda: is_ready(front), "Envoy found no server")
            host, _, own = front.address.rpartition(":")
            # Without the limits they would last as long as their peer, or for an hour.
            with socket.create_connection((host, int(own)), timeout=30) as peer:
                peer.sendall(sent)
                while peer.recv(65536):
                    pass


async def unfinished(address):
    """Four connections of 50 streams, each with a message of a MiB that lacks its last byte."""
    size = 1 << 20
    peers = [await Peer.open(address) for _ in range(4)]

    async def stream(peer):
        number = await peer.call()
        # An end of the stream leaves windows closed.
        with contextlib.suppress(ConnectionError, TimeoutError):
            body = message(bytes(size - 1), announced=size)
            await asyncio.wait_for(peer.body(number, body), 10)

    await asyncio.gather(*(stream(peer) for peer in peers for _ in range(50)))
    return peers


async def unfinished_checks(address):
    """The same for health checks, over the streams that a connection may have, 20 times."""
    size = 1 << 20
    peers = [await Peer.open(address) for _ in range(20)]

    async def stream(peer):
        number = await peer.call("/grpc.health.v1.Health/Check")
        with contextlib.suppress(ConnectionError, TimeoutError):
            body = message(bytes(size - 1), announced=size)
            await asyncio.wait_for(peer.body(number, body), 10)

    await asyncio.gather(*(stream(peer) for peer in peers for _ in range(8)))
    return peers


async def bombs(address):
    """50 streams, over a connection while it lasts, with messages that unpack to 3 and 31 MiB."""
    peers = [await Peer.open(address)]
    bodies = [message(gzip.compress(bytes(n << 20)), is_compressed=True) for n in (3, 31)]
    for index in range(50):
        if not peers[-1].is_open:
            peers.append(await Peer.open(address))
        with contextlib.suppress(ConnectionError, TimeoutError):
            number = await peers[-1].call(more=[(b"grpc-encoding", b"gzip")])
            await asyncio.wait_for(peers[-1].body(number, bodies[index % 2], end=True), 10)
    return peers


@pytest.mark.parametrize("attack", [unfinished, unfinished_checks, bombs])
def test_strangers_before_envoy_add_little_memory_and_cost_no_call(guarded, attack):
    front, stub, server = guarded
    pids = [server.process.pid, front.process.pid]
    before = [resident_mib(pid) for pid in pids]

    async def run():
        peers = await attack(front.address)
        load.wait_for_more()
        added = [resident_mib(pid) - held for pid, held in zip(pids, before, strict=True)]
        for peer in peers:
            await peer.close()
        return added

    with Load(*[by_stub(stub, TOKEN)] * 2) as load:
        added = asyncio.run(run())
    assert load.failures == []
    # They sent 200 or 160 MiB, or 850 once unpacked.
    assert max(added) < 64, f"the server, Envoy: {added} MiB"


def test_envoy_hangs_up_on_a_header_block_that_is_far_too_long(guarded):
    front, stub, _ = guarded

    async def run():
        peer = await Peer.open(front.address)
        # Some 20 KiB, where 3 KiB of fields are taken and 12 KiB are read.
        await peer.call(more=[(b"x%d" % n, b"y") for n in range(2_600)])
        await until(lambda: not peer.is_open)
        await peer.close()

    asyncio.run(run())
    assert code_of(stub, "secret") is grpc.StatusCode.OK


def test_envoy_holds_no_more_than_its_windows_for_a_server_that_does_not_read(guarded):
    front, _, server = guarded
    before = resident_mib(front.process.pid)

    async def run():
        peers = await unfinished(front.address)
        added = resident_mib(front.process.pid) - before
        for peer in peers:
            await peer.close()
        return added

    server.process.send_signal(signal.SIGSTOP)
    try:
        # 200 MiB were offered over four connections.
        assert asyncio.run(run()) < 64
    finally:
        server.process.send_signal(signal.SIGCONT)


def test_connections_beyond_the_limit_are_closed(tmp_path):
    limit, n_more = 20, 10

    def few(config):
        (_, monitor) = config["overload_manager"]["resource_monitors"]
        monitor["typed_config"]["max_active_downstream_connections"] = limit

    with started(*FLAGS) as server, contextlib.ExitStack() as stack:
        port = int(server.address.rpartition(":")[2])
        front = stack.enter_context(envoy(tmp_path, [port], change=few))
        wait_until(lambda: is_ready(front), "Envoy found no server")
        host, _, own = front.address.rpartition(":")
        peers = [
            stack.enter_context(socket.create_connection((host, int(own)), timeout=60))
            for _ in range(limit + n_more)
        ]
        for peer in peers:
            with contextlib.suppress(ConnectionError):
                peer.sendall(PREFACE + SETTINGS)
        # Envoy accepts in an order of its own, so that any of them may be beyond the limit; each
        # of its threads may let one more in where several find the last free place at once.
        n_threads = os.cpu_count()
        closed = "envoy_listener_downstream_global_cx_overflow"
        wait_until(
            lambda: metric(front, closed) > n_more - n_threads, "connections were not closed"
        )
        # Probes and Prometheus still come in.
        assert is_ready(front)
        open_peers = [peer for peer in peers if not is_closed(peer)]
        assert limit - n_threads < len(open_peers) < limit + n_threads


def is_closed(peer):
    """Tell whether the other side has hung up, reading what it sent before."""
    while select.select([peer], [], [], 0.2)[0]:
        try:
            if not peer.recv(65536):
                return True
        except ConnectionError:
            return True
    return False
