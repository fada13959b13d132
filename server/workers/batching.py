"""The queue between calls and workers: fair between requests, without idle waiting.

A request waits as one Task. A free worker takes the next shard at once. That is either a part of
one large task, which then goes to the end of the queue, or several small tasks as a whole (tasks
that cost no more than a shard). So single calls are batched when they pile up. Where small and
large tasks wait, they are served in alternation: a single call waits for at most one shard of a
large task, however many large tasks there are.

Shards are bounded by cost (see server/requests/cost.py). A *heavy* pair costs more than the bound,
so it is a shard of its own. It waits until its task has had as many turns as usual pairs of the
same cost would take (deficit round robin: Shreedhar and Varghese 1995), unless nothing else waits.
"""

from __future__ import annotations

import itertools
import math
import time
from collections import deque

from tokalign.server.status import ExpiredError
from tokalign.server.workers.shards import Shard, Slice, Task

# For so many seconds after the last small task, large tasks leave room for another: their shards
# are a quarter of the bound. Otherwise they are up to four times the bound, because each shard
# costs the event loop and the worker something beside its pairs.
SMALL_S = 10.0
SHARE = 4
BULK = 4


def even_share(cost: int, n_workers: int, bound: int) -> int:
    """Return the cost of a shard if workers share work evenly, in as few turns as possible.

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
        # Large tasks by the weight of their next pair. By their places the two are one queue.
        self._light: deque[Task] = deque()
        self._heavy: deque[Task] = deque()
        self._places = itertools.count()
        self._n_large = 0
        self._is_small_next = True

    def push(self, task: Task) -> None:
        """Add a task at the end."""
        self._n_large += len(task) > 1
        self.waiting += task.waiting
        self.waiting_cost += task.waiting_cost
        if task.cost <= self._bound:
            self._small_at = time.monotonic()
        self._to_end(task)

    def _is_heavy(self, task: Task) -> bool:
        """Return whether a task's next pair costs more than a turn is worth."""
        return task.next_cost > self._bound

    def expects_small(self) -> bool:
        """Return whether a small task came within the last SMALL_S seconds."""
        return time.monotonic() - self._small_at <= SMALL_S

    def wait_s(self, is_heavy: bool = False) -> float:
        """Return how long the task ahead of a new one has waited for its turn; 0 without one.

        A new small task will wait about as long: the large tasks before it take turns, and a new
        turn begins with each shard. Tasks that nobody waits for do not count, and heavy pairs count
        only for heavy ones.
        """
        if not self.waiting:
            return 0.0
        heads = [self._head(self._small), self._head(self._light)]
        if is_heavy:
            heads.append(self._head(self._heavy))
        now = time.monotonic()
        return max((now - task.turn_at for task in heads if task is not None), default=0.0)

    def is_pressing(self, cost: int) -> bool:
        """Return whether more than a few single calls wait.

        That is a task of several pairs, or a heavy one, or `cost` in all.
        """
        return bool(self._n_large or self._heavy) or self.waiting_cost >= cost

    def age_s(self) -> float:
        """Return how long the first of the small tasks has waited; 0 without one."""
        return time.monotonic() - self._small[0].queued_at if self._small else 0.0

    def even(self, n_idle: int, n_workers: int) -> int:
        """Return the cost of the next shard if the idle workers share what waits.

        While no small task is expected, that is one worker's share of what waits, between the bound
        and BULK times the bound. So the last shards are small, and the workers end together.
        """
        bound = self._bound
        if not self.expects_small():
            bound = min(max(bound, math.ceil(self.waiting_cost / n_workers)), BULK * bound)
        return even_share(self.waiting_cost, n_idle, bound)

    def take(self, size: int, takes_heavy: bool = True) -> Shard | None:
        """Return the next shard, or None if no task is left that may be taken.

        Cancelled tasks are dropped, and expired ones get an ExpiredError.

        Parameters
        ----------
        size : int
            Most that it costs, unless it is a single pair; see `even`. A shard of a large task
            costs at most a quarter of the bound while small ones are expected.
        takes_heavy : bool
            Whether it may be a heavy pair. Otherwise heavy pairs are passed over.
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
        """Return a shard of small tasks, or None. Only the first of them may be a part."""
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
        """Return the large task whose turn it is, or None if it is the turn of small ones.

        A heavy task that lacks credit goes to the end.
        """
        while True:
            light, heavy = self._head(self._light), self._head(self._heavy)
            if heavy is None or not takes_heavy:
                return light
            if light is not None and light.place < heavy.place:
                return light
            heavy.credit += self._bound
            is_alone = light is None and len(self._heavy) == 1 and not self._small
            if is_alone or heavy.credit >= heavy.next_cost:
                return heavy
            self._heavy.popleft()
            self._to_end(heavy)
            if self._small:
                return None

    def _part(self, task: Task, room: int) -> Slice:
        """Take a part of a task that is in no deque; its rest goes to the end."""
        part = task.take(room)
        self.waiting -= len(part)
        self.waiting_cost -= part.cost
        if task.waiting:
            task.turn_at = time.monotonic()
            self._to_end(task)
        else:
            self._n_large -= len(task) > 1
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
                        f"the deadline passed with {task.waiting} of {len(task)} pairs not "
                        "started; allow more time or send fewer pairs"
                    )
                )
            tasks.popleft()
            self._n_large -= len(task) > 1
            self.waiting -= task.waiting
            self.waiting_cost -= task.waiting_cost
        return None
