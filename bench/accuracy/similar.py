"""Similarity, and what it is made of, beside people's judgements, set by set.

Prints a row for each set: Pearson's r with the judgements on STS 2012 and SICK's training part, and
mean average precision on TrecQA's development and WikiQA's questions that have right and wrong
candidates; of `similarity`, `covered`, `cosine`, where the model has an encoder, and the `score`
that candidates are ranked by.
MSRP: also the accuracy on the development part, by the threshold that is best on the training part.
"""

from __future__ import annotations

import argparse
import csv
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from tokalign.aligner import Aligner
from tokalign.questions.encoded import ranking_score
from tokalign.types import Alignment, SentenceLike

from bench.accuracy.tasks import best_threshold
from bench.program import add_data, print_row
from recipes.corpora import JudgedPair, read_msrp, read_questions, read_sts
from recipes.question_weights import precision_and_rank

FIGURES: dict[str, Callable[[Alignment], float | None]] = {
    "similarity": lambda each: each.similarity,
    "covered": lambda each: each.covered,
    "cosine": lambda each: each.cosine,
    "score": ranking_score,
}
Scores = dict[str, NDArray[np.float64]]
Candidates = tuple[SentenceLike, list[tuple[SentenceLike, bool]]]
"""A question, and its candidates, each with whether it answers."""


def judged_sets(data: Path) -> Iterator[tuple[str, list[JudgedPair]]]:
    """Yield the sets of pairs with judgements, by name."""
    for path in sorted((data / "similarity").glob("sts2012.*.tsv")):
        yield path.stem.removeprefix("sts2012."), list(read_sts(path))
    with (data / "similarity/sick.train.tsv").open(encoding="utf-8", newline="") as file:
        rows = csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE)
        yield (
            "sick",
            [
                JudgedPair(row["sentence_A"], row["sentence_B"], float(row["relatedness_score"]))
                for row in rows
            ],
        )


def read_wikiqa(path: Path) -> Iterator[Candidates]:
    """Yield the questions of a file of WikiQA (Yang, Yih and Meek 2015)."""
    questions: dict[str, Candidates] = {}
    with path.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE):
            question = questions.setdefault(row["QuestionID"], (row["Question"], []))
            question[1].append((row["Sentence"], row["Label"] == "1"))
    yield from questions.values()


def scores_of(aligner: Aligner, pairs: list[JudgedPair]) -> Scores:
    """Return each figure of pairs; without an encoder there is no cosine."""
    both = ((pair.source, pair.target) for pair in pairs)
    found: list[Alignment] = list(aligner.pipe(both, detail="scores"))
    return {
        name: np.array([value(each) for each in found], dtype=np.float64)
        for name, value in FIGURES.items()
        if found and value(found[0]) is not None
    }


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the command's options."""
    add_data(parser)
    parser.add_argument("--model", default="en")
    parser.add_argument("--pairs", type=int, help="only the first so many of each set")


def run(arguments: argparse.Namespace) -> None:
    """Print a row for each set."""
    aligner, data, n_pairs = Aligner.load(arguments.model), arguments.data, arguments.pairs
    for name, pairs in judged_sets(data):
        gold = np.array([pair.gold for pair in pairs[:n_pairs]])
        figures = scores_of(aligner, pairs[:n_pairs])
        _print(name, aligner, "r", {k: np.corrcoef(v, gold)[0, 1] for k, v in figures.items()})
    parts = [list(read_msrp(data / f"msrp/par_{part}.dat"))[:n_pairs] for part in ("train", "dev")]
    learned, measured = (scores_of(aligner, part) for part in parts)
    gold_of = [np.array([pair.gold for pair in part]) for part in parts]
    accuracies = {
        name: ((scores >= best_threshold(learned[name], gold_of[0])) == (gold_of[1] > 0)).mean()
        for name, scores in measured.items()
    }
    _print("msrp", aligner, "accuracy", accuracies)
    trec = list(read_questions(data / "trecqa/dev.xml"))
    _rank("trecqa", aligner, [(each.tokens, [*each.candidates]) for each in trec])
    _rank("wikiqa", aligner, list(read_wikiqa(data / "wikiqa/dev.tsv")))


def _rank(name: str, aligner: Aligner, questions: list[Candidates]) -> None:
    """Print the mean average precision of each figure."""
    precisions: dict[str, list[float]] = {}
    for question, candidates in questions:
        right = np.array([is_right for _, is_right in candidates])
        if right.all() or not right.any():
            continue
        pairs = [JudgedPair(candidate, question, 0.0) for candidate, _ in candidates]
        for figure, scores in scores_of(aligner, pairs).items():
            precisions.setdefault(figure, []).append(precision_and_rank(scores, right)[0])
    means = {figure: float(np.mean(found)) for figure, found in precisions.items()}
    _print(name, aligner, "map", means)


def _print(name: str, aligner: Aligner, metric: str, values: dict[str, float]) -> None:
    figures = {figure: round(float(value), 4) for figure, value in values.items()}
    print_row({"set": name, "model": aligner.header.name, "metric": metric, **figures})
