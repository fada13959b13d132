"""What each feature group is worth: cross-validated without it, and with each optional one.

    python bench/ablation.py --gold FILE [--like MODEL] [--add dependency] [--seeds 1,2]
    python bench/ablation.py --gold FILE [--like MODEL] --sets yao2013,sharma2018

Prints a JSON object per configuration, of the joint decision, with the change from the first: from
all groups, or from the first of the published feature sets, after which come those of `--like`;
folds as in bench/crossval.py. One seed of folds is noisy: differences below 0.2 F1 or 1 point of
exact match mean nothing. Goal: the table of docs/accuracy.md.
"""

from __future__ import annotations

import argparse
import json
import os
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path

from crossval import annotated, fold_numbers, held_out, rows, settings_of
from tokalign.annotate import load_annotator
from tokalign.evaluate import LinkChoice
from tokalign.features.table import GROUP_NAMES
from tokalign.formats import read_gold
from tokalign.lexicon.resources import install_ppdb
from tokalign.training import PUBLISHED, TrainingSettings
from tokalign.types.options import Symmetrization

COLUMNS = ("f1", "exact_match", "f1_identical", "f1_non_identical")


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


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--gold", type=Path, required=True)
    parser.add_argument("--like", type=Path, help="model to take the feature groups of")
    parser.add_argument("--groups", help="feature groups, where they are to be others")
    parser.add_argument("--add", default="", help="optional groups, each added alone")
    parser.add_argument(
        "--sets", default="", help=f"instead, these published sets alone: {', '.join(PUBLISHED)}"
    )
    parser.add_argument("--folds", type=int, default=5)
    parser.add_argument("--seeds", default="1", help="of the folds; figures are their mean")
    parser.add_argument("--l2", type=float, default=TrainingSettings().l2)
    parser.add_argument("--ppdb", type=Path, help="pairs to compile for the group paraphrases")
    arguments = parser.parse_args()
    like = settings_of(arguments.like) if arguments.like else TrainingSettings()
    groups, optional = (
        [name for name in text.split(",") if name]
        for text in (arguments.groups or ",".join(like.feature_groups), arguments.add)
    )
    sets = [name for name in arguments.sets.split(",") if name]
    if not set(sets) <= PUBLISHED.keys():
        parser.error(f"--sets {arguments.sets}; wanted some of {', '.join(PUBLISHED)}")
    unknown = {*groups, *optional} - set(GROUP_NAMES)
    if unknown:
        parser.error(f"no feature groups {sorted(unknown)}; wanted some of {GROUP_NAMES}")
    seeds = [int(seed) for seed in arguments.seeds.split(",")]
    annotator = load_annotator("native")
    gold = annotated(
        read_gold(arguments.gold),
        annotator,
        [*groups, *optional, *(g for name in sets for g in PUBLISHED[name].feature_groups)],
    )
    with ExitStack() as stack:
        if arguments.ppdb:
            os.environ["TOKALIGN_HOME"] = stack.enter_context(tempfile.TemporaryDirectory())
            install_ppdb(arguments.ppdb)
        print(f"{len(gold)} pairs of {arguments.gold.name}, {arguments.folds} folds, ", end="")
        print(f"seeds {arguments.seeds}, l2 {arguments.l2:g}, joint, sure links, percent")
        whole: list[float] = []
        rows_wanted = (
            [*((name, PUBLISHED[name].feature_groups) for name in sets), ("all", tuple(groups))]
            if sets
            else configurations(groups, optional)
        )
        for name, chosen in rows_wanted:
            settings = TrainingSettings(feature_groups=chosen, l2=arguments.l2)
            scores = []
            for seed in seeds:
                folds = fold_numbers(gold, arguments.folds, seed)
                links = held_out(gold, folds, settings, annotator, [Symmetrization.JOINT])
                scores += rows(gold, links, LinkChoice.SURE)
            found = figures(scores)
            whole = whole or found
            row = dict(zip(COLUMNS, found, strict=True))
            changes = {f"{key}_change": row[key] - y for key, y in zip(COLUMNS, whole, strict=True)}
            print(json.dumps({"groups": name} | row | changes), flush=True)


if __name__ == "__main__":
    main()
