"""Pairs per second of each shipped model on one core: annotated pairs in, alignments out.

    python bench/aligning.py --gold FILE [--models en,en-rte2] [--directions joint,union]
        [--batches]

Goals: a speed for the model cards, and to see what a change of features or decoding costs.
Pairs are aligned one by one, or with --batches as `pipe` does, which is what models with an
encoder are for. Reading and annotation are not counted (see bench/annotators.py). CPU time of the
process, best of the repeats, since other work on the machine only ever slows it down.
"""

from __future__ import annotations

import argparse
import json
import platform
import resource
import time
from collections import deque
from collections.abc import Sequence
from pathlib import Path

from tokalign.aligner import Aligner
from tokalign.formats import read_gold
from tokalign.types import Sentence
from tokalign.types.options import Symmetrization


def pairs_per_second(
    aligner: Aligner, pairs: Sequence[tuple[Sentence, Sentence]], symmetrization: Symmetrization,
    repeats: int, *, in_batches: bool,
) -> float:  # fmt: skip
    """Return the best rate of `repeats` runs over all pairs."""
    seconds = []
    for _ in range(repeats):
        start = time.process_time()
        if in_batches:
            deque(aligner.pipe(pairs, symmetrization=symmetrization), maxlen=0)
        else:
            for source, target in pairs:
                aligner.align(source, target, symmetrization=symmetrization)
        seconds.append(time.process_time() - start)
    return len(pairs) / min(seconds)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--gold", type=Path, required=True, help="pairs to align")
    parser.add_argument("--models", default="en,en-rte2")
    parser.add_argument("--directions", default="joint,union")
    parser.add_argument("--batches", action="store_true", help="align many pairs at once")
    parser.add_argument("--repeats", type=int, default=5)
    arguments = parser.parse_args()
    gold = read_gold(arguments.gold)
    n_tokens = sum(len(pair.source) + len(pair.target) for pair in gold) / len(gold)
    print(
        f"{len(gold)} pairs of {arguments.gold.name}, {n_tokens:.1f} tokens per pair, one core, "
        f"{platform.machine()}, CPython {platform.python_version()}"
    )
    for name in arguments.models.split(","):
        aligner = Aligner.load(name)
        sentences = aligner.annotate([side for pair in gold for side in (pair.source, pair.target)])
        pairs = list(zip(sentences[::2], sentences[1::2], strict=True))
        for symmetrization in map(Symmetrization, arguments.directions.split(",")):
            rate = pairs_per_second(
                aligner, pairs, symmetrization, arguments.repeats, in_batches=arguments.batches
            )
            row = {
                "model": name,
                "direction": symmetrization.value,
                "pairs_per_second": round(rate),
                "peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024,
            }
            print(json.dumps(row), flush=True)


if __name__ == "__main__":
    main()
