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
from tokalign.lessons import TrainingSettings
from tokalign.model import Model, save_model
from tokalign.training import Progress, train

from recipes.aligned import MTREF, RTE2, UNRELATED, read_corpus
from recipes.figures import accuracy_keys, read_figures
from recipes.styles import STYLES, fit, held_out

GROUPS = (
    "string", "pos", "position", "wordnet", "neighbour", "lexical", "names", "context",
    "competition", "vectors", "null",
)  # fmt: skip
LICENSE = "research use"
"""Of the corpora, and so of what is learned from them."""

EN_RTE2_SETTINGS = TrainingSettings(feature_groups=GROUPS)
EN_SETTINGS = TrainingSettings(
    feature_groups=(*GROUPS, "anchors"),
    max_iterations=60,
    possible_in=((Path(MTREF).name, "sure"),),
    styles=tuple((Path(style.corpus).name, name) for name, style in STYLES.items()),
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
    unrelated : str
        File of unrelated pairs to learn from, below the folder that recipes.unrelated writes.
    """

    description: str
    corpora: tuple[str, ...]
    settings: TrainingSettings
    figures: Mapping[str, str]
    unrelated: str = ""

    def train(self, name: str, data: Path, unrelated_folder: Path) -> Model:
        """Return the model trained on the corpora below `data`, with its figures.

        The styles of one that has some are fitted by cross-validation, so it takes six trainings.
        """
        corpora = {Path(corpus).name: read_corpus(data, corpus) for corpus in self.corpora}
        unrelated = read_gold(unrelated_folder / self.unrelated) if self.unrelated else []
        model = train(
            corpora,
            load_annotator("native"),
            self.settings,
            name=name,
            description=self.description,
            license=LICENSE,
            unrelated=unrelated,
            report=log_progress,
        )
        header = replace(model.header, figures=read_figures(self.figures))
        if header.styles:
            found = held_out(corpora, unrelated, self.settings)
            styles = tuple(fit(style["name"], found[style["name"]]) for style in header.styles)
            header = replace(header, styles=styles)
        return replace(model, header=header)


MODELS = {
    "en-rte2": Recipe(
        "News and entailment; the papers' protocol: weights from RTE2's development half alone; "
        "its word vectors have seen PPDB, WordNet and links of Edinburgh++ and MTRef",
        (RTE2,),
        EN_RTE2_SETTINGS,
        accuracy_keys("RTE2 dev, 5 folds, sure, joint", "rte2-folds.en-rte2"),
    ),
    "en": Recipe(
        "News, entailment, questions, paraphrases and edits, each in its style; knows pairs that "
        "have little in common; the default",
        tuple(style.corpus for style in STYLES.values()),
        EN_SETTINGS,
        accuracy_keys("RTE2 dev, 5 folds, sure, joint, strict", "styles.strict")
        | accuracy_keys("MTRef dev, sure+possible, joint, free", "mtref-dev.en")
        | accuracy_keys("Wiki dev, sure+possible, joint, edits", "wiki-dev.en"),
        unrelated=UNRELATED,
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
    parser.add_argument(
        "--unrelated",
        type=Path,
        default=Path("build/unrelated"),
        help="folder that recipes.unrelated wrote (default: build/unrelated)",
    )
    parser.add_argument("--output", type=Path, required=True, help="folder of the models")
    parser.add_argument("models", nargs="*", metavar="MODEL", help=", ".join(MODELS))
    options = parser.parse_args(arguments)
    unknown = set(options.models) - MODELS.keys()
    if unknown:
        parser.error(f"no model {sorted(unknown)}; choose out of {', '.join(MODELS)}")
    logging.basicConfig(level=logging.INFO, format="%(message)s", stream=sys.stderr)
    for name in options.models or MODELS:
        path = options.output / f"{name}.tokalign"
        save_model(MODELS[name].train(name, options.data, options.unrelated), path)
        logger.info("wrote %s", path)


if __name__ == "__main__":
    main()
