"""The queue between calls and workers: fair between requests, without idle waiting.

A request's pairs wait as one Task. A worker that is free takes the next shard at once: either a
part of one large task, which then goes to the end of the queue, or several small tasks whole.
So single calls are batched together when they pile up, and wait for at most one shard of each
large task ahead of them.
"""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass

from tokalign.codec import RequestOptions
from tokalign.server.observe import tracing
from tokalign.server.status import ExpiredError
from tokalign.server.workers import frames


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

    Attributes
    ----------
    future : asyncio.Future of list of frames.Answer
        In the order of `pairs`. Cancel it to drop what has not started.
    queued_at, turn_at : float
        When it came, and when its present turn in the queue began, by time.monotonic.
    trace : tracing.CallTrace or None
        Of the call that made the task, where it is traced.
    """

    __slots__ = (
        "_answers",
        "_missing",
        "deadline",
        "future",
        "next",
        "options",
        "pairs",
        "queued_at",
        "shared",
        "trace",
        "turn_at",
    )

    def __init__(
        self,
        options: RequestOptions,
        pairs: Sequence[bytes],
        deadline: float | None,
        shared: bytes = b"",
    ) -> None:
        self.options = options
        self.pairs = pairs
        self.shared = shared
        self.deadline = deadline
        self.queued_at = self.turn_at = time.monotonic()
        self.trace = tracing.current()
        self.next = 0
        self.future: asyncio.Future[list[frames.Answer]] = (
            asyncio.get_running_loop().create_future()
        )
        self._answers: list[frames.Answer | None] = [None] * len(pairs)
        self._missing = len(pairs)

    @property
    def waiting(self) -> int:
        """Number of pairs that have not been handed to a worker."""
        return len(self.pairs) - self.next

    def fill(self, start: int, answers: Sequence[frames.Answer]) -> None:
        """Take the answers of the pairs from `start` on; the last ones complete the future."""
        self._answers[start : start + len(answers)] = answers
        self._missing -= len(answers)
        if self._missing == 0 and not self.future.done():
            self.future.set_result([answer for answer in self._answers if answer is not None])


@dataclass(frozen=True, slots=True)
class Slice:
    """Consecutive pairs of one task."""

    task: Task
    start: int
    stop: int

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
        return sum(len(part) for part in self.slices)

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
            part.task.fill(part.start, answers[position : position + len(part)])
            position += len(part)

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


class FairQueue:
    """Tasks that wait for workers, served in turn."""

    def __init__(self) -> None:
        self._tasks: deque[Task] = deque()
        self._n_large = 0
        self.waiting = 0

    def push(self, task: Task) -> None:
        """Add a task at the end."""
        self._tasks.append(task)
        self._n_large += len(task.pairs) > 1
        self.waiting += task.waiting

    def wait_s(self) -> float:
        """Return how long the head of the queue has waited for its turn, 0 where there is none.

        A new small task will wait about as long: large tasks in between take turns, and theirs
        begin anew with each shard. What nobody waits for any more does not count.
        """
        while self._tasks and self._drop_unwanted(self._tasks[0]):
            pass
        return time.monotonic() - self._tasks[0].turn_at if self._tasks else 0.0

    def is_pressing(self, n_pairs: int, age_s: float) -> bool:
        """Return whether more waits than some single calls of a moment ago.

        That is a task of several pairs, or `n_pairs` in all, or one that is `age_s` old.
        """
        if self._n_large or self.waiting >= n_pairs:
            return True
        return bool(self._tasks) and time.monotonic() - self._tasks[0].queued_at >= age_s

    def take(self, size: int) -> Shard | None:
        """Return the next shard of at most `size` pairs, or None where nothing is wanted.

        Cancelled tasks are dropped, expired ones get an ExpiredError.
        """
        slices: list[Slice] = []
        room = size
        while self._tasks and room:
            task = self._tasks[0]
            if self._drop_unwanted(task):
                continue
            if slices and task.waiting > room:
                break
            part = Slice(task, task.next, min(task.next + room, len(task.pairs)))
            task.next = part.stop
            self.waiting -= len(part)
            room -= len(part)
            slices.append(part)
            self._tasks.popleft()
            if task.waiting:
                task.turn_at = time.monotonic()
                self._tasks.append(task)
                break
            self._n_large -= len(task.pairs) > 1
        return Shard(slices) if slices else None

    def _drop_unwanted(self, task: Task) -> bool:
        if not task.future.done():
            if task.deadline is None or time.monotonic() < task.deadline:
                return False
            task.future.set_exception(
                ExpiredError(
                    f"the deadline passed with {task.waiting} of {len(task.pairs)} pairs not "
                    "started; allow more time or send fewer pairs"
                )
            )
        self._tasks.popleft()
        self._n_large -= len(task.pairs) > 1
        self.waiting -= task.waiting
        return True
