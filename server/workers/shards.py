"""Requests on their way through the pool: tasks in the queue, and shards that workers get."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from dataclasses import dataclass, field

from tokalign.codec.options import RequestOptions
from tokalign.server.observe import record
from tokalign.server.requests.answers import Answer, too_large
from tokalign.server.requests.request import Request
from tokalign.server.workers.frames import Run

_MISSING = Answer(b"")


class Task:
    """A request from the queue to its last answer.

    Parameters
    ----------
    request : Request
        With at least one pair.
    deadline : float or None
        By time.monotonic. Pairs that have not started by then are dropped.

    Attributes
    ----------
    future : asyncio.Future of list of Answer
        One per pair, in order. Cancel it to drop what has not started. It gets a LimitError where
        the answers together are larger than they may be.
    next, waiting : int
        The first pair that has not been handed to a worker, and how many there are.
    cost, waiting_cost : int
        Of all pairs, and of those that have not been handed to a worker.
    queued_at : float
        When it came, by time.monotonic.
    due : float
        When it should be done; the queue says so.
    has_several : bool
        Whether it has more than one pair.
    is_interactive : bool
        Whether somebody waits for it, so that it may go between the shards of large ones.
    call : CallRecord
        Of the call that made the task.
    """

    __slots__ = (
        "_answers",
        "_began_at",
        "_missing",
        "_n_bytes",
        "call",
        "cost",
        "deadline",
        "due",
        "future",
        "has_several",
        "is_interactive",
        "next",
        "queued_at",
        "request",
        "waiting",
        "waiting_cost",
    )

    def __init__(self, request: Request, deadline: float | None = None) -> None:
        self.request = request
        self.deadline = deadline
        self.is_interactive = request.is_interactive
        self.waiting = self._missing = n_pairs = len(request.pairs)
        self.has_several = n_pairs > 1
        self.cost = self.waiting_cost = cost = sum(request.costs)
        self.queued_at = self.due = time.monotonic()
        self.call = call = record.current()
        call.pairs += n_pairs
        call.cost += cost
        self._began_at = 0.0
        self.next = 0
        self.future: asyncio.Future[list[Answer]] = asyncio.get_running_loop().create_future()
        self.future.add_done_callback(self._settle)
        self._answers = [_MISSING] * n_pairs
        self._n_bytes = 0

    def __len__(self) -> int:
        return len(self.request.pairs)

    @property
    def next_cost(self) -> int:
        """What the next pair costs."""
        return self.request.costs[self.next]

    def begin(self, now: float) -> float:
        """Note that a worker gets the first pair; return how long it has waited."""
        self._began_at = now
        call = self.call
        waited_s = now - self.queued_at
        call.queue_s += waited_s
        call.has_worked = True
        if call.trace is not None:
            call.trace.queued(self.queued_at, now)
        return waited_s

    def take(self, room: int) -> Slice:
        """Return the next pairs that cost at most `room` together, or the next one alone."""
        costs = self.request.costs
        start, cost = self.next, costs[self.next]
        self.next += 1
        while self.next < len(costs) and cost + costs[self.next] <= room:
            cost += costs[self.next]
            self.next += 1
        self.waiting -= self.next - start
        self.waiting_cost -= cost
        return Slice(self, start, self.next, cost)

    def _settle(self, future: asyncio.Future[list[Answer]]) -> None:
        """Give back what the pairs cost that no worker gets any more."""
        if future.cancelled() or future.exception() is not None:
            self.call.give_back(self.waiting, self.waiting_cost)

    def fill(self, start: int, answers: Sequence[Answer]) -> None:
        """Take the answers of the pairs from `start` on; the last ones complete the future."""
        if self.future.done():
            return  # nobody waits for them
        self._answers[start : start + len(answers)] = answers
        self._missing -= len(answers)
        for answer in answers:
            self._n_bytes += len(answer.alignment)
        most = self.request.max_answer_bytes
        if self._n_bytes > most:
            self._answers.clear()
            self.future.set_exception(too_large(most))
        elif self._missing == 0:
            self.call.compute_s += time.monotonic() - self._began_at
            self.future.set_result(self._answers)


class Slice:
    """Consecutive pairs of one task.

    Attributes
    ----------
    cost : int
        Of its pairs together.
    """

    __slots__ = ("cost", "start", "stop", "task")

    def __init__(self, task: Task, start: int, stop: int, cost: int) -> None:
        self.task = task
        self.start = start
        self.stop = stop
        self.cost = cost

    @property
    def pairs(self) -> Sequence[bytes]:
        """Its serialised pairs."""
        return self.task.request.pairs[self.start : self.stop]

    def __len__(self) -> int:
        return self.stop - self.start


@dataclass(slots=True)
class Shard:
    """The pairs that one worker gets at a time, of one or several tasks.

    Attributes
    ----------
    cost, n_pairs : int
        Of its pairs together, and how many they are.
    deaths : int
        Workers that crashed or hung while they worked on it, where it is a single pair.
    lost_at : float or None
        When a worker that had it was first killed from outside, by time.monotonic.
    is_hedged : bool
        Whether a second worker has got it, since the first took too long.
    """

    slices: list[Slice]
    cost: int = field(init=False, default=0)
    n_pairs: int = field(init=False, default=0)
    deaths: int = 0
    lost_at: float | None = None
    is_hedged: bool = False
    is_answered: bool = False

    def __len__(self) -> int:
        return self.n_pairs

    def __post_init__(self) -> None:
        for part in self.slices:
            self.cost += part.cost
            self.n_pairs += part.stop - part.start

    def runs(self) -> list[Run]:
        """Return the shard as it goes to a worker: neighbours with equal options are one run."""
        runs: list[tuple[RequestOptions, bytes, list[bytes]]] = []
        for part in self.slices:
            request = part.task.request
            if not runs or runs[-1][:2] != (request.options, request.shared):
                runs.append((request.options, request.shared, []))
            runs[-1][2].extend(part.pairs)
        return [Run(options, shared, tuple(pairs)) for options, shared, pairs in runs]

    def is_wanted(self) -> bool:
        """Return whether any of its tasks still waits for an answer."""
        return not all(part.task.future.done() for part in self.slices)

    def fill(self, answers: Sequence[Answer]) -> None:
        """Hand the answers to the tasks."""
        self.is_answered = True
        position = 0
        for part in self.slices:
            end = position + part.stop - part.start
            part.task.fill(part.start, answers[position:end])
            position = end

    def fail(self, error: Exception) -> None:
        """Give its tasks an error instead of their answers."""
        for part in self.slices:
            future = part.task.future
            if not future.done():
                future.set_exception(error)
                future.exception()  # marks it as seen, for nobody may be waiting any more

    def has_deadlines(self) -> bool:
        """Return whether the calls of all its tasks end by themselves."""
        return all(part.task.deadline is not None for part in self.slices)

    def singles(self) -> list[Shard]:
        """Return a shard for each pair."""
        return [
            Shard([Slice(part.task, position, position + 1, part.task.request.costs[position])])
            for part in self.slices
            for position in range(part.start, part.stop)
        ]
