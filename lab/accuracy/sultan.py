"""Accuracy of the aligner of Sultan et al. (2014) with each annotator's trees.

Prints a row for each annotator and table of similar words: percentages on sure links. ``mst`` are
the trees in the corpus's own file (basic Stanford dependencies), with the same tags; the others tag
and parse the corpus's tokens. What is not installed is left out with the reason. With --rules, one
more row for each rule and confidence: how many links it made, and the share of them that is right.
--ppdb compiles PPDB's pairs for this run alone.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path

from tokalign.english.annotate import load_annotator
from tokalign.english.lexicon.lexical_resources import install_ppdb
from tokalign.errors import FormatError, ResourceError
from tokalign.evaluate import evaluate
from tokalign.formats import read_gold
from tokalign.systems import Matches
from tokalign.systems.sultan import TABLES, SultanSystem
from tokalign.types import GoldPair, Sentence

from bench.program import RTE2, names, print_row
from lab.accuracy.annotators import ANNOTATORS, read_mst

NAMES = ("precision", "recall", "f1", "exact_match", "f1_identical", "f1_non_identical")
Pairs = list[tuple[Sentence, Sentence]]


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the command's options."""
    parser.add_argument("--gold", type=Path, default=RTE2)
    parser.add_argument("--trees", type=names, default=[*ANNOTATORS, "mst"])
    parser.add_argument("--tables", type=names, default=list(TABLES))
    parser.add_argument("--ppdb", type=Path, help="pairs to compile for the table ppdb")
    parser.add_argument("--rules", action="store_true", help="print rows for rules, too")


def with_trees(gold: Sequence[GoldPair], path: Path, annotator: str) -> Pairs:
    """Return the pairs annotated, ResourceError if that cannot be done here."""
    sentences = [side for pair in gold for side in (pair.source, pair.target)]
    if annotator == "mst":
        trees = read_mst(path.with_name(path.name.replace(".align.txt", ".mst")))
        if [each.tokens for each in trees] != [each.tokens for each in sentences]:
            raise FormatError("its tokens are not those of its .mst file", path=path)
        sentences, annotator = trees, "native"
    annotated = load_annotator(annotator).annotate(sentences, trees=True)
    return list(zip(annotated[::2], annotated[1::2], strict=True))


def cells(matches: Matches) -> list[tuple[int, int]]:
    """Return the links."""
    return list(zip(matches.source.tolist(), matches.target.tolist(), strict=True))


def rule_rows(gold: Sequence[GoldPair], found: Sequence[Matches]) -> Iterator[dict[str, object]]:
    """Yield, by rule and confidence, the number of links and the share of them that is right."""
    made: Counter[tuple[str, float]] = Counter()
    right: Counter[tuple[str, float]] = Counter()
    for pair, matches in zip(gold, found, strict=True):
        columns = cells(matches), matches.rules, matches.confidence.tolist()
        for cell, rule, confidence in zip(*columns, strict=True):
            made[rule, confidence] += 1
            right[rule, confidence] += cell in pair.sure
    for (rule, confidence), count in sorted(made.items()):
        yield {
            "rule": rule,
            "confidence": round(confidence, 2),
            "links": count,
            "precision": round(right[rule, confidence] / count, 3),
        }


def run(arguments: argparse.Namespace) -> None:
    """Print the rows, with PPDB compiled where it is given."""
    with ExitStack() as stack:
        if arguments.ppdb:
            os.environ["TOKALIGN_HOME"] = stack.enter_context(tempfile.TemporaryDirectory())
            install_ppdb(arguments.ppdb)
        print_rows(arguments)


def print_rows(arguments: argparse.Namespace) -> None:
    """Print a row for each annotator and table."""
    gold = read_gold(arguments.gold)
    for annotator in arguments.trees:
        try:
            pairs = with_trees(gold, arguments.gold, annotator)
        except ResourceError as error:
            print(f"{annotator}: left out: {error}", file=sys.stderr)
            continue
        for table in arguments.tables:
            try:
                system = SultanSystem(table)
            except ResourceError as error:
                print(f"{table}: left out: {error}", file=sys.stderr)
                continue
            found = [system.align(*pair) for pair in pairs]
            links = [frozenset(cells(each)) for each in found]
            scores = evaluate(gold, links, n_samples=1).scores
            row = {"trees": annotator.partition(":")[0], "table": table}
            print_row(row, {name: 100 * getattr(scores, name) for name in NAMES})
            for row in rule_rows(gold, found) if arguments.rules else ():
                print_row(row)
