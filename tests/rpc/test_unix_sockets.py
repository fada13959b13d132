"""A server on a Unix socket, and all that may talk to it."""

import subprocess

import httpx
import pytest
from click.testing import CliRunner
from support.server_process import get, started
from tokalign.cli.main import main
from tokalign.client import AsyncClient, Client

from bench.server_process import TOKALIGN


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    address = f"unix:{tmp_path_factory.mktemp('sockets')}/tokalign.sock"
    with started("--host", address, "--http-port", "0") as server:
        assert server.address == address
        yield server


def check(*arguments):
    command = [*TOKALIGN, "serve", "--check", *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=60)


async def test_clients_call_over_the_socket(server):
    with Client(server.address, timeout_s=60) as client:
        client.wait_ready()
        assert client.align("a", "b").model == "fake"
        assert [each.index for each in client.rank("q", ["score:0.1", "score:0.9"])] == [1, 0]
    async with AsyncClient(server.address, timeout_s=60) as client:
        assert (await client.align("a", "b")).model == "fake"


def test_commands_ask_over_the_socket(server):
    run = CliRunner().invoke(
        main, ["rank", "q", "--server", server.address], input="score:0.1\nscore:0.9\n"
    )
    assert [row.split("\t")[1] for row in run.stdout.splitlines()] == ["2", "1"], run.stderr
    found = check(server.address)
    assert (found.returncode, found.stdout) == (0, f"{server.address} is SERVING\n")


def test_the_other_ports_are_on_loopback(server):
    assert server.http_url.startswith("http://127.0.0.1:")
    assert httpx.get(f"{server.http_url}/healthz", timeout=60).status_code == 200
    assert server.metrics_url.startswith("http://127.0.0.1:")
    assert get(f"{server.metrics_url}/readyz")[0] == 200
    for url in (f"{server.http_url}/healthz", f"{server.metrics_url}/readyz"):
        foreign = httpx.get(url, headers={"host": "evil.test"}, timeout=60)
        assert 400 <= foreign.status_code < 500


def test_a_socket_in_use_is_left_to_its_server(server):
    with started("--host", server.address, wait=False) as second:
        assert f"cannot listen on {server.address}; another server does" in second.rest()
        assert second.process.wait(60) == 1
    assert check(server.address).returncode == 0


def test_a_socket_left_behind_is_taken(tmp_path):
    address = f"unix:{tmp_path}/tokalign.sock"
    with started("--host", address) as first:
        first.kill()
    assert (tmp_path / "tokalign.sock").exists()
    with started("--host", address):
        assert check(address).returncode == 0


def test_a_socket_that_cannot_be_made_is_named(tmp_path):
    address = f"unix:{tmp_path}/none/tokalign.sock"
    with started("--host", address, wait=False) as server:
        assert f"cannot listen on {address}; is there such a folder" in server.rest()
        assert server.process.wait(60) == 1
    assert check(address).returncode == 1
