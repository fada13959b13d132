"""The neural models that ship, through the library, the command and the server's engine."""

import pickle
import subprocess
import sys

import pytest
from click.testing import CliRunner
from support.sample import sample_pairs
from tokalign.aligner import Aligner
from tokalign.cli.main import main
from tokalign.codec.options import RequestOptions
from tokalign.errors import ResourceError
from tokalign.server.config import RequestLimits
from tokalign.server.workers import frames
from tokalign.server.workers.aligners import load
from tokalign.server.workers.engine import EngineSettings
from tokalign.types.options import Symmetrization
from tokalign.v1 import align_pb2

MODELS = ("en-neural", "en-neural-open", "en-rte2-neural")
FIRM = ("The firm will shut its Leeds plant.", "The company is closing its factory in Leeds.")
TEXTS = [FIRM, ("Dogs bark.", "The dogs bark."), ("He won gold medals.", "He captured gold.")]
LEAST_ALIKE = 0.88
"""F1 of a text's links by those of its sentences; one that learned sentences alone has 0.85."""


@pytest.fixture(scope="module", params=MODELS)
def aligner(request):
    return Aligner.load(request.param)


def test_open_paraphrase_is_aligned(aligner):
    style = "paraphrase" if aligner.header.styles else ""
    links = {(link.source, link.target) for link in aligner.align(*FIRM, style=style).links}
    assert links >= {(0, 0), (1, 1), (3, 3), (4, 4), (5, 7), (6, 5), (7, 8)}


def test_pipe_equals_align(aligner):
    for one, piped in zip(TEXTS, aligner.pipe(TEXTS), strict=True):
        assert piped == aligner.align(*one)


@pytest.mark.parametrize("symmetrization", list(Symmetrization))
def test_every_direction_reads_the_encoder(aligner, symmetrization):
    alignment = aligner.align(*FIRM, symmetrization=symmetrization)
    assert (6, 5) in {(link.source, link.target) for link in alignment.links}


def test_explanations_name_the_encoders_features(aligner):
    found = aligner.explain(*FIRM, 6, 5)
    assert any(
        feature.name.startswith("neural")
        for explanation in found
        for feature in explanation.features
    )


def test_header_names_the_encoder(aligner):
    assert aligner.header.encoder in aligner.header.resources
    assert "wordpieces" in aligner.header.resources


def links_of(alignment):
    return {(link.source, link.target) for link in alignment.links}


def test_texts_have_nearly_the_links_of_their_sentences():
    aligner = Aligner.load("en-neural")
    pairs = [
        (pair.source.tokens, pair.target.tokens)
        for pair in sample_pairs()
        if len(pair.source.tokens) > 8
    ]
    n_same, n_links = 0, 0
    for first in range(0, 48, 12):  # some 130 tokens a side
        source, target, expected = [], [], set()
        for own, other in pairs[first : first + 12]:
            links = links_of(aligner.align(own, other, style="free"))
            expected |= {(len(source) + i, len(target) + j) for i, j in links}
            source += own
            target += other
        found = links_of(aligner.align(source, target, style="free"))
        n_same += 2 * len(found & expected)
        n_links += len(found) + len(expected)
    assert n_same / n_links > LEAST_ALIKE


def test_a_phrase_again_and_again_is_linked_place_by_place():
    text = ["The", "quick", "brown", "fox", "jumps", "over", "it", ",", "and"] * 20
    found = links_of(Aligner.load("en-neural").align(text, text))
    assert found == {(k, k) for k in range(len(text))}


def test_command_aligns_with_a_neural_model():
    result = CliRunner().invoke(main, ["align", "--model", "en-neural"], input=" ||| ".join(FIRM))
    assert result.exit_code == 0
    assert "6-5" in result.stdout.split()


def test_the_servers_engine_answers_as_the_library_does():
    engine = load(EngineSettings(("en-neural",), ("native",), RequestLimits()))
    pairs = [
        align_pb2.Pair(source={"text": source}, target={"text": target}).SerializeToString()
        for source, target in TEXTS
    ]
    options = RequestOptions(model="en-neural", annotator="native")
    answers, _ = engine.run([frames.Run(options, b"", tuple(pairs))])
    aligner = Aligner.load("en-neural")
    for answer, text in zip(answers, TEXTS, strict=True):
        message = align_pb2.Alignment.FromString(answer.alignment)
        links = zip(message.source_indices, message.target_indices, strict=True)
        assert " ".join(f"{i}-{j}" for i, j in links) == aligner.align(*text).to_pharaoh()


def test_a_device_that_is_not_there_is_an_error_and_no_fall_back():
    with pytest.raises(ResourceError, match="'migraphx' needs onnxruntime's MIGraphX"):
        Aligner.load("en-neural", device="migraphx")
    result = CliRunner().invoke(
        main, ["align", "--model", "en-neural", "--device", "migraphx"], input="a ||| b"
    )
    assert result.exit_code == 1
    assert "run: pip install onnx onnxruntime-migraphx" in result.stderr
    with pytest.raises(ResourceError, match="onnxruntime's MIGraphX"):
        load(EngineSettings(("en-neural",), ("native",), RequestLimits(), "migraphx"))


def test_a_pickled_aligner_keeps_its_device(aligner):
    again = pickle.loads(pickle.dumps(aligner))
    assert again._device == "cpu"
    assert again.align(*FIRM) == aligner.align(*FIRM)


def test_aligning_on_a_processor_loads_neither_torch_nor_onnxruntime():
    code = (
        "import sys; from tokalign.aligner import Aligner; "
        "Aligner.load('en-neural').align('Dogs bark.', 'A dog barks.'); "
        "print('torch' in sys.modules, 'onnxruntime' in sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=100
    )
    assert done.stdout.split() == ["False", "False"]
