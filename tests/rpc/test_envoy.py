"""deploy/envoy.yaml in a real Envoy before servers: its balancing and its limits."""

import asyncio
import contextlib
import gzip
import hashlib
import json
import select
import signal
import socket
import threading
import time
import urllib.error
import urllib.request

import grpc
import pytest
from grpc_health.v1 import health_pb2, health_pb2_grpc
from support.envoy import envoy
from support.server_process import started
from support.waiting import wait_until
from tokalign.load.peer import Peer, header_block, message
from tokalign.load.procfs import resident_mib
from tokalign.v1 import align_pb2, align_pb2_grpc

FLAGS = ["--drain-delay", "5", "--grace", "60", "--workers", "1"]


def request(pair_id="1"):
    return align_pb2.AlignRequest(
        pair={"id": pair_id, "source": {"text": "a"}, "target": {"text": "b"}}
    )


def calls_at(server):
    with urllib.request.urlopen(f"{server.metrics_url}/metrics", timeout=60) as answer:
        lines = answer.read().decode().splitlines()
    return sum(
        float(line.split()[-1])
        for line in lines
        if line.startswith("grpc_server_handled_total") and 'grpc_method="Align"' in line
    )


def wait_for_route(stub, metadata=()):
    """Wait until Envoy has found its servers healthy."""

    def answers():
        with contextlib.suppress(grpc.RpcError):
            return stub.Align(request(), timeout=5, metadata=metadata)

    wait_until(answers, "Envoy found no server")


class Load:
    """Single calls from several threads over one connection until told to stop."""

    def __init__(self, stub, metadata=()):
        self.stub = stub
        self.metadata = metadata
        self.failures = []
        self.n_calls = 0
        self._stop = threading.Event()
        self._threads = [threading.Thread(target=self._run) for _ in range(4)]

    def _run(self):
        while not self._stop.is_set():
            try:
                self.stub.Align(request(), timeout=60, metadata=self.metadata)
            except grpc.RpcError as error:
                self.failures.append((error.code(), error.details()))
            self.n_calls += 1

    def __enter__(self):
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *exception):
        self._stop.set()
        for thread in self._threads:
            thread.join()

    def wait_for_more(self, n_calls=50):
        target = self.n_calls + n_calls
        wait_until(lambda: self.n_calls >= target, "calls stopped")


@pytest.fixture
def two_servers(tmp_path):
    with started(*FLAGS) as one, started(*FLAGS) as two:
        ports = [int(server.address.rpartition(":")[2]) for server in (one, two)]
        with (
            envoy(tmp_path, ports) as (address, _),
            grpc.insecure_channel(address) as channel,
        ):
            stub = align_pb2_grpc.AlignServiceStub(channel)
            wait_for_route(stub)
            yield address, stub, one, two


def test_one_connection_is_balanced_and_a_killed_server_costs_no_call(two_servers):
    _, stub, one, two = two_servers
    with Load(stub) as load:
        wait_until(lambda: min(calls_at(one), calls_at(two)) > 20)
        one.process.kill()
        load.wait_for_more(200)
    assert load.failures == []


def test_rolling_restart_loses_no_call(two_servers):
    _, stub, one, two = two_servers
    with contextlib.ExitStack() as stack, Load(stub) as load:
        for old in (one, two):
            load.wait_for_more()
            port = old.address.rpartition(":")[2]
            assert old.stop() == 0
            new = stack.enter_context(started(*FLAGS, "--port", port))
            # The next server goes only when the new one takes calls.
            wait_until(lambda new=new: calls_at(new) > 0, "the new server got no calls")
        load.wait_for_more()
    assert load.failures == []


TOKEN = [("authorization", "Bearer secret")]


def token_file(tmp_path, tokens=("secret",)):
    """Write the servers' token file where Envoy reads it."""
    path = tmp_path / "tokens" / "tokens"
    path.parent.mkdir(exist_ok=True)
    lines = [f"someone {hashlib.sha256(token.encode()).hexdigest()}\n" for token in tokens]
    replace_text(path, "# who may call\n\n" + "".join(lines))
    return path


def replace_text(path, text):
    """Write a file such that nobody reads it empty or in part."""
    new = path.with_name("new")
    new.write_text(text)
    new.replace(path)


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


@contextlib.contextmanager
def guarding(folder):
    with started(*FLAGS, "--token-file", str(token_file(folder))) as server:
        port = int(server.address.rpartition(":")[2])
        with (
            envoy(folder, [port]) as (address, process),
            grpc.insecure_channel(address) as channel,
        ):
            stub = align_pb2_grpc.AlignServiceStub(channel)
            wait_for_route(stub, TOKEN)
            yield address, stub, server, process


def code_of(stub, token):
    """Return how a call with a token ends, or one with none where it is None."""
    metadata = [] if token is None else [("authorization", f"Bearer {token}")]
    try:
        stub.Align(request(), timeout=30, metadata=metadata)
    except grpc.RpcError as error:
        return error.code()
    return grpc.StatusCode.OK


def json_call(address, headers=()):
    """Return the status of a call by HTTP and JSON, and its answer."""
    body = b'{"pair": {"source": {"text": "a"}, "target": {"text": "b"}}}'
    headers = {"content-type": "application/json", **dict(headers)}
    asked = urllib.request.Request(f"http://{address}/v1/align", body, headers)
    try:
        with urllib.request.urlopen(asked, timeout=30) as answer:
            return answer.status, json.loads(answer.read())
    except urllib.error.HTTPError as error:
        return error.code, json.loads(error.read())


def test_calls_without_a_good_token_reach_no_server(guarded):
    address, stub, server, _ = guarded
    before = calls_at(server)
    for token in (None, "", "secret2", "s" * 513, "s" * 2000):
        assert code_of(stub, token) is grpc.StatusCode.UNAUTHENTICATED, token
    status, answer = json_call(address)
    assert status == 401 and answer["code"] == 16 and "Bearer TOKEN" in answer["message"]
    assert json_call(address, [("authorization", "Basic c2VjcmV0")])[0] == 401
    assert calls_at(server) == before
    assert json_call(address, TOKEN)[0] == 200
    wait_until(lambda: calls_at(server) == before + 1, "one call was answered, and not counted")


def test_health_needs_no_token(guarded):
    address = guarded[0]
    with grpc.insecure_channel(address) as channel:
        answer = health_pb2_grpc.HealthStub(channel).Check(
            health_pb2.HealthCheckRequest(), timeout=30
        )
    assert answer.status == health_pb2.HealthCheckResponse.SERVING


def test_envoy_and_the_server_know_the_same_tokens_of_every_length(guarded_alone, tmp_path):
    _, stub, _, _ = guarded_alone
    # Either side of what one and two blocks of SHA-256 hold, and the longest.
    tokens = ["".join(chr(33 + (i * 7) % 90) for i in range(n)) for n in (1, 55, 56, 64, 119, 512)]
    token_file(tmp_path, tokens)
    for token in tokens:
        wait_until(lambda token=token: code_of(stub, token) is grpc.StatusCode.OK, token)
    assert code_of(stub, "secret") is grpc.StatusCode.UNAUTHENTICATED


def test_envoy_reads_its_token_file_as_the_server_does(guarded_alone, tmp_path):
    _, stub, _, _ = guarded_alone
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


async def unfinished(address):
    """Four connections of 50 streams, each with a message of a MiB that lacks its last byte."""
    size = 1 << 20
    peers = [await Peer.open(address) for _ in range(4)]

    async def stream(peer):
        number = await peer.call(header_block(address))
        # An end of the stream leaves windows closed.
        with contextlib.suppress(ConnectionError, TimeoutError):
            body = message(bytes(size - 1), announced=size)
            await asyncio.wait_for(peer.body(number, body), 10)

    await asyncio.gather(*(stream(peer) for peer in peers for _ in range(50)))
    return peers


async def bombs(address):
    """50 streams, over a connection while it lasts, with messages that unpack to 3 and 31 MiB."""
    peers = [await Peer.open(address)]
    bodies = [message(gzip.compress(bytes(n << 20)), is_compressed=True) for n in (3, 31)]
    block = header_block(address, more=[(b"grpc-encoding", b"gzip")])
    for index in range(50):
        if not peers[-1].is_open:
            peers.append(await Peer.open(address))
        with contextlib.suppress(ConnectionError, TimeoutError):
            number = await peers[-1].call(block)
            await asyncio.wait_for(peers[-1].body(number, bodies[index % 2], end=True), 10)
    return peers


@pytest.mark.parametrize("attack", [unfinished, bombs])
def test_strangers_before_envoy_add_little_memory_and_cost_no_call(guarded, attack):
    address, stub, server, process = guarded
    pids = [server.process.pid, process.pid]
    before = [resident_mib(pid) for pid in pids]

    async def run():
        peers = await attack(address)
        load.wait_for_more()
        added = [resident_mib(pid) - held for pid, held in zip(pids, before, strict=True)]
        for peer in peers:
            await peer.close()
        return added

    with Load(stub, TOKEN) as load:
        added = asyncio.run(run())
    assert load.failures == []
    # They sent 200 MiB, or 850 once unpacked.
    assert max(added) < 64, f"the server, Envoy: {added} MiB"


def test_envoy_hangs_up_on_a_header_block_that_is_far_too_long(guarded):
    address, stub, _, _ = guarded

    async def run():
        peer = await Peer.open(address)
        # Five bytes each, 13,000 in all, where 3 KiB of fields are taken and 12 KiB are read.
        await peer.call(header_block(address, more=[(b"x", b"y")] * 2_600))
        async with asyncio.timeout(60):
            while peer.is_open:
                await asyncio.sleep(0.01)
        await peer.close()

    asyncio.run(run())
    assert code_of(stub, "secret") is grpc.StatusCode.OK


def test_envoy_holds_no_more_than_its_windows_for_a_server_that_does_not_read(guarded):
    address, _, server, process = guarded
    before = resident_mib(process.pid)

    async def run():
        peers = await unfinished(address)
        added = resident_mib(process.pid) - before
        for peer in peers:
            await peer.close()
        return added

    server.process.send_signal(signal.SIGSTOP)
    try:
        # 200 MiB were offered over four connections.
        assert asyncio.run(run()) < 64
    finally:
        server.process.send_signal(signal.SIGCONT)


def test_idle_connections_beyond_the_limit_are_closed(tmp_path):
    limit, n_more = 20, 10
    with started(*FLAGS) as server, contextlib.ExitStack() as stack:
        port = int(server.address.rpartition(":")[2])
        address, _ = stack.enter_context(envoy(tmp_path, [port], limit))
        host, _, own = address.rpartition(":")
        peers = []

        def can_connect():
            with contextlib.suppress(OSError):
                peer = socket.create_connection((host, int(own)), timeout=60)
                peers.append(stack.enter_context(peer))
            return peers

        wait_until(can_connect, "Envoy does not listen")
        while len(peers) < limit + n_more:
            can_connect()
        # Envoy accepts in an order of its own, so that any of them may be beyond the limit.
        wait_until(lambda: n_closed(peers) >= n_more, "fewer than ten connections were closed")
        time.sleep(0.5)
        assert n_closed(peers) == n_more


def n_closed(peers):
    """Count the connections that the other side has closed."""
    return len(select.select(peers, [], [], 0)[0])
