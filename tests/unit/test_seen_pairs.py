"""Whether a model was trained on gold is told by sketches of its corpora."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from click.testing import CliRunner
from tokalign.cli.main import main
from tokalign.formats import read_gold, write_gold
from tokalign.model import load_model, save_model
from tokalign.model.file import SKETCH, sketch_of, trained_on


@pytest.fixture(scope="module")
def pairs(sample_dir):
    return read_gold(sample_dir / "sample.jsonl")


@pytest.fixture
def seen(small_model, pairs, tmp_path):
    """A model whose header says that it was trained on the first half of the pairs."""
    model = load_model(small_model)
    half = {"half": sketch_of(pairs[: len(pairs) // 2])}
    save_model(replace(model, header=replace(model.header, seen=half)), tmp_path / "m.tokalign")
    return tmp_path / "m.tokalign"


def test_a_sketch_is_small_and_the_same_in_any_order(pairs):
    sketch = sketch_of(pairs * 9)
    assert len(sketch) == min(SKETCH, len(pairs))
    assert sketch == sketch_of(pairs[::-1]) == sorted(set(sketch))


def test_gold_is_known_in_another_format_and_in_part(seen, pairs, tmp_path):
    header = load_model(seen).header
    n = len(pairs) // 2
    write_gold(pairs[2:n], tmp_path / "gold.tsv", "mwa")
    again = read_gold(tmp_path / "gold.tsv")
    assert trained_on(header, again, "gold.tsv") == ["half"]
    assert trained_on(header, pairs[n:], "half") == []
    assert trained_on(header, pairs[:1], "gold") == []  # one pair may be in two corpora by chance


def test_without_sketches_the_name_of_the_file_decides(small_model, pairs):
    header = replace(load_model(small_model).header, seen={}, corpora=("gold.tsv",))
    assert trained_on(header, pairs, "gold.tsv") == ["gold.tsv"]
    assert trained_on(header, pairs, "other.tsv") == []


def test_evaluate_warns_of_gold_that_the_model_was_trained_on(seen, pairs, tmp_path):
    n = len(pairs) // 2
    for name, part, found in (("seen", pairs[:n], ["half"]), ("new", pairs[n:], None)):
        write_gold(part, tmp_path / name, "jsonl")
        args = ["evaluate", "--gold", str(tmp_path / name), "--model", str(seen), "--json"]
        result = CliRunner().invoke(main, args)
        assert json.loads(result.stdout).get("trained_on") == found
        assert ("was trained on half, which has pairs of this gold" in result.stderr) == bool(found)
