"""Trains the shipped annotator tables: ``python -m tokalign.annotate.train``.

The tables are a function of the treebank files and the settings in this package alone, so that
the shipped ones can be rebuilt bit for bit.
"""

from __future__ import annotations

import argparse
import dataclasses
import logging
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from tokalign.annotate._forms import Forms
from tokalign.annotate.train_parser import ParserConfig, ParserWeights, train_parser
from tokalign.annotate.train_tagger import TaggerConfig, TaggerWeights, train_tagger
from tokalign.annotate.treebank import Tree, penn_tokens, read_trees
from tokalign.tables import write_table

VERSION = "1"
LICENSE = "CC-BY-SA-4.0"
SOURCE = "trained on UD English EWT (https://universaldependencies.org), CC BY-SA 4.0"

logger = logging.getLogger(__name__)


def tag_accuracy(model: TaggerWeights, trees: Sequence[Tree], tokens: list[list[str]]) -> float:
    """Return the share of right tags, in [0, 1]; a tag outside the tag set is never right."""
    ids = model.tag_ids(Forms(tokens)).tolist()
    gold = [tag for tree in trees for tag in tree.tags]
    hits = [model.tags[tag] == right for tag, right in zip(ids, gold, strict=True)]
    return float(np.mean(hits))


def report_tagger(model: TaggerWeights, trees: Sequence[Tree]) -> None:
    """Log accuracy on held-out trees in three spellings."""
    spellings = {
        "as written": [tree.tokens for tree in trees],
        "Penn quotes": [penn_tokens(tree.tokens, tree.tags) for tree in trees],
        "lower-cased": [[token.lower() for token in tree.tokens] for tree in trees],
    }
    for name, tokens in spellings.items():
        logger.info("tagger, %s: XPOS %.2f%%", name, 100 * tag_accuracy(model, trees, tokens))


def report_parser(tagger: TaggerWeights, parser: ParserWeights, trees: Sequence[Tree]) -> None:
    """Log attachment scores on held-out trees with the tagger's tags, punctuation included."""
    forms = Forms([tree.tokens for tree in trees])
    heads, labels = parser.parse_ids(forms, tagger.tag_ids(forms))
    right = heads == np.array([head for tree in trees for head in tree.heads])
    names = [parser.labels[label] for label in labels.tolist()]
    gold = [relation for tree in trees for relation in tree.relations]
    same = np.array([a == b for a, b in zip(names, gold, strict=True)])
    logger.info(
        "parser, predicted tags: UAS %.2f%%, LAS with subtypes %.2f%%",
        100 * right.mean(),
        100 * (right & same).mean(),
    )


def _write(folder: Path, name: str, model: TaggerWeights | ParserWeights) -> None:
    """Write a model as the table of that name; its fields are the columns."""
    write_table(
        folder / f"{name}.table.xz",
        {field.name: getattr(model, field.name) for field in dataclasses.fields(model)},
        name=name,
        version=VERSION,
        license=LICENSE,
        source=SOURCE,
    )


def main(arguments: Sequence[str] | None = None) -> int:
    """Train and write the tables; return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m tokalign.annotate.train", description=__doc__)
    parser.add_argument("--conllu", nargs="+", type=Path, required=True, metavar="FILE")
    parser.add_argument("--dev", nargs="*", type=Path, default=[], metavar="FILE")
    parser.add_argument("--output", type=Path, required=True, metavar="DIRECTORY")
    options = parser.parse_args(arguments)
    logging.basicConfig(level=logging.INFO, format="%(message)s", stream=sys.stderr)
    trees = [tree for path in options.conllu for tree in read_trees(path)]
    dev = [tree for path in options.dev for tree in read_trees(path)]
    logger.info("%d sentences, %d words", len(trees), sum(len(tree.tokens) for tree in trees))
    tagger = train_tagger(trees, TaggerConfig())
    _write(options.output, "tagger-en", tagger)
    if dev:
        report_tagger(tagger, dev)
    parser_weights = train_parser(trees, tagger.tags, ParserConfig(), TaggerConfig())
    _write(options.output, "parser-en", parser_weights)
    if dev:
        report_parser(tagger, parser_weights, dev)
    return 0


if __name__ == "__main__":
    sys.exit(main())
