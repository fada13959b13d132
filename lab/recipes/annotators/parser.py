"""Training of the parser's table: the same bytes from the same treebank."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from tokalign.english.annotate.tagger_and_parser import Parser
from tokalign.english.annotate.tagging import Forms
from tokalign.types import Sentence

from lab.recipes.annotators.tagger import WIDTH, TaggerConfig, average, train_tagger
from lab.recipes.annotators.training import train_arcs
from lab.recipes.annotators.treebank import join_hyphens, tree_columns


@dataclass(frozen=True)
class ParserConfig:
    """Settings of parser training.

    Attributes
    ----------
    action_bits, label_bits : int
        The tables have 2**bits rows.
    epochs : int
    margin : int
        The right action and label must win by this much, in units of one update.
    folds : int
        Tags for training come from taggers that have not seen the sentence: the corpus is cut
        into this many parts.
    scale : int
        Weights are stored as multiples of 1 / scale.
    seed : int
    """

    action_bits: int = 20
    label_bits: int = 16
    epochs: int = 13
    margin: int = 130
    folds: int = 5
    scale: int = 32
    seed: int = 7


def jackknifed_tags(
    trees: Sequence[Sentence], examples: Sequence[Sequence[str]], folds: int, config: TaggerConfig
) -> list[list[str]]:
    """Return tags for every example from a tagger trained without its tree.

    Parameters
    ----------
    trees : sequence of Sentence
    examples : sequence of sequence of str
        Tokens; example k comes from tree ``k % len(trees)``.
    folds : int
    config : TaggerConfig
    """
    tags: list[list[str]] = [[] for _ in examples]
    for fold in range(folds):
        rest = [tree for index, tree in enumerate(trees) if index % folds != fold]
        chosen = [index for index in range(len(examples)) if index % len(trees) % folds == fold]
        tagger = train_tagger(rest, config)
        # As treebanks are written: few titles are in them.
        seen = tagger.tag([examples[index] for index in chosen], as_written=True)
        for index, names in zip(chosen, seen, strict=True):
            tags[index] = list(names)
    return tags


def train_parser(
    trees: Sequence[Sentence], tags: Sequence[str], config: ParserConfig, tagging: TaggerConfig
) -> Parser:
    """Return the parser trained on the trees with jackknifed tags; deterministic.

    Parameters
    ----------
    trees : sequence of Sentence
    tags : sequence of str
        The tagger's tag set, in the order of its ids.
    config : ParserConfig
    tagging : TaggerConfig
        Settings of the jackknifed taggers.
    """
    n_trees = len(trees)
    joined = [join_hyphens(tree) or tree for tree in trees]
    sources = [*trees, *joined]
    gold = [tree_columns(tree) for tree in sources]
    labels = sorted({"amod"}.union(*(relations for _, _, relations in gold[:n_trees])))
    tag_id = {tag: index for index, tag in enumerate(tags)}
    label_id = {label: index for index, label in enumerate(labels)}
    examples = [tree.tokens for tree in sources]
    tagged = jackknifed_tags(trees, examples, config.folds, tagging)
    forms = Forms(examples)
    tag_ids = np.array([tag_id[tag] for row in tagged for tag in row], dtype=np.uint8)
    heads = np.array(
        [head if head >= 0 else len(heads) for _, heads, _ in gold for head in heads],
        dtype=np.int32,
    )
    label_ids = np.array(
        [label_id[name] for _, _, relations in gold for name in relations], dtype=np.uint8
    )
    changed = [n_trees + index for index, tree in enumerate(trees) if joined[index] is not tree]
    weights = [np.zeros((1 << config.action_bits, 4), np.int32)]
    weights += [np.zeros((1 << config.label_bits, WIDTH), np.int32)]
    totals = [np.zeros(array.shape, np.int64) for array in weights]
    rng = random.Random(config.seed)
    step = 1
    for _ in range(config.epochs):
        order = [*range(n_trees), *changed]
        rng.shuffle(order)
        step, _ = train_arcs(
            forms,
            tag_ids,
            heads,
            label_ids,
            np.array(order, np.int32),
            weights[0],
            totals[0],
            weights[1],
            totals[1],
            len(labels),
            step,
            config.margin,
        )
    averages = [
        average(array, total, step, config.scale)
        for array, total in zip(weights, totals, strict=True)
    ]
    return Parser(tuple(tags), tuple(labels), averages[0], averages[1])
