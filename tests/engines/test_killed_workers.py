"""A worker that is killed amid a job: the engine tries again, and every row is there."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest
from support.engine_homes import RAY, SPARK

DYING = '''
import os, signal
from dataclasses import dataclass
from tokalign.arrow import Align

@dataclass(frozen=True, kw_only=True)
class Dying(Align):
    """Ends its process on the row in the middle, the first time that it comes there."""

    def __call__(self, table):
        if {middle} in table.column("id").to_pylist():
            try:
                open("died", "x").close()
            except FileExistsError:
                pass
            else:
                os.kill(os.getpid(), signal.SIGKILL)
        return Align.__call__(self, table)

'''
JOBS = {
    "ray": RAY
    + """
pairs = ray.data.read_parquet("pairs.parquet", override_num_blocks=4)
aligned = pairs.map_batches(Dying(), batch_format="pyarrow", batch_size=50, num_cpus=1)
aligned.write_parquet("aligned.parquet")
""",
    "pyspark": SPARK
    + """
spark = SparkSession.builder.getOrCreate()
pairs = spark.read.parquet("pairs.parquet").repartition(4)
made = "links array<struct<source:int,target:int,confidence:float>>, score float, error string"
columns = ", ".join(f"`{name}` {kind}" for name, kind in pairs.dtypes)
pairs.mapInArrow(Dying().stream, f"{columns}, {made}").write.parquet("aligned.parquet")
""",
}


@pytest.mark.parametrize("engine", JOBS)
def test_a_killed_worker_costs_no_row(engine, pairs, tmp_path):
    pytest.importorskip(engine, reason="make test-engines has Ray and Spark")
    import pyarrow.parquet as pq
    from tokalign.arrow import Align

    pq.write_table(pairs, tmp_path / "pairs.parquet")
    # The class is in a module, which workers import; of the script itself they would have a copy.
    (tmp_path / "dying.py").write_text(DYING.replace("{middle}", str(len(pairs) // 2)))
    script = tmp_path / "job.py"
    script.write_text("from dying import Dying\n" + JOBS[engine])
    done = subprocess.run(
        [sys.executable, str(script)],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=300,
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
    )
    assert done.returncode == 0, done.stderr[-3000:]
    assert (tmp_path / "died").exists()
    made = pq.read_table(tmp_path / "aligned.parquet").sort_by("id")
    assert made.to_pylist() == Align()(pairs).to_pylist()
