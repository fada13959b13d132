"""Fairness: a lone caller beside a crowd, beside a large batch, and beside long pairs."""

from __future__ import annotations

import math
import subprocess
import time
from pathlib import Path

from tokalign.client.load.measure import Step
from tokalign.server.requests.cost import UNIT_US
from tokalign.server.requests.rates import MODEL

from bench.program import BUILD, print_row
from bench.server_process import TOKALIGN, ServerProcess
from bench.serving.loads import IN_FLIGHT, Loads
from bench.serving.servers import serve

LARGE_BATCH = 10_000
LARGE_ANSWERS = ("--max-response-mib", "32")
LENGTHS = (30, 60, 100, 150, 200, 300, 500)
LONG_BATCH_COST = 8_000
LONE = Step(in_flight=1)


def run(loads: Loads, path: Path) -> None:
    """Measure a lone caller beside others, and print what they do to its p99."""
    server = serve(*LARGE_ANSWERS)
    beside_batch(loads, server, path)
    beside_long_pairs(loads, server)
    server.stop()


def beside(loads: Loads, server: ServerProcess, name: str, others: list[list[str]]) -> float:
    """Return the p99 of a lone caller while other callers, options of `tokalign bench`, run."""
    command = [*TOKALIGN, "bench", "--server", server.address]
    command += ["--duration", str(loads.duration_s + 4.0), "--warm-up", "0", "--windows", "1"]
    running = [subprocess.Popen([*command, *each], stdout=subprocess.DEVNULL) for each in others]
    time.sleep(2.0)
    p99 = loads.run(name, server, LONE).result.latency_ms["p99"]
    for process in running:
        if process.wait() != 0:
            loads.wrong.append(f"{name}: the load beside it failed")
    return p99 or math.nan


def beside_batch(loads: Loads, server: ServerProcess, path: Path) -> None:
    """A lone caller beside single calls, then beside a large batch as well."""
    crowd = ["--input", str(path), "--in-flight", str(IN_FLIGHT)]
    bulk = ["--input", str(path), "--method", "batch", "--pairs", str(LARGE_BATCH)]
    busy = beside(loads, server, "lone-busy", [crowd])
    large = beside(loads, server, "lone-large-batch", [crowd, [*bulk, "--in-flight", "1"]])
    print_row({"ratios": "fairness", "p99_with_large_batch": large / busy})


def beside_long_pairs(loads: Loads, server: ServerProcess) -> None:
    """A lone caller on an idle server, then beside batches of pairs of one length."""
    words = " ".join(pair.source.text for pair in loads.pairs).split()
    alone = loads.run("lone", server, LONE).result.latency_ms["p99"] or math.nan
    path = BUILD / "long.tsv"
    path.parent.mkdir(exist_ok=True)
    for length in LENGTHS:
        units = MODEL.us(1, 2 * length, length**2, 2 * length**3) / UNIT_US
        size = min(LARGE_BATCH, int(LONG_BATCH_COST / units))
        # Words and signs make about a tenth more tokens.
        n_words = length * 9 // 10
        starts = range(0, len(words) - 2 * n_words, max(1, len(words) // 50))
        sides = ((words[k : k + n_words], words[k + n_words : k + 2 * n_words]) for k in starts)
        path.write_text("".join("\t".join(map(" ".join, pair)) + "\n" for pair in sides))
        bulk = ["--input", str(path), "--method", "batch", "--pairs", str(size), "--in-flight", "2"]
        p99 = beside(loads, server, f"lone-long-{length}", [bulk])
        print_row({"ratios": "fairness", "tokens": length, "p99": p99 / alone})
