"""``python -m bench.serving``."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from bench import serving
from bench.program import machine, print_row, some_of
from bench.serving import callers, deadlines, fairness, http, overload, throughput
from bench.serving.loads import Loads, WrongAnswersError
from bench.serving.servers import PAIRS, sample

PARTS = ("throughput", "overload", "deadlines", "fairness", "callers", "http")


def main() -> int:
    """Run the parts that are asked for, and return the exit code."""
    parser = argparse.ArgumentParser(
        prog="python -m bench.serving",
        description=serving.__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--only", type=some_of(PARTS), default=PARTS, help=", ".join(PARTS))
    parser.add_argument("--duration", type=float, default=8.0, help="seconds of a window")
    parser.add_argument("--short", action="store_true", help="windows of two seconds")
    parser.add_argument("--input", type=Path, default=PAIRS, help="source<TAB>target lines")
    arguments = parser.parse_args()
    pairs = sample(arguments.input)
    words = [len((pair.source.text + " " + pair.target.text).split()) for pair in pairs]
    mean = sum(words) / len(words)
    print_row({"machine": machine(), "pairs": len(pairs), "words": round(mean, 1)})
    loads = Loads(pairs, 2.0 if arguments.short else arguments.duration)
    if "throughput" in arguments.only:
        throughput.run(loads)
    if "overload" in arguments.only:
        overload.run(loads)
    if "deadlines" in arguments.only:
        deadlines.run(loads)
    if "fairness" in arguments.only:
        fairness.run(loads, arguments.input)
    if "callers" in arguments.only:
        callers.run(loads)
    if "http" in arguments.only:
        http.run(loads)
    try:
        loads.check()
    except WrongAnswersError as error:
        print(f"WRONG: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
