"""Many pairs: the functions for engines, a second process, Ray and Spark, beside `pipe`.

Rates are ratios of one run, by the clock but for the functions. Parts: function (what the functions
of tokalign.arrow take beside `pipe`, processor time); pipe (one process and two); ray and spark,
which find near-duplicates with one worker and with two. Starting an engine, its workers and a job
is not counted: a small job goes before, and what it takes the second time is taken off. The last
row of an engine is an estimate for a thousand cores.

Ray and Spark are in .venv-engines; Spark needs Java 17 or newer.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from collections import deque
from collections.abc import Callable
from pathlib import Path
from statistics import median

import pyarrow as pa
import pyarrow.parquet as pq
from tokalign.aligner import Aligner
from tokalign.arrow import Align, Similarity

from bench.program import ROOT, cpu_s, names, numbers, print_row, wall_s
from bench.speed import near_duplicates
from bench.speed.engines import ENGINES

PARTS = ("function", "pipe", *ENGINES)
THRESHOLD = 0.75
FEW = 2000
"""Pairs of the small job."""
TURNS = 7
CORES = 1000
DOLLARS_PER_CORE_HOUR = 0.04
"""About what a core of a large machine is rented for."""
GBIT_PER_MACHINE, CORES_PER_MACHINE = 10, 32


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the command's options."""
    parser.add_argument("--only", type=names, default=list(PARTS), help=f"of {', '.join(PARTS)}")
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
        print_row(row | {"pairs_per_second": round(rate)})


def pipe(table: pa.Table) -> None:
    """Print what a second process gains."""
    aligner = Aligner.load()
    pairs = texts(table)
    rates: dict[int, float] = {}
    for n_process in (1, 2):
        aligned = aligner.pipe(pairs, n_process=n_process)
        next(aligned)  # they have started
        rates[n_process] = (len(pairs) - 1) / wall_s(lambda rest=aligned: deque(rest, maxlen=0))
        row = {"pipe": n_process, "growth": round(rates[n_process] / rates[1], 2)}
        print_row(row | {"pairs_per_second": round(rates[n_process])})


def engine(name: str, source: Path, workers: list[int]) -> None:
    """Print rates, memory and growth of an engine, and an estimate."""
    n_pairs = pq.ParquetDataset(source).read(columns=["id"]).num_rows
    rates: dict[int, float] = {}
    for n_workers in workers:
        job = ENGINES[name](n_workers)
        with tempfile.TemporaryDirectory() as name_of_folder:
            folder = Path(name_of_folder)
            near_duplicates.write(folder / "few", FEW)
            job(folder / "few", folder / "warm")
            starting = wall_s(lambda job=job, at=folder: job(at / "few", at / "few2"))
            seconds = wall_s(lambda job=job, at=folder: job(source, at / "made"))
            made = pq.ParquetDataset(folder / "made").read()
            n_bytes = sum(path.stat().st_size for path in (folder / "made").glob("*.parquet"))
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
    read = sum(path.stat().st_size for path in source.glob("*.parquet")) / n_pairs
    per_core = rates[workers[-1]] / workers[-1]
    print_row({"engine": name, **estimate(per_core, read + n_bytes / n_pairs)})


def estimate(per_core: float, bytes_per_pair: float) -> dict[str, object]:
    """Return what a thousand cores would do at a core's rate, if nothing else bounds them.

    Parameters
    ----------
    per_core : float
        Pairs per second of a worker beside others.
    bytes_per_pair : float
        Read and written.
    """
    rate = CORES * per_core
    hours = 1e9 / rate / 3600
    network = GBIT_PER_MACHINE * 1e9 / 8 / CORES_PER_MACHINE
    return {
        "cores": CORES,
        "pairs_per_second": round(rate),
        "minutes_per_billion": round(60 * hours, 1),
        "dollars_per_billion": round(CORES * hours * DOLLARS_PER_CORE_HOUR),
        "mb_per_second": round(rate * bytes_per_pair / 1e6),
        "share_of_network": round(per_core * bytes_per_pair / network, 4),
        "batches_per_second": round(rate / 1000),
    }


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
