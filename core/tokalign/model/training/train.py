"""Training of a model from aligned corpora."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any, Required, TypedDict, Unpack

import numpy as np
from numpy.typing import NDArray

from tokalign.crf.objective import N_TRANSITIONS
from tokalign.english.annotate import Annotator
from tokalign.features.feature_groups import FeatureTable, needs_trees
from tokalign.model import Model, ModelHeader
from tokalign.model.file import sketch_of
from tokalign.model.styles import DEFAULT_THRESHOLD, OwnWeights
from tokalign.model.training.examples import TrainingData, TrainingExamples
from tokalign.model.training.settings import TrainingSettings
from tokalign.model.training.weights import OnProgress, merge_domains, optimizer, train_weights

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
