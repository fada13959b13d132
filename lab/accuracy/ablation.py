"""Ablation: accuracy without each feature group, and with each optional one, cross-validated.

Prints a row for each configuration, of the joint decision, with the change from the first: from all
groups, or from the first of the published feature sets (--sets), after which come those of --like;
folds as in crossval. One seed of folds is noisy: differences below 0.2 F1 or 1 point of exact match
mean nothing.
"""

from __future__ import annotations

import argparse
import os
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path

from tokalign.english.annotate import load_annotator
from tokalign.english.lexicon.lexical_resources import install_ppdb
from tokalign.evaluate import LinkChoice
from tokalign.features.templates import GROUP_NAMES
from tokalign.formats import read_gold
from tokalign.model.training import PUBLISHED, TrainingSettings, fold_numbers
from tokalign.types.options import Symmetrization

from bench.program import RTE2, numbers, print_row, some_of
from lab.accuracy.crossval import annotated, held_out, rows, settings_of

COLUMNS = ("f1", "exact_match", "f1_identical", "f1_non_identical")


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the command's options."""
    parser.add_argument("--gold", type=Path, default=RTE2)
    parser.add_argument("--like", type=Path, help="model to take the feature groups of")
    parser.add_argument(
        "--groups", type=some_of(GROUP_NAMES), help="feature groups, where they are to be others"
    )
    parser.add_argument(
        "--add", type=some_of(GROUP_NAMES), default=[], help="optional groups, each added alone"
    )
    parser.add_argument(
        "--sets",
        type=some_of(PUBLISHED),
        default=[],
        help=f"instead, these alone: {', '.join(PUBLISHED)}",
    )
    parser.add_argument("--folds", type=int, default=5)
    parser.add_argument("--seeds", type=numbers, default=[1], help="of the folds; means of them")
    parser.add_argument("--l2", type=float, default=TrainingSettings().l2)
    parser.add_argument("--ppdb", type=Path, help="pairs to compile for the group paraphrases")
    parser.add_argument("--pairs", type=int, help="only the first so many")


def configurations(
    groups: Sequence[str], optional: Sequence[str]
) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield the name and the feature groups of every row: all, each left out, each added."""
    yield "all", tuple(groups)
    for group in groups:
        yield f"without {group}", tuple(each for each in groups if each != group)
    for group in optional:
        if group not in groups:
            yield f"with {group}", (*groups, group)


def figures(scores: Sequence[dict[str, object]]) -> list[float]:
    """Return the mean of every column over the seeds."""
    return [sum(float(str(each[name])) for each in scores) / len(scores) for name in COLUMNS]


def run(arguments: argparse.Namespace) -> None:
    """Print a row for each configuration."""
    like = settings_of(arguments.like) if arguments.like else TrainingSettings()
    groups = arguments.groups or like.feature_groups
    wanted = [
        *((name, PUBLISHED[name].feature_groups) for name in arguments.sets),
        *([("all", tuple(groups))] if arguments.sets else configurations(groups, arguments.add)),
    ]
    annotator = load_annotator("native")
    every = [group for _, chosen in wanted for group in chosen]
    gold = annotated(read_gold(arguments.gold)[: arguments.pairs], annotator, every)
    with ExitStack() as stack:
        if arguments.ppdb:
            os.environ["TOKALIGN_HOME"] = stack.enter_context(tempfile.TemporaryDirectory())
            install_ppdb(arguments.ppdb)
        first: list[float] = []
        for name, chosen in wanted:
            settings = TrainingSettings(feature_groups=chosen, l2=arguments.l2)
            scores: list[dict[str, object]] = []
            for seed in arguments.seeds:
                folds = fold_numbers(gold, arguments.folds, seed)
                links = held_out(gold, folds, settings, annotator, [Symmetrization.JOINT])
                scores += rows(gold, links, LinkChoice.SURE)
            found = figures(scores)
            first = first or found
            row: dict[str, object] = {"groups": name, **dict(zip(COLUMNS, found, strict=True))}
            changes = zip(COLUMNS, found, first, strict=True)
            print_row(row, {f"{key}_change": value - base for key, value, base in changes})
