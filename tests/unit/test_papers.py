"""`make papers` prints rows by name, and skips without the corpora."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from tokalign.formats import read_gold, write_gold
from tokalign.systems import SYSTEMS
from tokalign.training import PUBLISHED, TrainingSettings
from tokalign.types.options import Symmetrization

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT))
papers = pytest.importorskip("bench.papers", reason="benches are not in this copy")


def printed(*arguments: str) -> list[str]:
    said: list[str] = []
    papers.main(list(arguments), said.append)
    return said


@pytest.fixture(scope="module")
def data(tmp_path_factory, sample_dir):
    """A folder with the corpora's files, made of the sample."""
    folder = tmp_path_factory.mktemp("data")
    pairs = list(read_gold(sample_dir / "sample.jsonl"))[:12]
    for path, form in zip(papers.CORPORA.values(), ("msr", "jacana"), strict=True):
        (folder / path).parent.mkdir()
        write_gold(pairs, folder / path, form)
    return folder


def test_without_corpora_it_says_so_and_measures_nothing(tmp_path):
    (line,) = printed("--data", str(tmp_path))
    assert line.startswith("skipped: RTE2 and Edinburgh++ not found in")
    assert "TOKALIGN_DATA" in line


def test_rows_come_from_names(data):
    rows = [json.loads(line) for line in printed("--data", str(data), "--only", "lemma", "--json")]
    assert len(rows) == sum(len(table.rows) for table in papers.TABLES)
    for row in rows:
        assert ("here" in row) == (row["name"] == "lemma")
        assert row["name"] or row["note"]
    (lemma,) = (row for row in rows if row["name"] == "lemma")
    assert all(0 < figure <= 100 for figure in lemma["here"][:3])


def test_text_says_how_the_data_differ(data):
    lines = printed("--data", str(data), "--only", "lemma")
    assert "Yao et al. (2013), table 1" in lines[0]
    assert "development half" in lines[0]
    (row,) = (line for line in lines if line.split()[:1] == ["lemma"])
    assert len(row.split()) == 10


def test_trained_rows_are_of_models_that_have_not_seen_the_pair(data, monkeypatch):
    settings = TrainingSettings(feature_groups=("string", "pos"), max_iterations=3)
    monkeypatch.setitem(papers.PUBLISHED, "yao2013", settings)
    bench = papers.Bench(data)
    row = papers.Row("S2T", (91.8, 83.4, 87.4, 25.9), "yao2013", Symmetrization.SOURCE_TO_TARGET)
    for corpus in papers.CORPORA:
        links = bench.links(row, corpus)
        assert len(links) == 12
        assert all(len({i for i, _ in each}) == len(each) for each in links)


def test_names_are_of_systems_or_of_published_settings():
    names = {row.name for table in papers.TABLES for row in table.rows if row.name}
    assert names <= {*SYSTEMS, *PUBLISHED}
    assert set(papers.SPEEDS) <= names
