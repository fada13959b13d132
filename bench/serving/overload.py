"""Overload: capacity and three times of it in turn, then a moderate load one second later.

Capacity and goodput are the answers that arrive in a window of unbroken load, over as many
connections and with the same requests. The callers do not keep to grpc's limit of streams, so that
the server meets all of the load. That limit refuses them; a queue as short as 200 pairs refuses
some of those that the limit lets through.
"""

from __future__ import annotations

import statistics
import time

from tokalign.client.load import measure
from tokalign.client.load.calls import LoadRequest
from tokalign.client.load.generator import Generator
from tokalign.client.load.methods import METHODS

from bench.program import print_row
from bench.server_process import ServerProcess
from bench.serving.loads import IN_FLIGHT, Loads
from bench.serving.servers import serve

TIMES = 3
TURNS = 3
QUEUES = {"shipped": (), "short-queue": ("--queue-pairs", "200", "--max-pairs", "100")}
LOST_AFTER_S = 30.0


def run(loads: Loads) -> None:
    """Measure a server as shipped, and one with a short queue."""
    closed = measure.Step(in_flight=IN_FLIGHT)
    for queue, flags in QUEUES.items():
        server = serve(*flags)
        capacity: list[float] = []
        goodput: list[float] = []
        refused_ms: list[float] = []
        for _ in range(TURNS):
            capacity.append(window(loads, server, closed)[0])
            step = measure.Step(rate=TIMES * statistics.median(capacity))
            answered, median_ms = window(loads, server, step)
            goodput.append(answered)
            refused_ms.append(median_ms)
        print_row(
            {
                "load": f"overload-{queue}",
                "goodput": statistics.median(goodput) / statistics.median(capacity),
                "capacity_per_s": statistics.median(capacity),
                "goodput_per_s": statistics.median(goodput),
                "refused_ms": statistics.median(refused_ms),
            }
        )
        time.sleep(1.0)
        rate = round(statistics.median(capacity) / 3)
        loads.run(f"after-{queue}", server, measure.Step(rate=rate))
        server.stop()


def window(loads: Loads, server: ServerProcess, step: measure.Step) -> tuple[float, float]:
    """Return the answers per second in a window, and the median time of a refusal in ms."""
    requests = [LoadRequest.of(METHODS["align"].rpc, body) for body in loads.one]
    generator = Generator(server.address, requests, is_patient=not step.rate)
    start = time.perf_counter() + 1.0
    if step.rate:
        outcomes = generator.open_loop(step.rate, 1.0 + loads.duration_s)
    else:
        outcomes = generator.closed_loop(step.in_flight, 1.0 + loads.duration_s)
    loads.refused(server)
    generator.close()
    ends = [call.intended_at + call.latency_s - start for call in outcomes if call.is_ok]
    answered = sum(0 <= end < loads.duration_s for end in ends) / loads.duration_s
    failed = sorted(call.latency_s for call in outcomes if not call.is_ok)
    if any(call.latency_s > LOST_AFTER_S for call in outcomes):
        loads.wrong.append(f"{step}: calls without an answer")
    return answered, 1000 * measure.percentile(failed, 50)
