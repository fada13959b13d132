"""Similarity, and what it is made of, beside people's judgements, set by set.

Prints a row for each set: Pearson's r with the judgements on STS 2012 and SICK's training part, and
the accuracy on MSRP's development part by the threshold that is best on its training part; of
`similarity`, `covered` and, where the model has an encoder, `cosine`, and of the similarity by the
mix that the other sets choose: of MIXES the most of the alignment with which r is on none of them
below the cosine's.
"""

from __future__ import annotations

import argparse
import csv
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from tokalign.aligner import Aligner
from tokalign.decoding.by_model import mixed_similarity
from tokalign.types import Alignment

from bench.program import add_data, print_row
from lab.accuracy.tasks import best_threshold
from lab.recipes.corpora import JudgedPair, read_msrp, read_sts

FIGURES = ("similarity", "covered", "cosine", "agreement")
PRINTED = FIGURES[:3]
MIXES = tuple(k / 20 for k in range(21))
"""What the alignment may count beside the cosine."""
Scores = dict[str, NDArray[np.float64]]


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


def scores_of(aligner: Aligner, pairs: list[JudgedPair]) -> Scores:
    """Return each figure of pairs; without an encoder there is no cosine."""
    both = ((pair.source, pair.target) for pair in pairs)
    found: list[Alignment] = list(aligner.pipe(both, detail="scores"))
    return {
        name: np.array([getattr(each, name) for each in found], dtype=np.float64)
        for name in FIGURES
        if getattr(found[0], name) is not None
    }


def _by_mix(scores: Scores, gold: NDArray[np.float64]) -> list[float]:
    """Return Pearson's r of the similarity by each of MIXES."""
    parts = scores["covered"], scores["cosine"], scores["agreement"]
    return [
        float(np.corrcoef(mixed_similarity(*parts, aligned=share), gold)[0, 1]) for share in MIXES
    ]


def chosen_mix(statistics: NDArray[np.float64], cosines: NDArray[np.float64]) -> int:
    """Return the mix with the largest share of the alignment that is nowhere below the cosine.

    Parameters
    ----------
    statistics : float array, shape (n_sets, n_mixes)
        Pearson's r.
    cosines : float array, shape (n_sets,)
        The same of the cosine alone.
    """
    is_below = (statistics < cosines[:, None]).any(axis=0)
    return int(np.flatnonzero(~is_below).max(initial=0))


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the command's options."""
    add_data(parser)
    parser.add_argument("--model", default="en")
    parser.add_argument("--pairs", type=int, help="only the first so many of each set")


def run(arguments: argparse.Namespace) -> None:
    """Print a row for each set."""
    aligner, data, n_pairs = Aligner.load(arguments.model), arguments.data, arguments.pairs
    names: list[str] = []
    found: list[Scores] = []
    golds: list[NDArray[np.float64]] = []
    for name, pairs in judged_sets(data):
        names.append(name)
        golds.append(np.array([pair.gold for pair in pairs[:n_pairs]]))
        found.append(scores_of(aligner, pairs[:n_pairs]))
    cosines = [
        np.corrcoef(each["cosine"], gold)[0, 1]
        for each, gold in zip(found, golds, strict=True)
        if "cosine" in each
    ]
    by_mix = np.array(
        [_by_mix(each, gold) for each, gold in zip(found, golds, strict=True) if cosines]
    )
    for k, (name, scores, gold) in enumerate(zip(names, found, golds, strict=True)):
        values = {key: np.corrcoef(scores[key], gold)[0, 1] for key in PRINTED if key in scores}
        if cosines:
            mix = chosen_mix(np.delete(by_mix, k, axis=0), np.delete(cosines, k))
            values |= {"left_out": by_mix[k, mix], "mix": MIXES[mix]}
        _print(name, aligner, "r", values)
    _print("msrp", aligner, "accuracy", _paraphrases(aligner, data, n_pairs))


def _paraphrases(aligner: Aligner, data: Path, n_pairs: int | None) -> dict[str, float]:
    """Return the accuracy of each figure on MSRP."""
    parts = [list(read_msrp(data / f"msrp/par_{part}.dat"))[:n_pairs] for part in ("train", "dev")]
    learned, measured = (scores_of(aligner, part) for part in parts)
    gold_of = [np.array([pair.gold for pair in part]) for part in parts]
    return {
        name: float(
            ((scores >= best_threshold(learned[name], gold_of[0])) == (gold_of[1] > 0)).mean()
        )
        for name, scores in measured.items()
        if name in PRINTED
    }


def _print(name: str, aligner: Aligner, metric: str, values: dict[str, float]) -> None:
    figures = {figure: round(float(value), 4) for figure, value in values.items()}
    print_row({"set": name, "model": aligner.header.name, "metric": metric, **figures})
