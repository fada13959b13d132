"""The processor time of pairs beside what the server counts them as, for each option and length.

The factors are those of server/requests/cost.py; no combination may cost more than twice what it is
counted as, which the last row shows. Runs in one process, with the stages of a worker (annotate,
align, serialise). Words come from bench/pairs.tsv; "mirrored" pairs are a text and itself, which
has the most links.
"""

from __future__ import annotations

import argparse
import time

from tokalign.aligner import Aligner
from tokalign.batches.outcomes import unwrap
from tokalign.codec.writing import AlignmentWriter
from tokalign.server.requests import cost
from tokalign.types import Pair
from tokalign.types.options import AlignOptions

from bench.pairs import SENTENCES
from bench.program import print_row

LENGTHS = ((5, 5), (29, 10), (60, 60), (100, 100), (200, 200), (300, 300), (500, 500), (500, 2))
OPTIONS = {
    "none": AlignOptions(),
    "posteriors": AlignOptions(posteriors=True),
    "phrases": AlignOptions(phrases=True),
    "explain": AlignOptions(explain=True),
    "edits": AlignOptions(edits=True),
}


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the command's options."""
    parser.add_argument("--model", default="en")
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--longest", type=int, default=500, help="tokens of a side at most")


def spent_us(aligner: Aligner, pair: Pair, options: AlignOptions) -> tuple[float, int]:
    """Return the processor time of a pair in microseconds, and the units it is counted as."""
    began = time.process_time()
    (annotated,) = aligner.annotate_pairs([pair])
    (alignment,) = aligner.align_annotated([annotated], options)
    AlignmentWriter(options).write(unwrap(alignment))
    us = 1e6 * (time.process_time() - began)
    source, target = unwrap(annotated)[:2]
    return us, cost.of_pair(len(source), len(target), options)


def shapes(longest: int, repeats: int) -> dict[str, list[Pair]]:
    """Return pairs by the name of their shape."""
    lines = SENTENCES.read_text(encoding="utf-8").splitlines()
    rows: list[Pair] = [(source, target) for source, target in (line.split("\t") for line in lines)]
    words = " ".join(line.partition("\t")[0] for line in lines).split()

    def tokens(start: int, length: int) -> list[str]:
        return [words[(start + index) % len(words)] for index in range(length)]

    found = {"bench/pairs.tsv": rows}
    for n, m in LENGTHS:
        if max(n, m) <= longest:
            turns = range(repeats)
            name = f"{n} x {m}"
            found[name] = [(tokens(37 * k, n), tokens(53 * k + 11, m)) for k in turns]
            found[f"{name}, mirrored"] = [(tokens(37 * k, n), tokens(37 * k, m)) for k in turns]
    return found


def run(arguments: argparse.Namespace) -> None:
    """Print a row for each shape and option, and the worst."""
    aligner = Aligner.load(arguments.model)
    worst = 0.0
    for name, pairs in shapes(arguments.longest, arguments.repeats).items():
        for option, options in OPTIONS.items():
            spent, units = 0.0, 0
            for pair in pairs:
                spent_us(aligner, pair, options)  # as a worker that has seen the words
                us, counted = spent_us(aligner, pair, options)
                spent += us
                units += counted
            ratio = spent / units / cost.UNIT_US
            worst = max(worst, ratio)
            row = {"pair": name, "option": option, "of_counted": round(ratio, 2)}
            n = len(pairs)
            print_row(row, {"us": round(spent / n), "units": round(units / n, 1)})
    print_row({"pair": "the worst", "of_counted": round(worst, 2), "unit_us": cost.UNIT_US})
