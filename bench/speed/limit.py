"""The library and the server beside what one core can do, as ratios of one run.

Rates differ by a factor of three between machines, and by half within an hour on a shared one. So
the reference program (limit.c) runs in turn with each way of aligning, on the same pairs, and the
median ratio of their processor times is what counts: 1 is as fast as the reference. Every turn has
pairs of its own, made ones or the next ones of --input.

Parts: fresh (shares of the reference on pairs of several corpora, each once, all words still to be
met); repeated (one corpus again and again); shares (made pairs, annotated ones one by one); tokens
(cost by the tokens of a pair); start (what a fresh process takes to load a model, and holds, and
commands take beside importing numpy);
served (processor time of a call beside an echo's, and of batches beside the library's, and the
server's memory).
"""

from __future__ import annotations

import argparse
import json
import math
import os
import resource
import statistics
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import count, cycle, islice
from pathlib import Path

from tokalign.aligner import Aligner
from tokalign.errors import ResourceError
from tokalign.formats import read_gold
from tokalign.types.options import Symmetrization

from bench.pairs import Tokens, make_pairs
from bench.program import BUILD, DATA, RTE2, cpu_s, machine, names, print_row, some_of
from bench.speed import aligning, served
from bench.speed.corpora import fresh_pairs
from bench.speed.reference import Reference

PARTS = ("fresh", "repeated", "shares", "tokens", "start", "served")
TURNS = 7
LENGTHS = (10, 20, 40, 80, 160, 320, 512)
TOKENS_PER_LENGTH = 4_000
STARTS = 5
COMMANDS = {
    "align": ["align", "Dogs bark.", "The dogs bark."],
    "diff of equal texts": ["diff", "LICENSE", "LICENSE"],
    "--help": ["--help"],
}
"""Commands whose processor time is printed beside that of importing numpy."""
START = """
import json, sys, time
def now():
    return time.perf_counter(), time.process_time()
times = [now()]
from tokalign import Aligner
times.append(now())
aligner = Aligner.load(sys.argv[1])
times.append(now())
aligner.align("A man is playing a guitar.", "A man plays an instrument.")
times.append(now())
(*_, last), first = times, times[0]
steps = ("import", "load", "first")
row = {f"{s}_ms": 1e3 * (b[1] - a[1]) for s, a, b in zip(steps, times, times[1:])}
row |= {"cpu_ms": 1e3 * (last[1] - first[1]), "wall_ms": 1e3 * (last[0] - first[0])}
with open("/proc/self/status") as status:
    held = dict(line.split(":", 1) for line in status)
row |= {"resident_mib": int(held["VmRSS"].split()[0]) / 1024}
row |= {"peak_mib": int(held["VmHWM"].split()[0]) / 1024}
print(json.dumps(row))
"""
JOINT = Symmetrization.JOINT
Pairs = list[tuple[Tokens, Tokens]]
Aligners = Mapping[str, Aligner]


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the command's options."""
    parser.add_argument("--only", type=some_of(PARTS), default=PARTS, help=", ".join(PARTS))
    parser.add_argument("--models", type=names, default=["en", "en-rte2"])
    parser.add_argument("--input", type=Path, help="corpus to take the pairs of the shares from")
    parser.add_argument("--pairs", type=int, default=400, help="of a turn")
    parser.add_argument("--seconds", type=float, default=2.0, help="of each load on the server")


def turns_of(path: Path | None, n_pairs: int) -> Iterator[Pairs]:
    """Yield the pairs of each turn: made ones, or the next of a corpus, again from its start."""
    if path is None:
        yield from (make_pairs(n_pairs, seed=turn) for turn in count(1))
        return
    rows = cycle([(list(each.source.tokens), list(each.target.tokens)) for each in read_gold(path)])
    while True:
        yield list(islice(rows, n_pairs))


ONE_BY_ONE = {"annotated": aligning.one_by_one, "raw": aligning.of_text}
IN_BATCHES = {"annotated": aligning.in_batches, "raw": aligning.of_text}


def shares(
    part: str,
    reference: Reference,
    models: Sequence[str],
    ways: Mapping[str, Callable[[Aligner, aligning.Pairs, Symmetrization], aligning.Work]],
    turns: Iterable[Pairs],
) -> None:
    """Print each way of aligning as a share of the reference; each has an aligner of its own."""
    aligners = {(model, way): Aligner.load(model) for model in models for way in ways}
    ours: dict[tuple[str, str], list[float]] = {each: [] for each in aligners}
    theirs: dict[tuple[str, str], list[float]] = {each: [] for each in aligners}
    n_pairs = []
    for pairs in turns:
        n_pairs.append(len(pairs))
        ready = reference.aligning(pairs)
        for each, aligner in aligners.items():
            work = ways[each[1]](aligner, aligning.as_sentences(pairs), JOINT)
            before = cpu_s(ready)
            ours[each].append(cpu_s(work) / len(pairs))
            # Once before and once after, as a machine's speed drifts.
            theirs[each].append((before + cpu_s(ready)) / 2 / len(pairs))
    median = statistics.median(each for row in theirs.values() for each in row)
    print_row({"part": "reference", "of": part, "pairs_per_s": 1 / median, "pairs": sum(n_pairs)})
    for each in aligners:
        ratios = sorted(a / b for a, b in zip(theirs[each], ours[each], strict=True))
        print_row(
            {"part": part, "model": each[0], "way": each[1]},
            {"share": statistics.median(ratios), "least": ratios[0], "most": ratios[-1]},
            {"pairs_per_s": 1 / statistics.median(ours[each])},
        )


def corpus_shares(part: str, reference: Reference, arguments: argparse.Namespace) -> None:
    """Print the shares on corpora, or a row that says which of them is not there."""
    try:
        if part == "fresh":
            pairs = fresh_pairs(DATA)
            n = arguments.pairs
            turns = [pairs[first : first + n] for first in range(0, len(pairs), n)]
        else:
            turns = [[(list(a.source.tokens), list(a.target.tokens)) for a in read_gold(RTE2)]]
            turns *= TURNS
    except (ResourceError, FileNotFoundError) as error:
        print_row({"part": part, "skipped": str(error)})
        return
    shares(part, reference, arguments.models, IN_BATCHES, turns)


def by_tokens(reference: Reference, aligners: Aligners) -> None:
    """Print what a pair costs by its numbers of tokens, and how that grows."""
    before: dict[str, tuple[int, float]] = {}
    for n in LENGTHS:
        n_pairs = max(4, TOKENS_PER_LENGTH // n)
        pairs = make_pairs(n_pairs, (n, n), seed=n, spread=0)
        limit_us = 1e6 * cpu_s(reference.aligning(pairs)) / n_pairs
        row: dict[str, object] = {"part": "tokens", "tokens": n, "reference_us": limit_us}
        for model, aligner in aligners.items():
            work = aligning.one_by_one(aligner, aligning.as_sentences(pairs), JOINT)
            us = 1e6 * cpu_s(work) / n_pairs
            # Time grows as tokens to the power of this, from the row before.
            m, earlier = before.get(model, (n, us))
            power = math.log(us / earlier) / math.log(n / m) if m != n else 0.0
            before[model] = n, us
            row[model] = {"us": us, "per_cell": us / n**2, "exponent": power,
                          "pairs_per_s": 1e6 / us, "share": limit_us / us}  # fmt: skip
        print_row(row)


def starts(models: list[str]) -> None:
    """Print what a fresh process takes to load a model, and holds after one pair."""
    for model in models:
        command = [sys.executable, "-c", START, model]
        runs = [json.loads(subprocess.check_output(command)) for _ in range(STARTS)]
        best = min(runs, key=lambda run: float(run["cpu_ms"]))
        print_row({"part": "start", "model": model, **best})
    numpy = [sys.executable, "-c", "import numpy"]
    rows = {name: [sys.executable, "-m", "tokalign", *words] for name, words in COMMANDS.items()}
    taken = [[_child_s(each) for each in (numpy, *rows.values())] for _ in range(STARTS)]
    base, *others = (min(each) for each in zip(*taken, strict=True))
    for name, spent in zip(rows, others, strict=True):
        print_row({"part": "command", "command": name, "beside_numpy": spent / base},
                  {"cpu_ms": 1e3 * spent})  # fmt: skip


def _child_s(command: Sequence[str]) -> float:
    """Return the processor time of a command, with byte code that an earlier run has written."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": ""}
    subprocess.run(command, stdout=subprocess.DEVNULL, env=environment, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def run(arguments: argparse.Namespace) -> None:
    """Print the rows of the parts that are asked for."""
    print_row({"part": "machine", "machine": machine()})
    if {"fresh", "repeated", "shares", "tokens"} & set(arguments.only):
        reference = Reference(BUILD)
    for part in ("fresh", "repeated"):
        if part in arguments.only:
            corpus_shares(part, reference, arguments)
    if "shares" in arguments.only:
        turns = islice(turns_of(arguments.input, arguments.pairs), TURNS)
        shares("shares", reference, arguments.models, ONE_BY_ONE, turns)
    if "tokens" in arguments.only:
        by_tokens(reference, {model: Aligner.load(model) for model in arguments.models})
    if "start" in arguments.only:
        starts(arguments.models)
    if "served" in arguments.only:
        served.beside_library(arguments.models[0], arguments.seconds)
