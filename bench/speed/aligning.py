"""Pairs per second of each model on one core, beside those of the first model.

Models take turns: annotated pairs one by one, the same in batches, and text in batches, which has
to be annotated too. Printed are the median ratio of the turns to the first model's, and the best
rate. Time is the processor time of the process, which other work on the machine distorts least.
"""

from __future__ import annotations

import argparse
import statistics
from collections import deque
from collections.abc import Callable, Iterable
from pathlib import Path

from tokalign.aligner import Aligner
from tokalign.formats import read_gold
from tokalign.types import Sentence
from tokalign.types.options import Symmetrization

from bench.program import RTE2, cpu_s, names, print_row, some_of

Pairs = list[tuple[Sentence, Sentence]]
Work = Callable[[], object]


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the command's options."""
    parser.add_argument("--gold", type=Path, default=RTE2, help="pairs to align")
    parser.add_argument("--models", type=names, default=["en", "en-rte2"])
    parser.add_argument("--directions", type=some_of(Symmetrization), default=["joint"])
    parser.add_argument("--ways", type=some_of(WAYS), default=list(WAYS), help=", ".join(WAYS))
    parser.add_argument("--pairs", type=int, help="align only the first so many")
    parser.add_argument("--repeats", type=int, default=5)


def one_by_one(aligner: Aligner, pairs: Pairs, direction: Symmetrization) -> Work:
    """Return the alignment of annotated pairs, each by itself."""
    ready = annotated(aligner, pairs)

    def work() -> None:
        for source, target in ready:
            aligner.align(source, target, symmetrization=direction)

    return work


def in_batches(aligner: Aligner, pairs: Pairs, direction: Symmetrization) -> Work:
    """Return the alignment of annotated pairs in batches."""
    ready = annotated(aligner, pairs)
    return lambda: deque(aligner.pipe(ready, symmetrization=direction), maxlen=0)


def of_text(aligner: Aligner, pairs: Pairs, direction: Symmetrization) -> Work:
    """Return the alignment of pairs of text in batches."""
    texts = [(" ".join(source.tokens), " ".join(target.tokens)) for source, target in pairs]
    return lambda: deque(aligner.pipe(texts, symmetrization=direction), maxlen=0)


WAYS = {"annotated": one_by_one, "batches": in_batches, "text": of_text}


def as_sentences(pairs: Iterable[tuple[list[str], list[str]]]) -> Pairs:
    """Return pairs of tokens as sentences."""
    return [
        (Sentence.from_tokens(source), Sentence.from_tokens(target)) for source, target in pairs
    ]


def annotated(aligner: Aligner, pairs: Pairs) -> Pairs:
    """Return the pairs with the columns of the model's annotator."""
    sentences = aligner.annotate([side for pair in pairs for side in pair])
    return list(zip(sentences[::2], sentences[1::2], strict=True))


def run(arguments: argparse.Namespace) -> None:
    """Print a row for each way, direction and model."""
    gold = read_gold(arguments.gold)[: arguments.pairs]
    pairs = [(pair.source, pair.target) for pair in gold]
    aligners = {name: Aligner.load(name) for name in arguments.models}
    for way in arguments.ways:
        for direction in map(Symmetrization, arguments.directions):
            work = {
                name: WAYS[way](aligner, pairs, direction) for name, aligner in aligners.items()
            }
            turns = [
                {name: cpu_s(each) for name, each in work.items()} for _ in range(arguments.repeats)
            ]
            first = arguments.models[0]
            for name in aligners:
                ratio = statistics.median(turn[first] / turn[name] for turn in turns)
                best = min(turn[name] for turn in turns)
                print_row(
                    {"model": name, "way": way, "direction": direction.value},
                    {"ratio": round(ratio, 3), "pairs_per_second": round(len(pairs) / best)},
                )
