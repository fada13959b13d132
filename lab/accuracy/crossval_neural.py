"""Cross-validated accuracy of the neural models on RTE2, nothing leaking.

For every outer fold k, the pairs of k are aligned by a model that has not seen them: their scores
come from an encoder trained without fold k, and the CRF was trained on scores that for each other
fold j come from an encoder trained without j and k. That is 15 encoders; those in the work folder
are reused. Other corpora, where they are used at all, are not RTE2's and lie outside the folds.
With --shipped a shipped model aligns the fold that was kept from the neural ones instead; with
--against, the row of the joint decision has p of the difference in F1 to a second one.

Needs PyTorch and the packages of the neural models; .venv-torch has them.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

from tokalign.aligner import Aligner
from tokalign.english.annotate import load_annotator
from tokalign.evaluate import LinkChoice, compare, evaluate
from tokalign.features.feature_groups import Encoded
from tokalign.model.training import TrainingData, TrainingSettings, train
from tokalign.neural.encoder import Encoder
from tokalign.types import GoldPair, Links, Sentence
from tokalign.types.options import Symmetrization

from bench.program import BUILD, add_data, names, numbers, print_row
from lab.accuracy.crossval import rows
from lab.recipes.corpora import RTE2
from lab.recipes.neural.encoders import KEPT_BACK, N_FOLDS, Encoders, scores
from lab.recipes.settings import GROUPS

STYLE = "strict"
"""Of a shipped model, that of RTE2."""


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the command's options."""
    add_data(parser)
    parser.add_argument("--work", type=Path, default=BUILD / "neural", help="of the encoders")
    parser.add_argument("--alone", action="store_true", help="encoders that saw RTE2 alone")
    parser.add_argument("--shipped", metavar="MODEL", help="any model that has a style for RTE2")
    parser.add_argument("--against", metavar="MODEL", help="of --shipped: a second one")
    parser.add_argument("--folds", type=numbers, default=list(range(N_FOLDS)), help="outer ones")
    parser.add_argument("--groups", type=names, default=[*GROUPS, "neural"])
    parser.add_argument("--l2", type=float, default=TrainingSettings().l2)


def held_out(
    encoders: Encoders, folds: list[int], settings: TrainingSettings, *, others: bool
) -> tuple[list[GoldPair], dict[Symmetrization, list[Links]]]:
    """Return the pairs of some folds, and their links by models that have not seen them."""
    annotator = load_annotator("native")
    gold, number = encoders.corpus(RTE2), encoders.folds(RTE2, N_FOLDS)
    tested: list[GoldPair] = []
    links: dict[Symmetrization, list[Links]] = {each: [] for each in Symmetrization}
    for fold in folds:
        encoded: dict[int, Encoded] = {}
        for other in (other for other in range(N_FOLDS) if other != fold):
            members = [k for k, its in enumerate(number) if its == other]
            encoded |= scores(encoders.rte2([fold, other], others=others), gold, members)
        seen = [k for k, its in enumerate(number) if its != fold]
        data = TrainingData(
            {"train": [gold[k] for k in seen]}, encoder="held-out",
            encoded=[encoded[k] for k in seen],
        )  # fmt: skip
        model = train(data, annotator, settings, name=f"fold-{fold}")
        encoder = Encoder(encoders.rte2([fold], others=others))
        aligner = Aligner(model, annotator, encoder=encoder)
        pairs = [pair for pair, its in zip(gold, number, strict=True) if its == fold]
        tested += pairs
        for symmetrization in Symmetrization:
            links[symmetrization] += links_of(
                aligner, [(pair.source, pair.target) for pair in pairs], symmetrization
            )
    return tested, links


def by_shipped(
    encoders: Encoders, model: str
) -> tuple[list[GoldPair], dict[Symmetrization, list[Links]]]:
    """Return the pairs that a shipped model has not seen, and its links in the style of RTE2."""
    folds = encoders.folds(RTE2, N_FOLDS)
    gold = [pair for pair, k in zip(encoders.corpus(RTE2), folds, strict=True) if k == KEPT_BACK]
    pairs = [(pair.source, pair.target) for pair in gold]
    aligner = Aligner.load(model)
    return gold, {each: links_of(aligner, pairs, each, STYLE) for each in Symmetrization}


def links_of(
    aligner: Aligner,
    pairs: Sequence[tuple[Sentence, Sentence]],
    symmetrization: Symmetrization,
    style: str = "",
) -> list[Links]:
    """Return the links of pairs; models of one corpus have no styles."""
    return [
        frozenset((link.source, link.target) for link in found.links)
        for found in aligner.pipe(pairs, symmetrization=symmetrization, style=style)
    ]


def run(arguments: argparse.Namespace) -> None:
    """Print a row for each symmetrization."""
    settings = TrainingSettings(feature_groups=tuple(arguments.groups), l2=arguments.l2)
    encoders = Encoders(arguments.data, arguments.work)
    p: dict[str, dict[str, float]] = {}
    if arguments.shipped:
        gold, links = by_shipped(encoders, arguments.shipped)
        if arguments.against:
            _, others = by_shipped(encoders, arguments.against)
            joint = Symmetrization.JOINT
            counts = [evaluate(gold, each[joint]).counts for each in (links, others)]
            p = {joint.value: {"p": compare(*counts)["f1"].p_value}}
    else:
        gold, links = held_out(encoders, arguments.folds, settings, others=not arguments.alone)
    for row in rows(gold, links, LinkChoice.SURE):
        print_row(row, {"pairs": len(gold)}, p.get(str(row["direction"]), {}))
