"""An encoder's layers on a processor, with small random weights, against the slow twin."""

import itertools
import math

import numpy as np
import pytest
from reference.encoder import ReferenceStates, softmax
from reference.random_encoder import N_WORDS, random_weights
from tokalign.errors import ResourceError
from tokalign.neural.layers import TILES, Layers, PairScorer, log_probabilities
from tokalign.neural.wordpieces import PieceSequence

from lab.recipes.neural.bases import MINILM, MPNET

SMALL = {"n_layers": 3, "width": 64, "n_heads": 4, "n_positions": 64}
MAKES = [{**MINILM, **SMALL}, {**MPNET, **SMALL}]
makes = pytest.mark.parametrize("made", MAKES, ids=["MiniLM", "MPNet"])


def some_sequences(lengths=(60, 17, 4, 1, 64)):
    rng = np.random.default_rng(3)
    return [PieceSequence(rng.integers(0, N_WORDS, n), n // 3) for n in lengths]


def sides_of(sequence):
    return (np.arange(len(sequence)) >= sequence.n_first).astype(np.int64)


class Rounded(ReferenceStates):
    """The twin whose matrices and activations are rounded as the kernel rounds them."""

    def linear(self, x, name):
        weight = self.weights[f"{name}.weight"]
        scale = np.abs(weight).max(axis=1, keepdims=True) / 64
        middle, finest = (20, 0.17 / 20) if name.endswith(".output.dense") else (128, 1e-12)
        if name.endswith("attention.output.dense"):
            middle, finest = 128, 1e-12
        step = np.maximum(np.abs(x).max(axis=1, keepdims=True) / (255 - middle), finest)
        product = np.rint(x / step) @ np.rint(weight / scale).T
        return product * step * scale.T + self.weights[f"{name}.bias"]


@makes
def test_states_equal_the_rounded_twins(made):
    weights = random_weights(made)
    words = weights["embeddings.word_embeddings.weight"]
    step = np.abs(words).max(axis=1, keepdims=True) / 127
    twin = Rounded(
        {**weights, "embeddings.word_embeddings.weight": np.rint(words / step) * step}, made
    )
    sequences = some_sequences()
    for sequence, got in zip(sequences, Layers(weights, made).states(sequences), strict=True):
        wanted = twin.states(sequence.ids, sides_of(sequence))
        assert got.dtype == np.float32 and got.shape == wanted.shape
        # What lies between two whole numbers may be rounded to either, and moves all behind it.
        assert np.abs(got - wanted).mean() < 0.04 * np.abs(wanted).mean()


@makes
def test_states_are_close_to_the_exact_twins(made):
    weights = random_weights(made)
    twin = ReferenceStates(weights, made)
    sequences = some_sequences()
    for sequence, got in zip(sequences, Layers(weights, made).states(sequences), strict=True):
        wanted = twin.states(sequence.ids, sides_of(sequence))
        assert np.abs(got - wanted).mean() < 0.25 * np.abs(wanted).mean()


@makes
def test_a_sequence_gets_the_same_whatever_it_is_run_with(made):
    layers = Layers(random_weights(made), made)
    sequences = some_sequences((5, 64, 7, 33, 64, 64, 64, 2, 1))
    for sequence, among in zip(sequences, layers.states(sequences), strict=True):
        np.testing.assert_array_equal(layers.states([sequence])[0], among)


@makes
@pytest.mark.parametrize("tile", TILES[1:])
def test_every_instruction_set_gives_the_same(made, tile):
    weights = random_weights(made)
    weights["encoder.layer.0.output.dense.weight"][:] = 1.0  # the largest sums there can be
    fastest = Layers(weights, made).states(some_sequences())
    for wanted, got in zip(
        fastest, Layers(weights, made, tile).states(some_sequences()), strict=True
    ):
        np.testing.assert_array_equal(got, wanted)


def test_an_instruction_set_that_is_none_is_refused():
    with pytest.raises(ValueError, match="cannot run 'abacus'"):
        Layers(random_weights(MAKES[0]), MAKES[0], "abacus")


def test_no_sequences_have_no_states():
    assert Layers(random_weights(MAKES[0]), MAKES[0]).states([]) == []


@pytest.mark.parametrize(
    ("ids", "message"),
    [
        ([], "sequences of 0 to 0"),
        ([1] * 65, "sequences of 65 to 65"),
        ([N_WORDS], "pieces from 120 to 120 of 120"),
        ([-1], "pieces from -1"),
    ],
)
def test_sequences_that_cannot_be_are_refused(ids, message):
    layers = Layers(random_weights(MAKES[0]), MAKES[0])
    with pytest.raises(ValueError, match=message):
        layers.states([PieceSequence(np.array(ids, dtype=np.int64), 0)])


@pytest.mark.parametrize("sizes", [{"width": 96, "n_heads": 6}, {"width": 64, "n_heads": 8}])
def test_widths_that_are_not_reckoned_at_once_are_refused(sizes):
    made = {**MINILM, **SMALL, **sizes}
    with pytest.raises(ResourceError, match="64 must divide the widths and 16 a head's"):
        Layers(random_weights(made), made)


def test_scores_equal_what_numpy_says():
    rng = np.random.default_rng(2)
    states = rng.standard_normal((12, 20)).astype(np.float32)
    projection = rng.standard_normal((2 * 5 + 2, 20)).astype(np.float32)
    starts = np.array([1, 2, 5, 6]), np.array([7, 9, 11])
    scorer = PairScorer(projection, 0.5, np.array([0.1, -0.2], dtype=np.float32))
    cells, of_source, of_target = scorer.score(states, *starts)
    source, target = (
        np.array([states[a:b].mean(axis=0) for a, b in itertools.pairwise(side)]) for side in starts
    )
    wanted = 0.5 * (source @ projection[:5].T) @ (target @ projection[5:10].T).T
    np.testing.assert_allclose(cells, wanted, atol=1e-4)
    np.testing.assert_allclose(of_source, source @ projection[10] + 0.1, atol=1e-4)
    np.testing.assert_allclose(of_target, target @ projection[11] - 0.2, atol=1e-4)
    s2t, t2s = log_probabilities(cells, of_source, of_target)
    np.testing.assert_allclose(np.exp(s2t), softmax(np.column_stack([of_source, cells])), atol=1e-5)
    np.testing.assert_allclose(
        np.exp(t2s), softmax(np.column_stack([of_target, cells.T])), atol=1e-5
    )


def test_improbable_partners_have_finite_logarithms():
    cells = np.array([[0.0, -500.0]], dtype=np.float32)
    s2t, t2s = log_probabilities(cells, np.zeros(1, np.float32), np.zeros(2, np.float32))
    np.testing.assert_allclose(s2t, [[-math.log(2), -math.log(2), -500 - math.log(2)]], rtol=1e-5)
    assert np.isfinite(t2s).all()


@pytest.mark.parametrize("starts", [[0, 0], [2, 1], [-1, 1], [0, 4]])
def test_tokens_outside_of_the_states_are_refused(starts):
    scorer = PairScorer(np.ones((4, 16), np.float32), 1.0, np.zeros(2, np.float32))
    with pytest.raises(ValueError, match="token"):
        scorer.score(np.ones((3, 16), np.float32), np.array(starts), np.array([0, 1]))
