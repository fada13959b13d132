"""The pairs of a request on their way: a task, the slices of it, and shards that workers get."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from dataclasses import dataclass

from tokalign.codec import RequestOptions
from tokalign.server.answers import too_large
from tokalign.server.observe import tracing
from tokalign.server.workers import frames

# Of what is kept of a request, most of which may not be sent: a ranking's best candidates.
MAX_ANSWER_BYTES = 32 << 20


class Task:
    """The pairs of one request, from the queue to the last answer.

    Parameters
    ----------
    options : RequestOptions
    pairs : sequence of bytes
        Serialised tokalign.v1.Pair messages, at least one.
    shared : bytes
        The serialised Pair.target of all pairs, which then hold none themselves.
    deadline : float or None
        By time.monotonic; what has not started by then is dropped.
    costs : sequence of int, optional
        Of the pairs, each at least 1; by default 1 each.
    max_answer_bytes : int
        Of all answers together.

    Attributes
    ----------
    future : asyncio.Future of list of frames.Answer
        In the order of `pairs`. Cancel it to drop what has not started. LimitError where the
        answers are larger together than they may be.
    cost, waiting_cost : int
        Of all pairs, and of those that have not been handed to a worker.
    queued_at, turn_at : float
        When it came, and when its present turn in the queue began, by time.monotonic.
    place : int
        In the queue; the least is served next.
    credit : int
        What its turns were worth that its next pair was too heavy for.
    trace : tracing.CallTrace or None
        Of the call that made the task, where it is traced.
    """

    __slots__ = (
        "_answers",
        "_missing",
        "_n_bytes",
        "cost",
        "costs",
        "credit",
        "deadline",
        "future",
        "max_answer_bytes",
        "next",
        "options",
        "pairs",
        "place",
        "queued_at",
        "shared",
        "trace",
        "turn_at",
        "waiting_cost",
    )

    def __init__(
        self,
        options: RequestOptions,
        pairs: Sequence[bytes],
        deadline: float | None,
        shared: bytes = b"",
        costs: Sequence[int] | None = None,
        max_answer_bytes: int = MAX_ANSWER_BYTES,
    ) -> None:
        self.options = options
        self.max_answer_bytes = max_answer_bytes
        self.pairs = pairs
        self.shared = shared
        self.deadline = deadline
        self.costs = costs or (1,) * len(pairs)
        self.cost = self.waiting_cost = sum(self.costs)
        self.place = self.credit = 0
        self.queued_at = self.turn_at = time.monotonic()
        self.trace = tracing.current()
        self.next = 0
        self.future: asyncio.Future[list[frames.Answer]] = (
            asyncio.get_running_loop().create_future()
        )
        self._answers: list[frames.Answer | None] = [None] * len(pairs)
        self._missing = len(pairs)
        self._n_bytes = 0

    @property
    def waiting(self) -> int:
        """Number of pairs that have not been handed to a worker."""
        return len(self.pairs) - self.next

    def take(self, room: int) -> Slice:
        """Return the next pairs that cost at most `room` together, or the next one alone."""
        start, cost = self.next, self.costs[self.next]
        self.next += 1
        while self.next < len(self.pairs) and cost + self.costs[self.next] <= room:
            cost += self.costs[self.next]
            self.next += 1
        self.waiting_cost -= cost
        return Slice(self, start, self.next)

    def fill(self, start: int, answers: Sequence[frames.Answer]) -> None:
        """Take the answers of the pairs from `start` on; the last ones complete the future."""
        if self.future.done():
            return  # nobody waits for them
        self._answers[start : start + len(answers)] = answers
        self._missing -= len(answers)
        self._n_bytes += sum([len(answer.alignment) for answer in answers])
        if self._n_bytes > self.max_answer_bytes:
            self._answers.clear()
            self.future.set_exception(too_large(self.max_answer_bytes))
        elif self._missing == 0:
            self.future.set_result([answer for answer in self._answers if answer is not None])


class Slice:
    """Consecutive pairs of one task.

    Attributes
    ----------
    task : Task
    start, stop : int
    cost : int
        What its pairs cost.
    """

    __slots__ = ("cost", "start", "stop", "task")

    def __init__(self, task: Task, start: int, stop: int) -> None:
        self.task = task
        self.start = start
        self.stop = stop
        self.cost = sum(task.costs[start:stop])

    def __len__(self) -> int:
        return self.stop - self.start


@dataclass(slots=True)
class Shard:
    """What one worker is given at a time.

    Attributes
    ----------
    slices : list of Slice
    deaths : int
        Workers that died on it.
    given_at : float
        When a worker got it, by time.monotonic.
    """

    slices: list[Slice]
    deaths: int = 0
    given_at: float = 0.0

    def __len__(self) -> int:
        return sum([part.stop - part.start for part in self.slices])

    @property
    def cost(self) -> int:
        """What its pairs cost."""
        return sum([part.cost for part in self.slices])

    def job(self) -> frames.ShardJob:
        """Return the shard as it goes to a worker: neighbours with equal options are one run."""
        runs: list[tuple[RequestOptions, bytes, list[bytes]]] = []
        for part in self.slices:
            task = part.task
            if not runs or runs[-1][:2] != (task.options, task.shared):
                runs.append((task.options, task.shared, []))
            runs[-1][2].extend(task.pairs[part.start : part.stop])
        return frames.ShardJob(
            tuple([frames.Run(options, shared, tuple(pairs)) for options, shared, pairs in runs])
        )

    def is_wanted(self) -> bool:
        """Return whether anyone still waits for an answer."""
        return not all(part.task.future.done() for part in self.slices)

    def fill(self, answers: Sequence[frames.Answer]) -> None:
        """Hand the answers to the tasks."""
        position = 0
        for part in self.slices:
            end = position + part.stop - part.start
            part.task.fill(part.start, answers[position:end])
            position = end

    def halves(self) -> tuple[Shard, Shard]:
        """Return two shards with the first and the second half of the pairs."""
        size, first, second = len(self) // 2, [], []
        for part in self.slices:
            cut = min(max(part.start + size, part.start), part.stop)
            size -= cut - part.start
            if cut > part.start:
                first.append(Slice(part.task, part.start, cut))
            if cut < part.stop:
                second.append(Slice(part.task, cut, part.stop))
        return Shard(first, self.deaths), Shard(second, self.deaths)
