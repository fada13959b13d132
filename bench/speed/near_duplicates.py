"""Pairs that are near-duplicates, or only share much of their words, as Parquet files.

Sources are those of bench/pairs.py, made longer. The target of a duplicate is its source with words
left out and a part moved; of the others it begins or ends as the source does and goes on with
another's. Columns: id, source, target, is_duplicate. A file has PART pairs and depends on its
number alone, so that a smaller set is the beginning of a larger one.
"""

from __future__ import annotations

import argparse
import random
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from bench.pairs import Tokens, make_pairs

LENGTHS = (24, 14)
PART = 10_000


def _edited(generator: random.Random, tokens: Tokens) -> Tokens:
    """Return most of the tokens, the last third perhaps before the others."""
    kept = [token for token in tokens if generator.random() > 0.1] or tokens
    if generator.random() < 0.3:
        cut = 2 * len(kept) // 3
        kept = kept[cut:] + kept[:cut]
    return kept


def _shared(generator: random.Random, tokens: Tokens, other: Tokens) -> Tokens:
    """Return tokens of which the first or the last share with a source's is other text."""
    half = len(tokens) // 2
    return tokens[:half] + other if generator.random() < 0.5 else other + tokens[half:]


def part(number: int, n_pairs: int = PART) -> pa.Table:
    """Return the pairs of one file."""
    generator = random.Random(number)
    rows = []
    for k, (tokens, other) in enumerate(make_pairs(n_pairs, LENGTHS, seed=number)):
        is_duplicate = generator.random() < 0.5
        make = _edited(generator, tokens) if is_duplicate else _shared(generator, tokens, other)
        rows.append((number * PART + k, " ".join(tokens), " ".join(make), is_duplicate))
    names = ("id", "source", "target", "is_duplicate")
    columns = dict(zip(names, map(list, zip(*rows, strict=True)), strict=True))
    return pa.table(columns)


def write(folder: Path, n_pairs: int) -> None:
    """Write so many pairs."""
    folder.mkdir(parents=True, exist_ok=True)
    for number, start in enumerate(range(0, n_pairs, PART)):
        table = part(number, min(PART, n_pairs - start))
        pq.write_table(table, folder / f"part-{number:05}.parquet")


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the command's options."""
    parser.add_argument("--pairs", type=int, default=1_000_000)
    parser.add_argument("--output", type=Path, required=True, help="folder to write the files to")


def run(arguments: argparse.Namespace) -> None:
    """Write the pairs."""
    write(arguments.output, arguments.pairs)
