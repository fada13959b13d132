"""What a second thread and a second process add, each with an aligner of its own.

As many pairs as one alone aligns are given to each of two at once; the ratio is of pairs per
second by the clock, 2 at most. Batches release the interpreter while they are annotated and
decoded, so threads should come near to processes. Where cores are busy neither reaches 2.
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import threading
import time
from collections import deque
from collections.abc import Callable
from contextlib import ExitStack

from tokalign.aligner import Aligner

from bench.made_pairs import make_pairs

N_PAIRS = 2_000
TURNS = 3
# Reads a seed, aligns its pairs, answers; for each line that it is sent.
PROCESS = """
import sys
from tokalign.aligner import Aligner
from bench.scaling import align, texts
aligner = Aligner.load()
print("ready", flush=True)
for line in sys.stdin:
    pairs = texts(int(line))
    print("made", flush=True)
    sys.stdin.readline()
    align(aligner, pairs)
    print("aligned", flush=True)
"""

Texts = list[tuple[str, str]]


def texts(seed: int) -> Texts:
    """Return pairs of text."""
    return [(" ".join(a), " ".join(b)) for a, b in make_pairs(N_PAIRS, seed=seed)]


def align(aligner: Aligner, pairs: Texts) -> None:
    """Align pairs of text in batches."""
    deque(aligner.pipe(pairs), maxlen=0)


def wall_s(work: Callable[[], object]) -> float:
    """Return what a call takes by the clock, in seconds."""
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def by_threads(n_threads: int, aligners: list[Aligner], seed: int) -> float:
    """Return pairs per second of so many threads."""
    shares = [texts(seed + k) for k in range(n_threads)]
    threads = [
        threading.Thread(target=align, args=(aligners[k], shares[k])) for k in range(n_threads)
    ]

    def work() -> None:
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    return n_threads * N_PAIRS / wall_s(work)


class Process:
    """A process that aligns when it is told to."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-c", PROCESS],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self.wait("ready")

    def send(self, line: str) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(f"{line}\n")
        self._process.stdin.flush()

    def wait(self, word: str) -> None:
        assert self._process.stdout is not None
        if (line := self._process.stdout.readline().strip()) != word:
            raise SystemExit(f"a process said {line!r}; wanted {word!r}")

    def close(self) -> None:
        self._process.communicate()


def by_processes(processes: list[Process], seed: int) -> float:
    """Return pairs per second of so many processes."""
    for k, process in enumerate(processes):
        process.send(str(seed + k))
    for process in processes:
        process.wait("made")

    def work() -> None:
        for process in processes:
            process.send("go")
        for process in processes:
            process.wait("aligned")

    return len(processes) * N_PAIRS / wall_s(work)


def scaling() -> dict[str, float]:
    """Return how many times the pairs per second of one are those of two, by what there are two of.

    The median of some turns, in each of which one and two follow one another.
    """
    aligners = [Aligner.load() for _ in range(2)]
    ratios: dict[str, list[float]] = {"threads": [], "processes": []}
    with ExitStack() as stack:
        processes = [Process() for _ in range(2)]
        for process in processes:
            stack.callback(process.close)
        by_threads(2, aligners, -1)  # they meet most words here
        by_processes(processes, -1)
        for turn in range(TURNS):
            seed = 10 * turn
            one = by_threads(1, aligners, seed)
            ratios["threads"].append(by_threads(2, aligners, seed + 1) / one)
            one = by_processes(processes[:1], seed)
            ratios["processes"].append(by_processes(processes, seed + 1) / one)
    return {name: statistics.median(turns) for name, turns in ratios.items()}
