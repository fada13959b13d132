"""The processor time of pairs beside what server/requests/cost.py says, for each option and length.

Goals: fit the factors there; no combination may cost more than twice what it is counted as. Runs in
one process, with the stages of a worker (annotate, align, serialise). Words come from
bench/pairs.tsv; "mirrored" pairs are a text and itself, which has the most links.

Usage: python bench/cost.py [--model en] [--repeats 5]
"""

import argparse
import time
from pathlib import Path

from tokalign import Aligner
from tokalign.batches.outcomes import unwrap
from tokalign.codec.writing import AlignmentWriter
from tokalign.server.requests import cost
from tokalign.types.options import AlignOptions

PAIRS = Path(__file__).resolve().parent / "pairs.tsv"
LENGTHS = ((5, 5), (29, 10), (60, 60), (100, 100), (200, 200), (300, 300), (500, 500), (500, 2))
OPTIONS = ("", "posteriors", "phrases", "explain")


def spent_us(aligner, pair, options):
    """Return the processor time of a pair in microseconds, and its numbers of tokens."""
    began = time.process_time()
    ((annotated),) = aligner.annotate_pairs([pair])
    (alignment,) = aligner.align_annotated([annotated], options)
    AlignmentWriter(options).write(unwrap(alignment))
    return 1e6 * (time.process_time() - began), tuple(map(len, annotated))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--model", default="en")
    parser.add_argument("--repeats", type=int, default=5)
    arguments = parser.parse_args()
    aligner = Aligner.load(arguments.model)
    rows = [line.split("\t") for line in PAIRS.read_text(encoding="utf-8").splitlines()]
    words = " ".join(source for source, _ in rows).split()

    def tokens(start, length):
        return [words[(start + index) % len(words)] for index in range(length)]

    shapes = {
        f"{n} x {m}": lambda k, n=n, m=m: (tokens(37 * k, n), tokens(53 * k + 11, m))
        for n, m in LENGTHS
    }
    shapes |= {
        f"{n} x {m}, mirrored": lambda k, n=n, m=m: (tokens(37 * k, n), tokens(37 * k, m))
        for n, m in LENGTHS
    }
    shapes["bench/pairs.tsv"] = lambda k: tuple(rows[k % len(rows)])
    worst = 0.0
    print("| pair | option | us | counted as | us per unit |\n| --- | --- | --- | --- | --- |")
    for name, pair in shapes.items():
        for option in OPTIONS:
            options = AlignOptions(**{option: True} if option else {})
            repeats = 10 * arguments.repeats if name == "bench/pairs.tsv" else arguments.repeats
            times, units = [], 0
            for k in range(repeats):
                spent_us(aligner, pair(k), options)  # as a worker that has seen the words
                us, lengths = spent_us(aligner, pair(k), options)
                times.append(us)
                units += cost.of_pair(*lengths, options)
            mean = sum(times) / repeats
            per_unit = sum(times) / units
            worst = max(worst, per_unit / cost.UNIT_US)
            print(
                f"| {name} | {option or 'none'} | {mean:.0f} | {units / repeats:.1f} |"
                f" {per_unit:.0f} |",
                flush=True,
            )
    print(f"\nthe most, to the unit of {cost.UNIT_US:.0f} us: {worst:.2f}")


if __name__ == "__main__":
    main()
