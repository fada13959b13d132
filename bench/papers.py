"""The papers' main tables: every row that this project can produce, beside the published figure.

    python -m bench.papers [--data DATA] [--only NAME ...] [--json]       (make papers)

The published figures are of test halves, which nobody here has looked at; those beside them are of
the development data at hand, so each table says how its data differ. Rules (tree edit distance,
Sultan's aligner) run as they are. What is trained is cross-validated on RTE2, 5 folds, hypotheses
kept together, and for Edinburgh++ trained on RTE2. Rows of systems that are not part of this
project have no figure beside them, and say why. Without the corpora nothing is measured.
"""

from __future__ import annotations

import argparse
import json
import os
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from tokalign.aligner import Aligner
from tokalign.annotate import load_annotator
from tokalign.batches.outcomes import unwrap
from tokalign.evaluate import evaluate
from tokalign.formats import read_gold
from tokalign.systems import SYSTEMS
from tokalign.training import PUBLISHED, TrainingData, fold_numbers, train
from tokalign.types import GoldPair, Links
from tokalign.types.options import DEFAULT_SYMMETRIZATION, AlignOptions, Symmetrization

from bench.crossval import annotated, held_out

DATA = Path(os.environ.get("TOKALIGN_DATA", Path(__file__).parents[2] / "shared" / "data"))
CORPORA = {
    "RTE2": "msr_rte2/RTE2_dev_M.align.txt",
    "Edinburgh++": "edinburgh/gold.train.sure.json",
}
NOTES = {
    "RTE2": "published: test half, 800 pairs; here: development half, 800 pairs, majority vote",
    "Edinburgh++": "published: test half, 306 pairs; here: training half, 714 pairs",
}
FOLDS, SEED = 5, 1
Figures = tuple[float | None, float | None, float | None, float | None]


@dataclass(frozen=True, slots=True)
class Row:
    """A published row.

    Attributes
    ----------
    system : str
        As the paper calls it.
    published : tuple of float or None
        P, R, F1 and E in percent.
    name : str
        Of tokalign.systems.SYSTEMS or tokalign.training.PUBLISHED; empty without one.
    direction : Symmetrization
        Of what is trained.
    why : str
        Why there is nothing beside it, or what else differs.
    """

    system: str
    published: Figures
    name: str = ""
    direction: Symmetrization = DEFAULT_SYMMETRIZATION
    why: str = ""


@dataclass(frozen=True, slots=True)
class Table:
    """A table of a paper, or the part of it on one corpus."""

    title: str
    corpus: str
    rows: tuple[Row, ...]


OWN_TREES = "trees: this project's Universal Dependencies; the paper's: Stanford"
ABSENT = "not part of this project"
S2T, T2S = Symmetrization.SOURCE_TO_TARGET, Symmetrization.TARGET_TO_SOURCE
GIZA, STANFORD, MANLI, CONSTRAINT = (
    Row("GIZA++, intersection", (82.5, 74.4, 78.3, 14.0), why="another program's output"),
    Row("Stanford RTE", (82.7, 75.8, 79.1, None), why=ABSENT),
    Row("MANLI", (85.4, 85.3, 85.3, 21.3), why=ABSENT),
    Row("MANLI-constraint", (89.5, 86.2, 87.8, 33.0), why=ABSENT),
)
APPROXIMATE = (
    Row("MANLI-approx.", (87.2, 86.3, 86.7, 24.5), why=ABSENT),
    Row("MANLI-exact", (87.2, 86.1, 86.8, 24.8), why=ABSENT),
)
YAO = (
    Row("S2T", (91.8, 83.4, 87.4, 25.9), "yao2013", S2T),
    Row("T2S", (93.7, 84.0, 88.6, 35.3), "yao2013", T2S),
    Row("intersection", (95.4, 80.8, 87.5, 31.3), "yao2013", Symmetrization.INTERSECTION),
    Row("union", (90.3, 86.6, 88.4, 29.6), "yao2013", Symmetrization.UNION),
)
SWAPPED = "the paper's two rows are exchanged here: an intersection has no more recall than a side"
TABLES = (
    Table(
        "Yao et al. (2013), table 1",
        "RTE2",
        (
            GIZA,
            Row("TED", (80.6, 79.0, 79.8, 13.5), "ted", why=OWN_TREES),
            STANFORD,
            MANLI,
            *APPROXIMATE,
            CONSTRAINT,
            *YAO,
            Row(
                "grow-diag-final",
                (94.4, 81.8, 87.6, 30.8),
                "yao2013",
                Symmetrization.GROW_DIAG_FINAL,
            ),
        ),
    ),
    Table(
        "Sharma et al. (2018), table 1",
        "RTE2",
        (
            STANFORD,
            MANLI,
            *APPROXIMATE,
            CONSTRAINT,
            *YAO,
            Row("this work, s2t", (96.6, 91.2, 93.8, 58.6), "sharma2018", S2T),
            Row("this work, t2s", (94.3, 92.0, 93.1, 57.0), "sharma2018", T2S),
            Row(
                "this work, intersection",
                (96.1, 88.4, 92.1, 47.0),
                "sharma2018",
                Symmetrization.INTERSECTION,
                why=SWAPPED,
            ),
            Row(
                "this work, union",
                (89.8, 93.3, 91.5, 46.1),
                "sharma2018",
                Symmetrization.UNION,
                why=SWAPPED,
            ),
        ),
    ),
    Table(
        "Sultan et al. (2014), table 2, MSR",
        "RTE2",
        (
            MANLI,
            CONSTRAINT,
            YAO[1],
            Row("Yao et al. (2013b)", (92.1, 82.8, 86.8, 29.1), why=ABSENT),
            Row("this work", (93.7, 89.8, 91.7, 43.8), "sultan", why=OWN_TREES),
        ),
    ),
    Table(
        "Sultan et al. (2014), table 2, EDB++",
        "Edinburgh++",
        (
            Row("Yao et al. (2013a)", (91.3, 82.0, 86.4, 15.0), "yao2013", T2S),
            Row("Yao et al. (2013b)", (90.4, 81.9, 85.9, 13.7), why=ABSENT),
            Row("this work", (93.5, 82.5, 87.6, 18.3), "sultan", why=OWN_TREES),
        ),
    ),
    Table(
        "Beside them, in no table",
        "RTE2",
        tuple(Row(name, (None, None, None, None), name) for name in ("lemma", "meteor")),
    ),
)
SPEEDS = {"yao2013": ("Yao et al. (2013), table 2: 0.025 s", 40.0), "ted": ("section 4.2", 1e4)}
"""What was published of how many pairs of RTE2 are aligned in a second, and where."""


class Bench:
    """Measures rows; what several rows share is done once.

    Parameters
    ----------
    data : Path
    """

    def __init__(self, data: Path) -> None:
        self._data = data
        self._annotator = load_annotator("native")
        self.gold = cache(self._gold)
        self._folds = cache(self._cross_validated)
        self._trained = cache(self._train)
        self._rules = cache(self._by_rules)

    def _gold(self, corpus: str) -> list[GoldPair]:
        return annotated(read_gold(self._data / CORPORA[corpus]), self._annotator, (), trees=True)

    def links(self, row: Row, corpus: str) -> Sequence[Links]:
        """Return what a row's system links in a corpus that it was not trained on."""
        if row.name in SYSTEMS:
            return self._rules(row.name, corpus)
        if corpus == "RTE2":
            return self._folds(row.name)[row.direction]
        return self._linked(self._trained(row.name), corpus, row.direction)

    def _by_rules(self, name: str, corpus: str) -> list[Links]:
        return self._linked(Aligner.load(name), corpus)

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
            for each in aligner.align_annotated(pairs, options)
        ]

    def pairs_per_s(self, name: str) -> float:
        """Return how many annotated pairs of RTE2 are aligned in a second, both directions."""
        aligner = Aligner.load(name) if name in SYSTEMS else self._trained(name)
        self._linked(aligner, "RTE2")  # tables are read
        began = time.perf_counter()
        return len(self._linked(aligner, "RTE2")) / (time.perf_counter() - began)


def measured(
    tables: Iterable[Table], bench: Bench, only: Sequence[str] = ()
) -> Iterator[dict[str, object]]:
    """Yield one object for each row, in percent."""
    for table in tables:
        for row in table.rows:
            value: dict[str, object] = {
                "table": table.title,
                "data": table.corpus,
                "system": row.system,
                "published": row.published,
                "name": row.name,
                "direction": row.direction.value if row.name in PUBLISHED else "",
                "note": row.why,
            }
            if row.name and (not only or row.name in only):
                links = bench.links(row, table.corpus)
                scores = evaluate(bench.gold(table.corpus), links, n_samples=1).scores
                fractions = (scores.precision, scores.recall, scores.f1, scores.exact_match)
                value["here"] = tuple(100 * fraction for fraction in fractions)
            yield value


HEADS = "".join(f"{name:>7}" for name in ("P", "R", "F1", "E"))


def lines(values: Iterable[dict[str, object]]) -> Iterator[str]:
    """Yield the rows as lines of text, a heading before each table."""
    title = ""
    for value in values:
        if value["table"] != title:
            title = str(value["table"])
            yield f"\n{title}. {value['data']}; {NOTES[str(value['data'])]}"
            yield f"  {'':<24}published{HEADS}   here  {HEADS}"
        here = value.get("here", (None,) * 4)
        cells = "".join(map(_cell, (*_figures(value["published"]), *_figures(here))))
        how = f"{value['name']} {value['direction']}".strip()
        note = "; ".join(filter(None, (how, str(value["note"]))))
        yield f"  {value['system']!s:<24}         {cells[:28]}         {cells[28:]}   {note}"


def _figures(values: object) -> tuple[float | None, ...]:
    assert isinstance(values, tuple)
    return values


def _cell(value: float | None) -> str:
    return "      -" if value is None else f"{value:7.1f}"


def missing(data: Path) -> list[str]:
    """Return the corpora that are not at hand."""
    return [name for name, path in CORPORA.items() if not (data / path).is_file()]


def main(arguments: Sequence[str] | None = None, say: Callable[[str], None] = print) -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--data", type=Path, default=DATA)
    parser.add_argument("--only", nargs="+", default=(), help="names to measure; others stay empty")
    parser.add_argument("--json", action="store_true", help="one object for each row")
    given = parser.parse_args(arguments)
    if gone := missing(given.data):
        say(
            f"skipped: {' and '.join(gone)} not found in {given.data}; set TOKALIGN_DATA or --data "
            "to the folder with the corpora (tests/data/README.md)"
        )
        return
    bench = Bench(given.data)
    values = measured(TABLES, bench, given.only)
    for line in map(json.dumps, values) if given.json else lines(values):
        say(line)
    if given.json:
        return
    say("\nP and R: macro averages over pairs on sure links; F1 of these two; E: exact match.")
    say(f"Trained rows: RTE2 by {FOLDS} folds, Edinburgh++ by what RTE2 teaches.")
    for name, (where, published) in SPEEDS.items():
        if not given.only or name in given.only:
            speed = bench.pairs_per_s(name)
            say(
                f"{name}: {speed:,.0f} annotated pairs of RTE2 per second on this machine; "
                f"published {published:,.0f} ({where})"
            )


if __name__ == "__main__":
    main()
