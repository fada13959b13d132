"""Training of a model from aligned corpora.

Softmax-margin with Hamming cost (Gimpel and Smith 2010), an L2 penalty, and SciPy's L-BFGS. The
same input gives the same model, whatever the number of threads.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from tokalign.annotate import Annotator
from tokalign.crf.objective import N_TRANSITIONS, Links, Objective
from tokalign.errors import InputError, ModelError
from tokalign.features.lexicons import Lexicons
from tokalign.features.matrix import FeatureMatrix, build_matrix
from tokalign.features.table import DEFAULT_GROUPS, FeatureTable
from tokalign.model_io import Model, ModelHeader
from tokalign.types import GoldPair, Sentence

POSSIBLE_CHOICES = ("ignore", "free", "sure")
PRECISION = 1e-6
"""Relative decrease of the loss below which training has converged."""


@dataclass(frozen=True, slots=True)
class TrainingSettings:
    """How to train.

    Attributes
    ----------
    feature_groups : tuple of str
        Names out of tokalign.features.table.GROUP_NAMES.
    l2 : float
        Penalty ``l2 / 2 * |weights|^2``.
    cost : float
        Hamming cost of a wrong label, in nats.
    max_iterations : int
    possible : str
        What possible links are: "ignore" (not links), "free" (not asked for, but they cost
        nothing), or "sure" (links like others).
    patience : int
        With development data: stop after so many iterations without a lower loss on it.
    """

    feature_groups: tuple[str, ...] = DEFAULT_GROUPS
    l2: float = 8.0
    cost: float = 1.0
    max_iterations: int = 100
    possible: str = "ignore"
    patience: int = 10

    def __post_init__(self) -> None:
        if self.possible not in POSSIBLE_CHOICES:
            raise InputError(
                f"possible is {self.possible!r}; wanted one of {', '.join(POSSIBLE_CHOICES)}"
            )
        for name in ("l2", "cost"):
            if not 0 <= getattr(self, name) < math.inf:
                raise InputError(f"{name} is {getattr(self, name)}; wanted a number of at least 0")
        for name in ("max_iterations", "patience"):
            if getattr(self, name) < 1:
                raise InputError(f"{name} is {getattr(self, name)}; wanted at least 1")


@dataclass(frozen=True, slots=True)
class Progress:
    """State of one direction's training, reported after every iteration.

    Attributes
    ----------
    direction : str
        "s2t" or "t2s".
    iteration : int
        From 1.
    loss : float
        Objective in nats, the penalty included.
    dev_loss : float
        Softmax-margin loss on the development pairs, in nats; NaN without any.
    stopped : str
        Empty, or why training of this direction has ended.
    """

    direction: str
    iteration: int
    loss: float
    dev_loss: float = math.nan
    stopped: str = ""


Report = Callable[[Progress], None]
AnnotatedPair = tuple[Sentence, Sentence]


def annotate_gold(
    pairs: Sequence[GoldPair], annotator: Annotator, *, trees: bool
) -> list[AnnotatedPair]:
    """Return the annotated sentences of gold pairs."""
    sentences = annotator.annotate(
        [sentence for pair in pairs for sentence in (pair.source, pair.target)], trees=trees
    )
    return list(zip(sentences[::2], sentences[1::2], strict=True))


def gold_links(pairs: Sequence[GoldPair], possible: str) -> tuple[list[Links], list[Links]]:
    """Return the links that gold asks for and those that cost nothing, pair by pair."""
    if possible == "sure":
        return [pair.sure | pair.possible for pair in pairs], [frozenset()] * len(pairs)
    if possible == "free":
        return [pair.sure for pair in pairs], [pair.possible for pair in pairs]
    return [pair.sure for pair in pairs], [frozenset()] * len(pairs)


def optimise(
    objective: Objective,
    settings: TrainingSettings,
    *,
    direction: str,
    dev: Objective | None = None,
    report: Report | None = None,
) -> NDArray[np.float64]:
    """Return the weights that minimise an objective.

    Parameters
    ----------
    objective : Objective
    settings : TrainingSettings
    direction : str
        Goes into the reports.
    dev : Objective of a single corpus, optional
        Loss of the shared weights to watch for early stopping; its best iteration's weights are
        returned.
    report : callable, optional

    Returns
    -------
    float64 array of ``objective.shape``
    """
    from scipy.optimize import OptimizeResult, minimize

    best_loss, best_weights, best_iteration = math.inf, np.zeros(math.prod(objective.shape)), 0
    last = Progress(direction, 0, math.inf)

    def after_iteration(intermediate_result: OptimizeResult) -> None:
        nonlocal best_loss, best_weights, best_iteration, last
        shared = intermediate_result.x.reshape(objective.shape)[0]
        dev_loss = dev(shared)[0] if dev else math.nan
        last = Progress(
            direction, last.iteration + 1, float(intermediate_result.fun), float(dev_loss)
        )
        if dev_loss < best_loss:
            best_loss, best_weights = dev_loss, intermediate_result.x.copy()
            best_iteration = last.iteration
        if report:
            report(last)
        if dev and last.iteration - best_iteration >= settings.patience:
            raise StopIteration

    result = minimize(
        objective,
        best_weights,
        jac=True,
        method="L-BFGS-B",
        callback=after_iteration,
        options={"maxiter": settings.max_iterations, "maxcor": 10, "ftol": PRECISION, "gtol": 0.0},
    )
    if report:
        if dev and last.iteration - best_iteration >= settings.patience:
            why = f"no lower development loss since iteration {best_iteration}"
        else:
            why = "converged" if result.success else "reached the iteration limit"
        report(Progress(direction, last.iteration, float(result.fun), last.dev_loss, why))
    weights = best_weights if dev else result.x
    return np.asarray(weights, dtype=np.float64).reshape(objective.shape)


def train_weights(
    matrix: FeatureMatrix,
    gold: Sequence[GoldPair],
    corpus: Sequence[int],
    settings: TrainingSettings,
    *,
    pairs: NDArray[np.int64] | None = None,
    dev_pairs: NDArray[np.int64] | None = None,
    n_threads: int | None = None,
    report: Report | None = None,
) -> NDArray[np.float64]:
    """Return the shared weights of both directions.

    Parameters
    ----------
    matrix : FeatureMatrix
    gold : sequence of GoldPair
        One a pair of the matrix.
    corpus : sequence of int
        Number of each pair's corpus, from 0 without gaps.
    settings : TrainingSettings
    pairs, dev_pairs : int64 array, optional
        What to train on (all by default) and what to watch for early stopping.
    n_threads : int, optional
        All cores by default.
    report : callable, optional

    Returns
    -------
    float64 array, shape (2, n_columns + 34)
        Row 0 for s2t, row 1 for t2s; transitions last.
    """
    sure, free = gold_links(gold, settings.possible)
    weights = []
    for direction, source_labelled in (("s2t", True), ("t2s", False)):
        objective = partial(
            Objective, matrix, sure, free, source_labelled=source_labelled, cost=settings.cost,
            n_threads=n_threads or os.cpu_count() or 1,
        )  # fmt: skip
        dev = None if dev_pairs is None else objective([0] * len(gold), pairs=dev_pairs, l2=0.0)
        found = optimise(
            objective(corpus, pairs=pairs, l2=settings.l2), settings,
            direction=direction, dev=dev, report=report,
        )  # fmt: skip
        weights.append(found[0])
    return np.array(weights)


def train(
    corpora: Mapping[str, Sequence[GoldPair]],
    annotator: Annotator,
    settings: TrainingSettings | None = None,
    *,
    name: str,
    version: str = "1.0.0",
    description: str = "",
    license: str = "",
    dev: Sequence[GoldPair] = (),
    n_threads: int | None = None,
    report: Report | None = None,
) -> Model:
    """Return a model trained on one or more corpora.

    With several corpora the model keeps the weights that they share.

    Raises
    ------
    InputError
        If there is no pair, or a sentence is empty.
    """
    settings = settings or TrainingSettings()
    gold = [pair for pairs in corpora.values() for pair in pairs]
    if not gold:
        raise InputError("no training pairs")
    corpus = [k for k, pairs in enumerate(corpora.values()) for _ in pairs]
    uses_trees = "dependency" in settings.feature_groups
    table = FeatureTable(settings.feature_groups)
    annotated = annotate_gold([*gold, *dev], annotator, trees=uses_trees)
    matrix = build_matrix(annotated, table, Lexicons.for_groups(table.groups))
    n_gold = len(gold)
    weights = train_weights(
        matrix,
        [*gold, *dev],
        [*corpus, *([0] * len(dev))],
        settings,
        pairs=np.arange(n_gold, dtype=np.int64),
        dev_pairs=np.arange(n_gold, len(matrix), dtype=np.int64) if dev else None,
        n_threads=n_threads,
        report=report,
    )
    if not np.isfinite(weights).all():
        raise ModelError("training diverged: a weight is not finite; raise l2")
    dense = np.zeros((table.n_slots, 2), dtype=np.float32)
    dense[matrix.slots] = weights[:, :-N_TRANSITIONS].T
    header = ModelHeader(
        name=name,
        version=version,
        description=description,
        license=license,
        corpora=tuple(corpora),
        feature_groups=table.groups,
        annotator=annotator.name,
        uses_trees=uses_trees,
        settings={
            **{key: value for key, value in asdict(settings).items() if key != "feature_groups"},
            "pairs": {corpus_name: len(pairs) for corpus_name, pairs in corpora.items()},
        },
    )
    return Model(header, table, dense, weights[:, -N_TRANSITIONS:].copy())
