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
from tokalign.crf.objective import N_TRANSITIONS, Objective
from tokalign.errors import InputError, ModelError
from tokalign.features.table import FeatureTable, needs_trees
from tokalign.features.templates import group_of
from tokalign.lessons import Lessons, TrainingSettings
from tokalign.model import Model, ModelHeader
from tokalign.styles import DEFAULT_THRESHOLD, OwnWeights
from tokalign.types import GoldPair

if TYPE_CHECKING:
    from tokalign.features._extract import Encoded

PRECISION = 1e-6
"""Relative decrease of the loss below which training has converged."""
TINY_SHARED, TINY_OWN = 0.002, 0.01
"""Weights that a model with styles leaves out. Without them its text is a third as long, and no
figure on held-out pairs changes."""


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
    """Return the weights that minimise an objective.

    Parameters
    ----------
    objective : Objective
    settings : TrainingSettings
    direction : str
        Goes into the reports.
    follow : sequence of int
        See merge_domains; for `dev`.
    dev : Objective of a single corpus, optional
        Loss of the merged weights to watch for early stopping; its best iteration's weights are
        returned.
    report : callable, optional

    Returns
    -------
    float64 array, shape (1 or 1 + n_corpora, n_columns + 34)
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
    return np.asarray(best_weights if dev else result.x, dtype=np.float64).reshape(objective.shape)


def train_weights(
    lessons: Lessons,
    settings: TrainingSettings,
    *,
    follow: Sequence[int] = (),
    pairs: NDArray[np.int64] | None = None,
    dev_pairs: NDArray[np.int64] | None = None,
    n_threads: int | None = None,
    report: Report | None = None,
) -> NDArray[np.float64]:
    """Return the weights of both directions.

    Parameters
    ----------
    lessons : Lessons
    settings : TrainingSettings
    follow : sequence of int
        See merge_domains.
    pairs, dev_pairs : int64 array, optional
        What to train on (all by default) and what to watch for early stopping.
    n_threads : int, optional
        All cores by default.
    report : callable, optional

    Returns
    -------
    float64 array, shape (2, 1 or 1 + n_corpora, n_columns + 34)
        First s2t, then t2s; of each the shared weights, then the corpora's own; transitions last.
    """
    weights = []
    with ThreadPoolExecutor(n_threads or os.cpu_count() or 1) as threads:
        for direction, source_labelled in (("s2t", True), ("t2s", False)):
            objective = partial(
                Objective, lessons.matrix, lessons.targets, importance=lessons.importance,
                source_labelled=source_labelled, cost=settings.cost, threads=threads,
            )  # fmt: skip
            dev = (
                None
                if dev_pairs is None
                else objective([0] * len(lessons.matrix), pairs=dev_pairs, l2=0.0)
            )
            one = optimise(
                objective(lessons.corpus, pairs=pairs, l2=settings.l2), settings,
                direction=direction, follow=follow, dev=dev, report=report,
            )  # fmt: skip
            weights.append(one)
    found = np.array(weights)
    if not np.isfinite(found).all():
        raise ModelError("training diverged: a weight is not finite; raise l2")
    return found


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
    encoded: Sequence[Encoded] | None = None,
    n_threads: int | None = None,
    report: Report | None = None,
) -> Model:
    """Return a model trained on one or more corpora.

    With several corpora the model keeps the weights that they share, and leans on those of
    ``settings.follow`` where they differ; or, with ``settings.styles``, it keeps what is each
    style's own as well. Styles take links from DEFAULT_THRESHOLD, uncalibrated.

    Of `unrelated` pairs no link is read: what is learned from them is that content words are not
    linked with unlike ones (tokalign.lexicon.likeness). They are dealt out to the corpora, so that
    each one's conventions learn it.

    The group "neural" needs the name of an `encoder` that ships, and what encoders that have not
    seen them say of every pair (`encoded`): of the corpora's in order, then of `unrelated` ones.
    Then no `dev` pairs can be given.

    Raises
    ------
    ModelError
        If training diverged.
    InputError
        If there is no pair, a sentence is empty, a setting names a corpus that is not there, not
        every corpus has a style while some have, or the group "neural" lacks what it needs.
    """
    settings = settings or TrainingSettings()
    gold = [pair for pairs in corpora.values() for pair in pairs]
    if not gold:
        raise InputError("no training pairs")
    if ("neural" in map(group_of, settings.feature_groups)) != bool(encoder and encoded) or (
        encoded and (dev or len(encoded) != len(gold) + len(unrelated))
    ):
        raise InputError(
            "the feature group neural is trained with an encoder, held-out scores of all pairs and "
            "no development pairs, and only then; see the recipe of the neural models"
        )
    styles = dict(settings.styles)
    for corpus_name in (*settings.follow, *dict(settings.possible_in), *styles):
        if corpus_name not in corpora:
            raise InputError(f"no corpus {corpus_name!r} among {', '.join(corpora)}")
    if styles and (len(corpora) == 1 or styles.keys() != corpora.keys()):
        raise InputError(
            f"{len(styles)} of {len(corpora)} corpora have a style; give several corpora, and each "
            "a style"
        )
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
        uses_trees=needs_trees(table.groups),
        encoder=encoder,
        settings={
            **{key: value for key, value in asdict(settings).items() if key != "feature_groups"},
            "pairs": {corpus_name: len(pairs) for corpus_name, pairs in corpora.items()},
            "unrelated": len(unrelated),
        },
        styles=tuple(
            {"name": style, "links": "", "threshold": DEFAULT_THRESHOLD}
            for style in dict.fromkeys(styles.values())
        ),
    )
    lessons = Lessons.prepare(
        corpora, annotator, settings, dev=dev, unrelated=unrelated, encoded=encoded
    )
    numbers = {corpus_name: number for number, corpus_name in enumerate(corpora)}
    follow = [numbers[corpus_name] for corpus_name in settings.follow]
    weights = train_weights(
        lessons,
        settings,
        follow=follow,
        pairs=np.arange(lessons.n_train, dtype=np.int64),
        dev_pairs=np.arange(lessons.n_train, len(lessons.matrix), dtype=np.int64) if dev else None,
        n_threads=n_threads,
        report=report,
    )
    if not styles:
        merged = np.array([merge_domains(each, follow) for each in weights])
        return Model(header, table, *_dense(merged, lessons.matrix.slots, table.n_slots))
    followed = [
        [numbers[corpus_name] for corpus_name in styles if styles[corpus_name] == style["name"]]
        for style in header.styles
    ]
    return styled_model(header, table, lessons.matrix.slots, weights, followed)


def styled_model(
    header: ModelHeader,
    table: FeatureTable,
    slots: NDArray[np.int32],
    weights: NDArray[np.float64],
    followed: Sequence[Sequence[int]],
) -> Model:
    """Return a model that keeps styles apart, without tiny weights.

    Parameters
    ----------
    header : ModelHeader
        With the styles.
    table : FeatureTable
    slots : int32 array, shape (n_columns,)
        Slot of each column of the weights.
    weights : float64 array, shape (2, 1 + n_corpora, n_columns + 34)
        From train_weights.
    followed : sequence of sequence of int
        For each style the numbers of its corpora.
    """
    shared, transitions = _dense(weights[:, 0], slots, table.n_slots)
    shared[np.abs(shared) < TINY_SHARED] = 0
    own = []
    for numbers in followed:
        mean = weights[:, [1 + number for number in numbers]].mean(axis=1)
        each, own_transitions = _dense(mean, slots, table.n_slots)
        each[np.abs(each) < TINY_OWN] = 0
        kept = np.flatnonzero(each.any(axis=1))
        own.append(OwnWeights(kept.astype(np.int32), each[kept], own_transitions))
    return Model(header, table, shared, transitions, tuple(own))


def _dense(
    weights: NDArray[np.float64], slots: NDArray[np.int32], n_slots: int
) -> tuple[NDArray[np.float32], NDArray[np.float64]]:
    """Return weights by slot, and transitions, of weights of shape (2, n_columns + 34)."""
    dense = np.zeros((n_slots, 2), dtype=np.float32)
    dense[slots] = weights[:, :-N_TRANSITIONS].T
    return dense, weights[:, -N_TRANSITIONS:].copy()
