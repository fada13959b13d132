"""A real Envoy with envoy.yaml before servers on loopback, for tests and attacks."""

from __future__ import annotations

import contextlib
import json
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import yaml
from tokalign.load.process import free_port

DEPLOY = Path(__file__).resolve().parent


def _configuration(
    folder: Path,
    port: int,
    server_ports: Sequence[int],
    max_connections: int | None,
) -> Path:
    """Return the shipped configuration with these addresses, and limit if given."""
    subprocess.run(
        [sys.executable, "-m", "recipes.descriptor", folder / "align.pb"],
        check=True,
        timeout=60,
        cwd=DEPLOY.parent,
    )
    for path in (DEPLOY / "envoy.yaml", *DEPLOY.glob("*.lua")):
        text = path.read_text()
        for place in ("/etc/envoy/", "/etc/tokalign/"):
            text = text.replace(place, f"{folder}/")
        (folder / path.name).write_text(text)
    config = yaml.safe_load((folder / "envoy.yaml").read_text())
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
        {"endpoint": {"address": {"socket_address": {"address": "127.0.0.1", "port_value": each}}}}
        for each in server_ports
    ]
    path = folder / "envoy.json"
    path.write_text(json.dumps(config))
    return path


@contextlib.contextmanager
def envoy(
    folder: Path, server_ports: Sequence[int], max_connections: int | None = None
) -> Iterator[tuple[str, subprocess.Popen[bytes]]]:
    """Start Envoy before servers on these ports; yield its address and process.

    It may not have found them healthy yet. `folder` gets its files; where the servers ask for
    tokens, their file is `folder/tokens/tokens`.
    """
    port = free_port()
    command = [
        sys.executable, "-c", "from envoy._main import main; main()",
        "-c", str(_configuration(folder, port, server_ports, max_connections)),
        "--log-level", "error", "--concurrency", "1", "--disable-hot-restart",
    ]  # fmt: skip
    process = subprocess.Popen(command, stderr=subprocess.DEVNULL)
    try:
        yield f"127.0.0.1:{port}", process
    finally:
        process.terminate()
        process.wait(20)
