"""Tree edit distance: the kernel against its definition, and what holds of every script."""

import re
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from reference import trees as reference
from tokalign.errors import InputError, LimitError, ShapeError
from tokalign.systems.kernels import MAX_STEPS, cheapest_script


@st.composite
def heads(draw, max_size=6):
    """Return the heads of a tree, or several, in which a head may come before or after."""
    n_tokens = draw(st.integers(0, max_size))
    parents = [draw(st.integers(-1, place - 1)) for place in range(n_tokens)]
    order = draw(st.permutations(range(n_tokens)))
    found = [-1] * n_tokens
    for place, parent in enumerate(parents):
        found[order[place]] = -1 if parent < 0 else order[parent]
    return found


@st.composite
def problems(draw):
    source, target = draw(heads()), draw(heads())
    costs = draw(
        st.lists(
            st.sampled_from((0, 1, 2, 5)),
            min_size=len(source) * len(target),
            max_size=len(source) * len(target),
        )
    )
    substitution = np.array(costs, dtype=np.int32).reshape(len(source), len(target))
    return source, target, substitution, draw(st.integers(0, 3)), draw(st.integers(0, 3))


@given(problems())
def test_it_equals_the_recursive_definition(problem):
    distance, partner = cheapest_script(*problem)
    assert (distance, partner.tolist()) == reference.cheapest_script(*problem)


@given(problems())
def test_the_script_costs_what_the_distance_says_and_keeps_descent_and_order(problem):
    source, target, substitution, deletion, insertion = problem
    distance, partner = cheapest_script(*problem)
    links = [(i, j) for i, j in enumerate(partner.tolist()) if j >= 0]
    assert len({j for _, j in links}) == len(links)
    cost = sum(int(substitution[link]) for link in links)
    cost += deletion * (len(source) - len(links)) + insertion * (len(target) - len(links))
    assert cost == distance
    numbers = [postorder(side) for side in (source, target)]
    for (a, x), (b, y) in product(links, links):
        assert is_above(source, a, b) == is_above(target, x, y)
        assert (numbers[0][a] < numbers[0][b]) == (numbers[1][x] < numbers[1][y])


def is_above(of, a, b):
    while b >= 0 and b != a:
        b = of[b]
    return b == a


def postorder(of):
    numbers = {}

    def visit(parent):
        for token, head in enumerate(of):
            if head == parent:
                visit(token)
                numbers[token] = len(numbers)

    visit(-1)
    return numbers


@given(heads(10), heads(10), heads(10))
def test_it_is_a_distance_where_all_costs_are_one(a, b, c):
    def distance(source, target):
        return cheapest_script(source, target, np.zeros((len(source), len(target)), np.int32))[0]

    assert distance(a, a) == 0
    assert distance(a, b) == distance(b, a) >= abs(len(a) - len(b))
    assert distance(a, c) <= distance(a, b) + distance(b, c)


# f(d(a, c(b)), e) and f(c(d(a, b)), e): the example of Zhang and Shasha (1989), figure 4, at 2.
LEFT = {"f": -1, "d": "f", "a": "d", "c": "d", "b": "c", "e": "f"}
RIGHT = {"f": -1, "c": "f", "d": "c", "a": "d", "b": "d", "e": "f"}


def test_the_example_of_the_paper():
    sides = []
    for tree in (LEFT, RIGHT):
        names = sorted(tree)
        sides.append([-1 if tree[name] == -1 else names.index(tree[name]) for name in names])
    differs = (1 - np.eye(6)).astype(np.int32)
    distance, partner = cheapest_script(*sides, differs)
    assert distance == 2
    assert sum(partner == np.arange(6)) == 5  # all but "c", which is deleted and inserted


def test_several_roots_hang_from_one_that_costs_nothing():
    same = np.zeros((2, 2), dtype=np.int32)
    assert cheapest_script([-1, -1], [-1, -1], same)[0] == 0
    assert cheapest_script([-1, -1], [-1, 0], same)[0] == 2  # one is deleted, another inserted


@pytest.mark.parametrize("bad", [[0], [1, 0], [5], [-2]])
def test_what_is_no_tree_is_refused(bad):
    with pytest.raises(InputError):
        cheapest_script(bad, [], np.zeros((len(bad), 0), dtype=np.int32))


def test_shapes_and_costs_are_checked():
    with pytest.raises(ShapeError, match=re.escape("(1, 2); wanted (1, 1)")):
        cheapest_script([-1], [-1], np.zeros((1, 2), dtype=np.int32))
    for cost in (-1, 1_000_001):
        with pytest.raises(InputError, match="wanted 0 to 1000000"):
            cheapest_script([-1], [-1], np.full((1, 1), cost, dtype=np.int32))


def zigzag(n_tokens):
    """Return a path whose nodes have a leaf each, now left, now right: the most keyroots."""
    order = []
    low, high = 0, n_tokens - 1
    found = [-1] * n_tokens
    for k in range(n_tokens):
        order.append(low if k % 4 in (0, 1) else high)
        low, high = (low + 1, high) if k % 4 in (0, 1) else (low, high - 1)
    inner = order[0]
    for k, token in enumerate(order[1:], start=1):
        found[token] = inner
        if k % 2 == 0:
            inner = token
    return found


def test_what_would_take_minutes_is_refused_at_once():
    deep = zigzag(512)
    with pytest.raises(LimitError, match=f"more than {MAX_STEPS} steps for each pair"):
        cheapest_script(deep, deep, np.zeros((512, 512), dtype=np.int32))
    assert cheapest_script(zigzag(90), zigzag(90), np.zeros((90, 90), dtype=np.int32))[0] == 0
    flat = [-1] + [0] * 511
    assert cheapest_script(flat, flat, np.zeros((512, 512), dtype=np.int32))[0] == 0
    path = [-1, *range(511)]
    assert cheapest_script(path, path, np.zeros((512, 512), dtype=np.int32))[0] == 0
