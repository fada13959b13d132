"""Every shipped model has a card that names what its header names."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from tokalign.files.shipped import data_dir
from tokalign.model import load_model
from tokalign.model.shipped import model_path, shipped_models

CARDS = (Path(__file__).parents[2] / "docs" / "models.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", shipped_models())
def test_the_card_agrees_with_the_header(name):
    header = load_model(model_path(name)).header
    card = re.search(rf"\n## `{name}`\n(.*?)(?=\n## |\Z)", CARDS, re.DOTALL)
    assert card, f"docs/models.md has no card of {name}"
    rows = dict(re.findall(r"^\| (.+?) \| (.+) \|$", card[1], re.MULTILINE))
    assert rows["feature groups"].split(", ") == list(header.feature_groups)
    assert rows["version"].startswith(header.version)
    named = re.findall(r"`([^`]+\.(?:txt|json|tsv)|tokalign-[\w-]+)`", rows["corpora"])
    assert named == list(header.corpora)
    assert tuple(rows["needs"].lower().split(", ")) == header.resources
    tables = [data_dir() / f"{header.encoder}.table"] if header.encoder else []
    n_bytes = sum(path.stat().st_size for path in (model_path(name), *tables))
    assert rows["size"].startswith(f"{n_bytes / 1e6:.1f} MB")


def test_every_card_is_of_a_shipped_model():
    assert set(re.findall(r"\n## `(.+?)`\n", CARDS)) == set(shipped_models())
