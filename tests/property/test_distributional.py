"""Distributional similarity: the kernel against plain NumPy, and its laws."""

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from reference import distributional as reference
from tokalign.errors import InputError, ShapeError

from lab.kernels.doors import arc_similarity


@st.composite
def sentences(draw):
    n = draw(st.integers(1, 12))
    lemmas = draw(st.lists(st.integers(0, 9), min_size=n, max_size=n))
    relations = draw(st.lists(st.integers(0, 3), min_size=n, max_size=n))
    heads = [draw(st.integers(-1, k - 1)) for k in range(n)]
    return lemmas, heads, relations


def arrays(columns):
    return tuple(np.array(column, dtype=np.int32) for column in columns)


@given(sentences(), sentences())
@example(  # joint and expected probabilities are equal but for rounding
    ([6, 6, 6], [-1, 0, 0], [0, 0, 0]), ([6, 6, 6, 7, 0, 1], [-1, 0, 0, -1, -1, -1], [0] * 6)
)
def test_kernel_equals_the_reference(source, target):
    seen = arc_similarity(arrays(source), arrays(target))
    np.testing.assert_allclose(seen, reference.similarity(source, target), atol=1e-6)


@given(sentences(), sentences())
def test_similarity_is_a_ratio_and_symmetric(source, target):
    there = arc_similarity(arrays(source), arrays(target))
    assert ((there >= 0) & (there <= 1)).all()
    np.testing.assert_array_equal(there, arc_similarity(arrays(target), arrays(source)).T)


def test_the_same_company_is_fully_similar():
    # "the dog barks" and "the hound barks": dog (1) and hound (3) share both of their arcs.
    dog = arrays(([0, 1, 2], [1, 2, -1], [0, 1, 2]))
    hound = arrays(([0, 3, 2], [1, 2, -1], [0, 1, 2]))
    seen = arc_similarity(dog, hound)
    assert seen[1, 1] == pytest.approx(1.0)
    assert seen[1, 0] == seen[1, 2] == 0.0


def test_sentences_without_arcs_have_no_similarity():
    lone = arrays(([7], [-1], [0]))
    assert arc_similarity(lone, lone).tolist() == [[0.0]]


def test_long_sentences_fit():
    n = 512
    heads = np.arange(-1, n - 1, dtype=np.int32)
    lemmas = (np.arange(n, dtype=np.int32) * 7) % 101
    relations = np.arange(n, dtype=np.int32) % 5
    seen = arc_similarity((lemmas, heads, relations), (lemmas, heads, relations))
    assert seen.shape == (n, n)
    assert np.diag(seen) == pytest.approx(1.0)


@pytest.mark.parametrize(
    ("columns", "error", "message"),
    [
        (([], [], []), InputError, "source has no tokens"),
        (([1, 2], [-1], [0, 0]), ShapeError, "source: 2 lemmas, 1 heads, 2 relations"),
        (([1, 2], [-1, 2], [0, 0]), InputError, "source: token 1 has head 2"),
        (([1, 2], [-1, 0], [0, -1]), InputError, "source: token 1 has head 0 and relation -1"),
    ],
)
def test_bad_columns_are_refused(columns, error, message):
    with pytest.raises(error, match=message):
        arc_similarity(arrays(columns), arrays(([1], [-1], [0])))
