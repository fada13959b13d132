"""A roll from one version to the next: two servers of two versions behind one client and one Envoy,
with calls under way. The next version knows one more field, which it sets in every answer."""

from __future__ import annotations

import contextlib
import sys
import threading

import grpc
from support.envoy import FLAGS, calls_at, envoy, request, wait_for_route
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


class Callers:
    """Calls by one channel behind Envoy and one client of both servers, until told to stop."""

    def __init__(self, calls):
        self.calls, self.failures, self.versions, self.n_calls = calls, [], set(), 0
        self._is_over = threading.Event()
        self._threads = [threading.Thread(target=self._run, args=(each,)) for each in calls * 2]

    def _run(self, call):
        while not self._is_over.is_set():
            pair_id = f"score:0.{1 + self.n_calls % 9}"
            try:
                score, version = call(pair_id)
            except Exception as error:
                self.failures.append(error)
                return
            self.versions.add(version)
            if abs(score - float(pair_id.partition(":")[2])) > 1e-6:
                self.failures.append((pair_id, score))
            self.n_calls += 1

    def __enter__(self):
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *exception):
        self._is_over.set()
        for thread in self._threads:
            thread.join()

    def wait_for_more(self, n_calls=100):
        """Wait until so many more calls have ended, or one has failed."""
        target = self.n_calls + n_calls
        wait_until(lambda: self.failures or self.n_calls >= target, "calls stopped")


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

        def by_envoy(pair_id):
            answer = stub.Align(request(pair_id), timeout=60)
            return answer.alignment.score, answer.model.version

        def by_client(pair_id):
            found = client.align(pair_id, "b")
            return float(found.source.text.partition(":")[2]), found.version

        with Callers([by_envoy, by_client]) as callers:
            callers.wait_for_more()
            assert callers.versions == {"1.0.0"}
            for old, port in zip((one, two), ports, strict=True):
                assert old.stop() == 0
                new = stack.enter_context(next_version(*FLAGS, "--port", port))
                wait_until(lambda new=new: calls_at(new) > 0, "the next version got no calls")
                callers.wait_for_more()
            assert callers.versions == {"1.0.0", "2.0.0"}
        assert callers.failures == []
