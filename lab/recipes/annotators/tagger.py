"""Training of the tagger's table: the same bytes from the same treebank."""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from tokalign.english.annotate.tagger_and_parser import Tagger
from tokalign.english.annotate.tagging import Forms
from tokalign.types import Sentence

from lab.recipes.annotators.training import train_tags
from lab.recipes.annotators.treebank import join_hyphens, tree_columns

WIDTH = 64
LEXICON_PRIME = 2654435769


@dataclass(frozen=True)
class TaggerConfig:
    """Settings of tagger training.

    Attributes
    ----------
    bits : int
        The table has 2**bits rows.
    epochs : int
    margin : int
        The right tag must win by this much, in units of one update.
    lower_share : float
        Share of the sentences that are shown lower-cased as well in each epoch, in [0, 1].
    lexicon_count : int
        A word's tags are known from this many occurrences on.
    scale : int
        Weights are stored as multiples of 1 / scale.
    seed : int
    """

    bits: int = 17
    epochs: int = 8
    margin: int = 100
    lower_share: float = 0.15
    lexicon_count: int = 3
    scale: int = 64
    seed: int = 7


def train_tagger(trees: Sequence[Sentence], config: TaggerConfig) -> Tagger:
    """Return the tagger trained on the trees' tags; deterministic.

    Sentences with hyphenated words are shown a second time with these joined, and a share of
    all sentences lower-cased, since corpora of sentence pairs come in both shapes.
    """
    joined = [tree for tree in map(join_hyphens, trees) if tree is not None]
    examples = [(tree.tokens, tree_columns(tree)[0]) for tree in [*trees, *joined]]
    n_whole = len(examples)
    examples += [(tuple(map(str.lower, tokens)), tags) for tokens, tags in examples[: len(trees)]]
    tags = sorted({tag for _, given in examples for tag in given} | {"``", "''"})
    tag_id = {tag: index for index, tag in enumerate(tags)}
    forms = Forms([tokens for tokens, _ in examples])
    gold = np.array([tag_id[tag] for _, given in examples for tag in given], dtype=np.uint8)
    keys, values = ambiguity_lexicon(
        Forms([tree.tokens for tree in trees]).lower_hashes(), gold, config.lexicon_count
    )
    weights = np.zeros((1 << config.bits, WIDTH), dtype=np.int32)
    totals = np.zeros((1 << config.bits, WIDTH), dtype=np.int64)
    rng = random.Random(config.seed)
    step = 1
    for _ in range(config.epochs):
        order = list(range(n_whole))
        order += rng.sample(range(n_whole, len(examples)), round(config.lower_share * len(trees)))
        rng.shuffle(order)
        step, _ = train_tags(
            forms,
            gold,
            np.array(order, np.int32),
            weights,
            totals,
            keys,
            values,
            len(tags),
            step,
            config.margin,
        )
    return Tagger(tuple(tags), average(weights, totals, step, config.scale), keys, values)


def average(
    weights: NDArray[np.int32], totals: NDArray[np.int64], step: int, scale: int
) -> NDArray[np.int16]:
    """Return the average of the weights over all steps, times `scale`, rounded.

    Integers throughout, so that every machine gives the same bytes.
    """
    out = np.empty(weights.shape, dtype=np.int16)
    limits = np.iinfo(np.int16)
    for start in range(0, len(weights), 4096):
        rows = slice(start, start + 4096)
        scaled = (weights[rows].astype(np.int64) * step - totals[rows]) * scale
        out[rows] = np.clip((2 * scaled + step) // (2 * step), limits.min, limits.max)
    return out


def ambiguity_lexicon(
    hashes: Sequence[int], tags: NDArray[np.uint8], min_count: int
) -> tuple[NDArray[np.uint32], NDArray[np.uint32]]:
    """Return an open-addressing table from word hash to ambiguity class.

    The class of a word seen at least `min_count` times is made of up to three tags that hold
    a tenth of its occurrences or more, by falling count. Values are never 0 or 1.

    Returns
    -------
    keys, values : uint32 arrays, shape (2**m,)
        At most half full.
    """
    counts: dict[int, Counter[int]] = defaultdict(Counter)
    for word, tag in zip(hashes, tags.tolist(), strict=False):
        counts[word][tag] += 1
    classes = {}
    for word, seen in sorted(counts.items()):
        total = sum(seen.values())
        if total < min_count:
            continue
        value = 0
        for tag, count in sorted(seen.items(), key=lambda item: (-item[1], item[0]))[:3]:
            if 10 * count >= total:
                value = value * 64 + tag + 1
        classes[word] = value + 1
    size = 2
    while size < 2 * len(classes):
        size *= 2
    keys, values = np.zeros(size, dtype=np.uint32), np.zeros(size, dtype=np.uint32)
    for word, value in classes.items():
        position = (word * LEXICON_PRIME) % 2**32 & (size - 1)
        while keys[position]:
            position = (position + 1) & (size - 1)
        keys[position], values[position] = word, value
    return keys, values
