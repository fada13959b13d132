"""The reference program's measures against their definitions and the twins of the kernels."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rapidfuzz.distance import Jaro, Levenshtein, Prefix
from reference import crf
from tokalign.crf.transitions import TRANSITION_NAMES

from bench.made_pairs import make_pairs
from bench.reference import Reference, compiler

pytestmark = pytest.mark.skipif(compiler() is None, reason="no C compiler")

words = st.text(alphabet="abcA-", min_size=1, max_size=12) | st.text(
    alphabet=st.characters(min_codepoint=33, max_codepoint=126), min_size=1, max_size=64
)
NAMED_JUMP = 6
"""Up to here a jump has a transition of its own, so that the twin can be given its weight."""


@pytest.fixture(scope="module")
def reference(tmp_path_factory) -> Reference:
    return Reference(tmp_path_factory.mktemp("limit"))


def shared_ngrams(a: str, b: str) -> float:
    grams = [a[i : i + n] for n in range(1, 5) for i in range(len(a) - n + 1)]
    return sum(gram in b for gram in grams) / (len(a) + len(b))


def transition_weights() -> np.ndarray:
    """Return the twin's weights for what the program's transitions weigh."""
    jumps = {
        f"jump:{d:+d}" if d else "jump:0": -math.log(1 + abs(d))
        for d in range(-NAMED_JUMP, NAMED_JUMP + 1)
    }
    assert jumps.keys() <= set(TRANSITION_NAMES)
    return np.array([jumps.get(name, 0.0) for name in TRANSITION_NAMES])


@given(words, words)
def test_similarities_equal_their_definitions(reference: Reference, a: str, b: str) -> None:
    assert reference.levenshtein(a, b) == Levenshtein.distance(a, b)
    assert reference.shared_ngrams(a, b) == pytest.approx(shared_ngrams(a, b))
    # Winkler adds the prefix always; RapidFuzz only where Jaro is above 0.7.
    jaro = Jaro.similarity(a, b)
    prefix = min(4, Prefix.similarity(a, b))
    assert reference.jaro_winkler(a, b) == pytest.approx(jaro + 0.1 * prefix * (1 - jaro))


@pytest.mark.parametrize(("n_steps", "n_states"), [(1, 1), (1, 5), (4, 1), (6, 4), (9, 7)])
def test_forward_backward_equals_its_twin(
    reference: Reference, n_steps: int, n_states: int
) -> None:
    scores = np.random.default_rng(n_steps).normal(size=(n_steps, n_states))
    posterior, log_partition = reference.forward_backward(scores)
    wanted, _, wanted_partition = crf.forward_backward(scores, transition_weights())
    assert posterior == pytest.approx(wanted)
    assert log_partition == pytest.approx(wanted_partition)


def test_a_pair_is_aligned_by_all_its_words_and_pairs_add_up(reference: Reference) -> None:
    pairs = make_pairs(3, (9, 4), seed=1)
    alone = [reference.prepared([pair]).align() for pair in pairs]
    assert reference.prepared(pairs).align() == pytest.approx(sum(alone))
    source, target = pairs[0]
    for changed in (([*source, "x"], target), (source, [*target, "x"])):
        assert reference.prepared([changed]).align() != pytest.approx(alone[0])


@pytest.mark.parametrize("length", [0, 1025])
def test_a_sentence_out_of_range_is_refused(reference: Reference, length: int) -> None:
    with pytest.raises(ValueError, match=f"{length}.* tokens; wanted 1 to 1024"):
        reference.prepared([(["word"] * length, ["word"])]).align()


def test_made_pairs_are_those_of_their_seed_and_have_the_lengths_asked_for() -> None:
    pairs = make_pairs(5, (512, 7), seed=3, spread=0)
    assert {(len(source), len(target)) for source, target in pairs} == {(512, 7)}
    assert pairs == make_pairs(5, (512, 7), seed=3, spread=0)
    assert pairs != make_pairs(5, (512, 7), seed=4, spread=0)
