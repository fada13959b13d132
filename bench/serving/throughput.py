"""Throughput and latency: an echo, single calls at rates and numbers of callers, and batches."""

from __future__ import annotations

from tokalign.client.load.measure import Step

from bench.program import print_row
from bench.serving.loads import IN_FLIGHT, Loads
from bench.serving.servers import serve

FEW_IN_FLIGHT = (1, 8)
RATES = (500, 1000, 1250)


def run(loads: Loads) -> None:
    """Measure two workers, then one, and print the ratios."""
    server = serve()
    echo, align = loads.beside_echo(server)
    for callers in FEW_IN_FLIGHT:
        loads.run(f"in-flight-{callers}", server, Step(in_flight=callers))
    loads.run("half-load", server, Step(rate=align.result.calls_per_s / 2))
    for rate in RATES:
        loads.run(f"rate-{rate}", server, Step(rate=rate))
    batches = loads.batches("batches", server)
    server.stop()
    lone = serve(workers=1)
    one = loads.run("one-worker", lone, Step(in_flight=IN_FLIGHT))
    one_batches = loads.batches("one-worker-batches", lone)
    lone.stop()
    print_row(
        {
            "ratios": "throughput",
            "align_to_echo": align.cpu_us / echo.cpu_us,
            "calls_1_to_2": one.result.calls_per_s / align.result.calls_per_s,
            "pairs_1_to_2": one_batches.result.pairs_per_s / batches.result.pairs_per_s,
        }
    )
