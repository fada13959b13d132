"""Single calls and rankings, in plain text and over TLS with a token, in turns of one run.

    python -m bench.transport [--input FILE.tsv] [--turns 5] [--duration 2]

Two servers with two workers each take turns under the same load; the load generator is on the same
cores, and encrypts as well. Prints one JSON object for each load and transport, with the medians of
the turns, and one with the ratios of TLS to plain text, each of neighbouring turns. The processor
time is that of the server's own process and its workers, per call. The exit code is 1 where a call
got no answer.
"""

from __future__ import annotations

import argparse
import contextlib
import hashlib
import json
import ssl
import statistics
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import trustme
from tokalign.cli.bench import BODIES
from tokalign.load import measure
from tokalign.load.connection import PLAIN, Security
from tokalign.load.generator import Generator
from tokalign.load.process import ServerProcess, running_server

PAIRS = Path(__file__).parent / "pairs.tsv"
TOKEN = "0123456789abcdef" * 4


@dataclass(frozen=True, slots=True)
class Load:
    """Callers that each wait for their answer; `size` is a ranking's number of candidates."""

    method: str
    in_flight: int
    size: int = 1

    @property
    def name(self) -> str:
        """Name in the output, such as ``rank-50-8``."""
        parts = (self.method, *([self.size] if self.size > 1 else []), self.in_flight)
        return "-".join(map(str, parts))


LOADS = (
    Load("align", 1),
    Load("align", 64),
    Load("rank", 1, 50),
    Load("rank", 8, 50),
    Load("rank", 2, 1000),
)


@contextlib.contextmanager
def secure_server() -> Iterator[tuple[ServerProcess, Security]]:
    """Start a server with TLS and tokens, and say how to speak to it."""
    authority = trustme.CA()
    issued = authority.issue_cert("localhost", "127.0.0.1")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        issued.private_key_pem.write_to_path(folder / "key.pem")
        for blob in issued.cert_chain_pems:
            blob.write_to_path(folder / "server.pem", append=True)
        digest = hashlib.sha256(TOKEN.encode()).hexdigest()
        (folder / "tokens").write_text(f"bench {digest}\n")
        context = ssl.create_default_context(cadata=authority.cert_pem.bytes().decode())
        flags = ("--tls-cert", folder / "server.pem", "--tls-key", folder / "key.pem")
        flags += ("--token-file", folder / "tokens")
        with running_server("--workers", "2", *map(str, flags)) as server:
            yield server, Security(context, TOKEN)


def turn(
    load: Load, bodies: list[bytes], server: ServerProcess, security: Security, duration_s: float
) -> dict[str, float]:
    """Return what one window measured."""
    generator = Generator(
        server.address, measure.METHODS[load.method], bodies, connections=4, security=security
    )
    step = measure.Step(in_flight=load.in_flight)
    measure.measure(generator, step, duration_s=0.5, warm_up_s=0.0)
    before = sum(server.cpu_s())
    result = measure.measure(
        generator, step, duration_s=duration_s, warm_up_s=0.0, pairs_per_call=load.size
    )
    spent = sum(server.cpu_s()) - before
    generator.close()
    return {
        "calls_per_s": result.calls_per_s,
        "pairs_per_s": result.pairs_per_s,
        "p50": result.latency_ms["p50"],
        "p99": result.latency_ms["p99"],
        "cpu_us": 1e6 * spent / max(1, result.calls - result.failed),
        "failed": float(result.failed),
    }


def medians(turns: list[dict[str, float]]) -> dict[str, float]:
    """Return the median of each figure over the turns."""
    return {name: statistics.median(each[name] for each in turns) for name in turns[0]}


def main() -> int:
    parser = argparse.ArgumentParser(description=str(__doc__).partition("\n")[0])
    parser.add_argument("--input", type=Path, default=PAIRS, help="source<TAB>target lines")
    parser.add_argument("--turns", type=int, default=5)
    parser.add_argument("--duration", type=float, default=2.0, help="seconds of a window")
    arguments = parser.parse_args()
    lines = arguments.input.read_text(encoding="utf-8").splitlines()
    texts = [(row[0], row[1]) for row in (line.split("\t") for line in lines)]
    n_failed = 0.0
    with running_server("--workers", "2") as plain, secure_server() as (secured, security):
        servers = {"plain": (plain, PLAIN), "tls": (secured, security)}
        for load in LOADS:
            bodies = BODIES[load.method](texts, load.size)
            turns: dict[str, list[dict[str, float]]] = {name: [] for name in servers}
            for _ in range(arguments.turns):
                for name, (server, how) in servers.items():
                    turns[name].append(turn(load, bodies, server, how, arguments.duration))
            for name, measured in turns.items():
                n_failed += sum(each["failed"] for each in measured)
                print(json.dumps({"load": load.name, "transport": name} | medians(measured)))
            ratios = [
                {key: tls[key] / plain[key] for key in ("calls_per_s", "p50", "cpu_us")}
                for plain, tls in zip(turns["plain"], turns["tls"], strict=True)
            ]
            print(
                json.dumps({"load": load.name, "transport": "ratio"} | medians(ratios)), flush=True
            )
    if n_failed:
        print(f"{n_failed:.0f} calls got no answer", file=sys.stderr)
    return 1 if n_failed else 0


if __name__ == "__main__":
    sys.exit(main())
