"""Kubernetes files of deploy/, as Kustomize renders them, and their references to each other."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from tokalign.cli import serve

yaml = pytest.importorskip("yaml", reason="PyYAML is not installed")

DEPLOY = Path(__file__).parents[2] / "deploy"
ALERTS = yaml.safe_load((DEPLOY / "alerts.yaml").read_text())
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
        pytest.skip("kubectl is not installed; packaging/kubectl.py fetches it")
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


@pytest.mark.parametrize("name", ["tokalign", "tokalign-envoy"])
def test_pod_monitor_finds_the_pods_and_calls_the_job_what_the_alerts_do(overlays, name):
    jsonschema = pytest.importorskip("jsonschema", reason="jsonschema is not installed")
    monitor = of_kind("PodMonitor", overlays["monitored"], name)
    jsonschema.validate(monitor, POD_MONITOR)
    template = of_kind("Deployment", overlays["monitored"], name)["spec"]["template"]
    labels = template["metadata"]["labels"]
    assert monitor["spec"]["selector"]["matchLabels"].items() <= labels.items()
    (endpoint,) = monitor["spec"]["podMetricsEndpoints"]
    (container,) = template["spec"]["containers"]
    assert endpoint["port"] in {port["name"] for port in container["ports"]}
    job = labels[monitor["spec"]["jobLabel"]]
    gone = [r["expr"] for g in ALERTS["groups"] for r in g["rules"] if "up{" in r["expr"]]
    named = [set(re.search(r'job=~?"([^"]+)"', text)[1].split("|")) for text in gone]
    # One for a target, one for all of the job.
    assert len(named) == 3 and sum(job in jobs for jobs in named) == 2


def test_monitored_pods_are_scraped_once_and_counted_by_the_autoscaler(overlays):
    deployment = of_kind("Deployment", overlays["monitored"])
    assert "replicas" not in deployment["spec"]
    assert "annotations" not in deployment["spec"]["template"]["metadata"]
    target = of_kind("HorizontalPodAutoscaler", overlays["monitored"])["spec"]["scaleTargetRef"]
    assert target["name"] == deployment["metadata"]["name"]


def test_envoys_pods_are_scaled_by_the_processor_that_they_ask_for(overlays):
    scaler = of_kind("HorizontalPodAutoscaler", overlays["envoy"], "tokalign-envoy")["spec"]
    deployment = of_kind("Deployment", overlays["envoy"], "tokalign-envoy")
    assert scaler["scaleTargetRef"]["name"] == deployment["metadata"]["name"]
    assert "replicas" not in deployment["spec"] and scaler["minReplicas"] >= 2
    (metric,) = scaler["metrics"]
    assert metric["resource"]["name"] == "cpu"
    (container,) = deployment["spec"]["template"]["spec"]["containers"]
    # Utilization is of what is asked for, and must be reached before the limit.
    asked, limit = (
        container["resources"]["requests"]["cpu"],
        container["resources"]["limits"]["cpu"],
    )
    assert metric["resource"]["target"]["averageUtilization"] * int(asked[:-1]) < 1e5 * int(limit)


def test_envoys_pod_outlives_its_drain_and_tells_probes_on_its_own_port():
    pod = pod_of(ENVOY, "tokalign-envoy")
    (container,) = pod["containers"]
    script = container["lifecycle"]["preStop"]["exec"]["command"][-1]
    config = yaml.safe_load((DEPLOY / "envoy.yaml").read_text())
    assert str(config["admin"]["address"]["socket_address"]["port_value"]) in script
    pause = int(re.search(r"sleep (\d+)", script)[1])
    drain = int(container["args"][container["args"].index("--drain-time-s") + 1])
    assert drain < pause < pod["terminationGracePeriodSeconds"]
    ports = {each["name"]: each["containerPort"] for each in container["ports"]}
    listeners = [
        each["address"]["socket_address"]["port_value"]
        for each in config["static_resources"]["listeners"]
    ]
    assert [ports["https"], ports["status"]] == listeners
    assert container["readinessProbe"]["httpGet"] == {"path": "/ready", "port": "status"}
    assert container["livenessProbe"]["httpGet"] == {"path": "/live", "port": "status"}


def test_envoy_speaks_tls_with_the_secret_that_its_pod_has(overlays):
    pod = pod_of(overlays["envoy"], "tokalign-envoy")
    (container,) = pod["containers"]
    (secret,) = yaml.safe_load((DEPLOY / "tls.yaml").read_text())["resources"]
    (folder,) = [m["mountPath"] for m in container["volumeMounts"] if m["name"] == "tls"]
    files = secret["tls_certificate"]
    assert files["watched_directory"]["path"] == folder
    assert files["certificate_chain"]["filename"] == f"{folder}/tls.crt"
    assert files["private_key"]["filename"] == f"{folder}/tls.key"
    service = of_kind("Service", overlays["envoy"])["spec"]["ports"]
    assert [each["port"] for each in service] == [443]


def test_own_overlay_names_its_image_and_namespace(overlays):
    assert {each["metadata"]["namespace"] for each in overlays["monitored"]} == {"alignment"}
    (container,) = pod_of(overlays["monitored"])["containers"]
    assert re.fullmatch(r"[a-z.]+/tokalign@sha256:[0-9a-f]{64}", container["image"])


def test_autoscaler_asks_for_what_the_adapter_serves():
    (autoscaler,) = manifests("monitoring/autoscaler.yaml")
    (adapter,) = manifests("monitoring/prometheus-adapter.yaml")
    asked = {metric["pods"]["metric"]["name"] for metric in autoscaler["spec"]["metrics"]}
    assert asked == {rule["name"]["as"] for rule in adapter["rules"]["custom"]}


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
    options = {option for parameter in serve.serve.params for option in parameter.opts}
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
        resources = container["resources"]
        for bounds in (resources["requests"], resources["limits"]):
            assert {"cpu", "memory", "ephemeral-storage"} <= set(bounds)
        for probe in ("readinessProbe", "livenessProbe"):
            assert container[probe]["failureThreshold"] >= 3


def test_a_pod_that_does_not_serve_lets_its_node_be_drained(overlays):
    budgets = [
        i for items in overlays.values() for i in items if i["kind"] == "PodDisruptionBudget"
    ]
    assert {each["metadata"]["name"] for each in budgets} == {"tokalign", "tokalign-envoy"}
    assert {each["spec"]["unhealthyPodEvictionPolicy"] for each in budgets} == {"AlwaysAllow"}


def test_callers_from_outside_keep_their_addresses_in_the_pages_overlay(overlays):
    service = of_kind("Service", overlays["monitored"])["spec"]
    assert (service["type"], service["externalTrafficPolicy"]) == ("LoadBalancer", "Local")
    inner = of_kind("Service", overlays["envoy"])["spec"]
    assert "type" not in inner and service["ports"] == inner["ports"]


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
    anyone, scrapers = of_kind("NetworkPolicy", ENVOY, "tokalign-envoy")["spec"]["ingress"]
    assert anyone == {"ports": [{"port": "https"}]}
    assert scrapers["ports"] == [{"port": "status"}] and scrapers["from"] == who["metrics"]


@pytest.mark.parametrize(
    ("overlay", "told"),
    [("plain", set()), ("envoy", {"TOKEN_FILE"}), ("tls", {"TLS_CERT", "TLS_KEY", "TOKEN_FILE"}),
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
    files = ("envoy.yaml", "tls.yaml", *(path.name for path in DEPLOY.glob("*.lua")))
    assert configuration["data"] == {name: (DEPLOY / name).read_text() for name in files}
    assert "binaryData" not in configuration
    pod = pod_of(overlays["envoy"], "tokalign-envoy")
    (volume,) = [each for each in pod["volumes"] if "configMap" in each]
    # With a hash, so that a change replaces the pods.
    assert re.fullmatch(r"tokalign-envoy-\w+", configuration["metadata"]["name"])
    assert volume["configMap"]["name"] == configuration["metadata"]["name"]
    (container,) = pod["containers"]
    (mount,) = [each for each in container["volumeMounts"] if each["name"] == volume["name"]]
    assert mount["mountPath"] == str(Path(container["args"][1]).parent)
    # What one of them reads is among them.
    read = "".join(configuration["data"].values())
    for name in files[1:]:
        assert f"{mount['mountPath']}/{name}" in read


def test_envoys_pods_read_the_tokens_where_the_servers_do(overlays):
    pods = [pod_of(overlays["envoy"], name) for name in ("tokalign", "tokalign-envoy")]
    secrets = [[v["secret"] for v in pod["volumes"] if v["name"] == "tokens"] for pod in pods]
    assert secrets[0] == secrets[1] and len(secrets[0]) == 1
    for pod in pods:
        assert pod["securityContext"]["fsGroup"] == pod["securityContext"]["runAsUser"]
        (container,) = pod["containers"]
        (folder,) = [m["mountPath"] for m in container["volumeMounts"] if m["name"] == "tokens"]
        assert f"{folder}/tokens" in (DEPLOY / "tokens.lua").read_text()


def test_envoy_asks_for_the_headless_service(overlays):
    config = yaml.safe_load((DEPLOY / "envoy.yaml").read_text())
    (cluster, *_) = config["static_resources"]["clusters"]
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
    assert container["resources"]["limits"]["memory"] == "768Mi"
    assert heap["max_heap_size_bytes"] <= 0.75 * 768 * 2**20
