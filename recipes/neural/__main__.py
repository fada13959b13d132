"""The neural models: encoders, their held-out scores, and the CRF over them.

    python -m recipes.neural --data DIR --unrelated DIR --work DIR --output DIR [MODEL ...]

A CRF that learned from an encoder's scores of the encoder's own training pairs would trust it too
much. So every pair that the CRF learns from is scored by an encoder that has not seen it.
"""

from __future__ import annotations

import argparse
import logging
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from tokalign.annotate import load_annotator
from tokalign.features.table import FeatureTable
from tokalign.formats import read_gold
from tokalign.lessons import TrainingSettings, fold_numbers
from tokalign.model import save_model
from tokalign.tables import Table, write_table
from tokalign.training import train

from recipes.aligned import RTE2, UNRELATED, read_corpus
from recipes.figures import accuracy_keys, read_figures
from recipes.models import EN_RTE2_SETTINGS, EN_SETTINGS, LICENSE
from recipes.neural.bases import LARGE, SMALL, BaseEncoder
from recipes.neural.encoders import ALL, KEPT_BACK, N_FOLDS, Encoders, held_out
from recipes.styles import fit
from recipes.styles import held_out as held_out_styles

if TYPE_CHECKING:
    from tokalign.features._extract import Encoded
    from tokalign.types import GoldPair

FIGURES = {
    **{
        name: accuracy_keys("RTE2 dev, a fifth, sure, joint, strict", f"rte2-fifth.{name}")
        | accuracy_keys("MTRef dev, sure+possible, joint, free", f"mtref-dev.{name}")
        | accuracy_keys("Wiki dev, sure+possible, joint, edits", f"wiki-dev.{name}")
        for name in ("en-neural", "en-neural-large")
    },
    "en-rte2-neural": accuracy_keys(
        "RTE2 dev, 5 folds nested, sure, joint", "rte2-nested.en-rte2-neural"
    ),
}
"""What each header says was measured -> key in docs/figures.json."""


def with_encoder(settings: TrainingSettings) -> TrainingSettings:
    """Return the settings of a model without an encoder for one that has one."""
    groups = FeatureTable((*settings.feature_groups, "neural")).groups  # in its order
    return replace(settings, feature_groups=groups)


def train_on_rte2(encoders: Encoders, output: Path, name: str) -> None:
    """Train and write a model whose encoder knows RTE2's development half alone."""
    scored = held_out(
        [encoders.rte2([k], others=False) for k in range(N_FOLDS)],
        encoders.corpus(RTE2),
        encoders.folds(RTE2, N_FOLDS),
    )
    _finish(
        encoders, output, name, encoders.rte2(others=False),
        {Path(RTE2).name: encoders.corpus(RTE2)}, [], scored, with_encoder(EN_RTE2_SETTINGS),
        "The papers' protocol, RTE2's development half alone, with a neural encoder",
    )  # fmt: skip


def train_on_all(encoders: Encoders, output: Path, name: str) -> None:
    """Train and write a model of all corpora at once, each in its style."""
    kept_back = {k for k, fold in enumerate(encoders.folds(RTE2, N_FOLDS)) if fold == KEPT_BACK}
    corpora, folds = {}, []
    for corpus in ALL:
        learned = [
            k for k in range(len(encoders.corpus(corpus))) if corpus != RTE2 or k not in kept_back
        ]
        pairs = read_corpus(encoders.data, corpus)
        corpora[Path(corpus).name] = [pairs[k] for k in learned]
        halves = encoders.folds(corpus, 2)
        folds += [halves[k] for k in learned]
    rte2 = encoders.corpus(RTE2)
    unseen = {side.tokens for k in kept_back for side in (rte2[k].source, rte2[k].target)}
    unrelated = [
        pair
        for pair in read_gold(encoders.unrelated / UNRELATED)
        if unseen.isdisjoint((pair.source.tokens, pair.target.tokens))
    ]
    # No encoder has seen these pairs, but each half some of the sentences that others are made of.
    folds += fold_numbers(unrelated, 2, seed=1)
    every = [pair for some in (*corpora.values(), unrelated) for pair in some]
    scored = held_out([encoders.joint(half) for half in range(2)], every, folds)
    _finish(
        encoders, output, name, encoders.joint(), corpora, unrelated, scored,
        with_encoder(EN_SETTINGS),
        "News, entailment, questions, paraphrases and edits, each in its style, with a "
        f"{'large ' if encoders.base is LARGE else ''}neural encoder; knows pairs that have "
        "little in common",
    )  # fmt: skip


def _finish(
    encoders: Encoders, output: Path, name: str, encoder: Table,
    corpora: Mapping[str, Sequence[GoldPair]], unrelated: Sequence[GoldPair],
    scored: Sequence[Encoded], settings: TrainingSettings, description: str,
) -> None:  # fmt: skip
    """Train the CRF, fit its styles, and write it beside its encoder, packed."""
    encoder_name = f"encoder-{name.replace('-neural', '')}"
    model = train(
        corpora,
        load_annotator("native"),
        settings,
        name=name,
        license=LICENSE,
        description=description,
        unrelated=unrelated,
        encoder=encoder_name,
        encoded=scored,
    )
    header = replace(model.header, figures=read_figures(FIGURES[name]))
    if header.styles:
        found = held_out_styles(corpora, unrelated, settings, encoded=scored, n_folds=2)
        styles = tuple(fit(style["name"], found[style["name"]]) for style in header.styles)
        header = replace(header, styles=styles)
    save_model(replace(model, header=header), output / f"{name}.tokalign")
    for suffix in (".table", ".table.xz"):
        write_renamed(encoder, encoder_name, output / f"{encoder_name}{suffix}")


def write_renamed(encoder: Table, name: str, path: Path) -> None:
    """Write an encoder under the name by which models and users know it."""
    header = encoder.header
    write_table(
        path, {each: encoder[each] for each in header["arrays"]}, name=name,
        version=header["version"], license=header["license"], source=header["source"],
        meta=header["meta"],
    )  # fmt: skip


MODELS: dict[str, tuple[Callable[[Encoders, Path, str], None], BaseEncoder]] = {
    "en-rte2-neural": (train_on_rte2, SMALL),
    "en-neural": (train_on_all, SMALL),
    "en-neural-large": (train_on_all, LARGE),
}
"""How each is trained, and over which base encoder."""


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m recipes.neural", description=str(__doc__).partition("\n")[0]
    )
    parser.add_argument("--data", type=Path, required=True, help="folder of the corpora")
    parser.add_argument(
        "--unrelated", type=Path, default=Path("build/unrelated"), help="of recipes.unrelated"
    )
    parser.add_argument("--work", type=Path, required=True, help="folder of the encoders")
    parser.add_argument("--output", type=Path, required=True, help="folder of the models")
    parser.add_argument("models", nargs="*", metavar="MODEL", help=", ".join(MODELS))
    arguments = parser.parse_args()
    unknown = set(arguments.models) - MODELS.keys()
    if unknown:
        parser.error(f"no model {sorted(unknown)}; choose out of {', '.join(MODELS)}")
    logging.basicConfig(level=logging.INFO, format="%(message)s", stream=sys.stderr)
    for name in arguments.models or MODELS:
        train_model, base = MODELS[name]
        encoders = Encoders(arguments.data, arguments.work, arguments.unrelated, base)
        train_model(encoders, arguments.output, name)


if __name__ == "__main__":
    main()
