"""Calls with deadlines, at once to three times the capacity: how much is answered in time.

Of each load (single pairs, rankings of 50 candidates, batches of 100 pairs, and a mix of 8 : 1 :
0.5 of them) the capacity is what a closed loop of a few callers gets. In an open loop calls then
come at 1, 2 and 3 times that rate, each with a deadline. Goodput is the pairs that are answered in
time, as a share of the capacity. Calls are not tried again. Where the generator lags by as much as
the deadline, the row tells of the generator alone.

The generator and the refusals take processors that the workers have while they are measured at
their capacity: `generator` and `server` are the shares of a processor that the generator and the
server's own process take under the load, `generator_at_capacity` what it takes before. Of the work
that the workers still do, `useful` is the share that is answered in time, as many pairs per second
of their processor time as at the capacity being 1.

Goal: 0.85 of the capacity, 0.7 on machines whose cores are shared.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Sequence
from dataclasses import dataclass

from tokalign.client.load.calls import LoadRequest
from tokalign.client.load.generator import Generator
from tokalign.client.load.methods import METHODS
from tokalign.v1 import align_pb2

from bench.program import print_row
from bench.server_process import ServerProcess
from bench.serving.loads import Loads
from bench.serving.servers import batch, serve

CANDIDATES = 50
PAIRS = 100
TIMES = (1, 2, 3)
DEADLINES_S = (0.5, 1.0, 2.0)
N_BODIES = 40
CALLERS = {"align": 64, "rank": 8, "batch": 4, "mix": 32}
CONNECTIONS = 50
"""Of an open loop; with few, the limit of calls on each would refuse most of them unseen."""
SETTLE_S = 1.5
"""From the beginning of a load until it is measured."""


def messages(pairs: Sequence[align_pb2.Pair]) -> dict[str, list[tuple[str, bytes, int]]]:
    """Return the requests of each load: method, serialised message, and pairs."""
    singles = [
        ("align", align_pb2.AlignRequest(pair=pair).SerializeToString(), 1) for pair in pairs
    ]
    rankings = []
    for first in range(N_BODIES):
        chosen = [pairs[(first * 7 + k) % len(pairs)] for k in range(CANDIDATES)]
        request = align_pb2.RankRequest(
            question=chosen[0].target,
            candidates=[align_pb2.Candidate(sentence=each.source) for each in chosen],
        )
        rankings.append(("rank", request.SerializeToString(), CANDIDATES))
    batches = [
        ("batch", batch([*pairs[k:], *pairs[:k]], PAIRS).SerializeToString(), PAIRS)
        for k in range(N_BODIES)
    ]
    mix = []
    for k in range(N_BODIES):
        mix += [singles[(16 * k + i) % len(singles)] for i in range(16)]
        mix += [rankings[k], rankings[-k], batches[k]]
    return {"align": singles, "rank": rankings, "batch": batches, "mix": mix}


def run(loads: Loads) -> None:
    """Print a row for each load, rate and deadline."""
    for name, bodies in messages(loads.pairs).items():
        server = serve()
        mean = statistics.fmean(pairs for _, _, pairs in bodies)
        for times in TIMES:
            # Anew, for machines change their speed within minutes.
            capacity = _capacity(server, bodies, CALLERS[name], loads.duration_s)
            for deadline_s in DEADLINES_S:
                rate = times * capacity.pairs_per_s / mean
                found = _goodput(server, bodies, rate, deadline_s, loads.duration_s)
                goodput = found.pairs_per_s / capacity.pairs_per_s
                print_row(
                    {
                        "load": f"deadline-{name}",
                        "times": times,
                        "deadline_s": deadline_s,
                        "capacity_pairs_per_s": capacity.pairs_per_s,
                        "goodput": goodput,
                        "useful": goodput * capacity.workers_share / found.workers_share,
                        "server": found.server_share,
                        "generator": found.generator_share,
                        "generator_at_capacity": capacity.generator_share,
                        "generator_lag_s": found.generator_lag_s,
                    }
                )
                time.sleep(SETTLE_S)
        server.stop()


def _requests(bodies: Sequence[tuple[str, bytes, int]], timeout_s: float) -> list[LoadRequest]:
    return [
        LoadRequest.of(METHODS[method].rpc, body, timeout_s, pairs)
        for method, body, pairs in bodies
    ]


@dataclass(frozen=True, slots=True)
class _Found:
    """Pairs answered in time per second, and the processors that each part got for them."""

    pairs_per_s: float
    server_share: float
    workers_share: float
    generator_share: float
    generator_lag_s: float


def _capacity(
    server: ServerProcess, bodies: Sequence[tuple[str, bytes, int]], callers: int, seconds: float
) -> _Found:
    """Return what a closed loop gets."""
    generator = Generator(server.address, _requests(bodies, 0.0))
    generator.closed_loop(callers, SETTLE_S)
    start, before = time.perf_counter(), _cpu_s(server)
    outcomes = generator.closed_loop(callers, seconds)
    taken, after = time.perf_counter() - start, _cpu_s(server)
    generator.close()
    n_pairs = sum(call.kind.pairs for call in outcomes if call.is_ok)
    return _Found(n_pairs / taken, *_shares(before, after, taken), generator.lag_s)


def _goodput(
    server: ServerProcess,
    bodies: Sequence[tuple[str, bytes, int]],
    rate: float,
    deadline_s: float,
    seconds: float,
) -> _Found:
    """Return what is answered in time in an open loop."""
    requests = _requests(bodies, deadline_s)
    generator = Generator(server.address, requests, CONNECTIONS, is_patient=False)
    start, before = time.perf_counter() + SETTLE_S, _cpu_s(server)
    outcomes = generator.open_loop(rate, SETTLE_S + seconds)
    taken, after = time.perf_counter() - start + SETTLE_S, _cpu_s(server)
    generator.close()
    in_time = (
        call.kind.pairs
        for call in outcomes
        if call.is_ok and not call.is_late and start <= call.ended_at < start + seconds
    )
    shares = _shares(before, after, taken)
    return _Found(sum(in_time) / seconds, *shares, generator.lag_s)


def _cpu_s(server: ServerProcess) -> tuple[float, float, float]:
    """Return the processor seconds of the server's own process, its workers and this process."""
    return *server.cpu_s(), time.process_time()


def _shares(
    before: tuple[float, float, float], after: tuple[float, float, float], taken_s: float
) -> tuple[float, float, float]:
    own, workers, generator = [
        (late - early) / taken_s for early, late in zip(before, after, strict=True)
    ]
    return own, workers, generator
