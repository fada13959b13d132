"""The shipped models without an encoder: each one's corpora and settings, and their training.

    python -m recipes.models --data DIR --output DIR [MODEL ...]

`make models` rebuilds them. The same corpora give the same weights, whatever the number of threads.
"""

from __future__ import annotations

import argparse
import logging
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from tokalign.annotate import load_annotator
from tokalign.formats import read_gold
from tokalign.model import Model, save_model
from tokalign.training import Progress, TrainingSettings, train

from recipes.figures import accuracy_keys, read_figures

RTE2 = "msr_rte2/RTE2_dev_M.align.txt"
EDINBURGH = "edinburgh/gold.train.sure+poss.json"
MTREF = "multimwa/mtref-train.tsv"
WIKI = "multimwa/wiki-train.tsv"

GROUPS = (
    "string", "pos", "position", "wordnet", "neighbour", "lexical", "names", "context",
    "competition", "vectors", "null",
)  # fmt: skip
LICENSE = "research use"
"""Of the corpora, and so of what is learned from them."""

EN_RTE2_SETTINGS = TrainingSettings(feature_groups=GROUPS)
EN_SETTINGS = TrainingSettings(
    feature_groups=GROUPS,
    max_iterations=60,
    possible_in=((Path(MTREF).name, "sure"),),
    follow=(Path(RTE2).name, Path(EDINBURGH).name),
)

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Recipe:
    """One model.

    Attributes
    ----------
    description : str
    corpora : tuple of str
        Files below the folder of the corpora.
    settings : TrainingSettings
    figures : mapping of str to str
        What its header says was measured -> key in docs/figures.json.
    """

    description: str
    corpora: tuple[str, ...]
    settings: TrainingSettings
    figures: Mapping[str, str]

    def train(self, name: str, data: Path) -> Model:
        """Return the model trained on the corpora below `data`, with its figures."""
        model = train(
            {Path(corpus).name: read_gold(data / corpus) for corpus in self.corpora},
            load_annotator("native"),
            self.settings,
            name=name,
            description=self.description,
            license=LICENSE,
            report=log_progress,
        )
        return replace(model, header=replace(model.header, figures=read_figures(self.figures)))


MODELS = {
    "en-rte2": Recipe(
        "News and entailment; the papers' protocol: weights from RTE2's development half alone; "
        "its word vectors have seen PPDB, WordNet and links of Edinburgh++ and MTRef",
        (RTE2,),
        EN_RTE2_SETTINGS,
        accuracy_keys("RTE2 dev, 5 folds, sure, joint", "rte2-folds.en-rte2"),
    ),
    "en": Recipe(
        "News, entailment, questions, paraphrases and edits; the default",
        (RTE2, EDINBURGH, MTREF, WIKI),
        EN_SETTINGS,
        accuracy_keys("MTRef dev, sure+possible, joint", "mtref-dev.en")
        | accuracy_keys("Wiki dev, sure+possible, joint", "wiki-dev.en"),
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
        prog="python -m recipes.models", description=str(__doc__).partition("\n")[0]
    )
    parser.add_argument("--data", type=Path, required=True, help="folder of the corpora")
    parser.add_argument("--output", type=Path, required=True, help="folder of the models")
    parser.add_argument("models", nargs="*", metavar="MODEL", help=", ".join(MODELS))
    options = parser.parse_args(arguments)
    unknown = set(options.models) - MODELS.keys()
    if unknown:
        parser.error(f"no model {sorted(unknown)}; choose out of {', '.join(MODELS)}")
    logging.basicConfig(level=logging.INFO, format="%(message)s", stream=sys.stderr)
    for name in options.models or MODELS:
        path = options.output / f"{name}.tokalign"
        save_model(MODELS[name].train(name, options.data), path)
        logger.info("wrote %s", path)


if __name__ == "__main__":
    main()
