"""The queue between calls and workers: callers have equal shares, without idle waiting.

The caller is served next that was given least, whether one has hundreds of tasks and another a
single one. A caller that begins to wait is given no credit for its silence (start-time fair
queueing: Goyal et al. 1996). Of a caller's tasks the one that is due first is served first.

A request waits as one Task. It is *due* at its deadline, or PATIENCE_S after it came and the time
that its own work takes, if that is sooner: so a request without a deadline is served before one
that came much later, and a large one does not keep small ones waiting (earliest deadline first: Liu
and Layland 1973).

A free worker takes the next shard at once. That is either a part of one large task, or several
interactive tasks together. So single calls are batched when they pile up. Where interactive and
large tasks wait, each kind gets half of the work: a single call waits for at most one shard of a
large task, however many large tasks there are.

Shards are bounded by cost (see server/requests/cost.py). A *heavy* pair costs more than the bound,
so it is a shard of its own. It waits until as much other work has been handed out as it costs
(deficit round robin: Shreedhar and Varghese 1995), unless nothing else waits.

What cannot end before its deadline any more is dropped as soon as it is met.
"""

from __future__ import annotations

import heapq
import itertools
import math
import time
from collections.abc import Callable

from tokalign.server.requests.cost import UNIT_US
from tokalign.server.requests.request import Request
from tokalign.server.status import ExpiredError
from tokalign.server.workers.shards import Shard, Slice, Task

# For so many seconds after the last interactive task, large tasks leave room for another: their
# shards are a quarter of the bound. Otherwise they are up to four times the bound, because each
# shard costs the event loop and the worker something beside its pairs.
SMALL_S = 10.0
SHARE = 4
BULK = 4
# As long as people wait before a page without asking what is wrong.
PATIENCE_S = 2.0
# What is begun should end so long before its deadline, and at most with such a share of its time
# left, because its answer has a way to go as well: under overload all tasks are begun late.
SPARE_S = 0.1
SPARE = 0.15
# Work is counted by when it is due in such steps, because thousands of calls may wait.
DUE_STEP_S = 0.05


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


def due_at(now: float, deadline: float | None, cost: int, cost_per_s: float) -> float:
    """Return when a task that comes now is due."""
    due = now + PATIENCE_S + cost / cost_per_s
    return due if deadline is None else min(due, deadline)


class _Caller:
    """The tasks of one caller that wait in a line, the one that is due first ahead.

    Attributes
    ----------
    cost : int
        Of the pairs that no worker has been given.
    served : int
        Cost that was handed out to the caller. One that begins to wait counts as having had what
        the one had whose turn was the last.
    heap : list of (float, int, Task)
        When each is due, and its number.
    """

    __slots__ = ("_cost_by_due", "cost", "heap", "served")

    def __init__(self, served: int) -> None:
        self.cost = 0
        self.served = served
        self.heap: list[tuple[float, int, Task]] = []
        self._cost_by_due: dict[int, int] = {}  # in steps of DUE_STEP_S

    def push(self, task: Task, number: int) -> None:
        """Add a task; of tasks that are due at once the one with the least number is ahead."""
        self._count(task, task.waiting_cost)
        heapq.heappush(self.heap, (task.due, number, task))

    def pop(self) -> Task:
        """Remove the task that is due first, and return it."""
        task = heapq.heappop(self.heap)[2]
        self._count(task, -task.waiting_cost)
        return task

    def _count(self, task: Task, cost: int) -> None:
        self.cost += cost
        step = int(task.due / DUE_STEP_S)
        if total := self._cost_by_due.get(step, 0) + cost:
            self._cost_by_due[step] = total
        else:
            self._cost_by_due.pop(step, None)

    def cost_before(self, due: float) -> int:
        """Return about what the tasks cost that are due no later."""
        last = int(due / DUE_STEP_S)
        return sum([cost for step, cost in self._cost_by_due.items() if step <= last])

    def oldest_at(self) -> float:
        """Return when the first of the tasks came; infinity without one."""
        return min([task.queued_at for _, _, task in self.heap], default=math.inf)


class _Line:
    """Tasks of one kind that wait: ahead is the caller that was given least.

    Attributes
    ----------
    n_tasks : int
    """

    def __init__(self) -> None:
        self.n_tasks = 0
        self._callers: dict[str, _Caller] = {}
        # Every caller once, by what it was given. One without tasks stays until its turn comes;
        # else it would be ahead of the others again whenever it comes back.
        self._turns: list[tuple[int, int, str]] = []
        self._served = 0  # what the caller had been given whose turn was the last
        self._numbers = itertools.count()

    def push(self, task: Task) -> None:
        """Add a task; of a caller's tasks that are due at once the first to come is ahead."""
        name = task.call.principal
        caller = self._callers.get(name)
        if caller is None:
            caller = self._callers[name] = _Caller(self._served)
            heapq.heappush(self._turns, (self._served, next(self._numbers), name))
        caller.push(task, next(self._numbers))
        self.n_tasks += 1

    def head(self) -> Task | None:
        """Return the task whose turn it is, or None."""
        while self._turns:
            served, _, name = self._turns[0]
            if heap := self._callers[name].heap:
                return heap[0][2]
            heapq.heappop(self._turns)
            del self._callers[name]
            self._served = served
        return None

    def pop(self) -> Task:
        """Remove the task whose turn it is, which head() has found, and return it."""
        task = self._callers[self._turns[0][2]].pop()
        self.n_tasks -= 1
        return task

    def charge(self, cost: int) -> None:
        """Note what the caller was given whose turn it was; the turn is the next one's then."""
        self._served, _, name = self._turns[0]
        self._callers[name].served += cost
        turn = self._callers[name].served, next(self._numbers), name
        heapq.heapreplace(self._turns, turn)

    def cost_before(self, name: str, due: float, cost: int = 0) -> int:
        """Return about what is handed out before the last `cost` of a caller's new task are.

        That is the caller's own work that is due no later, and what the others have until then:
        as much as the caller, or all that they want.
        """
        caller = self._callers.get(name)
        own = 0 if caller is None else caller.cost_before(due)
        until = (self._served if caller is None else caller.served) + own + cost
        others = [
            min(each.cost, until - each.served)
            for each in self._callers.values()
            if each is not caller and each.served < until
        ]
        return own + sum(others)

    def oldest_at(self) -> float:
        """Return when the first of the tasks came; infinity without one."""
        return min([each.oldest_at() for each in self._callers.values()], default=math.inf)


class FairQueue:
    """Tasks that wait for workers.

    Parameters
    ----------
    bound : int
        Cost above which a pair is heavy, and that a shard of small tasks has at most.
    cost_per_s : callable returning float
        Work that all workers do in a second.

    Attributes
    ----------
    waiting, waiting_cost : int
        Pairs that no worker has been given, and what they cost.
    """

    def __init__(self, bound: int, cost_per_s: Callable[[], float] = lambda: 1e6 / UNIT_US) -> None:
        self.waiting = self.waiting_cost = 0
        self._cost_per_s = cost_per_s
        self._small_at = -math.inf
        self._bound = bound
        self._small, self._light, self._heavy = _Line(), _Line(), _Line()
        self._credit = 0  # work handed out since the last heavy pair
        self._n_several = 0  # tasks of several pairs
        # Work handed out of both kinds. A kind that begins to wait is given what the other has had.
        self._small_done = self._large_done = 0

    def push(self, task: Task) -> None:
        """Add a task."""
        task.due = due_at(task.queued_at, task.deadline, task.cost, self._cost_per_s())
        self._n_several += task.has_several
        self.waiting += task.waiting
        self.waiting_cost += task.waiting_cost
        if not self._heavy.n_tasks:
            self._credit = 0
        if task.is_interactive:
            self._small_at = task.queued_at
        line = self._line_of(task)
        if line is self._small:
            if not line.n_tasks:
                self._small_done = max(self._small_done, self._large_done)
        elif not (self._light.n_tasks or self._heavy.n_tasks):
            self._large_done = max(self._large_done, self._small_done)
        line.push(task)

    def _line_of(self, task: Task) -> _Line:
        if task.next_cost > self._bound:
            return self._heavy
        return self._small if task.is_interactive else self._light

    def expects_small(self) -> bool:
        """Return whether an interactive task came within the last SMALL_S seconds."""
        return time.monotonic() - self._small_at <= SMALL_S

    def wait_s(
        self, request: Request, deadline: float | None, running: int, caller: str = ""
    ) -> float:
        """Return about how long the workers will take for what is served before a new request.

        Parameters
        ----------
        deadline : float or None
            By time.monotonic.
        running : int
            What the shards cost that workers have.
        caller : str
            Whose request it is.
        """
        # Of what runs half is done on average.
        before = self._cost_before(request, deadline, caller, 0)
        return (before + running / 2) / self._cost_per_s()

    def beside_s(self, request: Request, deadline: float | None, caller: str) -> float:
        """Return about how long they will work for other callers while the request is served."""
        before, until_end = (
            self._cost_before(request, deadline, caller, cost) for cost in (0, sum(request.costs))
        )
        return (until_end - before) / self._cost_per_s()

    def _cost_before(self, request: Request, deadline: float | None, caller: str, cost: int) -> int:
        """Return about what is handed out before the last `cost` of a new request are."""
        if not self.waiting:
            return 0  # asked three times for each call
        due = due_at(time.monotonic(), deadline, sum(request.costs), self._cost_per_s())
        if request.is_interactive:
            own = self._small.cost_before(caller, due, cost)
            shares = bool(self._light.n_tasks or self._heavy.n_tasks)
        else:
            lines = self._light, self._heavy
            own = sum([line.cost_before(caller, due, cost) for line in lines])
            shares = self.expects_small()
        # Where both kinds wait each gets half.
        return 2 * own if shares else own

    def is_pressing(self, cost: int) -> bool:
        """Return whether more than a few single calls wait.

        That is a task of several pairs, or a heavy one, or `cost` in all.
        """
        return bool(self._n_several or self._heavy.n_tasks) or self.waiting_cost >= cost

    def age_s(self) -> float:
        """Return how long the first interactive task has waited; 0 without one."""
        return max(0.0, time.monotonic() - self._small.oldest_at())

    def even(self, n_idle: int, n_workers: int) -> int:
        """Return the cost of the next shard if the idle workers share what waits.

        While no interactive task is expected, that is one worker's share of what waits, between the
        bound and BULK times the bound. So the last shards are small, and the workers end together.
        """
        bound, cost = self._bound, self.waiting_cost
        if not self.expects_small():
            bound = min(max(bound, math.ceil(cost / n_workers)), BULK * bound)
        return even_share(cost, n_idle, bound)

    def take(self, size: int, takes_heavy: bool = True) -> Shard | None:
        """Return the next shard, or None if no task is left that may be taken.

        Cancelled tasks are dropped, and those that are too late get an ExpiredError.

        Parameters
        ----------
        size : int
            Most that it costs, unless it is a single pair; see `even`. A shard of a large task
            costs at most a quarter of the bound while interactive ones are expected.
        takes_heavy : bool
            Whether it may be a heavy pair. Otherwise heavy pairs are passed over.
        """
        small = self._head(self._small)
        if small is None or self._small_done > self._large_done:
            line = self._next_large(takes_heavy)
            if line is not None:
                if self.expects_small():
                    size = min(size, max(1, self._bound // SHARE))
                part = self._part(line, size)
                self._large_done += part.cost
                self._credit = 0 if line is self._heavy else self._credit + part.cost
                return Shard([part])
        shard = self._take_small(size)
        if shard is not None:
            self._small_done += shard.cost
            self._credit += shard.cost
        return shard

    def _take_small(self, size: int) -> Shard | None:
        """Return a shard of interactive tasks, or None. Only the first of them may be a part."""
        slices: list[Slice] = []
        room = size
        while (task := self._head(self._small)) is not None:
            if slices and task.waiting_cost > room:
                break
            slices.append(self._part(self._small, room))
            room -= slices[-1].cost
            if task.waiting:
                break
        return Shard(slices) if slices else None

    def _next_large(self, takes_heavy: bool) -> _Line | None:
        """Return the line with the large task whose turn it is, or None."""
        light, heavy = self._head(self._light), self._head(self._heavy)
        if heavy is None or not takes_heavy:
            return None if light is None else self._light
        is_alone = light is None and not self._small.n_tasks
        is_first = light is None or heavy.due <= light.due
        if is_alone or (is_first and self._credit >= heavy.next_cost):
            return self._heavy
        return None if light is None else self._light

    def _part(self, line: _Line, room: int) -> Slice:
        """Take a part of the first task of a line; its rest is due when the task was."""
        task = line.pop()
        part = task.take(room)
        line.charge(part.cost)
        self.waiting -= len(part)
        self.waiting_cost -= part.cost
        if task.waiting:
            self._line_of(task).push(task)
        else:
            self._n_several -= task.has_several
        return part

    def _head(self, line: _Line) -> Task | None:
        """Return the first task that is still wanted and in time, and drop those before it."""
        while (task := line.head()) is not None:
            if not task.future.done():
                if not self._is_late(task):
                    return task
                task.future.set_exception(
                    ExpiredError(
                        f"the deadline came too near with {task.waiting} of {len(task)} pairs not "
                        "started; allow more time or send fewer pairs"
                    )
                )
            line.pop()
            self._n_several -= task.has_several
            self.waiting -= task.waiting
            self.waiting_cost -= task.waiting_cost
        return None

    def _is_late(self, task: Task) -> bool:
        """Return whether a task ends too late, whoever works on it; see SPARE_S."""
        if task.deadline is None:
            return False
        ends_at = time.monotonic() + task.waiting_cost / self._cost_per_s()
        spare_s = 0.0 if task.next else min(SPARE_S, SPARE * (task.deadline - task.queued_at))
        return ends_at >= task.deadline - spare_s
