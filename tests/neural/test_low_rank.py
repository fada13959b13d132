"""Fine-tuning of low-rank differences, of a tiny MPNet."""

import numpy as np
import pytest
from reference.random_encoder import N_WORDS, random_weights
from tokalign.files.tables import Table
from tokalign.neural.encoder import add_differences
from tokalign.neural.wordpieces import Sequence2

from lab.recipes.neural.bases import MPNET, BaseEncoder

torch = pytest.importorskip("torch", reason="torch is not installed; run make test-torch")

MADE = {**MPNET, "n_layers": 3, "width": 32, "n_heads": 4, "n_positions": 64}


def base_weights(_base=None):
    weights = random_weights(MADE)
    del weights["projection.weight"]  # which an encoder's table brings
    return weights


def some_examples():
    """Pairs of one piece a token, of two corpora and several lengths; first tokens are linked."""
    from lab.recipes.neural.fine_tune import Example

    rng = np.random.default_rng(3)
    found = []
    for k, (n_source, n_target) in enumerate([(3, 4), (6, 2), (1, 1), (9, 7)]):
        n_first = n_source + 2
        ids = rng.integers(0, N_WORDS, n_first + n_target + 2)
        source = 1 + np.arange(n_source + 1)
        target = n_first + 1 + np.arange(n_target + 1)
        sequence = Sequence2(ids, n_first, source, target)
        found.append(Example(sequence, frozenset({(0, 0)}), k % 2))
    return found


def taught_examples():
    """Pairs without links of other lengths, and a teacher's probabilities for each."""
    from lab.recipes.neural.fine_tune import Example
    from lab.recipes.neural.torch_encoder import TAUGHT

    rng = np.random.default_rng(4)
    found = []
    for example in some_examples():
        n, m = (len(side) - 1 for side in (example.sequence.source, example.sequence.target))
        said = []
        for shape in ((n, m + 1), (m, n + 1)):
            scores = rng.normal(size=shape)
            said.append((scores - np.log(np.exp(scores).sum(1, keepdims=True))).astype(np.float32))
        found.append(Example(example.sequence, frozenset(), TAUGHT, tuple(said)))
    return found


def lost_by_hand(encoder, example):
    """The loss of one example, token by token."""
    with torch.no_grad():
        cells, of_source, of_target = (part[0].tolist() for part in encoder(batch_of([example])))
    total = 0.0
    columns = list(zip(*cells, strict=True))
    for side, (rows, nulls) in enumerate(((cells, of_source), (columns, of_target))):
        for token, (row, null) in enumerate(zip(rows, nulls, strict=True)):
            scores = np.array([null, *row])
            logs = scores - np.log(np.exp(scores).sum())
            if example.said is not None:
                total -= float((np.exp(example.said[side][token]) * logs).sum())
                continue
            gold = [1 + link[1 - side] for link in example.links if link[side] == token] or [0]
            total -= float(np.log(np.exp(logs[gold]).sum()))
    return total


def batch_of(examples):
    from lab.recipes.neural.torch_encoder import TensorBatch

    return TensorBatch(*zip(*examples, strict=True))


@pytest.fixture
def encoder():
    from lab.recipes.neural.torch_encoder import TorchEncoder

    torch.manual_seed(1)
    return TorchEncoder(MADE, base_weights(), n_corpora=2)


@pytest.fixture
def tune(tmp_path, monkeypatch):
    from lab.recipes.neural import fine_tune

    monkeypatch.setattr(fine_tune, "base_weights", base_weights)

    def run(name, *, epochs=2, start=None):
        return fine_tune.fine_tune(
            some_examples(), BaseEncoder(MADE, rate=3e-3, is_rounded=True), epochs,
            tmp_path / f"{name}.table", source="a test", start=start,
        )  # fmt: skip

    return run


def test_weights_rounded_once_give_what_autocast_gives(encoder):
    batch = batch_of(some_examples())
    encoder.eval()
    with torch.no_grad(), torch.autocast("cpu", dtype=torch.bfloat16):
        before = encoder.states(batch)
        encoder.round_frozen()
        assert torch.equal(encoder.states(batch), before)


def test_attention_with_a_bias_equals_pytorchs():
    from lab.recipes.neural.torch_encoder import _attend

    torch.manual_seed(2)
    query, key, value = torch.randn(3, 2, 4, 5, 8)
    mask = torch.randn(2, 4, 5, 5)
    wanted = torch.nn.functional.scaled_dot_product_attention(query, key, value, attn_mask=mask)
    torch.testing.assert_close(_attend(query, key, value, mask), wanted)


def test_a_batch_loses_what_its_examples_lose_by_hand(encoder):
    from lab.recipes.neural.torch_encoder import loss

    encoder.eval()
    for k in range(3):
        encoder.null_bias.data[k] = torch.tensor([0.3 * k, -0.2 * k])
    both = [*some_examples(), *taught_examples()]
    with torch.no_grad():
        found = float(loss(encoder, batch_of(both)))
    assert found == pytest.approx(sum(lost_by_hand(encoder, each) for each in both), rel=1e-4)


def test_an_encoder_learns_what_it_is_taught(encoder):
    from lab.recipes.neural.torch_encoder import loss

    batch = batch_of(taught_examples())
    encoder.eval()
    steps = torch.optim.Adam([p for p in encoder.parameters() if p.requires_grad], lr=0.01)
    lost = []
    for _ in range(30):
        total = loss(encoder, batch)
        steps.zero_grad()
        total.backward()
        steps.step()
        lost.append(total.item())
    # Cross entropy is least where the probabilities are the teacher's.
    least = -sum(
        float((np.exp(side) * side).sum()) for each in taught_examples() for side in each.said
    )
    first, last = lost[0] - least, lost[-1] - least
    assert 0 < last < 0.5 * first


def test_nulls_of_taught_pairs_are_not_written(encoder):
    encoder.null_bias.data[:] = torch.tensor([[1.0, 2.0], [3.0, 4.0], [50.0, 60.0]])
    assert encoder.arrays()["null_bias"].tolist() == [2.0, 3.0]


def test_pairs_to_be_seen_once_are_in_one_epoch(tmp_path, monkeypatch):
    from lab.recipes.neural import fine_tune

    monkeypatch.setattr(fine_tune, "base_weights", base_weights)
    seen = []

    def noted(encoder, batch):
        seen.append(int(batch.is_taught.sum()))
        return loss(encoder, batch)

    loss = fine_tune.loss
    monkeypatch.setattr(fine_tune, "loss", noted)
    fine_tune.fine_tune(
        some_examples(), BaseEncoder(MADE, rate=3e-3), 3, tmp_path / "once.table",
        source="a test", once=taught_examples(),
    )  # fmt: skip
    assert sum(seen) == len(taught_examples())


def test_every_layer_gets_differences(tune):
    table = tune("all")
    names = [name for name in table.header["arrays"] if name.startswith("encoder")]
    assert {name.split(".")[2] for name in names} == {"0", "1", "2"}
    assert all(np.any(table[name]) for name in names)


def test_two_runs_write_the_same(tune):
    first, again = tune("first"), tune("again")
    assert first.header["sha256"] == again.header["sha256"]
    assert tune("longer", epochs=3).header["sha256"] != first.header["sha256"]


def test_it_goes_on_from_a_table(tune):
    first = tune("first")
    assert tune("on", start=first).header["sha256"] != first.header["sha256"]


def test_the_differences_are_those_that_the_encoder_adds(tune):
    from lab.recipes.neural.torch_encoder import TorchEncoder

    table: Table = tune("merged")
    encoder = TorchEncoder(MADE, base_weights(), table).eval()
    merged = add_differences(table, base_weights())
    whole = TorchEncoder(MADE, merged).eval()
    batch = batch_of(some_examples())
    with torch.no_grad():
        torch.testing.assert_close(whole.states(batch), encoder.states(batch), atol=1e-3, rtol=1e-3)
