"""Figures in a model's header: `train` writes them, and `info` shows them."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner
from tokalign.aligner import Aligner
from tokalign.cli.main import main
from tokalign.features.feature_groups import FeatureTable
from tokalign.model import load_model
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


def test_figures_are_written_to_the_header(train):
    result, path = train("--figure", "dev F1 (sure, 5 folds)=89.8", "--figure", "speed=5k pairs/s")
    assert result.exit_code == 0, result.output
    assert load_model(path).header.figures == {
        "dev F1 (sure, 5 folds)": 89.8,
        "speed": "5k pairs/s",
    }


@pytest.mark.parametrize("figure", ["F1", "=1", "F1="])
def test_a_figure_without_name_or_value_is_refused(train, figure):
    result, _ = train("--figure", figure)
    assert result.exit_code == 2
    assert "wanted NAME=VALUE" in result.output


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--train", "{folder}/other/gold.txt"], "two corpora have one file name"),
        (["--output", "{folder}/nothing/x.tokalign"], "there is no folder"),
        (["--jobs", "0"], "0 is not in the range x>=1"),
    ],
)
def test_wrong_usage_is_told_before_training(train, tmp_path, options, message):
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "gold.txt").write_text("a ||| a ||| 0-0\n")
    result, path = train(*(option.format(folder=tmp_path) for option in options))
    assert result.exit_code == 2
    assert message in result.stderr
    assert not path.exists()


def test_quiet_holds_for_train_as_for_every_command(tmp_path):
    gold, model = tmp_path / "gold.txt", tmp_path / "tiny.tokalign"
    gold.write_text("Dogs bark . ||| The dogs bark . ||| 0-1 1-2 2-3\n")
    result = CliRunner().invoke(main, ["-q", "train", "--train", str(gold), "-o", str(model)])
    assert (result.exit_code, result.output) == (0, "")
    assert model.exists()


def test_info_shows_figures_and_needed_resources(monkeypatch, train):
    _, path = train("--figure", "dev F1=89.8", "--feature-groups", "string,vectors")
    monkeypatch.setattr("tokalign.model.shipped.shipped_models", lambda: ["tiny"])
    monkeypatch.setattr("tokalign.model.shipped.model_path", lambda name: path)
    shown = CliRunner().invoke(main, ["info"]).stdout
    assert "    needs: wordnet, vectors\n" in shown
    assert "    dev F1: 89.8\n" in shown
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
    aligned = Aligner.load(path).align("Dogs bark .", "The dogs bark .", symmetrization="t2s")
    assert aligned.to_pharaoh() == "0-1 1-2 2-3"


def test_a_published_system_has_its_own_groups(train):
    result, _ = train("--like", "yao2013", "--feature-groups", "string")
    assert result.exit_code == 2
    assert "leave out --feature-groups" in result.output
