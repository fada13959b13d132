"""Fine-tuning of the upper layers alone, over what those below said once, of a tiny MPNet."""

import numpy as np
import pytest
from reference.random_encoder import N_WORDS, random_weights
from tokalign.neural.encoder import add_differences
from tokalign.neural.wordpieces import Sequence2
from tokalign.tables import Table

from recipes.neural.bases import MPNET

torch = pytest.importorskip("torch", reason="torch is not installed; run make test-neural")

MADE = {**MPNET, "n_layers": 3, "width": 32, "n_heads": 4, "n_positions": 64}
N_TRAINED = 2


def base_weights(_base=None):
    weights = random_weights(MADE)
    del weights["projection.weight"]  # which an encoder's table brings
    return weights


def some_examples():
    """Pairs of one piece a token, of two corpora and several lengths; first tokens are linked."""
    rng = np.random.default_rng(3)
    found = []
    for k, (n_source, n_target) in enumerate([(3, 4), (6, 2), (1, 1), (9, 7)]):
        n_first = n_source + 2
        ids = rng.integers(0, N_WORDS, n_first + n_target + 2)
        source = 1 + np.arange(n_source + 1)
        target = n_first + 1 + np.arange(n_target + 1)
        found.append((Sequence2(ids, n_first, source, target), frozenset({(0, 0)}), k % 2))
    return found


def batch_of(examples):
    from recipes.neural.torch_encoder import Batch

    return Batch(*zip(*examples, strict=True))


@pytest.fixture
def encoder():
    from recipes.neural.torch_encoder import TorchEncoder

    torch.manual_seed(1)
    return TorchEncoder(MADE, base_weights(), n_corpora=2, n_trained=N_TRAINED)


@pytest.fixture
def tune(tmp_path, monkeypatch):
    from recipes.neural import fine_tune

    monkeypatch.setattr(fine_tune, "base_weights", base_weights)

    def run(name, *, epochs=2, start=None, n_trained=N_TRAINED):
        return fine_tune.fine_tune(
            some_examples(), fine_tune.TuningSettings(epochs, n_trained=n_trained),
            tmp_path / f"{name}.table", made=MADE, name=name, source="a test", start=start,
            report=False,
        )  # fmt: skip

    return run


def test_kept_states_equal_those_computed_with_the_batch(encoder):
    from recipes.neural.fine_tune import lower_states

    examples = some_examples()
    lower = lower_states(encoder, examples)
    assert [each.shape for each in lower] == [(len(each[0]), 32) for each in examples]
    with torch.no_grad(), torch.autocast("cpu", dtype=torch.bfloat16):
        batch = batch_of(examples)
        computed = encoder.lower(batch).numpy()
        wanted = encoder.states(batch).numpy()
        batch.keep(lower)
        got = encoder.states(batch).numpy()
    for row, states in enumerate(lower):
        n = len(states)
        np.testing.assert_allclose(states, computed[row, :n], atol=0.05)  # bfloat16 has 8 bits
        np.testing.assert_allclose(got[row, :n], wanted[row, :n], atol=0.1)


def test_weights_rounded_once_give_what_autocast_gives(encoder):
    batch = batch_of(some_examples())
    encoder.eval()
    with torch.no_grad(), torch.autocast("cpu", dtype=torch.bfloat16):
        before = encoder.states(batch)
        encoder.round_frozen()
        assert torch.equal(encoder.states(batch), before)


def test_attention_with_a_bias_equals_pytorchs():
    from recipes.neural.torch_encoder import _attend

    torch.manual_seed(2)
    query, key, value = torch.randn(3, 2, 4, 5, 8)
    mask = torch.randn(2, 4, 5, 5)
    wanted = torch.nn.functional.scaled_dot_product_attention(query, key, value, attn_mask=mask)
    torch.testing.assert_close(_attend(query, key, value, mask), wanted)


def test_only_the_upper_layers_are_trained(tune, encoder, monkeypatch):
    from recipes.neural import fine_tune

    made = []

    def kept(*arguments):
        made.append(fine_tune_encoder(*arguments))
        return made[-1]

    fine_tune_encoder = fine_tune.TorchEncoder
    monkeypatch.setattr(fine_tune, "TorchEncoder", kept)
    table = tune("upper")
    layers = {name.split(".")[2] for name in table.header["arrays"] if name.startswith("encoder")}
    assert layers == {"1", "2"}
    lowest, upper = made[0].layers[0], made[0].layers[1]
    assert not any(part.up.any() for part in lowest.parts)
    assert all(part.up.any() for part in upper.parts)
    for name, value in lowest.state_dict().items():
        fresh = encoder.layers[0].state_dict()[name]
        assert torch.equal(value, fresh.to(value.dtype)), name


def test_two_runs_write_the_same(tune):
    first, again = tune("first"), tune("again")
    assert first.header["sha256"] == again.header["sha256"]
    assert tune("longer", epochs=3).header["sha256"] != first.header["sha256"]


def test_it_goes_on_from_a_table_of_as_many_layers(tune):
    first = tune("first")
    assert tune("on", start=first).header["sha256"] != first.header["sha256"]
    with pytest.raises(ValueError, match=r"only the last 1 layers are trained"):
        tune("fewer", start=first, n_trained=1)


def test_the_differences_are_those_that_the_encoder_adds(tune):
    """A table of the upper layers alone gives the merged weights of all of them."""
    from recipes.neural.torch_encoder import TorchEncoder

    table: Table = tune("merged")
    encoder = TorchEncoder(MADE, base_weights(), table, n_trained=N_TRAINED).eval()
    merged = add_differences(table, base_weights())
    whole = TorchEncoder(MADE, merged).eval()
    batch = batch_of(some_examples())
    with torch.no_grad():
        torch.testing.assert_close(whole.states(batch), encoder.states(batch), atol=1e-3, rtol=1e-3)


@pytest.mark.parametrize("n_trained", [0, 4])
def test_a_number_of_layers_that_there_is_not_is_refused(n_trained):
    from recipes.neural.torch_encoder import TorchEncoder

    with pytest.raises(ValueError, match=rf"{n_trained} layers to train; wanted 1 to 3"):
        TorchEncoder(MADE, base_weights(), n_trained=n_trained)
