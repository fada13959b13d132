"""Rows of the test half are measured once for a release, on gold that no model has seen."""

from __future__ import annotations

import argparse
import importlib.metadata
import json
import shutil
import sys
from dataclasses import replace

import pytest
from tokalign.formats import read_gold
from tokalign.model.file import sketch_of

from bench.program import some_of
from lab.measurements import release

VERSION = importlib.metadata.version("tokalign")


@pytest.fixture
def run(tmp_path, sample_dir, monkeypatch, capsys):
    def run(*args, name="held-out.jsonl"):
        shutil.copy(sample_dir / "sample.jsonl", tmp_path / name)
        given = ["--gold", tmp_path / name, "--output", tmp_path / "figures.json", *args]
        monkeypatch.setattr(sys, "argv", ["release", *map(str, given)])
        return release.main(), capsys.readouterr().err

    return run


def test_a_row_says_of_what_it_is_and_is_measured_once(run, tmp_path):
    assert run("--rows", "en,lemma") == (0, "")
    found = json.loads((tmp_path / "figures.json").read_text())
    digest = release.header_of("en").digest[:16]
    assert f"en 1.0.0, sha256 {digest}, tokalign {VERSION}; F1" in found["release.en.f1"]["what"]
    assert found["release.lemma.f1"]["date"] and 0 < found["release.lemma.f1"]["value"] < 100
    code, said = run("--rows", "meteor,lemma")
    assert code == 1 and f"lemma has its row of {VERSION}" in said and "frozen" in said
    assert json.loads((tmp_path / "figures.json").read_text()) == found


def test_gold_that_a_model_was_trained_on_is_only_tried(run, tmp_path, sample_dir, monkeypatch):
    header = release.header_of("en-rte2")
    seen = {"own.jsonl": sketch_of(read_gold(sample_dir / "sample.jsonl"))}
    monkeypatch.setattr(release, "header_of", lambda name: replace(header, seen=seen))
    code, said = run("--rows", "en-rte2")
    assert code == 1 and "en-rte2 was trained on pairs of held-out.jsonl (own.jsonl)" in said
    assert run("--rows", "en-rte2", "--trial")[0] == 0
    assert not (tmp_path / "figures.json").exists()


@pytest.mark.parametrize("only", ["", ",", "a b"])
def test_options_that_name_nothing_known_are_refused(only):
    with pytest.raises(argparse.ArgumentTypeError, match="wanted some of ted, sultan"):
        some_of(["ted", "sultan"])(only)
