"""Pairs of sentences for benchmarks: the shipped sample's, cut to length, other words put in.

They have the lengths of RTE2's development half (29 and 11 tokens on average), share words as a
text and a statement about it do, and are other pairs for every seed, so that an aligner that
remembers words meets new ones as it does in use. They say nothing about accuracy.
"""

from __future__ import annotations

import itertools
import json
import random
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import numpy as np
from tokalign.english.lexicon.lexical_tables import Vocabulary
from tokalign.files.tables import Table

SAMPLE = Path(__file__).resolve().parents[1] / "tests" / "data"
RTE2_LENGTHS = (29, 11)
CHANGED = 0.25
"""Share of the words that others, drawn by their frequency, replace."""
KEPT = 0.6
"""Share of a target that continues with a piece of its source, not with other text."""

SENTENCES = Path(__file__).resolve().with_name("pairs.tsv")
"""Lines of source TAB target, sentences written for benchmarks, with the lengths of RTE2's."""

Tokens = list[str]


@cache
def _sample() -> list[tuple[Tokens, Tokens]]:
    rows = [
        json.loads(line)
        for name in ("sample.jsonl", "pairs.jsonl")
        for line in (SAMPLE / name).read_text(encoding="utf-8").splitlines()
    ]
    return [(row["source"]["tokens"], row["target"]["tokens"]) for row in rows]


@cache
def _words() -> tuple[list[str], list[int]]:
    """Return the lemmas of the shipped table of counts, and the running sums of their counts."""
    table = Table.open_shipped("counts")
    words = Vocabulary(table)
    counts = table.array("count", np.int32, (len(words),))
    kept = [k for k in range(len(words)) if words[k].isalpha() and words[k].isascii()]
    return [words[k] for k in kept], list(itertools.accumulate(int(counts[k]) for k in kept))


def _changed(generator: random.Random, tokens: Tokens) -> Tokens:
    words, sums = _words()
    return [
        generator.choices(words, cum_weights=sums)[0]
        if token.isalpha() and generator.random() < CHANGED
        else token
        for token in tokens
    ]


def make_lines(n_lines: int, n_tokens: int, *, seed: int) -> Iterator[Tokens]:
    """Yield lists of words drawn by their frequency, the same ones for a seed."""
    words, sums = _words()
    generator = random.Random(seed)
    for _ in range(n_lines):
        yield generator.choices(words, cum_weights=sums, k=n_tokens)


def make_pairs(
    n_pairs: int, lengths: tuple[int, int] = RTE2_LENGTHS, *, seed: int, spread: float = 0.35
) -> list[tuple[Tokens, Tokens]]:
    """Return pairs of lists of tokens, the same ones for a seed.

    Parameters
    ----------
    n_pairs : int
    lengths : (int, int)
        Mean numbers of tokens of a source and a target.
    seed : int
    spread : float
        Numbers of tokens are uniform within this share of their mean; 0 for exact lengths.
    """
    generator = random.Random(seed)
    pairs = []
    for _ in range(n_pairs):
        n, m = (max(1, round(mean * generator.uniform(1 - spread, 1 + spread))) for mean in lengths)
        source, target = map(list, generator.choice(_sample()))
        while len(source) < n:
            source += generator.choice(_sample())[0]
        while len(target) < m:
            start = generator.randrange(n)
            is_kept = generator.random() < KEPT
            target += source[start:n] if is_kept else generator.choice(_sample())[1]
        pairs.append((_changed(generator, source[:n]), _changed(generator, target[:m])))
    return pairs
