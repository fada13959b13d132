"""Requests on their way through the pool: tasks in the queue, and shards that workers get."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from dataclasses import dataclass, field

from tokalign.codec.options import RequestOptions
from tokalign.server.observe import record
from tokalign.server.observe.record import CallRecord
from tokalign.server.requests.answers import Answer, too_large
from tokalign.server.requests.request import Request
from tokalign.server.workers.frames import Run


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
    next : int
        The first pair that has not been handed to a worker.
    cost, waiting_cost : int
        Of all pairs, and of those that have not been handed to a worker.
    queued_at : float
        When it came, by time.monotonic.
    due : float
        When it should be done; the queue says so.
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
        "next",
        "queued_at",
        "request",
        "waiting_cost",
    )

    def __init__(self, request: Request, deadline: float | None = None) -> None:
        self.request = request
        self.deadline = deadline
        self.cost = self.waiting_cost = sum(request.costs)
        self.queued_at = self.due = time.monotonic()
        self.call: CallRecord = record.current()
        self.call.queued(len(request.pairs), self.cost)
        self._began_at = 0.0
        self.next = 0
        self.future: asyncio.Future[list[Answer]] = asyncio.get_running_loop().create_future()
        self.future.add_done_callback(self._settle)
        self._answers: list[Answer | None] = [None] * len(request.pairs)
        self._missing = len(request.pairs)
        self._n_bytes = 0

    def __len__(self) -> int:
        return len(self.request.pairs)

    @property
    def is_interactive(self) -> bool:
        """Whether somebody waits for it, so that it may go between the shards of large ones."""
        return self.request.is_interactive

    @property
    def next_cost(self) -> int:
        """What the next pair costs."""
        return self.request.costs[self.next]

    @property
    def waiting(self) -> int:
        """Number of pairs that have not been handed to a worker."""
        return len(self.request.pairs) - self.next

    def begin(self, now: float) -> float:
        """Note that a worker gets the first pair; return how long it has waited."""
        self._began_at = now
        waited_s = now - self.queued_at
        self.call.waited(waited_s)
        if self.call.trace is not None:
            self.call.trace.queued(self.queued_at, now)
        return waited_s

    def take(self, room: int) -> Slice:
        """Return the next pairs that cost at most `room` together, or the next one alone."""
        costs = self.request.costs
        start, cost = self.next, costs[self.next]
        self.next += 1
        while self.next < len(costs) and cost + costs[self.next] <= room:
            cost += costs[self.next]
            self.next += 1
        self.waiting_cost -= cost
        return Slice(self, start, self.next)

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
        self._n_bytes += sum([len(answer.alignment) for answer in answers])
        most = self.request.max_answer_bytes
        if self._n_bytes > most:
            self._answers.clear()
            self.future.set_exception(too_large(most))
        elif self._missing == 0:
            self.call.compute_s += time.monotonic() - self._began_at
            self.future.set_result([answer for answer in self._answers if answer is not None])


class Slice:
    """Consecutive pairs of one task.

    Attributes
    ----------
    cost : int
        Of its pairs together.
    """

    __slots__ = ("cost", "start", "stop", "task")

    def __init__(self, task: Task, start: int, stop: int) -> None:
        self.task = task
        self.start = start
        self.stop = stop
        self.cost = sum(task.request.costs[start:stop])

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
    cost : int
        Of its pairs together.
    deaths : int
        Workers that crashed or hung while they worked on it, where it is a single pair.
    lost_at : float or None
        When a worker that had it was first killed from outside, by time.monotonic.
    is_hedged : bool
        Whether a second worker has got it, since the first took too long.
    """

    slices: list[Slice]
    cost: int = field(init=False)
    deaths: int = 0
    lost_at: float | None = None
    is_hedged: bool = False
    is_answered: bool = False

    def __len__(self) -> int:
        return sum([part.stop - part.start for part in self.slices])

    def __post_init__(self) -> None:
        self.cost = sum([part.cost for part in self.slices])

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
            Shard([Slice(part.task, position, position + 1)])
            for part in self.slices
            for position in range(part.start, part.stop)
        ]
