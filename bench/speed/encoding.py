"""Neural encoders by batch size, beside one pair at a time by onnxruntime, and what integers lose.

Rates are ratios of one run; processor time of one thread, best of the repeats. The loss is that of
the encoder alone, without a CRF: every token's likeliest partner against gold (F1 of both
directions together, sure and possible links), and how many tokens' likeliest partner differs.

Needs the packages of the neural models and onnxruntime, as .venv-neural has them.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from tokalign.files.tables import Table
from tokalign.formats import read_gold
from tokalign.neural.encoder import Encoder
from tokalign.types import GoldPair, Sentence

from bench.program import DATA, names, print_row

BATCHES = (1, 4, 16, 64, 256)
Pairs = Sequence[tuple[Sentence, Sentence]]


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the command's options."""
    gold = DATA / "multimwa" / "mtref-dev.tsv"
    parser.add_argument("--gold", type=Path, default=gold, help="pairs to encode")
    parser.add_argument("--encoders", type=names, default=["encoder-en", "encoder-en-rte2"])
    parser.add_argument("--pairs", type=int, default=200, help="how many of them are timed")
    parser.add_argument("--repeats", type=int, default=3)


def pairs_per_second(encoder: Encoder, pairs: Pairs, size: int, repeats: int) -> float:
    """Return the best rate of `repeats` runs over all pairs, `size` of them at a time."""
    seconds = []
    for _ in range(repeats):
        start = time.process_time()
        for first in range(0, len(pairs), size):
            encoder.encode(pairs[first : first + size])
        seconds.append(time.process_time() - start)
    return len(pairs) / min(seconds)


def partners(encoder: Encoder, pairs: Pairs) -> list[tuple[list[int], list[int]]]:
    """Return each source and each target token's likeliest partner, 0 for NULL."""
    return [
        (s2t.argmax(axis=1).tolist(), t2s.argmax(axis=1).tolist())
        for s2t, t2s in encoder.encode(pairs)
    ]


def f1(gold: Sequence[GoldPair], found: Sequence[tuple[list[int], list[int]]]) -> float:
    """Return the micro F1 of both directions' links together, in percent."""
    right = said = wanted = 0
    for pair, (of_source, of_target) in zip(gold, found, strict=True):
        links = {(i, j - 1) for i, j in enumerate(of_source) if j}
        links |= {(i - 1, j) for j, i in enumerate(of_target) if i}
        right += len(links & (pair.sure | pair.possible))
        said += len(links)
        wanted += len(pair.sure | pair.possible)
    return 200 * right / (said + wanted)


def rows(
    encoder: Table, gold: Sequence[GoldPair], n_timed: int, repeats: int
) -> list[dict[str, object]]:
    """Return one row for each kind of matrix, with the rates of every batch size."""
    pairs = [(pair.source, pair.target) for pair in gold]
    found = {}
    result: list[dict[str, object]] = []
    slowest = 0.0
    for kind, exact in (("float32", True), ("int8", False)):
        ready = Encoder(encoder, exact=exact)
        found[kind] = partners(ready, pairs)
        rates = {size: pairs_per_second(ready, pairs[:n_timed], size, repeats) for size in BATCHES}
        slowest = slowest or rates[1]
        result.append(
            {
                "encoder": encoder.header["name"],
                "matrices": kind,
                "pairs_per_second": {size: round(rate, 1) for size, rate in rates.items()},
                "ratio_to_one_by_one_in_float32": {
                    size: round(rate / slowest, 2) for size, rate in rates.items()
                },
                "f1": round(f1(gold, found[kind]), 2),
            }
        )
    both = [np.concatenate([*map(np.array, pair)]) for pair in found["float32"]]
    other = [np.concatenate([*map(np.array, pair)]) for pair in found["int8"]]
    differ = sum(int((a != b).sum()) for a, b in zip(both, other, strict=True))
    result[-1]["other_partners_percent"] = round(100 * differ / sum(map(len, both)), 2)
    return result


def run(arguments: argparse.Namespace) -> None:
    """Print a row for each encoder and kind of matrix."""
    gold = read_gold(arguments.gold)
    for name in arguments.encoders:
        for row in rows(Table.open_shipped(name), gold, arguments.pairs, arguments.repeats):
            print_row(row)
