"""The job that scale measures: similarity of the pairs in Parquet files, on Ray and on Spark."""

from __future__ import annotations

import os
import resource
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
from tokalign.arrow import Similarity

Job = Callable[[Path, Path], None]
"""Reads the Parquet files of a folder and writes them with similarities to another."""


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


def ray_job(n_workers: int) -> Job:
    """Start Ray with so many workers, and return the job."""
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


def spark_job(n_workers: int) -> Job:
    """Start Spark with so many workers, and return the job."""
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


ENGINES = {"ray": ray_job, "spark": spark_job}
