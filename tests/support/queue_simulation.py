"""A server's queue in simulated time: real admission and a real queue, workers that only count."""

from __future__ import annotations

import heapq
import itertools
import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from tokalign.codec.options import RequestOptions
from tokalign.server.admission import Admission, Ahead
from tokalign.server.status import QueueFullError
from tokalign.server.workers import batching, shards
from tokalign.server.workers.batching import FairQueue
from tokalign.server.workers.shards import Shard, Task

from support.requests import request_of

SPEED = 5_000.0
"""Typical pairs that a worker does in a second."""
BOUND = 32


class Arrival(NamedTuple):
    """A call: when it comes, what each of its pairs costs, and in how many seconds it is late."""

    at: float
    costs: Sequence[int]
    within_s: float
    is_interactive: bool


@dataclass(slots=True)
class Done:
    """What came of the calls of a simulation, in cost.

    Attributes
    ----------
    in_time, late, refused, dropped : int
        Answered before and after the deadline, not let in, and given up in the queue.
    longest_wait_s : float
        From an arrival to the end of a call that was answered.
    """

    in_time: int = 0
    late: int = 0
    refused: int = 0
    dropped: int = 0
    longest_wait_s: float = 0.0


class _Clock:
    """Stands for the module time."""

    def __init__(self) -> None:
        self.now = 1000.0

    def monotonic(self) -> float:
        return self.now


def arrivals(
    kinds: Sequence[tuple[Sequence[int], float, bool]],
    cost_per_s: float,
    seconds: float,
    seed: int,
) -> list[Arrival]:
    """Return Poisson arrivals of some kinds of calls: costs, within_s, is_interactive."""
    chooser = random.Random(seed)
    mean = sum(sum(costs) for costs, _, _ in kinds) / len(kinds)
    found, at = [], 0.0
    while (at := at + chooser.expovariate(cost_per_s / mean)) < seconds:
        found.append(Arrival(at, *chooser.choice(kinds)))
    return found


async def simulate(
    calls: Iterable[Arrival], monkeypatch, *, n_workers: int = 2, refuses: bool = True
) -> Done:
    """Return what comes of calls.

    Parameters
    ----------
    calls : iterable of Arrival
        Rising by `at`.
    monkeypatch : fixture
        With which the queue's clock is replaced.
    n_workers : int
    refuses : bool
        Whether deadlines are known to admission and queue; otherwise calls are served as they come.
    """
    clock = _Clock()
    monkeypatch.setattr(batching, "time", clock)
    monkeypatch.setattr(shards, "time", clock)
    queue = FairQueue(BOUND, lambda: n_workers * SPEED)
    admission = Admission(10**9, 10**12)
    done, start = Done(), clock.now
    running: list[tuple[float, int, Shard]] = []
    numbers = itertools.count()
    pending = list(calls)[::-1]
    ends: dict[int, tuple[Task, Arrival, object]] = {}
    left: dict[int, int] = {}
    while pending or running or queue.waiting:
        next_end = running[0][0] if running else float("inf")
        next_call = start + pending[-1].at if pending else float("inf")
        clock.now = min(next_end, next_call)
        if next_end <= next_call:
            _, _, shard = heapq.heappop(running)
            for part in shard.slices:
                left[id(part.task)] -= len(part)
                if left[id(part.task)]:
                    continue
                task, call, admitted = ends.pop(id(part.task))
                took = clock.now - start - call.at
                if took <= call.within_s:
                    done.in_time += task.cost
                else:
                    done.late += task.cost
                done.longest_wait_s = max(done.longest_wait_s, took)
                task.future.cancel()
                admitted.release()
        else:
            call = pending.pop()
            request = request_of(
                RequestOptions(),
                [b""] * len(call.costs),
                call.costs,
                is_interactive=call.is_interactive,
            )
            deadline = clock.now + call.within_s if refuses else None
            busy = sum([shard.cost for _, _, shard in running])
            # What a pool says is the most, without looking at the lines.
            most = (4 * queue.waiting_cost + busy / 2) / (n_workers * SPEED)
            waits_s = queue.wait_s(request, deadline, busy) + queue.beside_s(request, deadline, "")
            assert waits_s <= most + 1e-9
            try:
                admitted = await admission.admit(
                    len(call.costs),
                    1,
                    cost=sum(call.costs),
                    ahead=lambda: Ahead(  # called before the next call
                        queue.wait_s(request, deadline, busy),  # noqa: B023
                        n_workers * SPEED,
                        call.within_s if refuses else None,  # noqa: B023
                    ),
                )
            except QueueFullError:
                done.refused += sum(call.costs)
                continue
            task = Task(request, deadline)
            ends[id(task)], left[id(task)] = (task, call, admitted), len(task)
            queue.push(task)
        while len(running) < n_workers:
            shard = queue.take(queue.even(n_workers - len(running), n_workers))
            if shard is None:
                break
            end = clock.now + shard.cost / SPEED
            heapq.heappush(running, (end, next(numbers), shard))
    for task, _, admitted in ends.values():
        assert task.future.done()
        done.dropped += task.cost
        admitted.release()
    assert admission.cost == admission.pairs == queue.waiting_cost == 0
    return done
