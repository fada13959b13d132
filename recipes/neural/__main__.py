"""The neural models: encoders, their held-out scores, and the CRF over them.

    python -m recipes.neural --data DIR --work DIR --output DIR [MODEL ...]

A CRF that learned from an encoder's scores of the encoder's own training pairs would trust it too
much. So every pair that the CRF learns from is scored by an encoder that has not seen it.
"""

from __future__ import annotations

import argparse
import logging
import lzma
import shutil
import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from tokalign.annotate import load_annotator
from tokalign.lessons import TrainingSettings
from tokalign.model import save_model
from tokalign.tables import Table
from tokalign.training import train

from recipes.aligned import EDINBURGH, MTREF, RTE2, WIKI
from recipes.figures import accuracy_keys, read_figures
from recipes.models import EN_RTE2_SETTINGS, LICENSE, MIXED_SETTINGS
from recipes.neural.encoders import EPOCHS_AFTER_OTHERS, N_FOLDS, Encoders

if TYPE_CHECKING:
    from tokalign.features._extract import Encoded

FIGURES = {
    "en-neural": accuracy_keys("RTE2 dev, 5 folds nested, sure, joint", "rte2-nested.en-neural")
    | accuracy_keys("MTRef dev, sure+possible, joint", "mtref-dev.en-neural")
    | accuracy_keys("Wiki dev, sure+possible, joint", "wiki-dev.en-neural"),
    "en-rte2-neural": accuracy_keys(
        "RTE2 dev, 5 folds nested, sure, joint", "rte2-nested.en-rte2-neural"
    ),
}
"""What each header says was measured -> key in docs/figures.json."""


def with_encoder(settings: TrainingSettings) -> TrainingSettings:
    """Return the settings of a model without an encoder for one that has one."""
    return replace(settings, feature_groups=(*settings.feature_groups, "neural"))


def train_en_rte2(encoders: Encoders, output: Path) -> None:
    """Train and write en-rte2-neural, whose encoder knows RTE2's development half alone."""
    held_out = encoders.held_out(
        RTE2,
        [encoders.rte2([k], others=False) for k in range(N_FOLDS)],
        encoders.folds(RTE2, N_FOLDS),
    )
    _finish(
        encoders, output, "en-rte2-neural", encoders.rte2(others=False), {RTE2: held_out},
        with_encoder(EN_RTE2_SETTINGS),
        "The papers' protocol, RTE2's development half alone, with a neural encoder",
    )  # fmt: skip


def train_en(encoders: Encoders, output: Path) -> None:
    """Train and write en-neural, on all corpora."""
    held_out = {
        RTE2: encoders.held_out(
            RTE2,
            [encoders.rte2([k], others=True) for k in range(N_FOLDS)],
            encoders.folds(RTE2, N_FOLDS),
        )
    }
    all_rte2 = range(len(encoders.corpus(RTE2)))
    halves = [
        encoders.tune(
            f"all-without-{half}", {RTE2: all_rte2}, EPOCHS_AFTER_OTHERS, encoders.others(half)
        )
        for half in range(2)
    ]
    for corpus in (EDINBURGH, MTREF, WIKI):
        held_out[corpus] = encoders.held_out(corpus, halves, encoders.folds(corpus, 2))
    _finish(
        encoders, output, "en-neural", encoders.rte2(others=True), held_out,
        with_encoder(MIXED_SETTINGS),
        "News, entailment, questions, paraphrases and edits, with a neural encoder",
    )  # fmt: skip


def _finish(
    encoders: Encoders, output: Path, name: str, encoder: Table,
    held_out: Mapping[str, Sequence[Encoded]], settings: TrainingSettings, description: str,
) -> None:  # fmt: skip
    """Train the CRF and write it beside its encoder, packed."""
    encoder_name = name.removesuffix("-neural").replace("en", "encoder-en", 1)
    model = train(
        {Path(corpus).name: encoders.corpus(corpus) for corpus in held_out},
        load_annotator("native"),
        settings,
        name=name,
        license=LICENSE,
        description=description,
        encoder=encoder_name,
        encoded={Path(corpus).name: answers for corpus, answers in held_out.items()},
    )
    header = replace(model.header, figures=read_figures(FIGURES[name]))
    save_model(replace(model, header=header), output / f"{name}.tokalign")
    unpacked = output / f"{encoder_name}.table"
    shutil.copyfile(encoder.path, unpacked)
    packed = lzma.compress(unpacked.read_bytes(), preset=9)
    unpacked.with_suffix(".table.xz").write_bytes(packed)


MODELS = {"en-rte2-neural": train_en_rte2, "en-neural": train_en}


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m recipes.neural", description=str(__doc__).partition("\n")[0]
    )
    parser.add_argument("--data", type=Path, required=True, help="folder of the corpora")
    parser.add_argument("--work", type=Path, required=True, help="folder of the encoders")
    parser.add_argument("--output", type=Path, required=True, help="folder of the models")
    parser.add_argument("models", nargs="*", metavar="MODEL", help=", ".join(MODELS))
    arguments = parser.parse_args()
    unknown = set(arguments.models) - MODELS.keys()
    if unknown:
        parser.error(f"no model {sorted(unknown)}; choose out of {', '.join(MODELS)}")
    logging.basicConfig(level=logging.INFO, format="%(message)s", stream=sys.stderr)
    encoders = Encoders(arguments.data, arguments.work)
    for name in arguments.models or MODELS:
        MODELS[name](encoders, arguments.output)


if __name__ == "__main__":
    main()
