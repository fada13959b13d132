"""`tokalign dedupe` and `tokalign matrix` over many lines: rate, memory, and what is found.

Lines are words drawn by their frequency. One in ten is another line, at most NEAR lines before it,
with one word replaced. `found` is the share of these that dedupe pairs with the line that they were
made of. Processor time and memory are of the command's process, start included.
"""

from __future__ import annotations

import argparse
import random
import resource
import subprocess
import sys
import tempfile
from collections import deque
from collections.abc import Sequence
from pathlib import Path

from bench.pairs import make_lines
from bench.program import machine, print_row

NEAR = 1_000
COPIED = 0.1


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the command's options."""
    parser.add_argument("--lines", type=int, default=100_000, help="that dedupe reads")
    parser.add_argument("--rows", type=int, default=300, help="and columns of a matrix")
    parser.add_argument("--tokens", type=int, default=20, help="of a line")


def write_lines(path: Path, n_lines: int, n_tokens: int) -> list[tuple[int, int]]:
    """Write lines; return the numbers, from 1, of each copy and of the line before it."""
    generator = random.Random(n_lines)
    before: deque[tuple[int, list[str]]] = deque(maxlen=NEAR)
    copies = []
    with path.open("w", encoding="utf-8") as file:
        for number, words in enumerate(make_lines(n_lines, n_tokens, seed=n_lines), 1):
            kept = words
            if before and generator.random() < COPIED:
                first, kept = generator.choice(before)
                kept = [*kept]
                kept[generator.randrange(n_tokens)] = words[0]
                copies.append((first, number))
            before.append((number, kept))
            print(*kept, file=file)
    return copies


def _command(*words: str) -> dict[str, float]:
    """Run a command; return its processor time and its largest memory."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, "-m", "tokalign", *words], check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return {"cpu_s": spent, "peak_mib": after.ru_maxrss / 1024}


def _pairs(path: Path) -> set[tuple[int, int]]:
    rows = (line.split("\t") for line in path.read_text(encoding="utf-8").splitlines())
    return {(int(first), int(second)) for _, first, second, *_ in rows}


def _found(pairs: set[tuple[int, int]], copies: Sequence[tuple[int, int]]) -> float:
    return sum(each in pairs for each in copies) / max(1, len(copies))


def run(arguments: argparse.Namespace) -> None:
    """Print a row for each command; the smaller one first, as memory is the largest so far."""
    print_row({"part": "machine", "machine": machine()})
    with tempfile.TemporaryDirectory() as folder:
        lines, out = Path(folder, "lines.txt"), Path(folder, "out.txt")
        write_lines(lines, arguments.rows, arguments.tokens)
        spent = _command("matrix", "--input", str(lines), "--output", str(out))
        n = arguments.rows**2
        print_row({"command": "matrix", "pairs": n, "pairs_per_s": n / spent["cpu_s"]}, spent)
        out.unlink()
        copies = write_lines(lines, arguments.lines, arguments.tokens)
        spent = _command("dedupe", "--input", str(lines), "--output", str(out))
        n = arguments.lines
        pairs = _pairs(out)
        print_row(
            {"command": "dedupe", "lines": n, "lines_per_s": n / spent["cpu_s"]},
            {"found": _found(pairs, copies), "written": len(pairs)},
            spent,
        )
