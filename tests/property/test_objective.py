"""The training objective against brute force over all labellings, and its gradient."""

import itertools
import math
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from reference import crf as reference
from tokalign.crf.matrix import FeatureMatrix
from tokalign.crf.objective import N_TRANSITIONS, Objective, Targets, allowed_states
from tokalign.errors import ShapeError

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Problem:
    """A small training corpus with random sparse features, and what to make of it."""

    matrix: FeatureMatrix
    targets: list[Targets]
    corpus: list[int]
    source_labelled: bool
    l2: float
    cost: float
    importance: list[float]

    def objective(self, **changes: object) -> Objective:
        options = {
            "source_labelled": self.source_labelled, "l2": self.l2, "cost": self.cost,
            "importance": self.importance,
        }  # fmt: skip
        return Objective(self.matrix, self.targets, self.corpus, **(options | changes))


def random_matrix(rng: np.random.Generator, sizes: list[tuple[int, int]]) -> FeatureMatrix:
    n_columns = 7
    n_rows = [n_source * n_target + n_source + n_target for n_source, n_target in sizes]
    counts = rng.integers(0, 4, size=sum(n_rows))
    counts[0] = 3  # at least one value
    return FeatureMatrix(
        row_start=np.concatenate([[0], np.cumsum(counts)]).astype(np.int64),
        column=rng.integers(0, n_columns, size=counts.sum()).astype(np.int32),
        value=rng.normal(size=counts.sum()).astype(np.float32),
        first_row=np.concatenate([[0], np.cumsum(n_rows)[:-1]]).astype(np.int64),
        n_source=np.array([size[0] for size in sizes], dtype=np.int32),
        n_target=np.array([size[1] for size in sizes], dtype=np.int32),
        slots=np.arange(n_columns, dtype=np.int32),
    )


@st.composite
def problems(draw: st.DrawFn, n_corpora: int = 1, longest: int = 3) -> Problem:
    side = st.integers(1, longest)
    sizes = draw(st.lists(st.tuples(side, side), min_size=n_corpora, max_size=4))
    targets = []
    for n_source, n_target in sizes:
        cells = st.sampled_from(list(itertools.product(range(n_source), range(n_target))))
        sure, free, half = (draw(st.frozensets(cells, max_size=size)) for size in (4, 2, 2))
        known_in_part = draw(st.booleans())
        targets.append(
            Targets(frozenset(), wrong=sure)
            if known_in_part
            else Targets(sure, free - sure, half - sure - free)
        )
    others = st.integers(0, n_corpora - 1)
    return Problem(
        random_matrix(np.random.default_rng(draw(st.integers(0, 2**32 - 1))), sizes),
        targets,
        [*range(n_corpora), *(draw(others) for _ in sizes[n_corpora:])],
        source_labelled=draw(st.booleans()),
        l2=draw(st.sampled_from((0.0, 0.5, 8.0))),
        cost=draw(st.sampled_from((0.0, 1.0, 2.5))),
        importance=[draw(st.sampled_from((0.0, 0.3, 1.0, 2.0))) for _ in sizes],
    )


def random_weights(objective: Objective, seed: int = 0) -> Array:
    return np.random.default_rng(seed).normal(scale=0.7, size=math.prod(objective.shape))


def emissions(problem: Problem, pair: int, weights: Array) -> Array:
    """Scores of shape (n_steps, n_states), cell by cell from the rows."""
    matrix = problem.matrix
    n_source, n_target = int(matrix.n_source[pair]), int(matrix.n_target[pair])

    def score(row: int) -> float:
        span = slice(matrix.row_start[row], matrix.row_start[row + 1])
        return float(weights[matrix.column[span]] @ matrix.value[span])

    first = int(matrix.first_row[pair])
    n_cells = n_source * n_target
    cells = np.array([score(first + k) for k in range(n_cells)]).reshape(n_source, n_target)
    source_null = np.array([score(first + n_cells + k) for k in range(n_source)])
    target_null = np.array([score(first + n_cells + n_source + k) for k in range(n_target)])
    if problem.source_labelled:
        return np.hstack([source_null[:, None], cells])
    return np.hstack([target_null[:, None], cells.T])


def brute_force_loss(problem: Problem, weights: Array) -> float:
    """Softmax-margin loss: every labelling is written out, scored and charged."""
    loss = 0.5 * problem.l2 * float((weights**2).sum())
    for pair, corpus in enumerate(problem.corpus):
        effective = weights[0] if len(weights) == 1 else weights[0] + weights[1 + corpus]
        emission_ts = emissions(problem, pair, effective[:-N_TRANSITIONS])
        n_steps, n_states = emission_ts.shape

        def states_of(links: frozenset[tuple[int, int]], step: int, labelled: int) -> set[int]:
            return {link[1 - labelled] + 1 for link in links if link[labelled] == step}

        labelled = 0 if problem.source_labelled else 1
        target = problem.targets[pair]
        gold, free, half = (
            [states_of(links, t, labelled) for t in range(n_steps)] for links in target[:3]
        )
        gold = [states or {0} for states in gold]
        if target.wrong is not None:
            gold = [
                set(range(n_states)) - states_of(target.wrong, t, labelled) for t in range(n_steps)
            ]
        charged, right = [], []
        for path in itertools.product(range(n_states), repeat=n_steps):
            score = reference.path_score(emission_ts, effective[-N_TRANSITIONS:], path)
            labels = list(enumerate(path))
            at_half = sum(s in half[t] and s not in gold[t] | free[t] for t, s in labels)
            wrong = sum(s not in gold[t] | free[t] | half[t] for t, s in labels)
            charged.append(score + problem.cost * (wrong + at_half / 2))
            if all(s in gold[t] | half[t] for t, s in labels):
                right.append(score - problem.cost * at_half / 2)
        margin = math.log(sum(map(math.exp, charged))) - math.log(sum(map(math.exp, right)))
        loss += problem.importance[pair] * margin
    return loss


def check_gradient(objective: Objective, seed: int = 0) -> None:
    weights = random_weights(objective, seed)
    _, gradient = objective(weights)
    step = 1e-5
    for k in range(len(weights)):
        raised, lowered = weights.copy(), weights.copy()
        raised[k] += step
        lowered[k] -= step
        slope = (objective(raised)[0] - objective(lowered)[0]) / (2 * step)
        assert slope == pytest.approx(gradient[k], abs=1e-5, rel=1e-5)


@given(problems())
def test_loss_equals_brute_force(problem: Problem) -> None:
    objective = problem.objective()
    weights = random_weights(objective)
    expected = brute_force_loss(problem, weights.reshape(objective.shape))
    assert objective(weights)[0] == pytest.approx(expected, rel=1e-9, abs=1e-9)


@given(problems(n_corpora=2))
def test_loss_of_several_corpora_equals_brute_force(problem: Problem) -> None:
    objective = problem.objective()
    assert objective.shape == (3, 7 + N_TRANSITIONS)
    weights = random_weights(objective)
    expected = brute_force_loss(problem, weights.reshape(objective.shape))
    assert objective(weights)[0] == pytest.approx(expected, rel=1e-9, abs=1e-9)


@given(problems())
def test_gradient_equals_finite_differences(problem: Problem) -> None:
    check_gradient(problem.objective())


@settings(max_examples=30)
@given(problems(n_corpora=2))
def test_gradient_of_several_corpora_equals_finite_differences(problem: Problem) -> None:
    check_gradient(problem.objective())


@given(problems(n_corpora=2, longest=6))
def test_threads_change_nothing(problem: Problem) -> None:
    with ThreadPoolExecutor(4) as threads:
        one, four = problem.objective(), problem.objective(threads=threads)
        weights = random_weights(one)
        loss, gradient = one(weights)
        other_loss, other_gradient = four(weights)
    assert loss == other_loss
    np.testing.assert_array_equal(gradient, other_gradient)


@given(problems(longest=6))
def test_loss_is_never_negative(problem: Problem) -> None:
    objective = problem.objective()
    assert objective(random_weights(objective))[0] >= -1e-9


@given(problems(), st.integers(0, 3))
def test_a_subset_of_pairs_is_a_corpus_of_its_own(problem: Problem, first: int) -> None:
    chosen = np.arange(first % len(problem.matrix), len(problem.matrix), dtype=np.int64)
    rest = np.setdiff1d(np.arange(len(problem.matrix)), chosen)
    whole, part = problem.objective(l2=0.0), problem.objective(l2=0.0, pairs=chosen)
    weights = random_weights(whole)
    left = problem.objective(l2=0.0, pairs=rest)(weights)[0] if len(rest) else 0.0
    assert whole(weights)[0] == pytest.approx(part(weights)[0] + left, rel=1e-9, abs=1e-9)


@given(problems(), st.data())
def test_annotators_of_the_same_pairs_share_the_votes(
    problem: Problem, data: st.DataObject
) -> None:
    """All their pairs as one corpus, at as many times the l2, have twice the mean of the losses."""
    matrix = problem.matrix
    others = [
        Targets(data.draw(st.frozensets(st.sampled_from(sorted(cells)), max_size=4)))
        for cells in (
            itertools.product(range(n_source), range(n_target))
            for n_source, n_target in zip(
                matrix.n_source.tolist(), matrix.n_target.tolist(), strict=True
            )
        )
    ]
    twice = replace(
        matrix,
        first_row=np.tile(matrix.first_row, 2),
        n_source=np.tile(matrix.n_source, 2),
        n_target=np.tile(matrix.n_target, 2),
    )
    pooled = replace(
        problem, matrix=twice, targets=[*problem.targets, *others], corpus=problem.corpus * 2,
        l2=2 * problem.l2, importance=problem.importance * 2,
    ).objective()  # fmt: skip
    weights = random_weights(pooled)
    alone = [problem.objective()(weights), replace(problem, targets=others).objective()(weights)]
    loss, gradient = pooled(weights)
    assert loss / 2 == pytest.approx(np.mean([each for each, _ in alone]), rel=1e-9, abs=1e-9)
    expected = np.mean([each for _, each in alone], axis=0)
    np.testing.assert_allclose(gradient / 2, expected, rtol=1e-9, atol=1e-9)


def test_flat_weights_give_the_logarithm_of_the_number_of_labellings() -> None:
    # Two source tokens, one target token: 2 * 2 labellings, of which gold holds one.
    matrix = random_matrix(np.random.default_rng(0), [(2, 1)])
    objective = Objective(
        matrix, [Targets(frozenset({(0, 0)}))], [0],
        source_labelled=True, l2=1.0, cost=0.0,
    )  # fmt: skip
    assert objective(np.zeros(math.prod(objective.shape)))[0] == pytest.approx(math.log(4))


def test_a_possible_link_costs_what_is_asked() -> None:
    # One word a side and no score: NULL is right, the link costs 2, nothing, or half of 2.
    matrix = random_matrix(np.random.default_rng(0), [(1, 1)])
    nothing, link = frozenset(), frozenset({(0, 0)})
    for targets, expected in (
        (Targets(nothing), math.log(1 + math.exp(2))),
        (Targets(nothing, free=link), math.log(2)),
        (Targets(nothing, half=link), math.log(1 + math.exp(1)) - math.log(1 + math.exp(-1))),
        (Targets(link), math.log(1 + math.exp(2))),
    ):
        objective = Objective(matrix, [targets], [0], source_labelled=True, l2=1.0, cost=2.0)
        loss, _ = objective(np.zeros(math.prod(objective.shape)))
        assert loss == pytest.approx(expected)


def test_only_known_wrong_links_cost_where_nothing_else_is_known() -> None:
    # One source word, two target words, no scores: the label of one is wrong and costs 2.
    matrix = random_matrix(np.random.default_rng(0), [(1, 2)])
    targets = Targets(frozenset(), wrong=frozenset({(0, 1)}))
    objective = Objective(matrix, [targets], [0], source_labelled=True, l2=1.0, cost=2.0)
    loss, _ = objective(np.zeros(math.prod(objective.shape)))
    assert loss == pytest.approx(math.log(2 + math.exp(2)) - math.log(2))


def test_importance_is_one_number_a_pair() -> None:
    matrix = random_matrix(np.random.default_rng(0), [(1, 1)])
    for importance in ([], [1.0, 1.0], [-1.0], [math.nan]):
        with pytest.raises(ShapeError, match="wanted a number of at least 0 for each of 1 pairs"):
            Objective(
                matrix, [Targets(frozenset())], [0],
                source_labelled=True, l2=1.0, importance=importance,
            )  # fmt: skip


def test_scores_too_large_for_float64_give_an_infinite_loss() -> None:
    matrix = random_matrix(np.random.default_rng(0), [(3, 3)])
    objective = Objective(matrix, [Targets(frozenset({(0, 0)}))], [0], source_labelled=True, l2=0.0)
    weights = np.zeros(math.prod(objective.shape))
    weights[-1] = weights[-3] = -5000.0  # null-null and token-null, which gold needs
    assert objective(weights)[0] == math.inf


@pytest.mark.parametrize(
    ("source_labelled", "expected"),
    [
        (True, [[0, 1, 1, 2], [1, 4, 2, 0]]),
        (False, [[0, 1, 4], [0, 1, 2], [1, 2, 0]]),
    ],
)
def test_allowed_states(source_labelled: bool, expected: list[list[int]]) -> None:
    targets = Targets(
        frozenset({(0, 0), (0, 1)}), free=frozenset({(0, 2), (1, 1)}), half=frozenset({(1, 0)})
    )
    states = allowed_states(targets, 2, 3, source_labelled=source_labelled)
    assert states.tolist() == expected
    assert states.dtype == np.uint8
