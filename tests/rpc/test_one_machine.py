"""deploy/compose.yaml and deploy/tokalign.service, as their own tools read them."""

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import click
import pytest
from tokalign.cli.main import main

yaml = pytest.importorskip("yaml", reason="PyYAML is not installed")

DEPLOY = Path(__file__).parents[2] / "deploy"
UNIT = DEPLOY / "tokalign.service"
PROMETHEUS = yaml.safe_load((DEPLOY / "prometheus.yaml").read_text())
ALERTS = (DEPLOY / "alerts.yaml").read_text()


def program(name, where):
    found = shutil.which(name, path=f"{Path(sys.executable).parent}:{os.environ['PATH']}")
    if found is None:
        pytest.skip(f"{name} is not installed; {where}")
    return found


def output(*command):
    answer = subprocess.run(command, cwd=DEPLOY, capture_output=True, text=True, timeout=60)
    assert answer.returncode == 0, answer.stdout + answer.stderr
    return answer.stdout


@pytest.fixture(scope="module")
def services():
    compose = program("docker-compose", "packaging/compose.py fetches it")
    text = output(compose, "-f", "compose.yaml", "config", "--format", "json")
    return json.loads(text)["services"]


def manifest(name):
    return next(
        each["spec"]["template"]["spec"]["containers"][0]
        for each in yaml.safe_load_all((DEPLOY / "kubernetes" / name).read_text())
        if each["kind"] == "Deployment"
    )


def flags_are_known(arguments):
    """Parse the flags of `serve` without running it."""
    serve = main.get_command(click.Context(main), "serve")
    serve.make_context("serve", list(arguments))


def test_compose_mounts_files_that_exist(services):
    secrets = DEPLOY / "secrets"
    for name, service in services.items():
        for volume in service["volumes"]:
            if volume["type"] == "bind" and secrets not in Path(volume["source"]).parents:
                assert Path(volume["source"]).is_file(), name
    mounted = {Path(each["target"]).name for each in services["envoy"]["volumes"]}
    (made,) = yaml.safe_load((DEPLOY / "kustomization.yaml").read_text())["configMapGenerator"]
    assert set(made["files"]) <= mounted


def test_compose_runs_what_kubernetes_runs(services):
    for name, path in (("tokalign", "base/tokalign.yaml"), ("envoy", "envoy.yaml")):
        container = manifest(path)
        assert services[name]["image"] == container["image"]
        assert set(services[name]["command"]) <= set(container["args"])
        megabytes = int(services[name]["deploy"]["resources"]["limits"]["memory"]) >> 20
        assert container["resources"]["limits"]["memory"] == f"{megabytes}Mi"
    flags_are_known(services["tokalign"]["command"])


def test_only_envoy_and_grafana_can_be_reached_and_envoy_finds_the_servers(services):
    published = {name for name, service in services.items() if service.get("ports")}
    assert published == {"envoy", "grafana"}
    assert services["tokalign"]["networks"] == {"inside": {"aliases": ["tokalign-headless"]}}
    assert "tokalign-headless" in (DEPLOY / "envoy.yaml").read_text()
    assert services["grafana"]["ports"][0]["host_ip"] == "127.0.0.1"


def test_prometheus_scrapes_the_jobs_that_the_alerts_name():
    named = {job for jobs in re.findall(r'job=~?"([^"]+)"', ALERTS) for job in jobs.split("|")}
    assert {each["job_name"] for each in PROMETHEUS["scrape_configs"]} == named
    assert PROMETHEUS["rule_files"] == ["alerts.yaml"]


def test_promtool_accepts_the_configuration():
    output(program("promtool", "Debian: prometheus"), "check", "config", "prometheus.yaml")


def test_systemd_accepts_the_unit(tmp_path):
    analyze = program("systemd-analyze", "Debian: systemd")
    # Its program is not at /opt here.
    unit = tmp_path / UNIT.name
    unit.write_text(UNIT.read_text().replace("/opt/tokalign/bin/tokalign", sys.executable))
    answer = subprocess.run([analyze, "verify", unit], capture_output=True, text=True, timeout=60)
    assert (answer.returncode, answer.stdout + answer.stderr) == (0, "")
    # Of 100, where the fewest rights are 0.
    output(analyze, "security", "--offline=true", "--threshold=20", str(unit))


def test_units_flags_are_known_and_it_waits_for_the_drain():
    unit = UNIT.read_text()
    _, command, *arguments = shlex.split(re.search(r"^ExecStart=(.*)", unit, re.M)[1])
    assert command == "serve"
    flags_are_known(arguments)
    seconds = dict(zip(arguments[::2], arguments[1::2], strict=True))
    wait = int(re.search(r"^TimeoutStopSec=(\d+)", unit, re.M)[1])
    assert wait > float(seconds["--drain-delay"]) + float(seconds["--grace"])
