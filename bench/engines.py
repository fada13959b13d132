"""Near-duplicates by similarity on Ray and on Spark, beside `pipe`: ratios of one run.

    python -m bench.engines [--pairs N] [--workers 1,2] [--only pipe,function,ray,spark]

Goals: what the function for engines costs over `pipe`, what processes gain, and how an engine grows
from one worker to two. Prints one JSON object per line: pairs per second over all workers, MB of
the largest worker at its largest, and ratios of rates. Starting an engine, its workers and a job is
not counted: a small job goes before, and what it takes the second time is taken off. The last line
of an engine is an estimate for a thousand cores, reckoned from what was measured.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import sys
import tempfile
import time
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from tokalign.aligner import Aligner
from tokalign.arrow import Align, Similarity

from bench import near_duplicates

THRESHOLD = 0.75
FEW = 2000
"""Pairs of the small job."""
CORES = 1000
DOLLARS_PER_CORE_HOUR = 0.04
"""About what a core of a large machine is rented for."""
GBIT_PER_MACHINE, CORES_PER_MACHINE = 10, 32


@dataclass(frozen=True, kw_only=True)
class Watched(Similarity):
    """Similarity, with the number of the process and the most memory that it has had, in MB."""

    def __call__(self, table: Any) -> Any:
        made = Similarity.__call__(self, table)
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
        for name, value in (("process", os.getpid()), ("peak_mb", peak)):
            column = pa.array([value] * len(made), pa.int64())
            made = made.append_column(pa.field(name, pa.int64()), column)
        return made


def _ray(n_workers: int) -> Callable[[Path, Path], None]:
    import ray

    if ray.is_initialized():
        ray.shutdown()
    ray.init(
        num_cpus=n_workers,
        include_dashboard=False,
        log_to_driver=False,
        _node_ip_address="127.0.0.1",
    )
    ray.data.DataContext.get_current().enable_progress_bars = False

    def job(source: Path, target: Path) -> None:
        pairs = ray.data.read_parquet(str(source)).repartition(8 * n_workers)
        pairs.map_batches(
            Watched(),  # tasks: a worker process keeps its aligner from one to the next
            batch_format="pyarrow",
            batch_size=1000,
            num_cpus=1,
        ).write_parquet(str(target))

    return job


def _spark(n_workers: int) -> Callable[[Path, Path], None]:
    from pyspark.sql import SparkSession

    if (active := SparkSession.getActiveSession()) is not None:
        active.stop()
    spark = (
        SparkSession.builder.master(f"local[{n_workers}]")
        .config("spark.driver.bindAddress", "127.0.0.1")
        .config("spark.ui.enabled", "false")
        .config("spark.sql.execution.arrow.maxRecordsPerBatch", "1000")
        .getOrCreate()
    )
    spark.sparkContext.setLogLevel("ERROR")

    def job(source: Path, target: Path) -> None:
        pairs = spark.read.parquet(str(source)).repartition(4 * n_workers)
        columns = ", ".join(f"`{name}` {kind}" for name, kind in pairs.dtypes)
        made = f"{columns}, similarity float, error string, process long, peak_mb long"
        pairs.mapInArrow(Watched().stream, made).write.parquet(str(target))

    return job


ENGINES = {"ray": _ray, "spark": _spark}


def _timed(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def _function(table: pa.Table) -> Iterator[dict[str, Any]]:
    """Yield what the functions for engines take beside `pipe`, in turns."""
    aligner = Aligner.load()
    pairs = list(zip(*(table[name].to_pylist() for name in ("source", "target")), strict=True))
    ways = {
        "pipe": lambda: deque(aligner.pipe(pairs, batch_size=256), maxlen=0),
        "align": lambda: Align()(table),
        "align with tokens": lambda: Align(tokens=True)(table),
        "similarity": lambda: Similarity()(table),
    }
    for work in ways.values():
        work()
    seconds = {name: [] for name in ways}
    for _ in range(7):
        for name, work in ways.items():
            start = time.process_time()
            work()
            seconds[name].append(time.process_time() - start)
    for name in list(ways)[1:]:
        ratio = median(a / b for a, b in zip(seconds["pipe"], seconds[name], strict=True))
        yield {"function": name, "of_pipe": round(ratio, 3)}


def _pipe(table: pa.Table) -> Iterator[dict[str, Any]]:
    """Yield what processes gain."""
    aligner = Aligner.load()
    pairs = list(zip(*(table[name].to_pylist() for name in ("source", "target")), strict=True))
    rates = {}
    for n_process in (1, 2):
        aligned = aligner.pipe(pairs, n_process=n_process)
        next(aligned)  # they have started
        seconds = _timed(lambda aligned=aligned: deque(aligned, maxlen=0))
        rates[n_process] = (len(pairs) - 1) / seconds
        yield {
            "pipe": n_process,
            "pairs_per_second": round(rates[n_process]),
            "growth": round(rates[n_process] / rates[1], 2),
        }


def _engine(name: str, source: Path, workers: list[int]) -> Iterator[dict[str, Any]]:
    """Yield rates, memory and growth of an engine."""
    n_pairs = pq.ParquetDataset(source).read(columns=["id"]).num_rows
    rates: dict[int, float] = {}
    for n_workers in workers:
        job = ENGINES[name](n_workers)
        with tempfile.TemporaryDirectory() as folder:
            few = Path(folder, "few")
            near_duplicates.write(few, FEW)
            job(few, Path(folder, "warm"))
            starting = _timed(
                lambda job=job, few=few, folder=folder: job(few, Path(folder, "few2"))
            )
            seconds = _timed(lambda job=job, folder=folder: job(source, Path(folder, "made")))
            made = pq.ParquetDataset(Path(folder, "made")).read()
            n_bytes = sum(path.stat().st_size for path in Path(folder, "made").glob("*.parquet"))
        assert len(made) == n_pairs and made["error"].null_count == n_pairs
        rates[n_workers] = (n_pairs - FEW) / (seconds - starting)
        found = [each >= THRESHOLD for each in made["similarity"].to_pylist()]
        right = sum(a == b for a, b in zip(found, made["is_duplicate"].to_pylist(), strict=True))
        peaks = made.group_by("process").aggregate([("peak_mb", "max")])["peak_mb_max"].to_pylist()
        yield {
            "engine": name,
            "workers": n_workers,
            "pairs": n_pairs,
            "processes": len(peaks),
            "pairs_per_second": round(rates[n_workers]),
            "per_worker": round(rates[n_workers] / n_workers),
            "growth": round(rates[n_workers] / rates[workers[0]], 2),
            "peak_mb": max(peaks),
            "right": round(right / n_pairs, 4),
        }
    read = sum(path.stat().st_size for path in source.glob("*.parquet")) / n_pairs
    yield {"engine": name, **estimate(rates[workers[-1]] / workers[-1], read + n_bytes / n_pairs)}


def estimate(per_core: float, bytes_per_pair: float) -> dict[str, Any]:
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


def main() -> None:
    parser = argparse.ArgumentParser(description=str(__doc__).partition("\n")[0])
    parser.add_argument("--pairs", type=int, default=40_000)
    parser.add_argument("--workers", default="1,2")
    parser.add_argument("--only", default="function,pipe,ray,spark")
    parser.add_argument("--data", type=Path, help="a folder of bench.near_duplicates")
    arguments = parser.parse_args()
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    # Workers of Spark and Ray import this module by its name.
    root = str(Path(__file__).resolve().parents[1])
    os.environ["PYTHONPATH"] = os.pathsep.join([root, os.environ.get("PYTHONPATH", "")])
    from bench import engines  # not as __main__, so that what is pickled has that name

    with tempfile.TemporaryDirectory() as folder:
        source = arguments.data or Path(folder, "pairs")
        if arguments.data is None:
            near_duplicates.write(source, arguments.pairs)
        table = near_duplicates.part(0, 4000)
        workers = [int(each) for each in arguments.workers.split(",")]
        for only in arguments.only.split(","):
            if only in ENGINES:
                rows = engines._engine(only, source, workers)
            else:
                rows = _function(table.slice(0, 1500)) if only == "function" else _pipe(table)
            for row in rows:
                print(json.dumps(row), flush=True)


if __name__ == "__main__":
    main()
