"""Near-duplicates that are found without comparing all pairs, beside those of all pairs.

Prints a row for each set. `similar` counts the pairs of different sentences, among all pairs, whose
similarity is at least the threshold, and `found` those of them that `near_duplicates` yields; it
yields no others. `judged` counts the pairs that were made, or judged, equivalent, and `of_judged`
is the share of them that is found; `compared` is the share of all pairs that was aligned.

Sets: made (sentences, and for half of them one with a tenth of the words left out and perhaps a
part moved, for the others one that shares half of its words) and MSRP's development sentences.
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from tokalign.aligner import Aligner
from tokalign.types.inputs import text_of
from tokalign.types.keywords import DEFAULT_OVERLAP

from bench.pairs import Tokens, make_pairs
from bench.program import add_data, print_row
from lab.recipes.corpora import read_msrp

LENGTHS = (24, 14)
Judged = tuple[list[str], set[tuple[int, int]]]
"""Different texts, and the numbers of those that are equivalent, the smaller first."""


def read_sets(data: Path, n_pairs: int) -> Iterator[tuple[str, Judged]]:
    """Yield each set's name, and its texts with the pairs that were judged equivalent."""
    yield "made", _judged(list(_made(n_pairs)))
    pairs = list(read_msrp(data / "msrp/par_dev.dat"))[:n_pairs]
    yield (
        "msrp",
        _judged([(text_of(each.source), text_of(each.target), each.gold > 0) for each in pairs]),
    )


def _made(n_pairs: int) -> Iterator[tuple[str, str, bool]]:
    """Yield made pairs of texts, each with whether it is a duplicate."""
    generator = random.Random(0)
    for tokens, other in make_pairs(n_pairs, LENGTHS, seed=0):
        is_duplicate = generator.random() < 0.5
        target = _edited(generator, tokens) if is_duplicate else _shared(generator, tokens, other)
        yield " ".join(tokens), " ".join(target), is_duplicate


def _edited(generator: random.Random, tokens: Tokens) -> Tokens:
    """Return most of the tokens, the last third perhaps before the others."""
    kept = [token for token in tokens if generator.random() > 0.1] or tokens
    if generator.random() < 0.3:
        cut = 2 * len(kept) // 3
        kept = kept[cut:] + kept[:cut]
    return kept


def _shared(generator: random.Random, tokens: Tokens, other: Tokens) -> Tokens:
    """Return half of the tokens, with another text before or after them."""
    half = len(tokens) // 2
    return tokens[:half] + other if generator.random() < 0.5 else other + tokens[half:]


def _judged(rows: list[tuple[str, str, bool]]) -> Judged:
    numbers: dict[str, int] = {}
    for source, target, _ in rows:
        numbers.setdefault(source, len(numbers))
        numbers.setdefault(target, len(numbers))
    equivalent = {
        (min(numbers[a], numbers[b]), max(numbers[a], numbers[b]))
        for a, b, is_same in rows
        if is_same and a != b
    }
    return list(numbers), equivalent


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the command's options."""
    add_data(parser)
    parser.add_argument("--model", default="en")
    parser.add_argument("--pairs", type=int, default=500, help="the first so many of each set")
    parser.add_argument("--threshold", type=float, default=0.75)
    parser.add_argument("--overlap", type=float, default=DEFAULT_OVERLAP)


def run(arguments: argparse.Namespace) -> None:
    """Print a row for each set."""
    aligner = Aligner.load(arguments.model)
    for name, (texts, judged) in read_sets(arguments.data, arguments.pairs):
        matrix = np.triu(aligner.similarity_matrix(texts), 1)
        similar = {(int(i), int(j)) for i, j in np.argwhere(matrix >= arguments.threshold)}
        compared = {
            (each.first, each.second)
            for each in aligner.near_duplicates(texts, threshold=0.0, overlap=arguments.overlap)
        }
        found = similar & compared
        row = {
            "set": name,
            "model": arguments.model,
            "threshold": arguments.threshold,
            "sentences": len(texts),
            "compared": len(compared) / (len(texts) * (len(texts) - 1) / 2),
            "similar": len(similar),
            "found": round(len(found) / max(1, len(similar)), 4),
            "judged": len(judged),
            "of_judged": round(len(judged & found) / max(1, len(judged)), 4),
            "right": round(len(judged & found) / max(1, len(found)), 4),
        }
        print_row(row)
