"""Training of a model from aligned corpora.

Softmax-margin with Hamming cost (Gimpel and Smith 2010), an L2 penalty, and SciPy's L-BFGS. The
same input gives the same model, whatever the number of threads.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from tokalign.annotate import Annotator
from tokalign.crf.matrix import FeatureMatrix
from tokalign.crf.objective import N_TRANSITIONS, Objective, Targets
from tokalign.errors import InputError, ModelError
from tokalign.features.lexicons import Lexicons
from tokalign.features.matrix import build_matrix
from tokalign.features.table import DEFAULT_GROUPS, TREE_GROUPS, FeatureTable
from tokalign.lexicon.likeness import unlike_cells
from tokalign.model import Model, ModelHeader
from tokalign.types import GoldPair, Sentence

if TYPE_CHECKING:
    from tokalign.features._extract import Encoded

POSSIBLE_CHOICES = ("ignore", "free", "half", "sure")
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
        What possible links are: "ignore" (not links, so wrong), "free" (not asked for, but they
        cost nothing), "half" (right, but at half the cost of a wrong label), or "sure" (links
        like others).
    possible_in : tuple of (str, str)
        Corpora, by name, for which that is different, and how.
    follow : tuple of str
        With several corpora: those, by name, whose conventions the model follows where they
        differ. All alike by default.
    unrelated_importance : float
        What the loss of each unrelated pair is multiplied with.
    patience : int
        With development data: stop after so many iterations without a lower loss on it.
    """

    feature_groups: tuple[str, ...] = DEFAULT_GROUPS
    l2: float = 8.0
    cost: float = 1.0
    max_iterations: int = 100
    possible: str = "ignore"
    possible_in: tuple[tuple[str, str], ...] = ()
    follow: tuple[str, ...] = ()
    unrelated_importance: float = 0.5
    patience: int = 10

    def __post_init__(self) -> None:
        for choice in (self.possible, *(choice for _, choice in self.possible_in)):
            if choice not in POSSIBLE_CHOICES:
                raise InputError(
                    f"possible is {choice!r}; wanted one of {', '.join(POSSIBLE_CHOICES)}"
                )
        for name in ("l2", "cost", "unrelated_importance"):
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


def gold_targets(pairs: Sequence[GoldPair], possible: str) -> list[Targets]:
    """Return what gold asks for, pair by pair, where possible links are one of POSSIBLE_CHOICES."""
    if possible == "sure":
        return [Targets(pair.sure | pair.possible) for pair in pairs]
    if possible == "ignore":
        return [Targets(pair.sure) for pair in pairs]
    return [Targets(pair.sure, **{possible: pair.possible}) for pair in pairs]


def fold_numbers(pairs: Sequence[GoldPair], n_folds: int, seed: int) -> list[int]:
    """Return the fold of every pair; pairs with the same target sentence share one."""
    targets = {target: k for k, target in enumerate(dict.fromkeys(p.target.tokens for p in pairs))}
    shuffled = np.random.default_rng(seed).permutation(len(targets))
    return [int(shuffled[targets[pair.target.tokens]]) % n_folds for pair in pairs]


def merge_domains(weights: NDArray[np.float64], follow: Sequence[int] = ()) -> NDArray[np.float64]:
    """Return the one weight vector that a model keeps of shared and per-corpus weights.

    Parameters
    ----------
    weights : float64 array, shape (1 or 1 + n_corpora, n)
        The shared weights first.
    follow : sequence of int
        Numbers of the corpora whose own weights count; all by default.

    Returns
    -------
    float64 array, shape (n,)
        The shared weights plus the mean of the followed corpora's own.
    """
    own = weights[1:] if not follow else weights[[1 + number for number in follow]]
    mean: NDArray[np.float64] = weights[0] + own.mean(axis=0) if len(own) else weights[0]
    return mean


def optimise(
    objective: Objective,
    settings: TrainingSettings,
    *,
    direction: str,
    follow: Sequence[int] = (),
    dev: Objective | None = None,
    report: Report | None = None,
) -> NDArray[np.float64]:
    """Return the weights that minimise an objective, its domains merged.

    Parameters
    ----------
    objective : Objective
    settings : TrainingSettings
    direction : str
        Goes into the reports.
    follow : sequence of int
        See merge_domains.
    dev : Objective of a single corpus, optional
        Loss of the merged weights to watch for early stopping; its best iteration's weights are
        returned.
    report : callable, optional

    Returns
    -------
    float64 array, shape (n_columns + 34,)
    """
    from scipy.optimize import OptimizeResult, minimize

    best_loss, best_weights, best_iteration = math.inf, np.zeros(math.prod(objective.shape)), 0
    last = Progress(direction, 0, math.inf)

    def after_iteration(intermediate_result: OptimizeResult) -> None:
        nonlocal best_loss, best_weights, best_iteration, last
        merged = merge_domains(intermediate_result.x.reshape(objective.shape), follow)
        dev_loss = dev(merged)[0] if dev else math.nan
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
    weights = np.asarray(best_weights if dev else result.x, dtype=np.float64)
    return merge_domains(weights.reshape(objective.shape), follow)


def train_weights(
    matrix: FeatureMatrix,
    targets: Sequence[Targets],
    corpus: Sequence[int],
    settings: TrainingSettings,
    *,
    follow: Sequence[int] = (),
    pairs: NDArray[np.int64] | None = None,
    dev_pairs: NDArray[np.int64] | None = None,
    importance: Sequence[float] | None = None,
    n_threads: int | None = None,
    report: Report | None = None,
) -> NDArray[np.float64]:
    """Return the weights of both directions.

    Parameters
    ----------
    matrix : FeatureMatrix
    targets : sequence of Targets
        From gold_targets, one per pair of the matrix.
    corpus : sequence of int
        Number of each pair's corpus, from 0 without gaps.
    settings : TrainingSettings
    follow : sequence of int
        See merge_domains.
    pairs, dev_pairs : int64 array, optional
        What to train on (all by default) and what to watch for early stopping.
    importance : sequence of float, optional
        What to multiply each pair's loss with; 1 by default.
    n_threads : int, optional
        All cores by default.
    report : callable, optional

    Returns
    -------
    float64 array, shape (2, n_columns + 34)
        Row 0 for s2t, row 1 for t2s; transitions last.
    """
    weights = []
    with ThreadPoolExecutor(n_threads or os.cpu_count() or 1) as threads:
        for direction, source_labelled in (("s2t", True), ("t2s", False)):
            objective = partial(
                Objective, matrix, targets,
                source_labelled=source_labelled, cost=settings.cost, importance=importance,
                threads=threads,
            )  # fmt: skip
            dev = (
                None
                if dev_pairs is None
                else objective([0] * len(targets), pairs=dev_pairs, l2=0.0)
            )
            found = optimise(
                objective(corpus, pairs=pairs, l2=settings.l2), settings,
                direction=direction, follow=follow, dev=dev, report=report,
            )  # fmt: skip
            weights.append(found)
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
    unrelated: Sequence[GoldPair] = (),
    encoder: str = "",
    encoded: Mapping[str, Sequence[Encoded]] | None = None,
    n_threads: int | None = None,
    report: Report | None = None,
) -> Model:
    """Return a model trained on one or more corpora.

    With several corpora the model keeps the weights that they share, and leans on those of
    ``settings.follow`` where they differ.

    Of `unrelated` pairs no link is read: what is learned from them is that content words are not
    linked with unlike ones (tokalign.lexicon.likeness). They are dealt out to the corpora, so that
    each one's conventions learn it.

    The group "neural" needs the name of an `encoder` that ships, and what encoders that have not
    seen them say of every corpus' pairs, in order (`encoded`); then neither `dev` nor `unrelated`
    pairs can be given.

    Raises
    ------
    InputError
        If there is no pair, a sentence is empty, a setting names a corpus that is not there, or
        the group "neural" lacks what it needs.
    """
    settings = settings or TrainingSettings()
    if ("neural" in settings.feature_groups) != bool(encoder and encoded) or (
        encoded and (dev or unrelated)
    ):
        raise InputError(
            "the feature group neural is trained with an encoder, held-out scores of all pairs and "
            "no development or unrelated pairs, and only then; see the recipe of the neural models"
        )
    gold = [pair for pairs in corpora.values() for pair in pairs]
    if not gold:
        raise InputError("no training pairs")
    for corpus_name in (*settings.follow, *(name for name, _ in settings.possible_in)):
        if corpus_name not in corpora:
            raise InputError(f"no corpus {corpus_name!r} among {', '.join(corpora)}")
    possible_in = dict(settings.possible_in)
    corpus = [k for k, pairs in enumerate(corpora.values()) for _ in pairs]
    uses_trees = not set(TREE_GROUPS).isdisjoint(settings.feature_groups)
    table = FeatureTable(settings.feature_groups)
    # Made before anything is learned, so that a bad name costs no time.
    header = ModelHeader(
        name=name,
        version=version,
        description=description,
        license=license,
        corpora=tuple(corpora),
        feature_groups=table.groups,
        annotator=annotator.name,
        uses_trees=uses_trees,
        encoder=encoder,
        settings={
            **{key: value for key, value in asdict(settings).items() if key != "feature_groups"},
            "pairs": {corpus_name: len(pairs) for corpus_name, pairs in corpora.items()},
            "unrelated": len(unrelated),
        },
    )
    annotated = annotate_gold([*gold, *unrelated, *dev], annotator, trees=uses_trees)
    encodings = [pair for name in corpora for pair in encoded[name]] if encoded else None
    matrix = build_matrix(annotated, table, Lexicons.for_groups(table.groups), encodings)
    n_gold, n_train = len(gold), len(gold) + len(unrelated)
    targets = [
        *(
            target
            for corpus_name, pairs in corpora.items()
            for target in gold_targets(pairs, possible_in.get(corpus_name, settings.possible))
        ),
        *(Targets(frozenset(), wrong=unlike_cells(*pair)) for pair in annotated[n_gold:n_train]),
        *gold_targets(dev, settings.possible),
    ]
    dealt = [k % len(corpora) for k in range(len(unrelated))]
    weights = train_weights(
        matrix,
        targets,
        [*corpus, *dealt, *([0] * len(dev))],
        settings,
        follow=[list(corpora).index(corpus_name) for corpus_name in settings.follow],
        pairs=np.arange(n_train, dtype=np.int64),
        dev_pairs=np.arange(n_train, len(matrix), dtype=np.int64) if dev else None,
        importance=[
            *([1.0] * n_gold),
            *([settings.unrelated_importance] * len(unrelated)),
            *([1.0] * len(dev)),
        ],
        n_threads=n_threads,
        report=report,
    )
    if not np.isfinite(weights).all():
        raise ModelError("training diverged: a weight is not finite; raise l2")
    dense = np.zeros((table.n_slots, 2), dtype=np.float32)
    dense[matrix.slots] = weights[:, :-N_TRANSITIONS].T
    return Model(header, table, dense, weights[:, -N_TRANSITIONS:].copy())
