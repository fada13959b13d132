"""Rows for every engine: good ones, bad ones, and more than one batch."""

import pytest


@pytest.fixture
def pairs(sample_dir):
    """A table of some hundreds of pairs, every twentieth of them bad."""
    pa = pytest.importorskip("pyarrow", reason="make test-engines has the engines")
    from tokalign.formats import read_gold

    gold = read_gold(sample_dir / "sample.jsonl")
    rows = [(pair.source.text, pair.target.text) for pair in gold] * 2
    bad = [(None, "Dogs bark."), ("", "Dogs bark."), ("word " * 600, "word"), ("Dogs bark.", None)]
    for number, place in enumerate(range(3, len(rows), 20)):
        rows[place] = bad[number % len(bad)]
    sources, targets = zip(*rows, strict=True)
    numbers = pa.array(range(len(rows)), pa.int64())
    return pa.table({"id": numbers, "source": pa.array(sources), "target": pa.array(targets)})
