"""Loads on a server: each measured, printed as a row, and checked for calls without an answer."""

from __future__ import annotations

import sys
import time
import urllib.request
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import grpc
from prometheus_client.parser import text_string_to_metric_families
from tokalign.client.load import measure
from tokalign.client.load.calls import LoadRequest
from tokalign.client.load.generator import Generator
from tokalign.client.load.methods import METHODS
from tokalign.v1 import align_pb2, align_pb2_grpc

from bench.program import BUILD, print_row
from bench.server_process import ServerProcess
from bench.serving.servers import batch, start

IN_FLIGHT = 64
BATCH = 500
ECHO = """
import sys, grpc, grpc.aio, uvloop
ANSWER = open(sys.argv[1], "rb").read()
async def align(data, context):
    return ANSWER
async def main():
    server = grpc.aio.server(options=[("grpc.so_reuseport", 0)])
    handlers = {"Align": grpc.unary_unary_rpc_method_handler(align)}
    handler = grpc.method_handlers_generic_handler("tokalign.v1.AlignService", handlers)
    server.add_generic_rpc_handlers((handler,))
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    print(f"listening on 127.0.0.1:{port}", file=sys.stderr, flush=True)
    await server.wait_for_termination()
uvloop.run(main())
"""


class WrongAnswersError(Exception):
    """Calls failed that the load does not explain."""


@dataclass(frozen=True, slots=True)
class Load:
    """What one load measured.

    Attributes
    ----------
    name : str
    result : Result
    server_us, workers_us, generator_us : float
        Processor time per pair.
    """

    name: str
    result: measure.Result
    server_us: float
    workers_us: float
    generator_us: float

    @property
    def cpu_us(self) -> float:
        """Processor time per pair, the generator's left out."""
        return self.server_us + self.workers_us

    def row(self) -> dict[str, object]:
        """Return the row that is printed."""
        return {
            "load": self.name,
            "calls_per_s": self.result.calls_per_s,
            "pairs_per_s": self.result.pairs_per_s,
            "p50_ms": self.result.latency_ms["p50"],
            "p99_ms": self.result.latency_ms["p99"],
            "failed": self.result.without_answer,
            "server_us": self.server_us,
            "workers_us": self.workers_us,
            "generator_us": self.generator_us,
        }


class Loads:
    """Runs loads and notes what should not have happened.

    Parameters
    ----------
    pairs : list of Pair
    duration_s : float
        Of each window.
    """

    def __init__(self, pairs: list[align_pb2.Pair], duration_s: float) -> None:
        self.pairs = pairs
        self.duration_s = duration_s
        self.one = [align_pb2.AlignRequest(pair=pair).SerializeToString() for pair in pairs]
        self.wrong: list[str] = []

    def check(self) -> None:
        """Raise WrongAnswersError if anything was wrong."""
        if self.wrong:
            raise WrongAnswersError("; ".join(self.wrong))

    def run(
        self, name: str, server: ServerProcess, step: measure.Step, *, method: str = "align",
        bodies: Sequence[bytes] = (), size: int = 1,
    ) -> Load:  # fmt: skip
        """Measure one load and print its row.

        Parameters
        ----------
        name : str
        server : ServerProcess
        step : Step
        method : str
            Of tokalign.client.load.methods.METHODS.
        bodies : sequence of bytes
            Requests; single pairs unless given.
        size : int
            Pairs of a request.
        """
        requests = [
            LoadRequest.of(METHODS[method].rpc, body, pairs=size) for body in bodies or self.one
        ]
        generator = Generator(server.address, requests)
        measure.measure(generator, step, duration_s=1.0, warm_up_s=0.0)
        refused = -self.refused(server)
        before, generator_before = server.cpu_s(), time.process_time()
        result = measure.measure(generator, step, duration_s=self.duration_s, warm_up_s=0.0)
        generator.close()
        spent = [after - earlier for after, earlier in zip(server.cpu_s(), before, strict=True)]
        spent.append(time.process_time() - generator_before)
        n_pairs = max(1.0, result.pairs_per_s * self.duration_s)
        load = Load(name, result, *(1e6 * seconds / n_pairs for seconds in spent))
        print_row(load.row())
        refused += self.refused(server)
        if result.without_answer > refused:
            self.wrong.append(
                f"{name}: {result.without_answer} calls got no answer and {refused} were refused"
            )
        return load

    def refused(self, server: ServerProcess) -> int:
        """Return how many calls the server's queue has refused; other failures are wrong."""
        ended = codes(server) if server.log else Counter()
        refused = int(ended.pop("RESOURCE_EXHAUSTED", 0))
        if set(ended) - {"OK"}:
            self.wrong.append(f"codes {dict(ended)}; wanted only OK and RESOURCE_EXHAUSTED")
        return refused

    def beside_echo(self, server: ServerProcess) -> tuple[Load, Load]:
        """Measure an echo of one of the server's answers, then single calls."""
        with grpc.insecure_channel(server.address) as channel:
            answer = align_pb2_grpc.AlignServiceStub(channel).Align(
                align_pb2.AlignRequest(pair=self.pairs[0])
            )
        body = BUILD / "echo.bin"
        body.parent.mkdir(exist_ok=True)
        body.write_bytes(answer.SerializeToString())
        echo_server = start(sys.executable, "-c", ECHO, str(body))
        closed = measure.Step(in_flight=IN_FLIGHT)
        echo = self.run("echo", echo_server, closed)
        echo_server.stop()
        return echo, self.run("in-flight-64", server, closed)

    def batches(self, name: str, server: ServerProcess) -> Load:
        """Measure large batches, two at a time."""
        bodies = [batch(self.pairs, BATCH).SerializeToString()]
        few = measure.Step(in_flight=2)
        return self.run(name, server, few, method="batch", bodies=bodies, size=BATCH)


def codes(server: ServerProcess) -> Counter[str]:
    """Return the numbers of calls that have ended, by status code."""
    with urllib.request.urlopen(f"{server.metrics_url}/metrics", timeout=10) as answer:
        families = text_string_to_metric_families(answer.read().decode())
    ended: Counter[str] = Counter()
    for family in families:
        for each in family.samples:
            if each.name == "grpc_server_handled_total":
                ended[each.labels["grpc_code"]] += int(each.value)
    return ended
