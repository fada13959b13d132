"""Checks an installed tokalign from outside its source: run with the environment's python.

    python tests/smoke.py

Runs the command `tokalign` that stands beside the interpreter, in an empty folder: info, align,
rank, and a server with both clients. Exits 1 at the first thing that is wrong.
"""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[1]))  # for bench
TOKALIGN = Path(sys.executable).parent / "tokalign"
PAIR = "Marta Lindqvist founded the bakery in 1987.\tWho founded the bakery?\n"
LINKS = {"2-1", "3-2", "4-3"}
TIMEOUT_S = 120


def run(*args: str, text: str = "") -> str:
    """Return what a command prints; fail unless it exits 0."""
    done = subprocess.run(
        [TOKALIGN, *args], input=text, capture_output=True, text=True, timeout=TIMEOUT_S
    )
    check(done.returncode == 0, f"tokalign {' '.join(args)}: exit {done.returncode}: {done.stderr}")
    return done.stdout


def check(holds: bool, message: str) -> None:
    """Exit with the message unless the claim holds."""
    if not holds:
        sys.exit(f"smoke test failed: {message}")


def check_library() -> None:
    """The package comes from the environment, typed and with its models."""
    import tokalign

    where = Path(tokalign.__file__).resolve()
    check(Path(sys.prefix).resolve() in where.parents, f"tokalign was imported from {where}")
    check((where.parent / "py.typed").is_file(), "no py.typed in the package")
    check("en" in tokalign.shipped_models(), f"models: {tokalign.shipped_models()}")
    check("grpc" not in sys.modules, "import tokalign imports grpc")
    # Other languages' code is generated with one include path: the folder of both packages.
    for proto in (
        "tokalign/v1/align.proto",
        "google/rpc/status.proto",
        "google/rpc/error_details.proto",
    ):
        check((where.parents[1] / proto).is_file(), f"no {proto} beside the package")


def check_command() -> None:
    """The commands work without any option."""
    info = json.loads(run("info", "--json"))
    check({"en"} <= {model["name"] for model in info["models"]}, f"info shows {info['models']}")
    links = set(run("align", text=PAIR).split())
    check(links >= LINKS, f"aligned {links}")
    first = run("rank", "Who founded the bakery?", text="It rains.\nMarta founded it.\n")
    check(first.split("\t")[1] == "2", f"ranked {first}")


def check_server() -> None:
    """A server serves both clients and drains."""
    from tokalign.client import AsyncClient, Client

    from bench.server_process import running_server

    with running_server("--metrics-port", "-1", command=[str(TOKALIGN), "serve"]) as server:
        address = server.address
        source, target = PAIR.strip().split("\t")
        with Client(address, timeout_s=30) as client:
            client.wait_ready()
            links = set(client.align(source, target).to_pharaoh().split())
        check(links >= LINKS, f"the server aligned {links}")

        async def ask() -> int:
            async with AsyncClient(address, timeout_s=30) as client:
                return (await client.rank(target, ["It rains.", source]))[0].index

        check(asyncio.run(ask()) == 1, "the server ranked wrongly")
        check(
            set(run("align", "--server", address, text=PAIR).split()) >= LINKS, "--server differs"
        )
        code = server.stop()
        check(code == 0, f"the server ended with {code}")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        signal.alarm(5 * TIMEOUT_S)  # no part may hang
        check_library()
        check_command()
        check_server()
        os.chdir("/")
    print("smoke test passed")
