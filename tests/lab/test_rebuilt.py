"""Models trained again are compared with those that ship."""

from dataclasses import replace

import pytest
from tokalign.model import load_model
from tokalign.model.shipped import model_path

from lab.recipes import models, rebuilt
from lab.recipes.rebuilt import TOLERANCE, difference


@pytest.fixture(scope="module")
def shipped():
    return load_model(model_path("en-rte2"))


@pytest.mark.parametrize(
    ("change", "told"), [(0.5, ""), (2.0, "the weights differ by up to 0.0200")]
)
def test_weights_may_differ_by_the_tolerance(shipped, change, told):
    weights = shipped.weights.copy()
    weights[3, 1] += change * TOLERANCE
    assert difference(shipped, replace(shipped, weights=weights)).partition(";")[0] == told


def test_another_header_is_a_difference(shipped):
    header = replace(shipped.header, version="1.0.1", digest="")
    assert "1.0.1" in difference(shipped, replace(shipped, header=header))


def test_a_model_without_its_corpora_is_skipped_and_said_to_be(tmp_path, capsys):
    with pytest.raises(SystemExit) as ended:
        rebuilt.main(["--data", str(tmp_path), "--output", str(tmp_path / "out"), "en-rte2"])
    assert ended.value.code == 0
    corpus = models.MODELS["en-rte2"].corpora[0]
    assert capsys.readouterr().out == f"en-rte2: skipped, since there is no {tmp_path / corpus}\n"


def test_another_model_fails(tmp_path, monkeypatch, capsys):
    def write(arguments):
        (tmp_path / "en-rte2.tokalign").write_bytes(model_path("en-rte2-neural").read_bytes())

    monkeypatch.setattr(rebuilt, "missing", lambda name, data: [])
    monkeypatch.setattr(models, "main", write)
    with pytest.raises(SystemExit) as ended:
        rebuilt.main(["--data", str(tmp_path), "--output", str(tmp_path), "en-rte2"])
    assert ended.value.code == 1
    assert "en-rte2: the headers differ" in capsys.readouterr().out
