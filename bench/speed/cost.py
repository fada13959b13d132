"""The processor time of pairs beside what the server counts them as, for each kind and length.

The factors are those of server/requests/rates.py and cost.py. `beside_plain` is how many times as
long a kind takes per unit of cost as the pairs of bench/pairs.tsv by `en`, which run in turns with
it, so that the machine does not matter. No kind should have more than 2, but for the shortest,
which cost a whole unit; the last rows have the worst. Runs in one process, with the stages of a
worker (read, annotate, align, serialise). Words come from bench/pairs.tsv; "mirrored" pairs are a
text and itself, which has the most links; "repeated" ones have one word alone, "long" ones words of
64 letters that are all different, "dates" the same dates in another order.

All these words were seen before, as most of a text were. Words that are new to the worker have rows
of their own ("new 6" has words of 6 letters), for which no such bound is promised.
"""

from __future__ import annotations

import argparse
import itertools
import math
import random
import string
import time
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple, Self

from tokalign.codec.options import RequestOptions
from tokalign.codec.sentences import encode_constraints
from tokalign.server.config import RequestLimits
from tokalign.server.requests.cost import CostModel
from tokalign.server.status import OK
from tokalign.server.workers.aligners import load
from tokalign.server.workers.engine import AlignerEngine, EngineSettings
from tokalign.server.workers.frames import Run
from tokalign.systems import SYSTEMS
from tokalign.types.constraints import Constraints
from tokalign.types.options import AlignOptions, Symmetrization
from tokalign.v1 import align_pb2

from bench.pairs import SENTENCES
from bench.program import print_row

LENGTHS = ((5, 5), (29, 10), (60, 60), (100, 100), (200, 200), (300, 300), (500, 500), (500, 2))
OPTIONS = {
    "none": AlignOptions(),
    "posteriors": AlignOptions(posteriors=True),
    "phrases": AlignOptions(phrases=True),
    "relations": AlignOptions(relations=True, phrases=True),
    "explain": AlignOptions(explain=True),
    "edits": AlignOptions(edits=True),
    "union": AlignOptions(symmetrization=Symmetrization.UNION),
}
LETTERS = 64
NEW_LETTERS = (6, 64, 495)
TURNS = 3


class Shape(NamedTuple):
    """Pairs of one kind, with constraints or without."""

    name: str
    pairs: list[align_pb2.Pair]
    is_new: bool = False


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the command's options."""
    parser.add_argument(
        "--models",
        nargs="+",
        default=["en", *SYSTEMS],
        help="`en` is one of them, as what is plain",
    )
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--longest", type=int, default=500, help="tokens of a side at most")


def _message(source: list[str], target: list[str]) -> align_pb2.Pair:
    return align_pb2.Pair(source={"tokens": source}, target={"tokens": target})


def _drawn_pair(drawn: random.Random, n: int, m: int, n_letters: int) -> align_pb2.Pair:
    words = ("".join(drawn.choices(string.ascii_lowercase, k=n_letters)) for _ in range(n + m))
    found = list(words)
    return _message(found[:n], found[n:])


def new_shapes(longest: int, repeats: int) -> Iterator[Shape]:
    """Yield pairs of words that no worker has seen."""
    drawn = random.SystemRandom()
    most = RequestLimits().max_characters
    for (n, m), n_letters in itertools.product(LENGTHS, NEW_LETTERS):
        if max(n, m) <= longest and max(n, m) * n_letters <= most:
            pairs = [_drawn_pair(drawn, n, m, n_letters) for _ in range(repeats)]
            yield Shape(f"{n} x {m}, new {n_letters}", pairs, is_new=True)


def shapes(longest: int, repeats: int) -> Iterator[Shape]:
    """Yield pairs of every shape."""
    lines = SENTENCES.read_text(encoding="utf-8").splitlines()
    rows = [line.split("\t") for line in lines]
    yield Shape(
        "bench/pairs.tsv",
        [align_pb2.Pair(source={"text": one}, target={"text": other}) for one, other in rows],
    )
    words = " ".join(one for one, _ in rows).split()
    drawn = random.Random(0)
    dates = [f"{drawn.randint(1800, 2020)}-{k % 12 + 1:02}-{k % 28 + 1:02}" for k in range(longest)]

    def tokens(start: int, length: int) -> list[str]:
        return [words[(start + index) % len(words)] for index in range(length)]

    turns = range(repeats)
    for n, m in LENGTHS:
        if max(n, m) > longest:
            continue
        name = f"{n} x {m}"
        yield Shape(name, [_message(tokens(37 * k, n), tokens(53 * k + 11, m)) for k in turns])
        yield Shape(
            f"{name}, mirrored", [_message(tokens(37 * k, n), tokens(37 * k, m)) for k in turns]
        )
        yield Shape(f"{name}, repeated", [_message(["cat"] * n, ["cat"] * m) for _ in turns])
        n_letters = min(LETTERS, RequestLimits().max_characters // max(n, m))
        yield Shape(f"{name}, long", [_drawn_pair(drawn, n, m, n_letters) for _ in turns])
        shuffled = [drawn.sample(dates[:n], n) for _ in turns]
        yield Shape(f"{name}, dates", [_message(each, dates[:m]) for each in shuffled])


def constrained(plain: Iterable[Shape]) -> Iterator[Shape]:
    """Yield pairs with constraints: most cells forbidden, and every word linked."""
    for shape in plain:
        if "," in shape.name or "x" not in shape.name:
            continue
        n, m = len(shape.pairs[0].source.tokens), len(shape.pairs[0].target.tokens)
        linked = tuple(range(min(n, m)))
        for name, constraints in {
            "forbidden": Constraints(
                forbidden=tuple((i, j) for i in range(n) for j in range(m) if i != j)
            ),
            "linked": Constraints(linked_source=linked, linked_target=linked),
        }.items():
            message = encode_constraints(constraints)
            pairs = [
                align_pb2.Pair(source=pair.source, target=pair.target, constraints=message)
                for pair in shape.pairs
            ]
            yield Shape(f"{shape.name}, {name}", pairs)


class Work(NamedTuple):
    """Pairs for a worker, one by one, and what they are counted as."""

    runs: list[Run]
    units: int

    @classmethod
    def of(cls, costs: CostModel, pairs: Iterable[align_pb2.Pair], options: RequestOptions) -> Self:
        """Return the work of pairs with the same options."""
        messages = [message.SerializeToString() for message in pairs]
        runs = [Run(options, b"", (message,)) for message in messages]
        return cls(runs, sum(costs.of_pairs(costs.sizes(messages), options)))


def spent_us(engine: AlignerEngine, works: Sequence[Work], turns: int) -> list[float]:
    """Return the processor time that a worker takes for each work, in microseconds.

    Of each the least of some turns; of several, as of a worker that has seen the words, and without
    collections.
    """
    least = [math.inf] * len(works)
    for _ in range(turns):
        for index, work in enumerate(works):
            began = time.process_time()
            for each in work.runs:
                (answer,), _ = engine.run([each])
                if answer.code != OK:
                    raise RuntimeError(answer.message)
            least[index] = min(least[index], 1e6 * (time.process_time() - began))
    return least


def run(arguments: argparse.Namespace) -> None:
    """Print a row for each model, shape and option, and the worst."""
    limits = RequestLimits()
    engine = load(EngineSettings(tuple(arguments.models), ("native",), limits))
    costs = CostModel(limits, engine.models, ("native",))
    plain = list(shapes(arguments.longest, arguments.repeats))
    usual = Work.of(costs, plain[0].pairs, RequestOptions("en", "native"))
    rows: tuple[list[tuple[float, dict[str, object]]], ...] = ([], [])
    for model in engine.models:
        new = new_shapes(arguments.longest, arguments.repeats)
        kinds = [(shape, "none") for shape in (*plain, *new)]
        if not model.is_system:
            kinds += [(shape, each) for shape in plain for each in OPTIONS if each != "none"]
            kinds += [(shape, "none") for shape in constrained(plain)]
        for shape, option in kinds:
            options = RequestOptions(model.name, "native", OPTIONS[option])
            work = Work.of(costs, shape.pairs, options)
            turns = 1 if shape.is_new else TURNS
            usual_us, us = spent_us(engine, [usual, work], turns)
            found = round(us / work.units / (usual_us / usual.units), 2)
            kind = {"model": model.name, "pair": shape.name, "option": option}
            row: dict[str, object] = {**kind, "beside_plain": found}
            n = len(work.runs)
            print_row(row, {"us": round(us / n), "units": round(work.units / n, 1)})
            rows[shape.is_new].append((found, row))
    for name, found_rows in zip(("the worst", "the worst of new words"), rows, strict=True):
        _, worst = max(found_rows, key=lambda each: each[0])
        print_row({name: worst})
