"""An aligner pickles to how it was loaded, and is only unpickled with the same model."""

import pickle

import pytest
from tokalign.aligner import Aligner
from tokalign.english.annotate import load_annotator
from tokalign.errors import ModelError
from tokalign.model.shipped import model_path


@pytest.mark.parametrize("kind", ["name", "path"])
def test_a_pickled_aligner_is_loaded_anew(kind, small_model, monkeypatch, tmp_path):
    monkeypatch.chdir(small_model.parent)
    aligner = Aligner.load("en" if kind == "name" else small_model.name)
    data = pickle.dumps(aligner)
    assert len(data) < 1000
    monkeypatch.chdir(tmp_path)
    again = pickle.loads(data)
    pair = ("A man sold his car.", "The vehicle was bought.")
    assert again.align(*pair) == aligner.align(*pair)


def test_an_aligner_is_not_unpickled_with_another_model(small_model, tmp_path):
    path = tmp_path / "my.tokalign"
    path.write_bytes(small_model.read_bytes())
    data = pickle.dumps(Aligner.load(path))
    path.write_bytes(model_path("en").read_bytes())
    with pytest.raises(ModelError, match=r"has the digest \w+ here"):
        pickle.loads(data)


def test_an_aligner_of_objects_does_not_pickle(small_model):
    with pytest.raises(TypeError, match=r"pickles only if it was made from"):
        pickle.dumps(Aligner.load(small_model, annotator=load_annotator("native")))
