"""The queue between calls and workers: fair between requests, without idle waiting.

A request's pairs wait as one Task. A worker that is free takes the next shard at once: either a
part of one large task, which then goes to the end of the queue, or several small tasks whole (those
that cost no more than a shard). So single calls are batched together when they pile up. Where small
and large tasks wait, they are served alternately, and a single call waits for one shard of a large
task at most, however many of those there are.

Shards are bounded by cost (see server/cost.py). A *heavy* pair costs more than the bound, so it is
a shard of its own; it waits until its task has had as many turns as pairs of its cost would take
(deficit round robin: Shreedhar and Varghese 1995), unless nothing else waits.
"""

from __future__ import annotations

import asyncio
import itertools
import math
import time
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass

from tokalign.codec import RequestOptions
from tokalign.server.answers import too_large
from tokalign.server.observe import tracing
from tokalign.server.status import ExpiredError
from tokalign.server.workers import frames

# For so long after the last small task, large ones leave room for another.
SMALL_S = 10.0
SHARE = 4

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
        self._n_bytes += sum(len(answer.alignment) for answer in answers)
        if self._n_bytes > self.max_answer_bytes:
            self._answers.clear()
            self.future.set_exception(too_large(self.max_answer_bytes))
        elif self._missing == 0:
            self.future.set_result([answer for answer in self._answers if answer is not None])


@dataclass(frozen=True, slots=True)
class Slice:
    """Consecutive pairs of one task."""

    task: Task
    start: int
    stop: int

    def __len__(self) -> int:
        return self.stop - self.start

    @property
    def cost(self) -> int:
        """What its pairs cost."""
        return sum(self.task.costs[self.start : self.stop])


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

    @property
    def cost(self) -> int:
        """What its pairs cost."""
        return sum(part.cost for part in self.slices)

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


def even_share(cost: int, n_workers: int, bound: int) -> int:
    """Return what a shard costs where workers share work evenly, in as few turns as can be.

    Parameters
    ----------
    cost : int
        Of all of the work.
    n_workers : int
        At least 1.
    bound : int
        The most that a shard may cost, at least 1.

    Examples
    --------
    >>> even_share(100, 2, 32)  # not 32, 32 and 36 more for one of them
    25
    """
    n_turns = math.ceil(cost / (n_workers * bound))
    return max(1, math.ceil(cost / (n_workers * max(1, n_turns))))


class FairQueue:
    """Tasks that wait for workers, served in turn.

    Parameters
    ----------
    bound : int
        Cost above which a pair is heavy, and what a turn is worth.

    Attributes
    ----------
    waiting, waiting_cost : int
        Pairs that no worker has been given, and what they cost.
    """

    def __init__(self, bound: int) -> None:
        self.waiting = self.waiting_cost = 0
        self._small_at = -math.inf
        self._bound = bound
        self._small: deque[Task] = deque()
        # The large ones by the weight of their next pair. Places tell how the two are one queue.
        self._light: deque[Task] = deque()
        self._heavy: deque[Task] = deque()
        self._places = itertools.count()
        self._n_large = 0
        self._is_small_next = True

    def push(self, task: Task) -> None:
        """Add a task at the end."""
        self._n_large += len(task.pairs) > 1
        self.waiting += task.waiting
        self.waiting_cost += task.waiting_cost
        if task.cost <= self._bound:
            self._small_at = time.monotonic()
        self._to_end(task)

    def _is_heavy(self, task: Task) -> bool:
        """Return whether a task's next pair costs more than a turn is worth."""
        return task.costs[task.next] > self._bound

    def expects_small(self) -> bool:
        """Return whether a small task has come lately."""
        return time.monotonic() - self._small_at <= SMALL_S

    def wait_s(self, is_heavy: bool = False) -> float:
        """Return how long the task ahead of a new one has waited for its turn, 0 without one.

        A new small task will wait about as long: large tasks in between take turns, and theirs
        begin anew with each shard. What nobody waits for any more does not count, and heavy pairs
        count for heavy ones alone.
        """
        heads = [self._head(self._small), self._head(self._light)]
        if is_heavy:
            heads.append(self._head(self._heavy))
        now = time.monotonic()
        return max((now - task.turn_at for task in heads if task is not None), default=0.0)

    def is_pressing(self, cost: int, age_s: float) -> bool:
        """Return whether more waits than some single calls of a moment ago.

        That is a task of several pairs or a heavy one, or `cost` in all, or one that is `age_s`
        old.
        """
        if self._n_large or self._heavy or self.waiting_cost >= cost:
            return True
        return bool(self._small) and time.monotonic() - self._small[0].queued_at >= age_s

    def take(self, size: int, takes_heavy: bool = True) -> Shard | None:
        """Return the next shard, or None where nothing is wanted.

        Cancelled tasks are dropped, expired ones get an ExpiredError.

        Parameters
        ----------
        size : int
            Most that it costs, unless it is a single pair. Of a large task it is a quarter of a
            turn at most where small ones are expected.
        takes_heavy : bool
            Whether it may be a heavy pair; else such are passed over.
        """
        if not (self._is_small_next and self._small):
            large = self._next_large(takes_heavy)
            if large is not None:
                self._is_small_next = True
                large.credit = 0
                (self._heavy if self._is_heavy(large) else self._light).popleft()
                if self.expects_small():
                    size = min(size, max(1, self._bound // SHARE))
                return Shard([self._part(large, size)])
        self._is_small_next = False
        return self._take_small(size)

    def _take_small(self, size: int) -> Shard | None:
        """Return a shard of small tasks, whole ones but for the first, or None."""
        slices: list[Slice] = []
        room = size
        while (task := self._head(self._small)) is not None:
            if slices and task.waiting_cost > room:
                break
            self._small.popleft()
            slices.append(self._part(task, room))
            room -= slices[-1].cost
            if task.waiting:
                break
        return Shard(slices) if slices else None

    def _next_large(self, takes_heavy: bool) -> Task | None:
        """Return the large task whose turn it is, or None where it is the small ones'.

        A heavy one that lacks credit goes to the end.
        """
        while True:
            light, heavy = self._head(self._light), self._head(self._heavy)
            if heavy is None or not takes_heavy:
                return light
            if light is not None and light.place < heavy.place:
                return light
            heavy.credit += self._bound
            is_alone = light is None and len(self._heavy) == 1 and not self._small
            if is_alone or heavy.credit >= heavy.costs[heavy.next]:
                return heavy
            self._heavy.popleft()
            self._to_end(heavy)
            if self._small:
                return None

    def _part(self, task: Task, room: int) -> Slice:
        """Take a part of a task that is in no deque; what remains goes to the end."""
        part = task.take(room)
        self.waiting -= len(part)
        self.waiting_cost -= part.cost
        if task.waiting:
            task.turn_at = time.monotonic()
            self._to_end(task)
        else:
            self._n_large -= len(task.pairs) > 1
        return part

    def _to_end(self, task: Task) -> None:
        task.place = next(self._places)
        if task.cost <= self._bound:
            self._small.append(task)
        else:
            (self._heavy if self._is_heavy(task) else self._light).append(task)

    def _head(self, tasks: deque[Task]) -> Task | None:
        """Return the first task that is still wanted, and drop those before it."""
        while tasks:
            task = tasks[0]
            if not task.future.done():
                if task.deadline is None or time.monotonic() < task.deadline:
                    return task
                task.future.set_exception(
                    ExpiredError(
                        f"the deadline passed with {task.waiting} of {len(task.pairs)} pairs not "
                        "started; allow more time or send fewer pairs"
                    )
                )
            tasks.popleft()
            self._n_large -= len(task.pairs) > 1
            self.waiting -= task.waiting
            self.waiting_cost -= task.waiting_cost
        return None
