"""Similarity and conflicts on contrasts: pairs in nearly the same words that say something else.

Prints a row for each kind of the pairs in tests/data/contrasts.jsonl, and one for all. The areas
under the curve say how well a number tells pairs that say the same from the others; 0.5 is what
guessing gives. `told` and `false` are the shares of the others, and of those that say the same,
with a conflict. The rules that find places of conflicts were developed on these pairs.
"""

from __future__ import annotations

import argparse
import json

import numpy as np
from tokalign.aligner import Aligner
from tokalign.types import Alignment

from bench.program import ROOT, print_row
from lab.recipes.support import area

PAIRS = ROOT / "tests/data/contrasts.jsonl"


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the command's options."""
    parser.add_argument("--model", default="en")


def run(arguments: argparse.Namespace) -> None:
    """Print the rows."""
    pairs = [json.loads(line) for line in PAIRS.read_text(encoding="utf-8").splitlines()]
    texts = [(each["source"]["text"], each["target"]["text"]) for each in pairs]
    kinds: dict[str, list[tuple[Alignment, bool]]] = {}
    for pair, found in zip(pairs, Aligner(arguments.model).pipe(texts), strict=True):
        for kind in (pair["id"].split("-")[1], "all"):
            kinds.setdefault(kind, []).append((found, pair["label"] == "same"))
    for kind, of_kind in kinds.items():
        same = np.array([is_same for _, is_same in of_kind])
        told = np.array([bool(found.conflicts) for found, _ in of_kind])
        areas = {
            name: area(np.array([getattr(found, name) for found, _ in of_kind]), same)
            for name in ("covered", "similarity")
        }
        shares = {"told": float(told[~same].mean()), "false": float(told[same].mean())}
        print_row({"kind": kind, **areas, **shares})
