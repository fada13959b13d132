"""The server's processor time for a call by version of grpcio, in turn and in rounds.

Needs a package index: each version is installed below build/grpcio with the packages that belong
to it, and a server of each finds them before those of the environment. A version may end with
`:` and the value of GRPC_EXPERIMENTS to serve with, as in `1.85.3:-event_engine_listener`.
The echo sends the same bytes back each time. Check and Align are the server's own, with two
workers, whose time is not counted.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from grpc_health.v1 import health_pb2
from tokalign.client.load.calls import LoadRequest
from tokalign.client.load.generator import Generator
from tokalign.client.load.measure import Step, measure
from tokalign.client.load.methods import METHODS
from tokalign.errors import ServerError
from tokalign.v1 import align_pb2

from bench.program import BUILD, machine, names, print_row, some_of
from bench.server_process import FREE_PORTS, SERVE, ServerProcess
from bench.serving.loads import ECHO, IN_FLIGHT
from bench.serving.servers import sample

SIBLINGS = ("channelz", "health-checking", "reflection", "status")
CHECK = "/grpc.health.v1.Health/Check"
CALLS = ("echo", "check", "align")


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the command's options."""
    parser.add_argument("--versions", type=names, required=True, help="the first is the base")
    parser.add_argument("--calls", type=some_of(CALLS), default=CALLS, help=", ".join(CALLS))
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=2.0, help="of each call in each round")


def run(arguments: argparse.Namespace) -> None:
    """Print a row for each round, version and call, then medians and ratios to the base."""
    print_row({"machine": machine()})
    for version in arguments.versions:
        install(version.partition(":")[0])
    taken: dict[tuple[str, str], list[float]] = {}
    for number in range(arguments.rounds):
        for version in arguments.versions:
            for call, us in measured(version, arguments.calls, arguments.seconds):
                print_row({"round": number, "grpcio": version, "call": call, "server_us": us})
                taken.setdefault((version, call), []).append(us)
    for version in arguments.versions:
        for call in arguments.calls:
            times = taken[version, call]
            base = taken[arguments.versions[0], call]
            ratios = [time / beside for time, beside in zip(times, base, strict=True)]
            print_row(
                {"grpcio": version, "call": call, "server_us": statistics.median(times)},
                {"min": min(times), "max": max(times), "ratio": statistics.median(ratios)},
            )


def folder(version: str) -> Path:
    """Return where a version is installed."""
    return BUILD / "grpcio" / version


def install(version: str) -> None:
    """Install a version of grpcio, and the newest of its siblings that are not newer.

    Raises
    ------
    ServerError
        If pip fails; holds what it printed.
    """
    if folder(version).exists():
        return
    packages = [f"grpcio=={version}", *(f"grpcio-{each}<={version}" for each in SIBLINGS)]
    pip = (sys.executable, "-m", "pip", "--disable-pip-version-check", "-qq", "install")
    command = (*pip, "--no-deps", "--target", str(folder(version)), *packages)
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    if ended.returncode:
        raise ServerError(f"{' '.join(command)}: {ended.stderr.strip()}")


def measured(version: str, calls: Sequence[str], seconds: float) -> Iterator[tuple[str, float]]:
    """Yield each call and the server's processor time for one of them, in microseconds."""
    aligned = [align_pb2.AlignRequest(pair=pair).SerializeToString() for pair in sample()]
    requests = {
        "echo": (METHODS["align"].rpc, aligned),
        "check": (CHECK, [health_pb2.HealthCheckRequest().SerializeToString()]),
        "align": (METHODS["align"].rpc, aligned),
    }
    answer = BUILD / "grpcio" / "echo.bin"
    answer.write_bytes(aligned[0])
    commands = {
        (sys.executable, "-c", ECHO, str(answer)): [call for call in calls if call == "echo"],
        (*SERVE, *FREE_PORTS, "--workers", "2"): [call for call in calls if call != "echo"],
    }
    for command, wanted in commands.items():
        if not wanted:
            continue
        with with_version(version):
            server = ServerProcess(command)
        try:
            server.wait_listening()
            for call in wanted:
                yield call, call_us(server, *requests[call], seconds)
        finally:
            server.kill()


@contextmanager
def with_version(version: str) -> Iterator[None]:
    """Have processes that start find a version first, and serve with its experiments."""
    number, _, experiments = version.partition(":")
    changed = {"PYTHONPATH": str(folder(number)), "GRPC_EXPERIMENTS": experiments}
    before = {name: os.environ.get(name) for name in changed}
    os.environ.update(changed)
    try:
        yield
    finally:
        for name, value in before.items():
            os.environ.pop(name) if value is None else os.environ.update({name: value})


def call_us(server: ServerProcess, path: str, bodies: list[bytes], seconds: float) -> float:
    """Return the processor time of the server's own process for a call, in microseconds.

    Raises
    ------
    ServerError
        If a call fails.
    """
    generator = Generator(server.address, [LoadRequest.of(path, body) for body in bodies])
    step = Step(in_flight=IN_FLIGHT)
    measure(generator, step, duration_s=seconds / 2, warm_up_s=0.0)
    before = server.cpu_s()[0]
    result = measure(generator, step, duration_s=seconds, warm_up_s=0.0)
    spent = server.cpu_s()[0] - before
    generator.close()
    if result.failed:
        raise ServerError(f"{path}: {result.failed} of {result.calls} calls failed")
    return 1e6 * spent / result.calls
