"""Every example of docs/engines.md, run for real; each gives what the function gives alone."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
from support.engine_homes import RAY, SPARK

PAGE = Path(__file__).parents[2] / "docs" / "engines.md"
EXAMPLES = dict(re.findall(r"^## ([^\n]+)\n.*?```python\n(.*?)```", PAGE.read_text(), re.M | re.S))
PACKAGES = {
    "pandas": "pandas",
    "polars": "polars",
    "DuckDB": "duckdb",
    "Dask": "dask",
    "Hugging Face datasets": "datasets",
    "Ray Data": "ray",
    "Spark": "pyspark",
    "Spark, as a function": "pyspark",
}
AT_HOME = {"Ray Data": RAY, "Spark": SPARK, "Spark, as a function": SPARK}


def test_every_engine_of_the_page_is_tested():
    assert set(EXAMPLES) == set(PACKAGES)


@pytest.mark.parametrize("name", EXAMPLES)
def test_an_example_is_short(name):
    assert len(EXAMPLES[name].strip().splitlines()) <= 15


@pytest.mark.parametrize("name", EXAMPLES)
def test_an_engine_gives_every_row(name, pairs, tmp_path):
    pytest.importorskip(PACKAGES[name], reason="make test-engines has the engines")
    import pyarrow.parquet as pq
    from tokalign.arrow import Align

    pq.write_table(pairs, tmp_path / "pairs.parquet")
    script = tmp_path / "example.py"
    script.write_text(AT_HOME.get(name, "") + EXAMPLES[name])
    done = subprocess.run(
        [sys.executable, str(script)], cwd=tmp_path, capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stderr[-3000:]
    made = pq.read_table(tmp_path / "aligned.parquet").sort_by("id")
    wanted = Align()(pairs)
    assert set(wanted.column_names) <= set(made.column_names)
    for column in wanted.column_names:
        assert made[column].to_pylist() == wanted[column].to_pylist(), column
    assert 0 < wanted["error"].null_count < len(wanted)
