"""deploy/envoy.yaml in a real Envoy before servers: it balances, and a rollout loses no call."""

import contextlib
import functools
import socket
import subprocess
import sys
import threading
from pathlib import Path

import grpc
import httpx
import pytest
import yaml
from support.envoy import (
    FLAGS,
    Load,
    by_stub,
    calls_at,
    envoy,
    is_ready,
    request,
    wait_for_route,
)
from support.server_process import FAKE, started
from support.waiting import wait_until
from tokalign.errors import ServerError
from tokalign.v1 import align_pb2, align_pb2_grpc

from bench.server_process import free_port, running_server
from deploy import loopback

KUBERNETES = Path(__file__).parents[3] / "deploy" / "kubernetes"


@pytest.fixture
def two_servers(tmp_path):
    with started(*FLAGS) as one, started(*FLAGS) as two:
        ports = [int(server.address.rpartition(":")[2]) for server in (one, two)]
        with (
            envoy(tmp_path, ports) as front,
            grpc.insecure_channel(front.address) as channel,
        ):
            stub = align_pb2_grpc.AlignServiceStub(channel)
            wait_for_route(stub)
            yield stub, one, two


@pytest.mark.parametrize("place", range(3))
def test_envoy_takes_other_ports_where_one_was_taken(tmp_path, monkeypatch, place):
    with contextlib.ExitStack() as stack:
        taken = stack.enter_context(socket.create_server(("127.0.0.1", 0))).getsockname()[1]
        given = []

        def choose():
            given.append(taken if len(given) == place else free_port())
            return given[-1]

        monkeypatch.setattr(loopback, "free_port", choose)
        front = stack.enter_context(envoy(tmp_path, [1]))
        # Somebody else may take a port, too: the last three are Envoy's.
        assert len(given) >= 6
        calls, status, _ = (f":{port}" for port in given[-3:])
        assert front.address.endswith(calls)
        assert front.status_url.endswith(status)


def test_envoy_that_cannot_start_is_an_error_with_what_it_wrote(tmp_path):
    def change(config):
        config["no_such_field"] = 1

    with pytest.raises(ServerError, match="no_such_field"), envoy(tmp_path, [1], change=change):
        pass


def test_one_connection_is_balanced_and_a_killed_server_costs_no_call(two_servers):
    stub, one, two = two_servers
    with Load(*[by_stub(stub)] * 2) as load:
        wait_until(lambda: min(calls_at(one), calls_at(two)) > 20)
        one.process.kill()
        load.wait_for_more(200)
    assert load.failures == []


def test_rolling_restart_loses_no_call(two_servers):
    stub, one, two = two_servers
    with contextlib.ExitStack() as stack, Load(*[by_stub(stub)] * 2) as load:
        for old in (one, two):
            load.wait_for_more()
            port = old.address.rpartition(":")[2]
            assert old.stop() == 0
            new = stack.enter_context(started(*FLAGS, "--port", port))
            # The next server goes only when the new one takes calls.
            wait_until(lambda new=new: calls_at(new) > 0, "the new server got no calls")
        load.wait_for_more()
    assert load.failures == []


def container():
    """Return Envoy's container of the Kubernetes manifests."""
    objects = yaml.safe_load_all((KUBERNETES / "envoy.yaml").read_text())
    (deployment,) = [each for each in objects if each["kind"] == "Deployment"]
    (found,) = deployment["spec"]["template"]["spec"]["containers"]
    return found


def stopped(front):
    """Stop an Envoy as its pod's lifecycle does, with less time."""
    *command, script = container()["lifecycle"]["preStop"]["exec"]["command"]
    for shipped, own in (
        ("sleep 40", "sleep 6"),
        ("/9901", "/" + front.admin_url.rpartition(":")[2]),
    ):
        assert script.count(shipped) == 1
        script = script.replace(shipped, own)
    done = subprocess.run([*command, script], capture_output=True, timeout=60, check=True)
    assert done.stdout.startswith(b"HTTP/1.1 200")
    front.process.terminate()
    assert front.process.wait(20) == 0


def test_rollout_of_two_envoys_loses_no_call(tmp_path):
    arguments = container()["args"]
    assert arguments[arguments.index("--drain-time-s") + 1] == "10"
    both = [[free_port() for _ in range(3)] for _ in range(2)]
    with started(*FLAGS) as server, contextlib.ExitStack() as stack:
        behind = [int(server.address.rpartition(":")[2])]

        def front(ports, name):
            (tmp_path / name).mkdir()
            more = ["--drain-time-s", "3"]
            found = stack.enter_context(envoy(tmp_path / name, behind, ports=ports, more=more))
            wait_until(lambda: is_ready(found), "Envoy found no server")
            return found

        old = [front(ports, f"old {ports[0]}") for ports in both]
        # No retries but of calls that a peer says it has not looked at, as grpc does always.
        options = [("grpc.lb_policy_name", "round_robin")]
        address = "ipv4:" + ",".join(each.address for each in old)
        channel = stack.enter_context(grpc.insecure_channel(address, options=options))
        stub = align_pb2_grpc.AlignServiceStub(channel)
        wait_for_route(stub)
        with Load(*[by_stub(stub)] * 2) as load:
            for each, ports in zip(old, both, strict=True):
                load.wait_for_more()
                stopped(each)
                load.wait_for_more()
                new = front(ports, f"new {ports[0]}")
                # The next goes only when the new one takes calls.
                wait_until(lambda new=new: '"code":"OK"' in new.log.read_text(), "no calls came")
            load.wait_for_more()
    assert load.failures == []


OWN_CONNECTION = [("grpc.use_local_subchannel_pool", 1)]

SHORT = f"""
import pathlib, sys
from tokalign.server.observe import memory
resident, short = memory.Memory.resident_bytes, pathlib.Path(sys.argv.pop(1))
memory.Memory.resident_bytes = lambda self: (
    1 << 40 if short.exists() else resident(self)
)
{FAKE}
"""
"""A server whose memory is short once a file is there."""


def held_call(channel, is_sent):
    """Start a call of BatchAlign whose message comes only once an event is set."""

    def message():
        assert is_sent.wait(60)
        yield align_pb2.BatchAlignRequest(pairs=[request().pair]).SerializeToString()

    return channel.stream_unary("/tokalign.v1.AlignService/BatchAlign").future(
        message(), timeout=60
    )


def test_a_server_that_refuses_for_memory_gets_no_more_calls(tmp_path):
    short, is_sent = tmp_path / "short", threading.Event()
    begun_at = functools.partial(calls_at, method="BatchAlign", counted="started")
    command = (sys.executable, "-c", SHORT, str(short), "serve")
    with (
        running_server(*FLAGS, "--http-port", "0", command=command) as one,
        started(*FLAGS, "--http-port", "0") as two,
    ):
        ports = [int(server.address.rpartition(":")[2]) for server in (one, two)]
        http_ports = [int(server.http_url.rpartition(":")[2]) for server in (one, two)]
        with (
            envoy(tmp_path, ports, http_ports=http_ports) as front,
            grpc.insecure_channel(front.address) as channel,
            grpc.insecure_channel(front.address, options=OWN_CONNECTION) as other,
            httpx.Client(base_url=f"http://{front.address}", timeout=60) as http,
        ):
            stub = align_pb2_grpc.AlignServiceStub(channel)
            wait_for_route(stub)
            with Load(*[by_stub(stub)] * 2) as load:
                wait_until(lambda: min(calls_at(one), calls_at(two)) > 20)
                # As many as a connection may have.
                held = [held_call(other, is_sent) for _ in range(8)]
                wait_until(lambda: begun_at(one) > 0)
                short.touch()
                # It ends the calls whose messages are still to come.
                wait_until(lambda: calls_at(one, "BatchAlign") == begun_at(one))
                is_sent.set()
                assert all(each.result(60) for each in held)
                statuses = set()
                while one.process.poll() is None:
                    pair = {"source": "a", "target": "b"}
                    statuses.add(http.post("/v1/align", json=pair).status_code)
                load.wait_for_more()
            assert one.process.returncode == 1
            assert load.failures == []
            assert statuses == {200}
