"""The similarity of two sentences."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokalign.errors import ShapeError
from tokalign.similarity import similarity, token_weights
from tokalign.types import Sentence

IDF = {"the": 0.0, "dog": 0.5, "bark": 0.5, "7": 0.5, "zebra": 1.0}


def weigh(lemma):
    return IDF.get(lemma, 1.0)


def sentence(*words):
    tags = {"the": "DT", "7": "CD", ".": "."}
    return Sentence.from_tokens(words, tags=[tags.get(w, "NN") for w in words], lemmas=words)


def test_numbers_weigh_double_and_marks_nothing():
    weights = token_weights(sentence("the", "dog", "7", "."), weigh)
    assert weights.tolist() == [0.0, 0.5, 1.0, 0.0]


def test_it_is_the_share_of_the_side_that_has_less_in_common():
    # "dog" has its partner; of the target's 0.5 + 1.0 that is a third
    both = sentence("the", "dog"), sentence("dog", "zebra")
    assert similarity(*both, np.array([[0.0, 0.0], [1.0, 0.0]]), weigh) == pytest.approx(1 / 3)


def test_links_of_one_word_count_once():
    both = sentence("dog"), sentence("dog", "bark")
    assert similarity(*both, np.array([[1.0, 1.0]]), weigh) == 1.0


def test_words_that_say_nothing_weigh_alike_where_there_are_no_others():
    both = sentence("the", "."), sentence("the", ".")
    assert similarity(*both, np.array([[1.0, 0.0], [0.0, 0.5]]), weigh) == pytest.approx(0.75)


def test_posteriors_of_another_pair_are_refused():
    with pytest.raises(ShapeError, match=r"shape \(1, 2\); wanted \(1, 1\)"):
        similarity(sentence("dog"), sentence("dog"), np.ones((1, 2)), weigh)


@given(st.data())
def test_it_is_symmetric_bounded_and_grows_with_the_posteriors(data):
    words = st.lists(st.sampled_from(sorted(IDF)), min_size=1, max_size=5)
    source, target = (sentence(*data.draw(words)) for _ in range(2))
    rng = np.random.default_rng(data.draw(st.integers(0, 99)))
    posterior = rng.random((len(source), len(target)))
    value = similarity(source, target, posterior, weigh)
    assert 0 <= value <= 1
    assert value == pytest.approx(similarity(target, source, posterior.T, weigh))
    assert similarity(source, target, posterior / 2, weigh) <= value + 1e-12
