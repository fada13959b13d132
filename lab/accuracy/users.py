"""Links of pairs as users write them, by kind of pair.

Prints a row for each model, way of choosing a style ("auto", each style, "related") and kind of the
pairs in tests/data, and one for all kinds: how many of the links between unlike content words were
found, and how many of those found are right. The last figure is of the unrelated pairs there: such
links per 100 pairs, all of which are wrong.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from tokalign.aligner import Aligner
from tokalign.english.lexicon.likeness import is_content, unlike_cells
from tokalign.formats import read_gold
from tokalign.model.styles import AUTO
from tokalign.types import Alignment, GoldPair

from bench.program import ROOT, names, print_row

PAIRS = ROOT / "tests/data/user-pairs.jsonl"
UNRELATED = ROOT / "tests/data/user-unrelated.jsonl"
RELATED = "related"


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the command's options."""
    parser.add_argument("--models", type=names, default=["en"])


def unlike(pair: GoldPair, links: Iterable[tuple[int, int]]) -> set[tuple[int, int]]:
    """Return the links between content words of different forms."""
    source, target = pair.source.tokens, pair.target.tokens
    return {
        (i, j)
        for i, j in links
        if source[i].lower() != target[j].lower()
        and is_content(source[i])
        and is_content(target[j])
    }


def kind_rows(gold: Sequence[GoldPair], found: Sequence[Alignment]) -> Iterator[dict[str, Any]]:
    """Yield the figures of each kind, then those of all."""
    counts: dict[str, list[int]] = {}
    for pair, alignment in zip(gold, found, strict=True):
        links = unlike(pair, ((link.source, link.target) for link in alignment.links))
        wanted = unlike(pair, pair.sure)
        for kind in (pair.id.rpartition("-")[0], "all"):
            of_kind = counts.setdefault(kind, [0, 0, 0, 0])
            of_kind[0] += len(wanted)
            of_kind[1] += len(wanted & links)
            of_kind[2] += len(links)
            of_kind[3] += len(links & (pair.sure | pair.possible))
    for kind in sorted(counts, key=lambda each: (each == "all", each)):
        n_wanted, n_found, n_made, n_right = counts[kind]
        yield {
            "kind": kind,
            "links": n_wanted,
            "found": n_found / n_wanted,
            "right": n_right / max(n_made, 1),
        }


def run(arguments: argparse.Namespace) -> None:
    """Print rows for each model and way of choosing a style."""
    gold, unrelated = read_gold(PAIRS), read_gold(UNRELATED)
    for name in arguments.models:
        aligner = Aligner.load(name)
        styles = [each["name"] for each in aligner.header.styles]
        for style in (AUTO, *styles, RELATED) if styles else ("",):
            options: dict[str, Any] = {"related": True} if style == RELATED else {"style": style}
            found = [aligner.align(pair.source, pair.target, **options) for pair in gold]
            for row in kind_rows(gold, found):
                print_row({"model": name, "style": style, **row})
            n_wrong = 0
            for pair in unrelated:
                alignment = aligner.align(pair.source, pair.target, **options)
                wrong = unlike_cells(alignment.source, alignment.target)
                n_wrong += sum((link.source, link.target) in wrong for link in alignment.links)
            row = {"kind": "unrelated", "unlike": 100 * n_wrong / len(unrelated)}
            print_row({"model": name, "style": style, **row})
