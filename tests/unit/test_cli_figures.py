"""The header of a model: `train` writes it, and `info` shows it."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from click.testing import CliRunner
from tokalign.aligner import Aligner
from tokalign.cli.main import main
from tokalign.features.feature_groups import FeatureTable
from tokalign.model import load_model, save_model
from tokalign.model.training import PUBLISHED


@pytest.fixture
def train(tmp_path):
    """Train a tiny model with the given options; return click's result and the model's path."""
    gold, model = tmp_path / "gold.txt", tmp_path / "tiny.tokalign"
    gold.write_text("Dogs bark . ||| The dogs bark . ||| 0-1 1-2 2-3\n")

    def run(*options):
        arguments = ["train", "--train", str(gold), "--output", str(model), "--quiet", *options]
        return CliRunner().invoke(main, arguments), model

    return run


def test_quiet_holds_for_train_as_for_every_command(tmp_path):
    gold, model = tmp_path / "gold.txt", tmp_path / "tiny.tokalign"
    gold.write_text("Dogs bark . ||| The dogs bark . ||| 0-1 1-2 2-3\n")
    result = CliRunner().invoke(main, ["-q", "train", "--train", str(gold), "-o", str(model)])
    assert (result.exit_code, result.output) == (0, "")
    assert model.exists()


def test_info_shows_figures_and_needed_resources(monkeypatch, train):
    _, path = train("--feature-groups", "string,vectors")
    model = load_model(path)
    save_model(replace(model, header=replace(model.header, figures={"dev F1": 89.8})), path)
    monkeypatch.setattr("tokalign.model.shipped.shipped_models", lambda: ["tiny"])
    monkeypatch.setattr("tokalign.model.shipped.model_path", lambda name: path)
    shown = CliRunner().invoke(main, ["info"]).stdout
    assert "  resources          wordnet, vectors\n" in shown
    assert "  figures: dev F1     89.8\n" in shown
    model = json.loads(CliRunner().invoke(main, ["info", "--json"]).stdout)["models"][0]
    assert model["resources"] == ["wordnet", "vectors"]
    assert model["figures"] == {"dev F1": 89.8}


@pytest.mark.parametrize("name", PUBLISHED)
def test_a_published_system_is_trained_by_its_name(train, name):
    result, path = train("--like", name, "--l2", "2")
    assert result.exit_code == 0, result.output
    model = load_model(path)
    assert model.header.feature_groups == FeatureTable(PUBLISHED[name].feature_groups).groups
    assert model.header.settings["l2"] == 2.0
    assert model.header.uses_trees == (name == "sharma2018")
    aligned = Aligner.load(path).align("The dogs bark .", "Dogs bark .", symmetrization="t2s")
    assert aligned.to_pharaoh() == "1-0 2-1 3-2"


def test_a_published_system_has_its_own_groups(train):
    result, _ = train("--like", "yao2013", "--feature-groups", "string")
    assert result.exit_code == 2
    assert "leave out --feature-groups" in result.output
