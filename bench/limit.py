"""The aligner and the server beside what one core can do, as ratios of one run.

    python -m bench.limit [--seconds 2] [--input PAIRS.tsv] [--json] [--no-server] [--shares]

Absolute rates differ by a factor of three between machines, and by half within an hour on a shared
one. So the reference program (bench/limit.c) runs in turn with each way of aligning, on the same
pairs, and the median ratio of their processor times is what counts: 1 is as fast as the reference.
Every turn has pairs of its own (bench/made_pairs.py), or the next ones of --input, a corpus or
lines of tokens separated by spaces. With --shares that is all. Then: cost by tokens and by pairs,
what a second thread and a second process add (bench/scaling.py), what a process takes to load and
holds, and the processor time of a call to that of an echo. --json prints an object per line
besides.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import math
import os
import platform
import statistics
import subprocess
import sys
import time
from collections import deque
from collections.abc import Callable, Sequence
from pathlib import Path

import grpc
from tokalign.aligner import Aligner
from tokalign.formats import read_gold
from tokalign.load import procfs
from tokalign.ranking import rank
from tokalign.v1 import align_pb2

from bench import serving
from bench.made_pairs import Tokens, make_pairs
from bench.reference import Reference
from bench.scaling import scaling

BUILD = Path(__file__).resolve().parents[1] / "build"
MODELS = ("en", "en-rte2")
TURNS = 7
PAIRS_PER_TURN = 400
LENGTHS = (10, 20, 40, 80, 160, 320, 512)
TOKENS_PER_LENGTH = 4_000
NUMBERS_OF_PAIRS = (100, 400, 1_600)
RANKED, RANKED_TOKENS = 50, 25
RANKINGS = 60
STARTS = 3
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

Pairs = list[tuple[Tokens, Tokens]]


def cpu_s(work: Callable[[], object]) -> float:
    """Return the processor time of a call in seconds."""
    began = time.process_time()
    work()
    return time.process_time() - began


class Output:
    """Prints text for people and, where asked to, objects for bench/figures.py."""

    def __init__(self, *, is_json: bool) -> None:
        self.is_json = is_json

    def row(self, text: str, part: str, **values: object) -> None:
        print(text, flush=True)
        if self.is_json:
            print(json.dumps({"part": part, **values}), flush=True)


class Source:
    """Gives the pairs of each turn: made ones, or those of a file, again from its start at its end.

    Parameters
    ----------
    path : Path or None
        Where it ends in .tsv, lines of source TAB target, tokens separated by spaces; else a corpus
        in any format that tokalign.formats reads.
    """

    def __init__(self, path: Path | None) -> None:
        self.seed = 0
        self.rows: Pairs = []
        if path is not None and path.suffix != ".tsv":
            gold = read_gold(path)
            self.rows = [(list(pair.source.tokens), list(pair.target.tokens)) for pair in gold]
        elif path is not None:
            lines = path.read_text(encoding="utf-8").splitlines()
            sides = ([side.split() for side in line.split("\t")[:2]] for line in lines)
            self.rows = [(source, target) for source, target in sides]

    def take(self, n_pairs: int) -> Pairs:
        self.seed += 1
        if not self.rows:
            return make_pairs(n_pairs, seed=self.seed)
        start = (self.seed - 1) * n_pairs
        return [self.rows[(start + k) % len(self.rows)] for k in range(n_pairs)]


def annotated(aligner: Aligner, pairs: Pairs) -> Callable[[], object]:
    """Return the alignment of pairs, one by one, that have been annotated before."""
    sentences = aligner.annotate([side for pair in pairs for side in pair])
    ready = list(zip(sentences[::2], sentences[1::2], strict=True))

    def work() -> None:
        for source, target in ready:
            aligner.align(source, target, symmetrization="joint")

    return work


def raw(aligner: Aligner, pairs: Pairs) -> Callable[[], object]:
    """Return the alignment of pairs as text, in batches."""
    texts = [(" ".join(source), " ".join(target)) for source, target in pairs]
    return lambda: deque(aligner.pipe(texts, symmetrization="joint"), maxlen=0)


WAYS = {"annotated": annotated, "raw": raw}


def shares(
    output: Output, reference: Reference, aligners: dict[str, Aligner], source: Source
) -> None:
    """Print each way of aligning as a share of the reference."""
    ways = [(f"{model}.{way}", model, way) for model in aligners for way in WAYS]
    ours: dict[str, list[float]] = {name: [] for name, _, _ in ways}
    theirs: dict[str, list[float]] = {name: [] for name, _, _ in ways}
    for _ in range(TURNS):
        for name, model, way in ways:
            pairs = source.take(PAIRS_PER_TURN)
            work = WAYS[way](aligners[model], pairs)
            ready = reference.prepared(pairs)
            before = cpu_s(ready.align)
            ours[name].append(cpu_s(work))
            # Once before and once after, as a machine's speed drifts.
            theirs[name].append((before + cpu_s(ready.align)) / 2)
    median = statistics.median(each for turns in theirs.values() for each in turns)
    rate = PAIRS_PER_TURN / median
    output.row(f"\nlimit.c: {rate:,.0f} pairs per CPU second", "reference", pairs_per_s=rate)
    for name in ours:
        ratios = sorted(a / b for a, b in zip(theirs[name], ours[name], strict=True))
        rate = PAIRS_PER_TURN / statistics.median(ours[name])
        share = statistics.median(ratios)
        output.row(
            f"{name}: {rate:,.0f} pairs per CPU second, {share:.2f} of the limit "
            f"({ratios[0]:.2f} to {ratios[-1]:.2f} over {TURNS} turns)",
            "share", system=name, pairs_per_s=rate, share=share, least=ratios[0], most=ratios[-1],
        )  # fmt: skip
    for model, aligner in aligners.items():
        asked, compared = aligner._backend._decoder.word_pairs()
        remembered = 1 - compared / asked
        output.row(
            f"{model}: {remembered:.0%} of {asked:,} pairs of words were remembered",
            "remembered", model=model, share=remembered,
        )  # fmt: skip


def by_tokens(output: Output, reference: Reference, aligners: dict[str, Aligner]) -> None:
    """Print what a pair costs by its numbers of tokens, and how that grows."""
    print(
        "\n| tokens a side | "
        + " | ".join(f"{model}, us | us per cell | exponent" for model in aligners)
        + " | limit.c, us |\n"
        + "| --- " * (2 + 3 * len(aligners))
        + "|"
    )
    before: dict[str, tuple[int, float]] = {}
    for n in LENGTHS:
        n_pairs = max(4, TOKENS_PER_LENGTH // n)
        cells, values = [], {}
        for model, aligner in aligners.items():
            pairs = make_pairs(n_pairs, (n, n), seed=n, spread=0)
            us = 1e6 * cpu_s(annotated(aligner, pairs)) / n_pairs
            # Time grows as tokens to the power of this, from the row before.
            power = 0.0
            if model in before:
                m, earlier = before[model]
                power = math.log(us / earlier) / math.log(n / m)
            before[model] = n, us
            cells.append(f"{us:,.0f} | {us / n**2:.2f} | {power:.2f}" if power else
                         f"{us:,.0f} | {us / n**2:.2f} | ")  # fmt: skip
            values[model] = {"us": us, "per_cell": us / n**2, "exponent": power,
                             "pairs_per_s": 1e6 / us}  # fmt: skip
        limit_us = 1e6 * cpu_s(reference.prepared(pairs).align) / n_pairs
        output.row(
            f"| {n} | {' | '.join(cells)} | {limit_us:,.0f} |",
            "tokens", tokens=n, reference_us=limit_us, **values,
        )  # fmt: skip


def by_pairs(output: Output, aligner: Aligner) -> None:
    """Print what a pair costs by how many there are."""
    print()
    for n in NUMBERS_OF_PAIRS:
        us = 1e6 * cpu_s(raw(aligner, make_pairs(n, seed=-n))) / n
        output.row(f"{n:,} pairs of text: {us:.0f} us per pair", "pairs", pairs=n, us=us)


def by_threads(output: Output) -> None:
    """Print what a second thread and a second process add."""
    found = scaling()
    output.row(
        f"\ntext, an aligner each, pairs per second by the clock: two threads "
        f"{found['threads']:.2f} times one, two processes {found['processes']:.2f} times one",
        "scaling", **found,
    )  # fmt: skip


def starts(output: Output) -> None:
    """Print what a fresh process takes to load a model, and holds after one pair."""
    print()
    for model in MODELS:
        command = [sys.executable, "-c", START, model]
        runs = [json.loads(subprocess.check_output(command)) for _ in range(STARTS)]
        best = min(runs, key=lambda run: run["cpu_ms"])
        output.row(
            f"{model}, fresh process, processor time: import {best['import_ms']:.0f} ms, load "
            f"{best['load_ms']:.0f} ms, first pair {best['first_ms']:.0f} ms; "
            f"by the clock {best['wall_ms']:.0f} ms; {best['resident_mib']:.0f} MiB resident",
            "start", model=model, **best,
        )  # fmt: skip


def memory(pid: int) -> float:
    """Return a process's proportional share of the memory that it and others map, in MiB."""
    with contextlib.suppress(FileNotFoundError, ProcessLookupError):
        for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
            if line.startswith("Pss:"):
                return int(line.split()[1]) / 1024
    return 0.0


def served(output: Output, aligner: Aligner, pairs: Pairs, seconds: float) -> None:
    """Print the processor time of calls beside an echo's and the library's, and memory.

    The loads send the same pairs again and again, so the library gets them again and again, too.
    """
    library = raw(aligner, pairs)
    library()
    texts = [(" ".join(source), " ".join(target)) for source, target in pairs]
    messages = [align_pb2.Pair(source={"text": a}, target={"text": b}) for a, b in texts]
    total_mib, batch_pairs_per_s = [], []
    print()
    for workers in (1, 2):
        server = serving.serve(workers=workers)
        run = serving.Bench(messages, seconds, serving.PAIRS)
        with contextlib.redirect_stdout(io.StringIO()):
            # First, for single calls have batches cut finer for some seconds. The library once
            # before and once after, as a machine's speed drifts.
            before = cpu_s(library)
            run.batches("batch", server)
            library_us = 1e6 * (before + cpu_s(library)) / 2 / len(pairs)
            run.beside_echo(server)
        echo = run.cpu("echo")
        for name, unit, of in (("align", echo, "echoes"), ("batch", library_us, "of the library")):
            spent = run.loads[name]["cpu_us_per_pair"]
            output.row(
                f"{workers} workers, {name}: server {spent['server']:.0f} us, workers "
                f"{spent['workers']:.0f} us per pair, {run.cpu(name) / unit:.2f} {of} "
                f"({unit:.0f} us); server alone {spent['server'] / echo:.2f} echoes",
                "served", load=name, workers=workers, server_us=spent["server"],
                workers_us=spent["workers"], echo_us=echo, library_us=library_us,
                ratio=run.cpu(name) / unit, server_echoes=spent["server"] / echo,
            )  # fmt: skip
        batch_pairs_per_s.append(run.loads["batch"]["pairs_per_s"])
        below = procfs.descendants(server.process.pid)
        own = memory(server.process.pid)
        total_mib.append(own + sum(map(memory, below)))
        resident = max(map(procfs.resident_mib, below))
        server.stop()
        for line in run.wrong:
            raise SystemExit(f"WRONG: {line}")
    one, two = batch_pairs_per_s
    output.row(
        f"batch: {one:,.0f} pairs per second by one worker, {two:,.0f} by two, "
        f"{two / one:.2f} times as many",
        "workers", one=one, two=two, ratio=two / one,
    )  # fmt: skip
    output.row(
        f"memory after that load, shared pages counted once: {total_mib[0]:.0f} MiB with one "
        f"worker, {total_mib[1]:.0f} with two; own process {own:.0f}; a worker resident "
        f"{resident:.0f}",
        "memory", one_mib=total_mib[0], two_mib=total_mib[1], own_mib=own, worker_mib=resident,
        more_mib=total_mib[1] - total_mib[0],
    )  # fmt: skip


def ranked(output: Output, aligner: Aligner) -> None:
    """Print the time of a ranking by two idle workers beside the library's for half of it."""
    server = serving.serve(workers=2)
    ratios, theirs = [], []
    with grpc.insecure_channel(server.address) as channel:
        call = channel.unary_unary("/tokalign.v1.AlignService/Rank")
        for turn in range(RANKINGS):
            pairs = make_pairs(RANKED, (RANKED_TOKENS, RANKED_TOKENS), seed=turn, spread=0)
            question = " ".join(pairs[0][1])
            texts = [" ".join(source) for source, _ in pairs]
            began = time.perf_counter()
            rank(aligner, question, texts[: RANKED // 2])
            library_s = time.perf_counter() - began
            request = align_pb2.RankRequest(
                question={"text": question},
                candidates=[align_pb2.Candidate(sentence={"text": text}) for text in texts],
            ).SerializeToString()
            began = time.perf_counter()
            call(request)
            server_s = time.perf_counter() - began
            if turn >= TURNS:  # the first ones are of processes that know no word yet
                ratios.append(server_s / library_s)
                theirs.append(server_s)
    server.stop()
    ratios.sort()
    ratio, ms = statistics.median(ratios), 1e3 * statistics.median(theirs)
    output.row(
        f"Rank of {RANKED} candidates of {RANKED_TOKENS} tokens, two idle workers: {ms:.1f} ms, "
        f"{ratio:.2f} of the library's time for {RANKED // 2} ({ratios[0]:.2f} to "
        f"{ratios[-1]:.2f} over {len(ratios)} rankings)",
        "ranked", ms=ms, ratio=ratio, least=ratios[0], most=ratios[-1],
    )  # fmt: skip


def machine() -> str:
    """Return the machine in a line."""
    model = platform.processor() or platform.machine()
    with contextlib.suppress(OSError):
        lines: Sequence[str] = Path("/proc/cpuinfo").read_text().splitlines()
        names = [line.partition(": ")[2] for line in lines if line.startswith("model name")]
        model = names[0] if names else model
    load = os.getloadavg()[0]
    return f"{model}, {os.cpu_count()} cores, CPython {platform.python_version()}, load {load:.1f}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--input", type=Path, help="pairs to measure the shares on")
    parser.add_argument("--seconds", type=float, default=2.0, help="of each load on the server")
    parser.add_argument("--json", action="store_true", help="print JSON objects besides")
    parser.add_argument("--no-server", action="store_true", help="measure the library alone")
    parser.add_argument("--shares", action="store_true", help="measure nothing but the shares")
    arguments = parser.parse_args()
    output = Output(is_json=arguments.json)
    output.row(machine(), "machine", machine=machine())
    reference = Reference(BUILD)
    aligners = {model: Aligner.load(model) for model in MODELS}
    source = Source(arguments.input)
    shares(output, reference, aligners, source)
    if arguments.shares:
        return
    by_tokens(output, reference, aligners)
    by_pairs(output, aligners["en"])
    by_threads(output)
    starts(output)
    if not arguments.no_server:
        served(output, aligners["en"], source.take(serving.BATCH), arguments.seconds)
        ranked(output, aligners["en"])


if __name__ == "__main__":
    main()
