"""A roll from one version to the next: two servers of two versions behind one client and one Envoy,
with calls under way. The next version knows one more field, which it sets in every answer."""

from __future__ import annotations

import contextlib
import sys

import grpc
from support.envoy import FLAGS, Load, by_stub, calls_at, envoy, wait_for_route
from support.server_process import FAKE, started
from support.waiting import wait_until
from tokalign.client import Client
from tokalign.v1 import align_pb2_grpc

from bench.server_process import running_server

NEXT = FAKE.replace("fake_engine", "next_engine")


def next_version(*flags: str):
    """Start a server of the next version."""
    command = (sys.executable, "-c", NEXT, "serve")
    return running_server("--workers", "2", *flags, command=command)


def test_a_roll_between_versions_loses_and_misreads_no_call(tmp_path):
    with started(*FLAGS) as one, started(*FLAGS) as two, contextlib.ExitStack() as stack:
        addresses = [server.address for server in (one, two)]
        ports = [address.rpartition(":")[2] for address in addresses]
        front = stack.enter_context(envoy(tmp_path, list(map(int, ports))))
        stub = align_pb2_grpc.AlignServiceStub(
            stack.enter_context(grpc.insecure_channel(front.address))
        )
        client = stack.enter_context(Client(f"ipv4:{','.join(addresses)}", timeout_s=60))
        wait_for_route(stub)

        def by_client(pair_id):
            found = client.align(pair_id, "b")
            return float(found.source.text.partition(":")[2]), found.version

        with Load(by_stub(stub), by_client) as load:
            load.wait_for_more(100)
            assert load.versions == {"1.0.0"}
            for old, port in zip((one, two), ports, strict=True):
                assert old.stop() == 0
                new = stack.enter_context(next_version(*FLAGS, "--port", port))
                wait_until(lambda new=new: calls_at(new) > 0, "the next version got no calls")
                load.wait_for_more(100)
            assert load.versions == {"1.0.0", "2.0.0"}
        assert load.failures == []
