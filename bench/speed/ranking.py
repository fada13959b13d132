"""The time of a ranking beside that of aligning the same pairs.

- library: processor time of `rank` and of `pipe`, in one process, medians over questions.
- served: the clock's time of a call of Rank on an idle server with two workers, beside that of
  `pipe` in this process.

`rank` and `pipe` have an aligner each, for one that has met a pair remembers its words. Candidates
are other ones for each question and turn. The ratio is the median of the turns'.
"""

from __future__ import annotations

import argparse
import statistics
from collections import deque
from collections.abc import Callable, Sequence

from tokalign.aligner import Aligner
from tokalign.client import Client

from bench.pairs import make_pairs
from bench.program import cpu_s, print_row, wall_s
from bench.serving.servers import serve

Asked = tuple[str, list[str]]
Clock = Callable[[Callable[[], object]], float]
QUESTION_TOKENS = 9


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the command's options."""
    parser.add_argument("--model", default="en")
    parser.add_argument("--candidates", type=int, default=50)
    parser.add_argument("--tokens", type=int, default=25, help="of a candidate, on average")
    parser.add_argument("--questions", type=int, default=20, help="in a turn")
    parser.add_argument("--turns", type=int, default=9)


def questions(arguments: argparse.Namespace, turn: int) -> list[Asked]:
    """Return the questions of a turn with their candidates."""
    lengths = arguments.tokens, QUESTION_TOKENS
    n = arguments.questions * arguments.candidates
    pairs = make_pairs(n, lengths, seed=turn)
    found = []
    for first in range(0, n, arguments.candidates):
        own = pairs[first : first + arguments.candidates]
        asked = " ".join(["Who", *own[0][1], "?"])
        found.append((asked, [" ".join(source) for source, _ in own]))
    return found


def ratio(
    turns: Sequence[Sequence[Asked]],
    ranks: Callable[[str, list[str]], object],
    aligner: Aligner,
    clock: Clock,
) -> tuple[float, float, float]:
    """Return the median ratio of a turn's rankings to its alignments, and the best time of both."""
    taken = []
    for turn in turns:
        both = [0.0, 0.0]
        for asked, candidates in turn:

            def of_rank(asked: str = asked, candidates: list[str] = candidates) -> object:
                return ranks(asked, candidates)

            def of_pipe(asked: str = asked, candidates: list[str] = candidates) -> object:
                return deque(aligner.pipe((each, asked) for each in candidates), maxlen=0)

            both[0] += clock(of_rank) / len(turn)
            both[1] += clock(of_pipe) / len(turn)
        taken.append(both)
    ranking, aligning = (min(column) for column in zip(*taken, strict=True))
    return statistics.median(first / second for first, second in taken), ranking, aligning


def run(arguments: argparse.Namespace) -> None:
    """Print a row for the library and one for the server."""
    aligner, own = Aligner.load(arguments.model), Aligner.load(arguments.model)
    turns = [questions(arguments, turn) for turn in range(arguments.turns + 1)]

    def in_library(asked: str, candidates: list[str]) -> object:
        return own.rank(asked, candidates)

    ratio(turns[:1], in_library, aligner, cpu_s)  # the first turn is no measurement
    row = {"candidates": arguments.candidates, "tokens": arguments.tokens}
    of_pipe, ranking, aligning = ratio(turns[1:], in_library, aligner, cpu_s)
    times = {"of_pipe": of_pipe, "ms": 1e3 * ranking, "pipe_ms": 1e3 * aligning}
    print_row({"part": "library"}, row, times)
    server = serve("--model", arguments.model, workers=2)
    try:
        with Client(server.address) as client:
            ratio(turns[:1], client.rank, aligner, wall_s)
            of_pipe, ranking, aligning = ratio(turns[1:], client.rank, aligner, wall_s)
    finally:
        server.stop()
    times = {"of_pipe": of_pipe, "ms": 1e3 * ranking, "pipe_ms": 1e3 * aligning}
    print_row({"part": "served", "workers": 2}, row, times)
