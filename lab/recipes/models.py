"""Training of the shipped models without an encoder.

    python -m lab.recipes.models --data DIR --output DIR [MODEL ...]
    python -m lab.recipes.models --data DIR --judge MODEL

`make models` rebuilds them. The same corpora give the same weights, whatever the number of threads.
"""

from __future__ import annotations

import argparse
import json
import logging
import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from tokalign.english.annotate import load_annotator
from tokalign.formats import read_gold
from tokalign.model import Model, save_model
from tokalign.model.training import Progress, TrainingData, TrainingSettings, train
from tokalign.types import GoldPair

from lab.figures import KEYS, read_figures
from lab.recipes.choice import WRONG
from lab.recipes.corpora import EDINBURGH_SURE, OWN_MADE_VERSIONS, RTE2, UNRELATED, read_corpus
from lab.recipes.held_out import held_out
from lab.recipes.made_versions import made_versions
from lab.recipes.rewritten import with_rewritten
from lab.recipes.settings import (
    EN_RESEARCH_SETTINGS,
    EN_RTE2_SETTINGS,
    EN_SETTINGS,
    LICENSE,
    OPEN_LICENSE,
    RESEARCH_STYLES,
    STYLES,
    Style,
)
from lab.recipes.styles import fit_styles, judge
from lab.recipes.unrelated import framed, mined_gold, mined_own

logger = logging.getLogger(__name__)

WORDNET = Path(os.environ.get("WORDNET_DICT", "build/wordnet/usr/share/wordnet"))
"""Folder of WordNet's files, for definitions among unrelated pairs; `make models` fetches it."""


@dataclass(frozen=True, slots=True)
class Recipe:
    """One model.

    Attributes
    ----------
    description : str
    corpora : tuple of str
        As `lab.recipes.corpora.read_corpus` names them.
    settings : TrainingSettings
    styles : dict from str to Style
        By name; empty for a model of one convention.
    wrong : float
        Loss of a link in an unrelated pair, for the choice of a style.
    unrelated : str
        File of unrelated pairs to train on, below the folder that lab.recipes.unrelated writes.
    mined : str
        Corpus to mine for unrelated pairs to train on, beside the project's own and pairs that
        share only a frame; where no such file is named.
    license : str
        Terms of all corpora.
    relations : str
        Table of its model of the relations of chunks; empty for the one of most models.
    """

    description: str
    corpora: tuple[str, ...]
    settings: TrainingSettings
    styles: Mapping[str, Style] = field(default_factory=dict)
    wrong: float = WRONG
    unrelated: str = ""
    mined: str = ""
    license: str = LICENSE
    relations: str = ""

    def train(self, name: str, data: Path, unrelated: Path) -> Model:
        """Return the model trained on the corpora below `data`, with its figures.

        The styles of one that has some are fitted by cross-validation, so it takes six trainings.
        """
        pairs = self.examples(data, unrelated)
        model = train(
            pairs,
            load_annotator("native"),
            self.settings,
            report=log_progress,
            name=name,
            description=self.description,
            license=self.license,
            figures=read_figures(KEYS[name]),
        )
        model = replace(model, header=replace(model.header, relations=self.relations))
        if not self.styles:
            return model
        return fit_styles(model, pairs, self.settings, self.styles, wrong=self.wrong)

    def examples(self, data: Path, unrelated: Path) -> TrainingData:
        """Return the training examples."""
        corpora = {
            Path(corpus).name: made_versions()
            if corpus == OWN_MADE_VERSIONS
            else read_corpus(data, corpus)
            for corpus in self.corpora
        }
        pairs = TrainingData(corpora, unrelated=self._unrelated(data, unrelated))
        return with_rewritten(pairs) if pairs.unrelated else pairs

    def _unrelated(self, data: Path, unrelated: Path) -> list[GoldPair]:
        if self.unrelated:
            return read_gold(unrelated / self.unrelated)
        if not self.mined:
            return []
        return mined_gold(data, self.mined) + mined_own() + framed(WORDNET)


MODELS = {
    "en-rte2": Recipe(
        "News and entailment; the papers' protocol: weights from RTE2's development half alone; "
        "its word vectors have seen PPDB and WordNet",
        (RTE2,),
        EN_RTE2_SETTINGS,
    ),
    "en": Recipe(
        "Questions and answers, claims, paraphrases and edits, each in its style; knows pairs that "
        "have little in common; for any use; the default",
        tuple(corpus for style in STYLES.values() for corpus in style.corpora),
        EN_SETTINGS,
        STYLES,
        wrong=1.0,
        mined=EDINBURGH_SURE,
        license=OPEN_LICENSE,
    ),
    "en-research": Recipe(
        "News, entailment, paraphrases, translations and edits, each in its style, by corpora for "
        "research use",
        tuple(corpus for style in RESEARCH_STYLES.values() for corpus in style.corpora),
        EN_RESEARCH_SETTINGS,
        RESEARCH_STYLES,
        unrelated=UNRELATED,
        relations="relations-research",
    ),
}


def log_progress(progress: Progress) -> None:
    """Log the end of each direction's training."""
    if progress.stopped:
        logger.info(
            "%s: %s after %d iterations, loss %.2f nats",
            progress.direction, progress.stopped, progress.iteration, progress.loss,
        )  # fmt: skip


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        prog="python -m lab.recipes.models", description=str(__doc__).partition("\n")[0]
    )
    parser.add_argument("--data", type=Path, required=True, help="folder of the corpora")
    parser.add_argument(
        "--unrelated",
        type=Path,
        default=Path("build/unrelated"),
        help="folder that lab.recipes.unrelated wrote (default: build/unrelated)",
    )
    parser.add_argument("--output", type=Path, help="folder of the models")
    parser.add_argument("--judge", help="print the figures of this model's styles instead")
    parser.add_argument("models", nargs="*", metavar="MODEL", help=", ".join(MODELS))
    options = parser.parse_args(arguments)
    unknown = {*options.models, *filter(None, [options.judge])} - MODELS.keys()
    if unknown:
        parser.error(f"no model {sorted(unknown)}; choose out of {', '.join(MODELS)}")
    logging.basicConfig(level=logging.INFO, format="%(message)s", stream=sys.stderr)
    if options.judge:
        recipe = MODELS[options.judge]
        pairs = held_out(recipe.examples(options.data, options.unrelated), recipe.settings)
        for row in judge(pairs, recipe.styles):
            print(json.dumps(row), flush=True)
        return
    if not options.output:
        parser.error("no --output; wanted the folder of the models, or --judge")
    for name in options.models or MODELS:
        path = options.output / f"{name}.tokalign"
        save_model(MODELS[name].train(name, options.data, options.unrelated), path)
        logger.info("wrote %s", path)


if __name__ == "__main__":
    main()
