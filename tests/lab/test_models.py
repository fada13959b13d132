"""Recipes of models: those that ship were made by them, and a small one can be."""

from dataclasses import asdict
from pathlib import Path

import pytest
from tokalign.model import load_model
from tokalign.model.shipped import model_path, shipped_models
from tokalign.model.training import TrainingSettings

from lab.figures import KEYS, read_figures
from lab.recipes import models
from lab.recipes.models import MODELS, Recipe
from lab.recipes.neural import models as neural_models
from lab.recipes.settings import (
    EN_NEURAL_OPEN_SETTINGS,
    EN_NEURAL_SETTINGS,
    EN_RTE2_SETTINGS,
    with_encoder,
)


def test_every_shipped_model_has_a_recipe():
    assert {*MODELS, *neural_models.MODELS} == set(shipped_models()) == KEYS.keys()


SETTINGS = {name: recipe.settings for name, recipe in MODELS.items()} | {
    "en-rte2-neural": with_encoder(EN_RTE2_SETTINGS),
    "en-neural": EN_NEURAL_SETTINGS,
    "en-neural-large": EN_NEURAL_SETTINGS,
    "en-neural-open": EN_NEURAL_OPEN_SETTINGS,
}


def test_the_open_neural_model_learns_from_what_en_learns_from():
    _, base = neural_models.MODELS["en-neural-open"]
    assert base.sources.corpora == MODELS["en"].corpora
    assert not base.teacher


@pytest.mark.parametrize("name", MODELS)
def test_the_shipped_header_names_what_the_recipe_names(name):
    header, recipe = load_model(model_path(name)).header, MODELS[name]
    assert header.description == recipe.description
    assert header.corpora == tuple(Path(corpus).name for corpus in recipe.corpora)


@pytest.mark.parametrize("name", SETTINGS)
def test_the_shipped_header_has_the_recipes_settings(name):
    header = load_model(model_path(name)).header
    assert header.feature_groups == SETTINGS[name].feature_groups
    # A setting that came later is not in an older header, and then is its default.
    settings = asdict(TrainingSettings()) | header.settings
    for key in ("possible_in", "styles"):
        settings[key] = tuple(tuple(v) if isinstance(v, list) else v for v in settings[key])
    wanted = asdict(SETTINGS[name])
    for key in ("feature_groups", "follow", "pairs", "unrelated"):
        settings.pop(key, None)
        wanted.pop(key, None)
    assert settings == wanted


@pytest.mark.parametrize("name", shipped_models())
def test_the_shipped_header_has_the_figures_that_were_measured(name):
    assert load_model(model_path(name)).header.figures == read_figures(KEYS[name])


def test_a_model_is_written_with_what_was_measured(sample_dir, tmp_path, monkeypatch):
    settings = TrainingSettings(feature_groups=("string", "pos"), max_iterations=2)
    recipe = Recipe("A test", ("sample.jsonl",), settings)
    monkeypatch.setitem(KEYS, "small", {"F1 on X": "x.small.f1"})
    monkeypatch.setattr(models, "MODELS", {"small": recipe})
    monkeypatch.setattr(models, "read_figures", lambda keys: dict.fromkeys(keys, 12.5))
    models.main(["--data", str(sample_dir), "--output", str(tmp_path)])
    header = load_model(tmp_path / "small.tokalign").header
    assert (header.name, header.description, header.corpora) == (
        "small",
        "A test",
        ("sample.jsonl",),
    )
    assert header.figures == {"F1 on X": 12.5}


def test_an_unknown_model_is_refused(tmp_path, capsys):
    with pytest.raises(SystemExit):
        models.main(["--data", str(tmp_path), "--output", str(tmp_path), "fr"])
    assert "no model ['fr']; choose out of en-rte2, en, en-research" in capsys.readouterr().err
