"""A real Envoy with envoy.yaml before servers on loopback, for tests and attacks."""

from __future__ import annotations

import contextlib
import json
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml
from tokalign.errors import ServerError

from bench.server_process import free_port

DEPLOY = Path(__file__).resolve().parent
_START_TIMEOUT_S = 60.0
_PORT_IS_TAKEN = "Address already in use"
Change = Callable[[dict[str, Any]], None]


@dataclass(frozen=True)
class Envoy:
    """A running Envoy.

    Attributes
    ----------
    address, status_url, admin_url : str
        Of calls, of probes and metrics, and of what only its own machine may ask.
    process : subprocess.Popen
    log : Path
        Its access log, and what else it writes.
    """

    address: str
    status_url: str
    admin_url: str
    process: subprocess.Popen[bytes]
    log: Path


def listener_of(config: dict[str, Any]) -> dict[str, Any]:
    """Return the listener for calls of a configuration."""
    listener: dict[str, Any] = config["static_resources"]["listeners"][0]
    return listener


def manager_of(config: dict[str, Any]) -> dict[str, Any]:
    """Return the configuration of its HTTP connection manager."""
    manager: dict[str, Any] = listener_of(config)["filter_chains"][0]["filters"][-1]["typed_config"]
    return manager


def filter_of(config: dict[str, Any], name: str) -> dict[str, Any]:
    """Return one of its filters for calls."""
    found: dict[str, Any]
    (found,) = [each for each in manager_of(config)["http_filters"] if each["name"] == name]
    return found


def _at(port: int) -> dict[str, Any]:
    return {"address": {"socket_address": {"address": "127.0.0.1", "port_value": port}}}


def _configuration(
    folder: Path,
    ports: Sequence[int],
    server_ports: Sequence[int],
    http_ports: Sequence[int],
    has_tls: bool,
    change: Change,
) -> Path:
    """Return the shipped configuration with these addresses, changed."""
    for path in (DEPLOY / "envoy.yaml", DEPLOY / "tls.yaml", *DEPLOY.glob("*.lua")):
        text = path.read_text()
        for place in ("/etc/envoy/", "/etc/tokalign/"):
            text = text.replace(place, f"{folder}/")
        (folder / path.name).write_text(text)
    config = yaml.safe_load((folder / "envoy.yaml").read_text())
    calls, status, admin = ports
    config["admin"] = _at(admin)
    listeners = config["static_resources"]["listeners"]
    for listener, port in zip(listeners, (calls, status), strict=True):
        # Two that share a port would share its calls, too.
        listener.update(_at(port), enable_reuse_port=False)
    if not has_tls:
        del listener_of(config)["filter_chains"][0]["transport_socket"]
        # Where there is no TLS, the first bytes tell of HTTP.
        listener_of(config)["listener_filters"] = [_HTTP_INSPECTOR]
    clusters = {each["name"]: each for each in config["static_resources"]["clusters"]}
    behind_each = {
        "tokalign": server_ports,
        "tokalign-http": http_ports,
        "status": [status],
        "admin": [admin],
    }
    for name, behind in behind_each.items():
        clusters[name]["type"] = "STATIC"
        (locality,) = clusters[name]["load_assignment"]["endpoints"]
        locality["lb_endpoints"] = [{"endpoint": _at(port)} for port in behind]
    change(config)
    path = folder / "envoy.json"
    path.write_text(json.dumps(config))
    return path


_HTTP_INSPECTOR = {
    "name": "envoy.filters.listener.http_inspector",
    "typed_config": {
        "@type": "type.googleapis.com/"
        "envoy.extensions.filters.listener.http_inspector.v3.HttpInspector"
    },
}


@contextlib.contextmanager
def envoy(
    folder: Path,
    server_ports: Sequence[int],
    *,
    http_ports: Sequence[int] = (),
    ports: Sequence[int] = (),
    has_tls: bool = False,
    more: Sequence[str] = (),
    change: Change = lambda config: None,
) -> Iterator[Envoy]:
    """Start Envoy before servers on these ports, and yield it.

    It takes calls, but may not have found the servers healthy yet. `folder` gets its files.
    Where the servers ask for tokens, their file is `folder/tokens/tokens`; with TLS, the
    certificate and key are `folder/tls/tls.crt` and `folder/tls/tls.key`. `http_ports` are the
    servers' ports for JSON; `ports` are those of calls, status and admin, free ones without;
    `more` are flags; `change` changes the configuration before it is written.

    Raises
    ------
    ServerError
        If it ends at its start or takes no calls in time; holds what it wrote.
    """
    log = folder / "envoy.log"
    chosen = ports
    while True:
        calls, status, admin = ports = chosen or [free_port() for _ in range(3)]
        at = "http://127.0.0.1:{}".format
        command = [
            sys.executable, "-c", "from envoy._main import main; main()",
            "-c", str(_configuration(folder, ports, server_ports, http_ports, has_tls, change)),
            "--log-level", "error", "--concurrency", "1", "--disable-hot-restart", *more,
        ]  # fmt: skip
        with log.open("wb") as out:
            process = subprocess.Popen(command, stdout=out, stderr=subprocess.STDOUT)
        try:
            _wait_live(process, at(admin))
            break
        except ServerError as error:
            process.kill()
            process.wait()
            text = log.read_text()
            # Somebody may have got a free port between here and its use.
            if chosen or _PORT_IS_TAKEN not in text:
                raise ServerError(f"{error}; it wrote: {text}") from None
    try:
        yield Envoy(f"127.0.0.1:{calls}", at(status), at(admin), process, log)
    finally:
        process.terminate()
        process.wait(20)


def _wait_live(process: subprocess.Popen[bytes], admin_url: str) -> None:
    """Return once Envoy takes calls on all its ports."""
    deadline = time.monotonic() + _START_TIMEOUT_S
    while time.monotonic() < deadline:
        if process.poll() is not None:
            raise ServerError(f"Envoy ended with exit code {process.returncode} at its start")
        with contextlib.suppress(OSError), urllib.request.urlopen(f"{admin_url}/ready", timeout=5):
            return
        time.sleep(0.02)
    raise ServerError(f"Envoy takes no calls {_START_TIMEOUT_S:g} s after its start")
