"""The server's processor time beside an echo's and the library's, and its memory.

A part of ``python -m bench.speed limit``.
"""

from __future__ import annotations

import contextlib
from collections import deque
from pathlib import Path

from tokalign.aligner import Aligner
from tokalign.v1 import align_pb2

from bench import procfs
from bench.pairs import make_pairs
from bench.program import cpu_s, print_row
from bench.serving.loads import BATCH, Loads
from bench.serving.servers import serve


def memory(pid: int) -> float:
    """Return a process's proportional share of the memory that it and others map, in MiB."""
    with contextlib.suppress(FileNotFoundError, ProcessLookupError):
        for line in Path(f"/proc/{pid}/smaps_rollup").read_text(encoding="utf-8").splitlines():
            if line.startswith("Pss:"):
                return int(line.split()[1]) / 1024
    return 0.0


def beside_library(model: str, seconds: float) -> None:
    """Print the processor time of calls beside an echo's and the library's, and memory.

    The loads send the same pairs again and again, so the library gets them again and again, too.
    """
    aligner = Aligner.load(model)
    texts = [(" ".join(source), " ".join(target)) for source, target in make_pairs(BATCH, seed=1)]
    messages = [align_pb2.Pair(source={"text": a}, target={"text": b}) for a, b in texts]

    def library() -> None:
        deque(aligner.pipe(texts), maxlen=0)

    library()
    total_mib: list[float] = []
    for workers in (1, 2):
        server = serve("--model", model, workers=workers)
        loads = Loads(messages, seconds)
        # Batches first, for single calls have them cut finer for some seconds. The library once
        # before and once after, as a machine's speed drifts.
        before = cpu_s(library)
        batch = loads.batches("batch", server)
        library_us = 1e6 * (before + cpu_s(library)) / 2 / len(texts)
        echo, align = loads.beside_echo(server)
        for name, load, base_us in (
            ("align", align, echo.cpu_us),
            ("batch", batch, library_us),
        ):
            print_row(
                {"part": "served", "served": name, "workers": workers},
                {"ratio": load.cpu_us / base_us, "base_us": base_us},
                {"server_us": load.server_us, "workers_us": load.workers_us},
            )
        below = procfs.descendants(server.process.pid)
        own = memory(server.process.pid)
        total_mib.append(own + sum(map(memory, below)))
        worker = max(map(procfs.resident_mib, below))
        server.stop()
        loads.check()
    one, two = total_mib
    row = {"own_mib": own, "worker_mib": worker, "one_mib": one, "two_mib": two}
    print_row({"part": "memory"}, row)
