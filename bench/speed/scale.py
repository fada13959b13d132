"""Many pairs: the functions for engines, a second process, Ray and Spark, beside `pipe`.

Rates are ratios of one run, by the clock but for the functions. Parts: function (what the functions
of tokalign.arrow take beside `pipe`, processor time); pipe (one process and two); ray and spark,
which find near-duplicates with one worker and with two. Starting an engine, its workers and a job
is not counted: a small job goes before, and what it takes the second time is taken off.

Ray and Spark are in .venv-engines; Spark needs Java 17 or newer.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from collections import deque
from collections.abc import Callable
from functools import partial
from pathlib import Path
from statistics import median

import pyarrow as pa
import pyarrow.parquet as pq
from tokalign.aligner import Aligner
from tokalign.arrow import Align, Similarity

from bench.program import ROOT, cpu_s, numbers, print_row, some_of, wall_s
from bench.speed import near_duplicates
from bench.speed.engines import ENGINES

PARTS = ("function", "pipe", *ENGINES)
THRESHOLD = 0.75
FEW = 2000
"""Pairs of the small job."""
TURNS = 7


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the command's options."""
    parser.add_argument("--only", type=some_of(PARTS), default=PARTS, help=", ".join(PARTS))
    parser.add_argument("--pairs", type=int, default=40_000, help="of the engines' jobs")
    parser.add_argument("--workers", type=numbers, default=[1, 2], help="of the engines")
    parser.add_argument("--data", type=Path, help="a folder of pairs that near-duplicates wrote")


def texts(table: pa.Table) -> list[tuple[str, str]]:
    """Return the pairs of a table."""
    return list(zip(*(table[name].to_pylist() for name in ("source", "target")), strict=True))


def functions(table: pa.Table) -> None:
    """Print what the functions for engines take beside `pipe`, in turns."""
    aligner = Aligner.load()
    pairs = texts(table)
    ways: dict[str, Callable[[], object]] = {
        "pipe": lambda: deque(aligner.pipe(pairs, batch_size=256), maxlen=0),
        "align": lambda: Align()(table),
        "align with tokens": lambda: Align(tokens=True)(table),
        "similarity": lambda: Similarity()(table),
    }
    for work in ways.values():
        work()
    turns = [{name: cpu_s(work) for name, work in ways.items()} for _ in range(TURNS)]
    for name in ways:
        ratio = median(turn["pipe"] / turn[name] for turn in turns)
        rate = len(pairs) / min(turn[name] for turn in turns)
        row = {"function": name, "of_pipe": round(ratio, 3)}
        print_row(row, {"pairs_per_second": round(rate)})


def pipe(table: pa.Table) -> None:
    """Print what a second process gains."""
    aligner = Aligner.load()
    pairs = texts(table)
    rates: dict[int, float] = {}
    for n_process in (1, 2):
        aligned = aligner.pipe(pairs, n_process=n_process)
        next(aligned)  # they have started
        rates[n_process] = (len(pairs) - 1) / wall_s(partial(deque, aligned, maxlen=0))
        row = {"pipe": n_process, "growth": round(rates[n_process] / rates[1], 2)}
        print_row(row, {"pairs_per_second": round(rates[n_process])})


def engine(name: str, source: Path, workers: list[int]) -> None:
    """Print rates, memory and growth of an engine."""
    n_pairs = pq.ParquetDataset(source).read(columns=["id"]).num_rows
    rates: dict[int, float] = {}
    for n_workers in workers:
        job = ENGINES[name](n_workers)
        with tempfile.TemporaryDirectory() as name_of_folder:
            folder = Path(name_of_folder)
            near_duplicates.write(folder / "few", FEW)
            job(folder / "few", folder / "warm")
            starting = wall_s(partial(job, folder / "few", folder / "few2"))
            seconds = wall_s(partial(job, source, folder / "made"))
            made = pq.ParquetDataset(folder / "made").read()
        assert len(made) == n_pairs and made["error"].null_count == n_pairs
        rates[n_workers] = (n_pairs - FEW) / (seconds - starting)
        found = [each >= THRESHOLD for each in made["similarity"].to_pylist()]
        right = sum(a == b for a, b in zip(found, made["is_duplicate"].to_pylist(), strict=True))
        peaks = made.group_by("process").aggregate([("peak_mb", "max")])["peak_mb_max"].to_pylist()
        print_row(
            {
                "engine": name,
                "workers": n_workers,
                "pairs": n_pairs,
                "processes": len(peaks),
                "growth": round(rates[n_workers] / rates[workers[0]], 2),
                "pairs_per_second": round(rates[n_workers]),
                "per_worker": round(rates[n_workers] / n_workers),
                "peak_mb": max(peaks),
                "right": round(right / n_pairs, 4),
            }
        )


def run(arguments: argparse.Namespace) -> None:
    """Print the rows of the parts that are asked for."""
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    # Workers of Spark and Ray import bench.speed.engines.
    os.environ["PYTHONPATH"] = os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])
    table = near_duplicates.part(0, 4000)
    if "function" in arguments.only:
        functions(table.slice(0, 1500))
    if "pipe" in arguments.only:
        pipe(table)
    with tempfile.TemporaryDirectory() as folder:
        for name in (name for name in ENGINES if name in arguments.only):
            source = arguments.data or Path(folder, "pairs")
            if not source.exists():
                near_duplicates.write(source, arguments.pairs)
            engine(name, source, arguments.workers)
