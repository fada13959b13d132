"""Cross-validated accuracy of a training configuration, a row for each symmetrization.

Every pair is aligned by a model trained on the other folds only. Pairs that share a target sentence
are in one fold, since entailment data repeats hypotheses. With --output the joint links are
written, for `tokalign evaluate --predictions` and `tokalign view`. With --also
the models learn from other corpora as well, every fold from all of them.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields, replace
from pathlib import Path

from tokalign.aligner import Aligner
from tokalign.english.annotate import Annotator, load_annotator
from tokalign.errors import InputError
from tokalign.evaluate import LinkChoice, evaluate
from tokalign.features.feature_groups import Lexicons, needs_trees
from tokalign.formats import read_gold
from tokalign.model.file import load_model
from tokalign.model.training import (
    POSSIBLE_CHOICES,
    PUBLISHED,
    TrainingData,
    TrainingSettings,
    fold_numbers,
    train,
)
from tokalign.model.training.examples import annotate_gold
from tokalign.types import GoldPair, Links
from tokalign.types.options import Symmetrization

from bench.program import RTE2, names, print_row

NAMES = ("precision", "recall", "f1", "exact_match", "f1_identical", "f1_non_identical")


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the command's options."""
    parser.add_argument("--gold", type=Path, default=RTE2)
    parser.add_argument("--pairs", type=int, help="only the first so many of each corpus")
    parser.add_argument("--folds", type=int, default=5)
    parser.add_argument("--seed", type=int, default=1, help="of the assignment to folds")
    parser.add_argument("--like", type=Path, help="model, or published set, with the settings")
    parser.add_argument("--groups", type=names, help="feature groups, where they are to be others")
    parser.add_argument("--with", dest="added", nargs="+", default=(), help="groups to add")
    parser.add_argument("--without", nargs="+", default=(), help="groups to leave out")
    parser.add_argument("--l2", type=float)
    parser.add_argument("--possible", choices=POSSIBLE_CHOICES)
    parser.add_argument(
        "--also", type=Path, nargs="+", default=(), help="corpora to learn from besides"
    )
    parser.add_argument("--links", choices=list(LinkChoice), default=LinkChoice.SURE)
    parser.add_argument("--annotator", default="native")
    parser.add_argument("--output", type=Path, help="Pharaoh file of the joint links to write")


def annotated(
    gold: Sequence[GoldPair], annotator: Annotator, groups: Sequence[str], *, trees: bool = False
) -> list[GoldPair]:
    """Return the pairs with what a model of these groups needs, so that no fold annotates again."""
    pairs = annotate_gold(gold, annotator, trees=trees or needs_trees(groups))
    return [
        replace(pair, source=source, target=target)
        for pair, (source, target) in zip(gold, pairs, strict=True)
    ]


def held_out(
    gold: Sequence[GoldPair], folds: Sequence[int], settings: TrainingSettings,
    annotator: Annotator, directions: Sequence[Symmetrization] = tuple(Symmetrization),
    name: str = "train", others: Mapping[str, Sequence[GoldPair]] | None = None,
) -> dict[Symmetrization, list[Links]]:  # fmt: skip
    """Return the links of every pair by the model that has not seen it, for each symmetrization.

    With `others`, corpora by name, every model learns from all of those as well; `name` is that of
    `gold`.
    """
    links: dict[Symmetrization, list[Links]] = {
        each: [frozenset()] * len(gold) for each in directions
    }
    for fold in sorted(set(folds)):
        seen = [pair for pair, number in zip(gold, folds, strict=True) if number != fold]
        data = TrainingData({name: seen, **(others or {})})
        aligner = Aligner(train(data, annotator, settings, name=f"fold-{fold}"), annotator)
        for k in (k for k, number in enumerate(folds) if number == fold):
            for symmetrization in directions:
                found = aligner.align(gold[k].source, gold[k].target, symmetrization=symmetrization)
                links[symmetrization][k] = frozenset(
                    (link.source, link.target) for link in found.links
                )
    return links


def settings_of(path: Path) -> TrainingSettings:
    """Return how a model file says that it was trained."""
    header = load_model(path).header
    known = {field.name for field in fields(TrainingSettings)}
    settings = {key: value for key, value in header.settings.items() if key in known}
    for key in ("possible_in", "styles"):
        if key in settings:
            settings[key] = tuple(tuple(v) if isinstance(v, list) else v for v in settings[key])
    return TrainingSettings(feature_groups=header.feature_groups, **settings)


def rows(
    gold: Sequence[GoldPair], links: dict[Symmetrization, list[Links]], choice: LinkChoice
) -> Iterator[dict[str, object]]:
    """Yield the percentages of every symmetrization."""
    for symmetrization, predicted in links.items():
        scores = evaluate(gold, predicted, choice=choice, n_samples=1).scores
        yield {
            "direction": symmetrization.value,
            **{name: round(100 * getattr(scores, name), 4) for name in NAMES},
        }


def settings_of_arguments(arguments: argparse.Namespace) -> TrainingSettings:
    """Return the training settings that the options ask for."""
    settings = TrainingSettings()
    if arguments.like:
        settings = PUBLISHED.get(str(arguments.like)) or settings_of(arguments.like)
    changes = {
        "feature_groups": arguments.groups and tuple(arguments.groups),
        "l2": arguments.l2,
        "possible": arguments.possible,
    }
    settings = replace(settings, **{k: value for k, value in changes.items() if value is not None})
    if unknown := set(arguments.without) - set(settings.feature_groups):
        raise InputError(
            f"--without {', '.join(sorted(unknown))}; wanted some of {settings.feature_groups}"
        )
    groups = [each for each in settings.feature_groups if each not in arguments.without]
    return replace(settings, feature_groups=(*groups, *arguments.added))


def run(arguments: argparse.Namespace) -> None:
    """Print a row for each symmetrization."""
    settings = settings_of_arguments(arguments)
    annotator = load_annotator(arguments.annotator)
    gold, *others = (
        annotated(read_gold(path)[: arguments.pairs], annotator, settings.feature_groups)
        for path in (arguments.gold, *arguments.also)
    )
    folds = fold_numbers(gold, arguments.folds, arguments.seed)
    links = held_out(
        gold, folds, settings, annotator, name=arguments.gold.name,
        others=dict(zip((path.name for path in arguments.also), others, strict=True)),
    )  # fmt: skip
    if arguments.output:
        lines = (
            " ".join(f"{i}-{j}" for i, j in sorted(each)) for each in links[Symmetrization.JOINT]
        )
        arguments.output.write_text("\n".join(lines) + "\n", encoding="utf-8")
    vectors = Lexicons.for_groups(settings.feature_groups).vectors
    if vectors:  # they may have seen links of this corpus
        print_row({"pairs": len(gold), "vectors learned from": vectors.source.header["source"]})
    for row in rows(gold, links, LinkChoice(arguments.links)):
        print_row(row)
