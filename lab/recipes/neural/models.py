"""Training of the neural models: the CRF over held-out scores of encoders.

A CRF trained on an encoder's scores of the encoder's own training pairs would trust it too much. So
every pair that the CRF is trained on is scored by an encoder that has not seen it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from tokalign.english.annotate import load_annotator
from tokalign.files.tables import Table, write_table
from tokalign.formats import read_gold
from tokalign.model import Model
from tokalign.model.training import TrainingData, TrainingSettings, fold_numbers, train
from tokalign.neural.encoder import Encoder
from tokalign.types import GoldPair

from lab.figures import KEYS, read_figures
from lab.recipes.corpora import RTE2, UNRELATED, read_corpus
from lab.recipes.models import MODELS as NO_ENCODER
from lab.recipes.models import log_progress
from lab.recipes.neural.bases import LARGE, SMALL, SMALL_OPEN, BaseEncoder
from lab.recipes.neural.encoders import N_FOLDS, Encoders, held_out
from lab.recipes.neural.open_choice import with_own_choice
from lab.recipes.rewritten import origin_of
from lab.recipes.settings import (
    EN_NEURAL_OPEN_SETTINGS,
    EN_NEURAL_SETTINGS,
    EN_RTE2_SETTINGS,
    LICENSE,
    OPEN_LICENSE,
    RESEARCH_STYLES,
    STYLES,
    Style,
    with_encoder,
)
from lab.recipes.styles import fit_styles

Trained = tuple[Model, Table]
"""A model and the encoder it reads."""


def encoder_name(name: str) -> str:
    """Return the name of the table of a model's encoder.

    Examples
    --------
    >>> encoder_name("en-rte2-neural")
    'encoder-en-rte2'
    """
    return f"encoder-{name.replace('-neural', '')}"


def train_on_rte2(encoders: Encoders, name: str) -> Trained:
    """Return a model whose encoder knows RTE2's development half alone."""
    pairs = encoders.corpus(RTE2)
    data = TrainingData(
        {Path(RTE2).name: pairs},
        encoder=encoder_name(name),
        encoded=held_out(
            [encoders.rte2([k], others=False) for k in range(N_FOLDS)],
            pairs,
            encoders.folds(RTE2, N_FOLDS),
        ),
    )
    description = "The papers' protocol, RTE2's development half alone, with a neural encoder"
    model = train_crf(data, with_encoder(EN_RTE2_SETTINGS), name, description)
    return model, encoders.rte2(others=False)


def train_on_all(encoders: Encoders, name: str) -> Trained:
    """Return a model of all corpora at once, each in its style."""
    corpora, folds = {}, []
    for corpus in encoders.base.sources.corpora:
        kept_back = encoders.kept_back(corpus)
        seen = [k for k in range(len(encoders.corpus(corpus))) if k not in kept_back]
        pairs = read_corpus(encoders.data, corpus)
        corpora[Path(corpus).name] = [pairs[k] for k in seen]
        halves = encoders.halves(corpus)
        folds += [halves[k] for k in seen]
    unrelated = unrelated_to(encoders, [encoders.corpus(RTE2)[k] for k in encoders.kept_back(RTE2)])
    data = _scored(encoders, name, corpora, folds, unrelated)
    description = (
        "News, entailment, questions, paraphrases and edits, each in its style, with a "
        f"{'large ' if encoders.base is LARGE else ''}neural encoder; knows pairs that have "
        "little in common"
    )
    return train_crf(data, EN_NEURAL_SETTINGS, name, description), encoders.shipped()


def train_open(encoders: Encoders, name: str) -> Trained:
    """Return a model of the corpora and unrelated pairs of `en`, each in its style."""
    known = NO_ENCODER["en"].examples(encoders.data, encoders.unrelated)
    folds = []
    for corpus, pairs in zip(encoders.base.sources.corpora, known.corpora.values(), strict=True):
        ids = (pair.id for pair in encoders.corpus(corpus))
        half_of = dict(zip(ids, encoders.halves(corpus), strict=True))
        folds += [half_of[origin_of(pair.id)] for pair in pairs]
    data = _scored(encoders, name, known.corpora, folds, known.unrelated)
    description = (
        "Questions and answers, claims, paraphrases and edits, each in its style, with a neural "
        "encoder; knows pairs that have little in common; for any use"
    )
    model = train_crf(
        data, EN_NEURAL_OPEN_SETTINGS, name, description, styles=STYLES, license=OPEN_LICENSE
    )
    encoder = encoders.shipped()
    return with_own_choice(model, Encoder(encoder), known), encoder


def _scored(
    encoders: Encoders,
    name: str,
    corpora: Mapping[str, Sequence[GoldPair]],
    folds: Sequence[int],
    unrelated: Sequence[GoldPair],
) -> TrainingData:
    """Return pairs with what the encoder without their half says of them."""
    # No encoder has seen unrelated pairs, but each half some of the sentences that others are
    # made of.
    every = [pair for some in (*corpora.values(), unrelated) for pair in some]
    return TrainingData(
        corpora,
        unrelated=unrelated,
        encoder=encoder_name(name),
        encoded=held_out(
            [encoders.joint(half) for half in range(2)],
            every,
            [*folds, *fold_numbers(unrelated, 2, seed=1)],
        ),
    )


def unrelated_to(encoders: Encoders, unseen: Sequence[GoldPair]) -> list[GoldPair]:
    """Return the unrelated pairs that have no sentence of some pairs."""
    sentences = {side.tokens for pair in unseen for side in (pair.source, pair.target)}
    return [
        pair
        for pair in read_gold(encoders.unrelated / UNRELATED)
        if sentences.isdisjoint((pair.source.tokens, pair.target.tokens))
    ]


def train_crf(
    data: TrainingData,
    settings: TrainingSettings,
    name: str,
    description: str,
    *,
    styles: Mapping[str, Style] = RESEARCH_STYLES,
    license: str = LICENSE,
) -> Model:
    """Return the CRF trained over an encoder's scores, with its styles fitted."""
    model = train(
        data,
        load_annotator("native"),
        settings,
        report=log_progress,
        name=name,
        license=license,
        description=description,
        figures=read_figures(KEYS[name]),
    )
    return fit_styles(model, data, settings, styles, n_folds=2)


def write_renamed(encoder: Table, name: str, path: Path) -> None:
    """Write an encoder under the name by which models and users know it."""
    header = encoder.header
    write_table(
        path, {each: encoder[each] for each in header["arrays"]}, name=name,
        version=header["version"], license=header["license"], source=header["source"],
        meta=header["meta"],
    )  # fmt: skip


MODELS: dict[str, tuple[Callable[[Encoders, str], Trained], BaseEncoder]] = {
    "en-rte2-neural": (train_on_rte2, SMALL),
    "en-neural-large": (train_on_all, LARGE),
    "en-neural": (train_on_all, SMALL),
    "en-neural-open": (train_open, SMALL_OPEN),
}
"""The training of each, and its base encoder; the large encoder that ships teaches the small."""
