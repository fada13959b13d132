"""The papers' main tables: every row that this project can produce, beside the published figure.

The published figures are of test halves, which nobody here has looked at; those beside them are of
the development data at hand, so each row says how its data differ. Rules (tree edit distance,
Sultan's aligner) run as they are. What is trained is cross-validated on RTE2, 5 folds, hypotheses
kept together, and for Edinburgh++ trained on RTE2. Rows of systems that are not part of this
project have no figure beside them, and say why.

P and R are macro averages over pairs on sure links, F1 is that of these two, and E exact match.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from tokalign.aligner import Aligner
from tokalign.batches.outcomes import unwrap
from tokalign.english.annotate import load_annotator
from tokalign.evaluate import evaluate
from tokalign.formats import read_gold
from tokalign.model.training import PUBLISHED, TrainingData, fold_numbers, train
from tokalign.systems import SYSTEMS
from tokalign.types import GoldPair, Links
from tokalign.types.options import DEFAULT_SYMMETRIZATION, AlignOptions, Symmetrization

from bench.program import add_data, some_of
from lab.accuracy.crossval import annotated, held_out
from lab.accuracy.published import CORPORA, NOTES, TABLES, Figures, Row

FOLDS, SEED = 5, 1


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the command's options."""
    add_data(parser)
    known = sorted({row.name for table in TABLES for row in table.rows if row.name})
    parser.add_argument("--only", type=some_of(known), default=known, help=", ".join(known))
    parser.add_argument("--pairs", type=int, help="only the first so many of each corpus")


class Rows:
    """Measures rows; what several rows share is done once.

    Parameters
    ----------
    data : Path
    n_pairs : int or None
        Only the first so many of each corpus.
    """

    def __init__(self, data: Path, n_pairs: int | None) -> None:
        self._data = data
        self._n_pairs = n_pairs
        self._annotator = load_annotator("native")
        self.gold = cache(self._gold)
        self._folds = cache(self._cross_validated)
        self._trained = cache(self._train)

    def _gold(self, corpus: str) -> list[GoldPair]:
        gold = read_gold(self._data / CORPORA[corpus])[: self._n_pairs]
        return annotated(gold, self._annotator, (), trees=True)

    def links(self, row: Row, corpus: str) -> Sequence[Links]:
        """Return what a row's system links in a corpus that it was not trained on."""
        if row.name in SYSTEMS:
            return self._linked(Aligner.load(row.name), corpus)
        if corpus == "RTE2":
            return self._folds(row.name)[row.direction]
        return self._linked(self._trained(row.name), corpus, row.direction)

    def _cross_validated(self, name: str) -> dict[Symmetrization, list[Links]]:
        gold = self.gold("RTE2")
        folds = fold_numbers(gold, FOLDS, SEED)
        directions = sorted({row.direction for table in TABLES for row in table.rows} - {"joint"})
        return held_out(gold, folds, PUBLISHED[name], self._annotator, directions)

    def _train(self, name: str) -> Aligner:
        corpora = {"RTE2": self.gold("RTE2")}
        model = train(TrainingData(corpora), self._annotator, PUBLISHED[name], name=name)
        return Aligner(model, self._annotator)

    def _linked(
        self, aligner: Aligner, corpus: str, direction: Symmetrization = DEFAULT_SYMMETRIZATION
    ) -> list[Links]:
        pairs = [(pair.source, pair.target) for pair in self.gold(corpus)]
        options = AlignOptions(symmetrization=direction)
        return [
            frozenset((link.source, link.target) for link in unwrap(each).links)
            for each in aligner._engine.align_annotated(pairs, options)
        ]

    def figures(self, row: Row, corpus: str) -> Figures:
        """Return P, R, F1 and E of a row in percent."""
        scores = evaluate(self.gold(corpus), self.links(row, corpus), n_samples=1).scores
        fractions = (scores.precision, scores.recall, scores.f1, scores.exact_match)
        return tuple(100 * fraction for fraction in fractions)


def line(row: Row, here: Figures) -> str:
    """Return a row as a line of text."""
    cells = "".join("      -" if value is None else f"{value:7.1f}" for value in row.published)
    mine = "".join(f"{value:7.1f}" for value in here) if here else 4 * "      -"
    direction = row.direction.value if row.name in PUBLISHED else ""
    note = "; ".join(filter(None, (f"{row.name} {direction}".strip(), row.why)))
    return f"  {row.system:<24}{cells}  {mine}   {note}"


def run(arguments: argparse.Namespace) -> None:
    """Print all rows."""
    rows = Rows(arguments.data, arguments.pairs)
    heads = "".join(f"{name:>7}" for name in ("P", "R", "F1", "E"))
    for table in TABLES:
        print(f"\n{table.title}. {table.corpus}; {NOTES[table.corpus]}")
        print(f"  {'published, then here':<24}{heads}  {heads}", flush=True)
        for row in table.rows:
            is_wanted = row.name in arguments.only
            print(line(row, rows.figures(row, table.corpus) if is_wanted else ()), flush=True)
