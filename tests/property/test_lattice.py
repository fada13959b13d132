"""The lattice kernels against their NumPy twins, brute force and the laws of probability."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from reference import crf as reference
from tokalign.crf.chains import TRANSITION_NAMES
from tokalign.errors import ShapeError

from lab.kernels.doors import Lattice

Array = NDArray[np.float64]
N_TRANSITIONS = len(TRANSITION_NAMES)
FLAT = np.zeros(N_TRANSITIONS)

# Few distinct values, so that equal scores and forbidden labels are common.
coarse_scores = st.sampled_from((-math.inf, -1.0, 0.0, 0.0, 0.5, 2.0))
scores = st.floats(-20.0, 20.0)


@st.composite
def lattices(
    draw: st.DrawFn, max_steps: int = 6, max_states: int = 6, forbidden: bool = True
) -> tuple[Array, Array]:
    """Random emissions, and transition weights drawn by a seed or out of few values."""
    n_steps = draw(st.integers(1, max_steps))
    n_states = draw(st.integers(1, max_states))
    if draw(st.booleans()):
        rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
        emission_ts = rng.normal(
            scale=draw(st.sampled_from((0.1, 1.0, 10.0))), size=(n_steps, n_states)
        )
        weights = rng.normal(scale=draw(st.sampled_from((0.1, 1.0, 5.0))), size=N_TRANSITIONS)
        if forbidden:
            emission_ts[rng.random(emission_ts.shape) < draw(st.sampled_from((0.0, 0.3)))] = -np.inf
    else:
        cells = draw(
            st.lists(
                coarse_scores if forbidden else scores,
                min_size=n_steps * n_states,
                max_size=n_steps * n_states,
            )
        )
        emission_ts = np.array(cells).reshape(n_steps, n_states)
        weights = np.array(
            draw(
                st.lists(
                    st.sampled_from((-1.0, 0.0, 0.5)),
                    min_size=N_TRANSITIONS,
                    max_size=N_TRANSITIONS,
                )
            )
        )
    return emission_ts, weights


def has_a_path(emission_ts: Array) -> bool:
    return bool(np.isfinite(emission_ts).any(axis=1).all())


def all_paths(emission_ts: Array, weights: Array) -> list[tuple[tuple[int, ...], float]]:
    n_steps, n_states = emission_ts.shape
    paths = itertools.product(range(n_states), repeat=n_steps)
    return [(path, reference.path_score(emission_ts, weights, path)) for path in paths]


@given(lattices())
def test_decode_equals_its_twin(lattice: tuple[Array, Array]) -> None:
    states, score = Lattice(*lattice).best_labels()
    expected_states, expected_score = reference.decode(*lattice)
    np.testing.assert_array_equal(states, expected_states)
    assert states.dtype == np.int32
    assert score == expected_score


@given(lattices(max_steps=4, max_states=4))
def test_decode_finds_the_best_of_all_paths(lattice: tuple[Array, Array]) -> None:
    states, score = Lattice(*lattice).best_labels()
    best = max(value for _, value in all_paths(*lattice))
    assert score == pytest.approx(best, abs=1e-9)
    assert reference.path_score(*lattice, states) == pytest.approx(best, abs=1e-9)


def test_ties_go_to_the_lower_state() -> None:
    states, score = Lattice(np.zeros((5, 4)), FLAT).best_labels()
    assert states.tolist() == [0] * 5
    assert score == 0.0
    emission_ts = np.array([[0.0, 1.0, 1.0], [0.0, 0.0, 1.0], [-1.0, 3.0, 3.0]])
    assert Lattice(emission_ts, FLAT).best_labels()[0].tolist() == [1, 2, 1]


def test_lattice_worked_by_hand() -> None:
    # Two steps over NULL and two target tokens, a jump of +1 worth 2 nats: the path 1, 2 scores
    # 1 + 2 + 0 = 3, the best of the paths without that jump 1 + 1 = 2.
    weights = FLAT.copy()
    weights[TRANSITION_NAMES.index("jump:+1")] = 2.0
    emission_ts = np.array([[0.0, 1.0, 0.5], [0.0, 1.0, 0.0]])
    states, score = Lattice(emission_ts, weights).best_labels()
    assert states.tolist() == [1, 2]
    assert score == 3.0


@given(lattices())
def test_forward_backward_equals_its_twin(lattice: tuple[Array, Array]) -> None:
    if not has_a_path(lattice[0]):
        with pytest.raises(ShapeError, match="no path has any weight"):
            Lattice(*lattice).posteriors()
        return
    posterior_ts, counts, log_partition = Lattice(*lattice).posteriors()
    expected_ts, expected_counts, expected_partition = reference.forward_backward(*lattice)
    np.testing.assert_allclose(posterior_ts, expected_ts, atol=1e-9)
    np.testing.assert_allclose(counts, expected_counts, atol=1e-8)
    assert log_partition == pytest.approx(expected_partition, abs=1e-8)


@given(lattices(max_steps=4, max_states=4))
def test_log_partition_and_posteriors_sum_over_all_paths(lattice: tuple[Array, Array]) -> None:
    if not has_a_path(lattice[0]):
        return
    posterior_ts, _, log_partition = Lattice(*lattice).posteriors()
    paths = all_paths(*lattice)
    total = sum(math.exp(score) for _, score in paths)
    assert log_partition == pytest.approx(math.log(total), abs=1e-8)
    expected_ts = np.zeros_like(posterior_ts)
    for path, score in paths:
        for t, state in enumerate(path):
            expected_ts[t, state] += math.exp(score) / total
    np.testing.assert_allclose(posterior_ts, expected_ts, atol=1e-9)


@st.composite
def runs(draw: st.DrawFn, **sizes: int) -> tuple[Array, Array, tuple[int, int], tuple[int, int]]:
    """A lattice that has a token's state, a run of its steps and one of its tokens' states."""
    emission_ts, weights = draw(
        lattices(**sizes).filter(lambda each: each[0].shape[1] > 1 and has_a_path(each[0]))
    )
    n_steps, n_states = emission_ts.shape
    first_step = draw(st.integers(0, n_steps - 1))
    first_state = draw(st.integers(1, n_states - 1))
    return (
        emission_ts,
        weights,
        (first_step, draw(st.integers(first_step + 1, n_steps))),
        (first_state, draw(st.integers(first_state + 1, n_states))),
    )


@given(runs(max_steps=4, max_states=4))
def test_probability_within_sums_over_all_paths(case) -> None:
    emission_ts, weights, steps, states = case
    paths = all_paths(emission_ts, weights)
    total = sum(math.exp(score) for _, score in paths)
    within = sum(
        math.exp(score)
        for path, score in paths
        if all(states[0] <= state < states[1] for state in path[slice(*steps)])
    )
    found = Lattice(emission_ts, weights).probability_within(steps, states)
    assert found == pytest.approx(within / total, abs=1e-9)


@given(runs(max_steps=12, max_states=30))
def test_probability_within_is_that_of_the_lattice_without_the_rest(case) -> None:
    emission_ts, weights, steps, states = case
    restricted = emission_ts.copy()
    restricted[slice(*steps), : states[0]] = restricted[slice(*steps), states[1] :] = -np.inf
    _, _, log_partition = Lattice(emission_ts, weights).posteriors()
    expected = 0.0
    if has_a_path(restricted):
        expected = math.exp(reference.forward_backward(restricted, weights)[2] - log_partition)
    found = Lattice(emission_ts, weights).probability_within(steps, states)
    assert found == pytest.approx(expected, abs=1e-8)
    assert 0.0 <= found <= 1.0


@given(runs(max_steps=12, max_states=30))
def test_probability_within_one_step_is_the_sum_of_its_posteriors(case) -> None:
    emission_ts, weights, (step, _), states = case
    posterior_ts, _, _ = Lattice(emission_ts, weights).posteriors()
    found = Lattice(emission_ts, weights).probability_within((step, step + 1), states)
    assert found == pytest.approx(posterior_ts[step, slice(*states)].sum(), abs=1e-12)


@pytest.mark.parametrize(
    ("steps", "states"),
    [((0, 0), (1, 2)), ((1, 3), (1, 2)), ((-1, 1), (1, 2)), ((0, 1), (0, 2)), ((0, 1), (1, 4))],
)
def test_ranges_outside_the_lattice_are_refused(steps, states) -> None:
    with pytest.raises(ShapeError, match=r"wanted ranges within it that are not empty"):
        Lattice(np.zeros((2, 3)), FLAT).probability_within(steps, states)


@given(lattices(max_steps=12, max_states=30))
def test_posteriors_are_probabilities(lattice: tuple[Array, Array]) -> None:
    if not has_a_path(lattice[0]):
        return
    posterior_ts, counts, log_partition = Lattice(*lattice).posteriors()
    n_steps = len(posterior_ts)
    assert (posterior_ts >= 0.0).all()
    np.testing.assert_allclose(posterior_ts.sum(axis=1), 1.0, atol=1e-9)
    assert (posterior_ts[np.isneginf(lattice[0])] == 0.0).all()
    # one start, one end and one transition less than there are steps
    assert counts[:5].sum() == pytest.approx(1.0)
    assert counts[5:10].sum() == pytest.approx(1.0)
    assert counts[10:].sum() == pytest.approx(n_steps - 1.0)
    assert Lattice(*lattice).best_labels()[1] <= log_partition + 1e-9


@given(lattices(max_steps=4, max_states=30, forbidden=False))
def test_counts_are_the_derivative_of_the_log_partition(lattice: tuple[Array, Array]) -> None:
    emission_ts, weights = lattice
    _, counts, _ = Lattice(emission_ts, weights).posteriors()
    step = 1e-5
    for slot in range(N_TRANSITIONS):
        raised, lowered = weights.copy(), weights.copy()
        raised[slot] += step
        lowered[slot] -= step
        slope = (
            Lattice(emission_ts, raised).posteriors()[2]
            - Lattice(emission_ts, lowered).posteriors()[2]
        ) / (2 * step)
        assert slope == pytest.approx(counts[slot], abs=1e-5), TRANSITION_NAMES[slot]


@pytest.mark.parametrize("n_states", [*range(62, 68), 90, 130])
def test_windows_over_long_sentences_equal_all_their_steps(n_states: int) -> None:
    rng = np.random.default_rng(n_states)
    emission_ts = rng.normal(scale=5.0, size=(6, n_states))
    emission_ts[rng.random(emission_ts.shape) < 0.3] = -np.inf
    weights = rng.normal(scale=5.0, size=N_TRANSITIONS)
    posterior_ts, counts, log_partition = Lattice(emission_ts, weights).posteriors()
    expected_ts, expected_counts, expected_partition = reference.forward_backward(
        emission_ts, weights
    )
    np.testing.assert_allclose(posterior_ts, expected_ts, rtol=1e-9, atol=1e-300)
    np.testing.assert_allclose(counts, expected_counts, atol=1e-8)
    assert log_partition == pytest.approx(expected_partition, rel=1e-12)


def test_exponentials_have_almost_all_digits() -> None:
    # Of one step the posteriors go as exp(emission).
    emission_ts = -np.linspace(0.0, 690.0, 100_001)[None]
    posterior_ts, *_ = Lattice(emission_ts, FLAT).posteriors()
    np.testing.assert_allclose(posterior_ts / posterior_ts[0, 0], np.exp(emission_ts), rtol=3e-15)
    far = np.array([[0.0, -708.5, -800.0, -np.inf]])
    np.testing.assert_array_equal(Lattice(far, FLAT).posteriors()[0], [[1.0, 0.0, 0.0, 0.0]])


@pytest.mark.parametrize("n_states", [1, 2, 80])
@pytest.mark.parametrize("scale", [1.0, 30.0])
def test_two_hundred_tokens(n_states: int, scale: float) -> None:
    rng = np.random.default_rng(n_states)
    emission_ts = rng.normal(scale=scale, size=(200, n_states))
    weights = rng.normal(scale=3.0, size=N_TRANSITIONS)
    np.testing.assert_array_equal(
        Lattice(emission_ts, weights).best_labels()[0], reference.decode(emission_ts, weights)[0]
    )
    for got, wanted in zip(
        Lattice(emission_ts, weights).posteriors(),
        reference.forward_backward(emission_ts, weights),
        strict=True,
    ):
        np.testing.assert_allclose(got, wanted, atol=1e-7, rtol=1e-9)


@pytest.mark.parametrize("size", [1e3, 1e5])
def test_scores_beyond_the_range_of_exp(size: float) -> None:
    rng = np.random.default_rng(7)
    emission_ts = rng.normal(scale=size, size=(5, 4))
    weights = np.full(N_TRANSITIONS, size)
    for got, wanted in zip(
        Lattice(emission_ts, weights).posteriors(),
        reference.forward_backward(emission_ts, weights),
        strict=True,
    ):
        np.testing.assert_allclose(got, wanted, atol=1e-9, rtol=1e-9)


def test_only_null_can_be_chosen_where_it_is_the_only_state() -> None:
    emission_ts = np.array([[2.0], [-1.0]])
    states, score = Lattice(emission_ts, FLAT).best_labels()
    assert states.tolist() == [0, 0]
    assert score == 1.0
    posterior_ts, counts, log_partition = Lattice(emission_ts, FLAT).posteriors()
    assert posterior_ts.tolist() == [[1.0], [1.0]]
    assert log_partition == pytest.approx(1.0)
    fired = {TRANSITION_NAMES[k]: counts[k] for k in np.flatnonzero(counts)}
    assert fired == {"start:null": 1.0, "end:null": 1.0, "null-null": 1.0}


def test_a_step_with_no_allowed_state_has_no_path() -> None:
    emission_ts = np.zeros((3, 2))
    emission_ts[1] = -np.inf
    assert Lattice(emission_ts, FLAT).best_labels()[1] == -math.inf
    with pytest.raises(ShapeError, match="no path has any weight"):
        Lattice(emission_ts, FLAT).posteriors()


def test_input_need_not_be_contiguous_or_of_the_right_type() -> None:
    wide = np.arange(24, dtype=np.float32).reshape(4, 6)
    np.testing.assert_array_equal(Lattice(wide[:, ::2], FLAT).best_labels()[0], [2, 2, 2, 2])
    np.testing.assert_array_equal(
        Lattice(wide.T, FLAT).posteriors()[0], Lattice(wide.T.copy(), FLAT).posteriors()[0]
    )


@pytest.mark.parametrize(
    ("emission_ts", "weights", "message"),
    [
        (np.zeros(3), FLAT, r"shape \(3,\)"),
        (np.zeros((0, 3)), FLAT, r"shape \(0, 3\)"),
        (np.zeros((3, 0)), FLAT, r"shape \(3, 0\)"),
        (np.zeros((2, 2, 2)), FLAT, r"wanted \(n_steps, n_states\)"),
        (np.zeros((2, 2)), np.zeros(33), r"shape \(33,\); wanted \(34,\)"),
        (np.zeros((2, 2)), np.zeros((1, 34)), r"shape \(1, 34\)"),
        (np.array([[0.0, np.nan]]), FLAT, "NaN"),
        (np.array([[0.0, np.inf]]), FLAT, r"\+inf"),
        (np.zeros((2, 2)), np.full(N_TRANSITIONS, -np.inf), "finite"),
        (np.zeros((2, 2)), np.full(N_TRANSITIONS, np.nan), "finite"),
    ],
)
def test_bad_input_raises_shape_error(emission_ts, weights, message) -> None:
    with pytest.raises(ShapeError, match=message):
        Lattice(emission_ts, weights)
