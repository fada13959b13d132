"""Pairs that people judged, by thresholds on their similarity.

Prints a row for each set and threshold: which share of all pairs is at least so similar,
which share of those people judged equivalent, and which share of all equivalent pairs is among
them. Sets: MSRP's development pairs (a paraphrase or not), the same sentences each with one of
another pair, and STS 2012's test pairs without MSRvid (equivalent from 4 of 5, "mostly equivalent,
but some unimportant details differ").
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from tokalign.aligner import Aligner

from bench.program import add_data, print_row
from lab.recipes.corpora import JudgedPair, read_msrp, read_sts

THRESHOLDS = (0.0, 0.5, 0.6, 0.7, 0.8, 0.9)
EQUIVALENT_STS = 4.0


def read_sets(data: Path) -> Iterator[tuple[str, list[tuple[JudgedPair, bool]]]]:
    """Yield each set's name, and its pairs with whether they were judged equivalent."""
    pairs = list(read_msrp(data / "msrp/par_dev.dat"))
    yield "msrp", [(pair, pair.gold > 0) for pair in pairs]
    half = len(pairs) // 2
    partners = pairs[half:] + pairs[:half]
    yield (
        "random",
        [
            (JudgedPair(pair.source, partner.target, 0.0), False)
            for pair, partner in zip(pairs, partners, strict=True)
        ],
    )
    paths = sorted((data / "similarity").glob("sts2012.*.test.tsv"))
    pairs = [pair for path in paths for pair in read_sts(path)]
    yield "sts", [(pair, pair.gold >= EQUIVALENT_STS) for pair in pairs]


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the command's options."""
    add_data(parser)
    parser.add_argument("--model", default="en")
    parser.add_argument("--pairs", type=int, help="only the first so many of each set")


def run(arguments: argparse.Namespace) -> None:
    """Print a row for each set and threshold."""
    aligner = Aligner.load(arguments.model)
    for name, judged in read_sets(arguments.data):
        judged = judged[: arguments.pairs]
        pairs = ((pair.source, pair.target) for pair, _ in judged)
        similarity = np.array([each.similarity for each in aligner.pipe(pairs)])
        is_equivalent = np.array([equivalent for _, equivalent in judged])
        for threshold in THRESHOLDS:
            caught = similarity >= threshold
            both = float((caught & is_equivalent).sum())
            item = {
                "set": name,
                "model": arguments.model,
                "threshold": str(threshold),
                "pairs": len(judged),
                "caught": round(float(caught.mean()), 4),
                "equivalent": round(both / max(1, int(caught.sum())), 4),
                "of_equivalent": round(both / max(1, int(is_equivalent.sum())), 4),
            }
            print_row(item)
