"""The dynamic oracle's costs against a search through every way to finish a parse."""

from functools import cache

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from lab.recipes.annotators.training import action_costs

SHIFT, LEFT, RIGHT = range(3)
IMPOSSIBLE = 2**30


def step(stack, position, action):
    """The state after an action, and the arc (head, child) that it makes."""
    if action == SHIFT:
        return (*stack, position), position + 1, None
    head = position if action == LEFT else stack[-2]
    return stack[:-1], position, (head, stack[-1])


def valid_actions(stack, position, n):
    if position < n:
        yield SHIFT
    if len(stack) == 1 or (len(stack) > 1 and position < n):
        yield LEFT
    if len(stack) > 1:
        yield RIGHT


def judge(gold):
    n = len(gold)

    @cache
    def most_arcs(stack, position):
        """The largest number of gold arcs that can still be made."""
        best = 0
        for action in valid_actions(stack, position, n):
            rest, following, arc = step(stack, position, action)
            gained = arc is not None and gold[arc[1]] == arc[0]
            best = max(best, gained + most_arcs(rest, following))
        return best

    return most_arcs


def is_projective(gold):
    n = len(gold)
    spans = [(min(h, d), max(h, d)) for d, h in enumerate(gold)]
    crossing = any(a < c < b < d for a, b in spans for c, d in spans)
    reached = {n}
    for _ in range(n):
        reached |= {d for d, h in enumerate(gold) if h in reached}
    return not crossing and len(reached) == n + 1 and gold.count(n) == 1


def draw_tree(draw, first, end, head, gold):
    """Fill gold[first:end] with a projective tree whose root hangs on `head`."""
    root = draw(st.integers(first, end - 1))
    gold[root] = head
    for start, stop in ((first, root), (root + 1, end)):
        while start < stop:
            cut = draw(st.integers(start + 1, stop))
            draw_tree(draw, start, cut, root, gold)
            start = cut


@st.composite
def trees_and_walks(draw):
    n = draw(st.integers(1, 6))
    gold = [n] * n
    draw_tree(draw, 0, n, n, gold)
    assert is_projective(gold)
    stack, position, actions = (), 0, []
    for _ in range(draw(st.integers(0, 2 * n - 1))):
        action = draw(st.sampled_from(list(valid_actions(stack, position, n))))
        stack, position, _ = step(stack, position, action)
        actions.append(action)
    return gold, actions


@settings(max_examples=150, deadline=None)
@given(trees_and_walks())
def test_costs_equal_arcs_lost_in_the_best_completion(case):
    gold, actions = case
    most_arcs = judge(gold)
    seen = action_costs(np.array(gold, np.int32), np.array(actions, np.int32))
    stack, position = (), 0
    for index, costs in enumerate(seen):
        expected = [IMPOSSIBLE] * 3
        before = most_arcs(stack, position)
        for action in valid_actions(stack, position, len(gold)):
            rest, following, arc = step(stack, position, action)
            gained = arc is not None and gold[arc[1]] == arc[0]
            expected[action] = before - gained - most_arcs(rest, following)
        assert list(costs) == expected
        if index < len(actions):
            stack, position, _ = step(stack, position, actions[index])
