"""A real Prometheus scrapes a live server and its Envoy, for the alerts and the dashboard."""

import contextlib
import json
import re
import shutil
import subprocess
import urllib.parse
import urllib.request
from pathlib import Path

import grpc
import pytest
from support.envoy import TOKEN, code_of, envoy, token_file, wait_for_route
from support.server_process import started
from support.waiting import wait_until
from tokalign.v1 import align_pb2, align_pb2_grpc

from bench.server_process import free_port

yaml = pytest.importorskip("yaml", reason="PyYAML is not installed")

DEPLOY = Path(__file__).parents[3] / "deploy"
ADAPTER = DEPLOY / "kubernetes" / "monitoring" / "prometheus-adapter.yaml"
CONFIG = """
global: {{scrape_interval: 500ms, scrape_timeout: 500ms, evaluation_interval: 500ms}}
rule_files: [{rules}]
scrape_configs:
  - job_name: tokalign
    static_configs: [{{targets: ["{target}"]}}]
  - job_name: tokalign-envoy
    static_configs: [{{targets: {front}}}]
"""

GONE = {"TokalignGone", "TokalignTargetDown"}
# On a machine that is busy otherwise calls and the event loop do wait for long, and so do scrapes.
BUSY = {"TokalignSlowQueue", "TokalignLoopLag", *GONE}

if shutil.which("prometheus") is None:
    pytest.skip("prometheus is not installed (Debian: prometheus)", allow_module_level=True)


class Prometheus:
    """Its HTTP interface."""

    def __init__(self, address):
        self.address = address

    def get(self, path, **arguments):
        url = f"http://{self.address}/api/v1/{path}?{urllib.parse.urlencode(arguments)}"
        with urllib.request.urlopen(url, timeout=60) as answer:
            return json.load(answer)["data"]

    def is_up(self):
        try:
            targets = self.get("targets")["activeTargets"]
        except (OSError, ValueError):
            return False
        return bool(targets) and all(target["health"] == "up" for target in targets)

    def query(self, expression):
        return self.get("query", query=expression)["result"]

    def alerts(self):
        return {
            alert["labels"]["alertname"]: alert["state"] for alert in self.get("alerts")["alerts"]
        }


@contextlib.contextmanager
def prometheus(folder, target, front=()):
    address = f"127.0.0.1:{free_port()}"
    config = folder / "prometheus.yaml"
    rules = DEPLOY / "alerts.yaml"
    config.write_text(CONFIG.format(rules=rules, target=target, front=json.dumps(list(front))))
    process = subprocess.Popen(
        [
            "prometheus",
            f"--config.file={config}",
            f"--storage.tsdb.path={folder / 'data'}",
            f"--web.listen-address={address}",
        ],
        stderr=subprocess.DEVNULL,
    )
    try:
        yield Prometheus(address)
    finally:
        process.terminate()
        process.wait(30)


@pytest.fixture
def watched(tmp_path):
    """Yield a Prometheus that scrapes a live server, and a function that calls the server."""
    with (
        started() as server,
        envoy(tmp_path, [int(server.address.rpartition(":")[2])]) as front,
        prometheus(
            tmp_path,
            server.metrics_url.removeprefix("http://"),
            [front.status_url.removeprefix("http://")],
        ) as watcher,
        grpc.insecure_channel(front.address) as channel,
    ):
        stub = align_pb2_grpc.AlignServiceStub(channel)
        token_file(tmp_path)
        wait_for_route(stub, TOKEN)
        # So that there is one in Envoy's count.
        code_of(stub, "a bad token")

        def call(pair_id=""):
            pair = {"id": pair_id, "source": {"text": "a"}, "target": {"text": "b"}}
            with contextlib.suppress(grpc.RpcError):
                stub.Align(align_pb2.AlignRequest(pair=pair), timeout=60, metadata=TOKEN)

        wait_until(watcher.is_up, "Prometheus found no server")
        yield watcher, call


def test_autoscalers_query_is_0_when_idle_and_the_wait_under_load(watched):
    watcher, call = watched
    (rule,) = yaml.safe_load(ADAPTER.read_text())["rules"]["custom"]
    query = rule["metricsQuery"]
    for name, value in (
        ("<<.GroupBy>>", "instance"),
        ("<<.Series>>", rule["seriesQuery"].partition("{")[0]),
        ("<<.LabelMatchers>>", 'job="tokalign"'),
    ):
        query = query.replace(name, value)

    def value():
        return [float(series["value"][1]) for series in watcher.query(query)]

    wait_until(lambda: value() == [0.0], "an idle server has no wait of 0")

    def is_loaded():
        call()
        return value() and value()[0] > 0

    wait_until(is_loaded, "calls show no wait")


def test_alerts_and_dashboard_work_on_a_live_server(watched):
    watcher, call = watched
    wait_until(lambda: set(watcher.alerts()) <= BUSY, "a server at rest alarms")

    def has_data(expression):
        call()
        values = [float(series["value"][1]) for series in watcher.query(expression)]
        return any(value == value for value in values)  # not NaN

    panels = json.loads((DEPLOY / "grafana.json").read_text())["panels"]
    for target in (target for panel in panels for target in panel["targets"]):
        # What a choice of all stands for.
        expression = re.sub(r"\$\w+", ".*", target["expr"])
        wait_until(lambda query=expression: has_data(query), f"no data: {expression}")

    def is_alarmed():
        call("internal")
        call()
        return "TokalignInternalErrors" in watcher.alerts()

    wait_until(is_alarmed, "calls that fail alarm nobody")
    assert set(watcher.alerts()) - BUSY == {"TokalignInternalErrors"}
    rules = [rule for group in watcher.get("rules")["groups"] for rule in group["rules"]]
    assert len(rules) >= 5
    assert {rule["health"] for rule in rules} == {"ok"}


def test_target_that_goes_alarms(tmp_path):
    with (
        started() as server,
        prometheus(tmp_path, server.metrics_url.removeprefix("http://")) as watcher,
    ):
        wait_until(watcher.is_up, "Prometheus found no server")
        wait_until(lambda: not GONE & set(watcher.alerts()), "a server that answers is gone")
        server.stop()
        wait_until(lambda: set(watcher.alerts()) >= GONE, "nobody misses the server")
