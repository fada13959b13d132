"""Worker processes: how they end, what happens to a batch whose process dies, and ordered results.

A batch whose process dies is given to another process once. If that one dies as well, the batch is
halved until single items are left; a single item that ended two processes is given up. The server
has a rule of its own, and shares the lifeline (`die_with`).
"""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Generator, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import islice
from queue import SimpleQueue
from typing import TYPE_CHECKING, Any, Generic, Protocol, Self, TypeVar

from tokalign.errors import WorkerError

if TYPE_CHECKING:
    from multiprocessing.connection import Connection
    from multiprocessing.context import SpawnProcess

if sys.platform != "win32":
    import fcntl

T = TypeVar("T")
R = TypeVar("R")
Start = Callable[[], Callable[[Sequence[T]], Sequence[R]]]

MAX_FAILED_STARTS = 3
"""Processes in a row that may die before they are ready."""
STOP_S = 10.0
"""Seconds that a process without work has to end by itself."""
HUNG_S = 300.0
"""Seconds after which a process that has not answered is ended as if it had died."""
LOOK_S = 1.0
"""Seconds between checks for processes that hang."""
AHEAD = 2
"""Batches that a process holds at a time, so that it need not wait for the parent to take one."""
_now = time.monotonic


class Halvable(Protocol):
    """Work that processes may die on."""

    deaths: int

    def __len__(self) -> int:
        """Return the number of items."""

    def halves(self) -> tuple[Self, Self]:
        """Return the first and the second half."""


HalvableT = TypeVar("HalvableT", bound=Halvable)


def after_death(work: HalvableT) -> list[HalvableT]:
    """Return the work to try after one more process died on `work`; empty to give it up."""
    work.deaths += 1
    if work.deaths == 1:
        return [work]
    if len(work) == 1:
        return []
    halves = list(work.halves())
    for half in halves:
        half.deaths = 1  # each may end one more process before it is halved again
    return halves


def die_with(lifeline: Connection) -> None:
    """Have the kernel end this process when the other end of a pipe closes.

    A signal ends even a process that hangs in compiled code, which a thread reading the pipe could
    not; SIGKILL ends even a stopped one. Systems that cannot choose the signal send SIGIO. Windows
    has no such signal: there a thread reads the pipe, and a process that hangs while it holds
    Python's lock does not end.

    `lifeline`: read end of a pipe that only the parent holds open for writing.
    """
    if sys.platform == "win32":
        threading.Thread(target=_exit_at_end, args=(lifeline,), daemon=True).start()
        return
    signal.signal(signal.SIGIO, signal.SIG_DFL)
    fcntl.fcntl(lifeline, fcntl.F_SETOWN, os.getpid())
    if hasattr(fcntl, "F_SETSIG"):
        fcntl.fcntl(lifeline, fcntl.F_SETSIG, signal.SIGKILL)
    flags = fcntl.fcntl(lifeline, fcntl.F_GETFL)
    fcntl.fcntl(lifeline, fcntl.F_SETFL, flags | os.O_ASYNC)


def n_processors() -> int:
    """Return how many processors this process may use."""
    if hasattr(os, "sched_getaffinity"):  # neither on macOS nor on Windows
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _exit_at_end(lifeline: Connection) -> None:
    with contextlib.suppress(EOFError, OSError):
        lifeline.recv_bytes()
    os._exit(1)


def map_batches(
    start: Start[T, R],
    items: Iterable[T],
    batch_size: int,
    n_processes: int,
    *,
    receive: Callable[[Any], Sequence[R]] = list,
) -> Generator[R | Exception]:
    """Yield the result of every item, computed by worker processes, in order; WorkerError for an
    item on which two processes died or hung.

    `start`: pickled, and called once in each process. Returns a function that takes a batch and
    returns a result per item. What either raises is raised here. `items`: read AHEAD batches ahead
    for each process. `receive`: turns an answer of a process into results.

    WorkerError is raised if MAX_FAILED_STARTS processes in a row die before they are ready.
    """
    pending = iter(items)
    batches: deque[_Batch[R]] = deque()  # in order, until they are yielded
    todo: deque[_Part[T, R]] = deque()
    has_more = True
    with _Processes(start, n_processes, receive) as processes:
        while True:
            while has_more and len(batches) < AHEAD * n_processes:
                taken = list(islice(pending, batch_size))
                has_more = bool(taken)
                if taken:
                    batches.append(_Batch([None] * len(taken), len(taken)))
                    todo.append(_Part(batches[-1], 0, taken))
            if not batches:
                return
            processes.work(todo)
            while batches and not batches[0].missing:
                yield from batches.popleft().results  # type: ignore[misc]  # all are filled


@dataclass(slots=True)
class _Batch(Generic[R]):
    """The results of a batch that have come so far."""

    results: list[R | Exception | None]
    missing: int


@dataclass(slots=True)
class _Part(Generic[T, R]):
    """Items of a batch, from `start` on."""

    batch: _Batch[R]
    start: int
    items: list[T]
    deaths: int = 0

    def __len__(self) -> int:
        return len(self.items)

    def halves(self) -> tuple[_Part[T, R], _Part[T, R]]:
        middle = len(self) // 2
        return (
            _Part(self.batch, self.start, self.items[:middle]),
            _Part(self.batch, self.start + middle, self.items[middle:]),
        )

    def fill(self, results: Sequence[R | Exception]) -> None:
        self.batch.results[self.start : self.start + len(self)] = results
        self.batch.missing -= len(self)


@dataclass(slots=True)
class _Process(Generic[T, R]):
    process: SpawnProcess
    pipe: Connection
    lifeline: Connection
    silent_since: float
    receive: Callable[[Any], Sequence[R]]
    is_ready: bool = False
    parts: deque[_Part[T, R]] = field(default_factory=deque)

    def is_hung(self) -> bool:
        """Whether the process has owed an answer for longer than HUNG_S."""
        return self.is_awaited() and _now() - self.silent_since > HUNG_S

    def is_awaited(self) -> bool:
        """Whether a message of the process is due: an answer, or that it is ready."""
        return bool(self.parts) or not self.is_ready

    def give(self, part: _Part[T, R]) -> None:
        """Send a part, which is answered after those that were sent before."""
        if not self.parts:
            self.silent_since = _now()
        self.parts.append(part)
        with contextlib.suppress(OSError):  # of one that has died, which is seen later
            self.pipe.send(part.items)

    def take(self, answer: Any) -> None:
        """Take a message of the process: that it is ready, or its answer to the first part."""
        self.silent_since = _now()
        if self.parts:
            self.parts.popleft().fill(self.receive(answer))
        self.is_ready = True

    def end(self) -> None:
        self.process.kill()
        self.process.join()
        self.pipe.close()
        self.lifeline.close()


@dataclass(slots=True)
class _Processes(Generic[T, R]):
    """A fixed number of processes; those that die are replaced."""

    start: Start[T, R]
    n: int
    receive: Callable[[Any], Sequence[R]]
    running: list[_Process[T, R]] = field(default_factory=list)
    failed_starts: int = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        for each in self.running:
            each.pipe.close()  # which an idle process takes for the end
        for each in self.running:
            if error[0] is None and not each.parts:
                each.process.join(STOP_S)
            each.end()

    def work(self, todo: deque[_Part[T, R]]) -> None:
        """Give idle processes their work; take messages, and note processes that died."""
        from multiprocessing.connection import wait

        n_busy = sum(bool(each.parts) for each in self.running)
        while len(self.running) < min(self.n, len(todo) + n_busy):
            self._spawn()
        for n_given in range(AHEAD):
            for each in self.running:
                if each.is_ready and len(each.parts) == n_given and todo:
                    each.give(todo.popleft())
        awaited = {each.pipe: each for each in self.running if each.is_awaited()}
        for pipe in wait(list(awaited), LOOK_S):
            each = awaited[pipe]  # type: ignore[index]
            try:
                message = each.pipe.recv()
            except (EOFError, OSError):
                self._bury(each, todo)
                continue
            if isinstance(message, Exception):
                raise message
            each.take(message)
            self.failed_starts = 0
        for each in [each for each in self.running if each.is_hung()]:
            each.process.kill()
            self._bury(each, todo, f"had not answered after {_now() - each.silent_since:.0f} s")

    def _spawn(self) -> None:
        from multiprocessing import get_context

        context = get_context("spawn")
        pipe, theirs = context.Pipe()
        lifeline, writer = context.Pipe(duplex=False)
        process = context.Process(target=_run, args=(theirs, lifeline, self.start), daemon=True)
        process.start()
        theirs.close()
        lifeline.close()
        self.running.append(_Process(process, pipe, writer, _now(), self.receive))

    def _bury(self, dead: _Process[T, R], todo: deque[_Part[T, R]], how: str = "") -> None:
        self.running.remove(dead)
        dead.process.join(STOP_S)  # so that its own exit code is seen
        dead.end()
        code = dead.process.exitcode
        how = how or f"ended with exit code {code}; is there enough memory?"
        if not dead.is_ready:
            self.failed_starts += 1
            if self.failed_starts >= MAX_FAILED_STARTS:
                raise WorkerError(
                    f"{self.failed_starts} worker processes in a row ended before they were ready "
                    f"(the last {how}); does the script start its work below "
                    "if __name__ == '__main__'?"
                )
            return
        blamed, *waiting = dead.parts
        parts = after_death(blamed)
        todo.extendleft(reversed([*parts, *waiting]))
        if not parts:
            blamed.fill(
                [
                    WorkerError(
                        "two worker processes failed while they aligned this alone (the last "
                        f"{how})"
                    )
                ]
            )


def _run(pipe: Connection, lifeline: Connection, start: Start[Any, Any]) -> None:
    """Answer batches until the pipe closes; the main function of a process."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent decides
    die_with(lifeline)
    try:
        work = start()
        pipe.send(None)
        batches: SimpleQueue[Any] = SimpleQueue()
        threading.Thread(target=_read, args=(pipe, batches), daemon=True).start()
        while True:
            batch = batches.get()
            if isinstance(batch, Exception):
                raise batch
            pipe.send(work(batch))
    except (EOFError, BrokenPipeError):
        return
    except Exception as error:
        pipe.send(error)


def _read(pipe: Connection, batches: SimpleQueue[Any]) -> None:
    """Queue batches as they come, and at the end the exception that ended them.

    A parent that cannot send a batch takes no answer, and this process could not send one.
    """
    try:
        while True:
            batches.put(pipe.recv())
    except Exception as error:
        batches.put(error)
