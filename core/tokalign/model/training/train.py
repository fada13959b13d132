"""Training of a model from aligned corpora.

Softmax-margin with Hamming cost (Gimpel and Smith 2010), an L2 penalty, and SciPy's L-BFGS. The
same input gives the same weights for any number of threads.
"""

import math
import os
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Required, TypeAlias, TypedDict, Unpack

import numpy as np
from numpy.typing import NDArray

from tokalign.crf.objective import N_TRANSITIONS, Objective
from tokalign.english.annotate import Annotator
from tokalign.errors import MissingPackageError, ModelError
from tokalign.features.feature_groups import FeatureTable, needs_trees
from tokalign.model import Model, ModelHeader
from tokalign.model.file import sketch_of
from tokalign.model.styles import DEFAULT_THRESHOLD, OwnWeights
from tokalign.model.training.examples import TrainingData, TrainingExamples, TrainingSettings

if TYPE_CHECKING:
    from scipy.optimize import OptimizeResult

PRECISION = 1e-6
"""Relative decrease of the loss below which training has converged."""


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


OnProgress: TypeAlias = Callable[[Progress], object]


def train_weights(
    examples: TrainingExamples,
    settings: TrainingSettings,
    *,
    pairs: NDArray[np.int64] | None = None,
    n_threads: int | None = None,
    report: OnProgress | None = None,
) -> NDArray[np.float64]:
    """Return the weights of both directions: a float64 array of shape (2, 1 or 1 + n_corpora,
    n_columns + 34).

    It has first s2t, then t2s; in each the shared weights, then the corpora's own; transitions
    last. `pairs`: numbers of the examples to train on; all but the development pairs by default.
    `n_threads`: all cores by default.

    ModelError is raised if training diverged.
    """
    everything = np.arange(len(examples.matrix), dtype=np.int64)
    pairs = everything[: examples.n_train] if pairs is None else pairs
    dev_pairs = everything[examples.n_train :]
    weights = []
    with ThreadPoolExecutor(n_threads or os.cpu_count() or 1) as threads:
        for direction, source_labelled in (("s2t", True), ("t2s", False)):
            objective = partial(
                Objective, examples.matrix, examples.targets, importance=examples.importance,
                source_labelled=source_labelled, cost=settings.cost, threads=threads,
            )  # fmt: skip
            dev = (
                objective([0] * len(everything), pairs=dev_pairs, l2=0.0)
                if len(dev_pairs)
                else None
            )
            watch = _Watch(direction, settings.patience, dev, report)
            trained = objective(examples.corpus, pairs=pairs, l2=settings.l2)
            weights.append(_minimise(trained, settings.max_iterations, watch))
    found = np.array(weights)
    if not np.isfinite(found).all():
        raise ModelError("training diverged: a weight is not finite; raise l2")
    return found


def merge_domains(weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the shared weights plus the mean of the corpora's own: a float64 array of shape (n,).

    `weights` (float64 array, shape (1 or 1 + n_corpora, n)): the shared weights first.
    """
    own = weights[1:]
    mean: NDArray[np.float64] = weights[0] + own.mean(axis=0) if len(own) else weights[0]
    return mean


@dataclass(slots=True)
class _Watch:
    """Reports one direction's training, and stops it by the development loss."""

    direction: str
    patience: int  # iterations without a lower development loss after which training ends
    dev: Objective | None  # of a single corpus; gives the development loss of the merged weights
    report: OnProgress | None
    iteration: int = 0  # the last one
    dev_loss: float = math.nan  # of that iteration
    best_iteration: int = 0  # that with the lowest development loss
    best_loss: float = math.inf
    best_weights: NDArray[np.float64] | None = None

    def after_iteration(self, weights: NDArray[np.float64], loss: float) -> None:
        """Take an iteration's weights, shape (1 or 1 + n_corpora, n), and its loss.

        Raises StopIteration to end training.
        """
        self.iteration += 1
        if self.dev:
            self.dev_loss = float(self.dev(merge_domains(weights))[0])
        if self.dev_loss < self.best_loss:
            self.best_iteration, self.best_loss = self.iteration, self.dev_loss
            self.best_weights = weights.copy()
        self._tell(loss)
        if self.is_worse():
            raise StopIteration

    def is_worse(self) -> bool:
        """Whether the development loss has not fallen for too long."""
        return self.dev is not None and self.iteration - self.best_iteration >= self.patience

    def end(self, loss: float, *, converged: bool) -> None:
        if self.is_worse():
            self._tell(loss, f"no lower development loss since iteration {self.best_iteration}")
        else:
            self._tell(loss, "converged" if converged else "reached the iteration limit")

    def _tell(self, loss: float, stopped: str = "") -> None:
        if self.report:
            self.report(Progress(self.direction, self.iteration, loss, self.dev_loss, stopped))


def optimizer() -> "Callable[..., OptimizeResult]":
    """Return SciPy's `minimize`, or raise MissingPackageError."""
    try:
        from scipy.optimize import minimize
    except ImportError as error:
        raise MissingPackageError.of("training", error, "train") from None
    found: Callable[..., OptimizeResult] = minimize
    return found


def _minimise(objective: Objective, max_iterations: int, watch: _Watch) -> NDArray[np.float64]:
    """Return the weights of the lowest loss, on the development pairs if there are any.

    Their shape is (1 or 1 + n_corpora, n_columns + 34).
    """
    minimize = optimizer()

    def after_iteration(intermediate_result: "OptimizeResult") -> None:
        weights = intermediate_result.x.reshape(objective.shape)
        watch.after_iteration(weights, float(intermediate_result.fun))

    result = minimize(
        objective,
        np.zeros(math.prod(objective.shape)),
        jac=True,
        method="L-BFGS-B",
        callback=after_iteration,
        options={"maxiter": max_iterations, "maxcor": 10, "ftol": PRECISION, "gtol": 0.0},
    )
    watch.end(float(result.fun), converged=bool(result.success))
    best = result.x if watch.best_weights is None else watch.best_weights
    return np.asarray(best, dtype=np.float64).reshape(objective.shape)


TINY_SHARED, TINY_OWN = 0.002, 0.01
"""Weights up to this size are dropped from a model with styles. Its file is then a third as long,
and no figure on held-out pairs changes."""


class About(TypedDict, total=False):
    """Fields of a model's header that only people read; all but the name have a default.

    Attributes
    ----------
    name, version, description, license : str
    figures : dict
        Measured accuracy, each with its conditions.
    """

    name: Required[str]
    version: str
    description: str
    license: str
    figures: dict[str, Any]


def train(
    data: TrainingData,
    annotator: Annotator,
    settings: TrainingSettings | None = None,
    *,
    n_threads: int | None = None,
    report: OnProgress | None = None,
    **about: Unpack[About],
) -> Model:
    """Return a model trained on one or more corpora, whose pairs are read as `align` reads them.

    With several corpora the model keeps the shared weights plus the mean of the corpora's own; or,
    with ``settings.styles``, it keeps each style's own. Styles get DEFAULT_THRESHOLD and no
    calibration.

    Parameters
    ----------
    n_threads : int, optional
        All cores by default. The model is the same for any number.
    report : callable, optional
        Called with the `Progress` of every iteration.
    **about
        Fields of the header: `name`, and optionally `version` ("1.0.0" by default), `description`,
        `license` and `figures`.

    InputError is raised if a sentence is empty, a setting names a missing corpus, only some corpora
    have a style, or the group "neural" lacks its encoder; ModelError, if a feature group or a field
    of the header is invalid, or training diverged.

    Examples
    --------
    >>> from tokalign.english.annotate import load_annotator
    >>> from tokalign.types import GoldPair, Sentence
    >>> cats, dogs = (Sentence.from_tokens(each.split()) for each in ("Cats sleep", "Dogs sleep"))
    >>> data = TrainingData({"mine": [GoldPair("1", cats, dogs, frozenset({(1, 1)}))]})
    >>> model = train(data, load_annotator("native"), TrainingSettings(max_iterations=2), name="m")
    >>> model.header.name, model.header.corpora
    ('m', ('mine',))
    """
    settings = settings or TrainingSettings()
    data.check(settings)
    header = header_for(data, annotator, settings, **about)  # fail on a bad name before training
    optimizer()  # and on a missing package
    examples = TrainingExamples.prepare(data.in_reading_order(), annotator, settings)
    weights = train_weights(examples, settings, n_threads=n_threads, report=report)
    if header.styles:
        return styled_model(header, examples, weights, followed_corpora(data, settings))
    merged = np.array([merge_domains(each) for each in weights])
    return Model(header, examples.table, *_dense(merged, examples))


def header_for(
    data: TrainingData, annotator: Annotator, settings: TrainingSettings, **about: Unpack[About]
) -> ModelHeader:
    """Return the header of a model trained with these settings; its styles are not calibrated."""
    groups = FeatureTable(settings.feature_groups).groups
    filled: About = {"version": "1.0.0", "description": "", "license": "", **about}
    return ModelHeader(
        **filled,
        corpora=tuple(data.corpora),
        feature_groups=groups,
        annotator=annotator.name,
        uses_trees=needs_trees(groups),
        encoder=data.encoder,
        settings={
            **{key: value for key, value in asdict(settings).items() if key != "feature_groups"},
            "pairs": {name: len(pairs) for name, pairs in data.corpora.items()},
            "unrelated": len(data.unrelated),
        },
        styles=tuple(
            {"name": style, "links": "", "threshold": DEFAULT_THRESHOLD}
            for style in followed_corpora(data, settings)
        ),
        seen={name: sketch_of(pairs) for name, pairs in data.corpora.items()},
    )


def followed_corpora(data: TrainingData, settings: TrainingSettings) -> dict[str, list[int]]:
    """Return the numbers of each style's corpora, by its name, the default first."""
    found: dict[str, list[int]] = {}
    known = list(data.corpora)
    for corpus, style in dict(settings.styles).items():
        found.setdefault(style, []).append(known.index(corpus))
    return found


def styled_model(
    header: ModelHeader,
    examples: TrainingExamples,
    weights: NDArray[np.float64],
    followed: Mapping[str, Sequence[int]],
) -> Model:
    """Return a model with styles, without tiny weights.

    Parameters
    ----------
    header : ModelHeader
        With the styles.
    examples : TrainingExamples
        The examples that the weights were trained on.
    weights : float64 array, shape (2, 1 + n_corpora, n_columns + 34)
        From train_weights.
    followed : mapping of str to sequence of int
        From followed_corpora.
    """
    shared, transitions = _dense(weights[:, 0], examples)
    shared[np.abs(shared) < TINY_SHARED] = 0
    own = []
    for style in header.styles:
        mean = weights[:, [1 + number for number in followed[style["name"]]]].mean(axis=1)
        each, own_transitions = _dense(mean, examples)
        each[np.abs(each) < TINY_OWN] = 0
        kept = np.flatnonzero(each.any(axis=1))
        own.append(OwnWeights(kept.astype(np.int32), each[kept], own_transitions))
    return Model(header, examples.table, shared, transitions, tuple(own))


def _dense(
    weights: NDArray[np.float64], examples: TrainingExamples
) -> tuple[NDArray[np.float32], NDArray[np.float64]]:
    """Return weights by slot, and transitions, of weights of shape (2, n_columns + 34)."""
    dense = np.zeros((examples.table.n_slots, 2), dtype=np.float32)
    dense[examples.matrix.slots] = weights[:, :-N_TRANSITIONS].T
    return dense, weights[:, -N_TRANSITIONS:].copy()
