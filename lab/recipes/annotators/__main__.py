"""Train the tables of the tagger and the parser.

    python -m lab.recipes.annotators --conllu FILE ... [--dev FILE ...] --output DIR

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
from tokalign.english.annotate.tagger_and_parser import Parser, Tagger
from tokalign.english.annotate.tagging import Forms
from tokalign.files.tables import write_table
from tokalign.types import Sentence

from lab.recipes.annotators.parser import ParserConfig, train_parser
from lab.recipes.annotators.tagger import TaggerConfig, train_tagger
from lab.recipes.annotators.treebank import penn_tokens, read_trees, tree_columns

VERSION = "1"
LICENSE = "CC-BY-SA-4.0"
SOURCE = "trained on UD English EWT (https://universaldependencies.org), CC BY-SA 4.0"

logger = logging.getLogger(__name__)


def report_tagger(tagger: Tagger, trees: Sequence[Sentence]) -> None:
    """Log accuracy on held-out trees in three spellings; unknown tags are never right."""
    gold = [tree_columns(tree)[0] for tree in trees]
    spellings: dict[str, list[Sequence[str]]] = {
        "as written": [tree.tokens for tree in trees],
        "Penn quotes": [
            penn_tokens(tree.tokens, tags) for tree, tags in zip(trees, gold, strict=True)
        ],
        "lower-cased": [[token.lower() for token in tree.tokens] for tree in trees],
    }
    for name, tokens in spellings.items():
        hits = [
            tag == right
            for seen, tags in zip(tagger.tag(tokens), gold, strict=True)
            for tag, right in zip(seen, tags, strict=True)
        ]
        logger.info("tagger, %s: XPOS %.2f%%", name, 100 * np.mean(hits))


def report_parser(tagger: Tagger, parser: Parser, trees: Sequence[Sentence]) -> None:
    """Log attachment scores on held-out trees with the tagger's tags, punctuation included."""
    tokens = [tree.tokens for tree in trees]
    heads, labels = parser.parse_ids(Forms(tokens), tagger.tag_ids(tokens))
    gold = [tree_columns(tree) for tree in trees]
    right = heads == np.array([head for _, heads, _ in gold for head in heads])
    names = [parser.labels[label] for label in labels.tolist()]
    relations = [relation for _, _, row in gold for relation in row]
    same = np.array([a == b for a, b in zip(names, relations, strict=True)])
    logger.info(
        "parser, predicted tags: UAS %.2f%%, LAS with subtypes %.2f%%",
        100 * right.mean(),
        100 * (right & same).mean(),
    )


def _write(folder: Path, name: str, model: Tagger | Parser) -> None:
    """Write a model as the table of that name; its fields are the columns."""
    columns = {field.name: getattr(model, field.name) for field in dataclasses.fields(model)}
    write_table(
        folder / f"{name}.table.xz",
        {key: list(value) if isinstance(value, tuple) else value for key, value in columns.items()},
        name=name,
        version=VERSION,
        license=LICENSE,
        source=SOURCE,
    )


def main(arguments: Sequence[str] | None = None) -> int:
    """Train and write the tables; return the exit code."""
    parser = argparse.ArgumentParser(
        prog="python -m lab.recipes.annotators", description=str(__doc__).partition("\n")[0]
    )
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
    trained = train_parser(trees, tagger.tags, ParserConfig(), TaggerConfig())
    _write(options.output, "parser-en", trained)
    if dev:
        report_parser(tagger, trained, dev)
    return 0


if __name__ == "__main__":
    sys.exit(main())
