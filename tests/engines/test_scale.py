"""The jobs of docs/scale.md, run for real on few pairs of the set that its recipe makes."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
from support.engine_homes import RAY, SPARK

PAGE = Path(__file__).parents[2] / "docs" / "scale.md"
JOBS = re.findall(r"```python\n(.*?)```", PAGE.read_text(), re.S)
HOMES = {"ray": RAY.replace("num_cpus=2", "num_cpus=3"), "pyspark": SPARK}


def near_duplicates(sample_dir):
    """Return the sample's sources, each with words left out, and each with half of another."""
    import pyarrow as pa
    from tokalign.formats import read_gold

    sources = [pair.source.tokens for pair in read_gold(sample_dir / "sample.jsonl")]
    rows = []
    for number, tokens in enumerate(sources):
        kept = [token for k, token in enumerate(tokens) if (k + number) % 9]
        other = sources[number - 1]
        shared = [*tokens[: len(tokens) // 2], *other[len(other) // 2 :]]
        rows += [(tokens, kept, True), (tokens, shared, False)]
    return pa.table(
        {
            "id": range(len(rows)),
            "source": [" ".join(source) for source, _, _ in rows],
            "target": [" ".join(target) for _, target, _ in rows],
            "is_duplicate": [is_duplicate for _, _, is_duplicate in rows],
        }
    )


def test_the_jobs_are_short():
    assert len(JOBS) == len(HOMES)
    assert all(len(job.strip().splitlines()) <= 15 for job in JOBS)


@pytest.mark.parametrize("engine", HOMES)
def test_a_job_finds_the_near_duplicates(engine, tmp_path, sample_dir):
    pytest.importorskip(engine, reason="make test-engines has Ray and Spark")
    import pyarrow.compute as pc
    import pyarrow.parquet as pq
    from tokalign.arrow import Similarity

    (tmp_path / "pairs").mkdir()
    pq.write_table(near_duplicates(sample_dir), tmp_path / "pairs" / "part.parquet")
    (job,) = [job for job in JOBS if f"import {engine}\n" in job or f"from {engine}." in job]
    script = tmp_path / "job.py"
    script.write_text(HOMES[engine] + job)
    done = subprocess.run(
        [sys.executable, str(script)], cwd=tmp_path, capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stderr[-3000:]
    pairs = Similarity()(pq.read_table(tmp_path / "pairs"))
    wanted = pairs.filter(pc.greater_equal(pairs["similarity"], 0.75))
    made = pq.read_table(tmp_path / "duplicates").sort_by("id")
    assert made["id"].to_pylist() == wanted["id"].to_pylist()
    right = sum(wanted["is_duplicate"].to_pylist())
    assert right > 0.9 * sum(pairs["is_duplicate"].to_pylist())
    assert right > 0.9 * len(wanted)
