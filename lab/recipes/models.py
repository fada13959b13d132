"""Training of the shipped models without an encoder.

    python -m lab.recipes.models --data DIR --output DIR [MODEL ...]

`make models` rebuilds them. The same corpora give the same weights, whatever the number of threads.
"""

from __future__ import annotations

import argparse
import logging
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tokalign.english.annotate import load_annotator
from tokalign.formats import read_gold
from tokalign.model import Model, save_model
from tokalign.model.training import Progress, TrainingData, TrainingSettings, train
from tokalign.types import GoldPair

from lab.figures import KEYS, read_figures
from lab.recipes.corpora import EDINBURGH, EDINBURGH_SURE, RTE2, UNRELATED, own_pairs, read_corpus
from lab.recipes.rewritten import with_rewritten
from lab.recipes.settings import (
    EN_OPEN_SETTINGS,
    EN_RTE2_SETTINGS,
    EN_SETTINGS,
    LICENSE,
    OPEN_LICENSE,
    STYLES,
)
from lab.recipes.styles import fit_styles
from lab.recipes.unrelated import mined_gold, mined_own

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
    unrelated : str
        File of unrelated pairs to train on, below the folder that lab.recipes.unrelated writes.
    mined : str
        Corpus to mine for unrelated pairs to train on, where no such file is named.
    has_own : bool
        Whether it is also trained on the project's own corpus, and on unrelated pairs of it.
    license : str
        Terms of all corpora.
    """

    description: str
    corpora: tuple[str, ...]
    settings: TrainingSettings
    unrelated: str = ""
    mined: str = ""
    has_own: bool = False
    license: str = LICENSE

    def train(self, name: str, data: Path, unrelated: Path) -> Model:
        """Return the model trained on the corpora below `data`, with its figures.

        The styles of one that has some are fitted by cross-validation, so it takes six trainings.
        """
        corpora = {Path(corpus).name: read_corpus(data, corpus) for corpus in self.corpora}
        if self.has_own:
            corpora["tokalign corpus"] = [pair for pair, _ in own_pairs()]
        pairs = TrainingData(corpora, unrelated=self._unrelated(data, unrelated))
        if pairs.unrelated:
            pairs = with_rewritten(pairs)
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
        return fit_styles(model, pairs, self.settings)

    def _unrelated(self, data: Path, unrelated: Path) -> list[GoldPair]:
        if self.unrelated:
            return read_gold(unrelated / self.unrelated)
        mined = mined_gold(data, self.mined) if self.mined else []
        return mined + mined_own() if self.has_own else mined


MODELS = {
    "en-rte2": Recipe(
        "News and entailment; the papers' protocol: weights from RTE2's development half alone; "
        "its word vectors have seen PPDB, WordNet and links of Edinburgh++ and MTRef",
        (RTE2,),
        EN_RTE2_SETTINGS,
    ),
    "en": Recipe(
        "News, entailment, questions, paraphrases and edits, each in its style; knows pairs that "
        "have little in common; the default",
        tuple(style.corpus for style in STYLES.values()),
        EN_SETTINGS,
        unrelated=UNRELATED,
    ),
    "en-open": Recipe(
        "Paraphrases, questions and answers, claims; for any use: weights from Edinburgh++ "
        "(Apache-2.0) and the project's own corpus (CC0), without word vectors",
        (EDINBURGH,),
        EN_OPEN_SETTINGS,
        mined=EDINBURGH_SURE,
        has_own=True,
        license=OPEN_LICENSE,
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
