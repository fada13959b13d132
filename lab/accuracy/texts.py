"""Sentences of two texts: which belong together, of texts made from pairs that people wrote.

`lab.recipes.made_texts` makes the texts, with known answers: some dozens of pairs of a corpus in a
row, of which sentences are cut, joined, deleted, inserted, moved and exchanged at random. In
"revised" texts most sentences stay as they are, in "rewritten" ones none does. The corpora are
ASSET (simplifications), MTRef's development part (translations of one text by two people), and the
training and development parts of arXivEdits (revised papers).

Prints a row for each corpus, kind and system: precision, recall and F1 of links (an old and a new
sentence of one block), and precision and recall of blocks that moved. The systems:

- tokalign: as it ships.
- crossed: with the gains of tokalign.texts.text_plan chosen on the other corpora, out of GRID, by
  the mean F1 of their kinds.
- overlap: each sentence with the one of the other text that shares most of its words, weighed by
  idf, if each is the other's first and the share is above a threshold, chosen on the other corpora.
- difflib: equal sentences, and between them the first with the first, the second with the second.

Then processor seconds for two texts of 1,000 sentences, and of that for the plan.
"""

from __future__ import annotations

import argparse
import difflib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from statistics import fmean

import numpy as np
from tokalign import Aligner
from tokalign.texts.align_texts import comparing
from tokalign.texts.sentence_matching import best_partners
from tokalign.texts.text_plan import GAINS, BlockPlan, Gains, TextPlan
from tokalign.texts.text_words import words_of

from bench.program import add_data, cpu_s, print_row
from lab.recipes.made_texts import MadeBlock, MadeText, make_texts

GRID = [
    Gains(*each)
    for each in product((0.1, 0.15, 0.2), (0.1, 0.2, 0.3), (0.05, 0.1, 0.2), (0.05, 0.1, 0.2))
]
THRESHOLDS = (0.1, 0.2, 0.3, 0.4)
N_TIMED = 1000
"""Sentences of each of the texts that are timed."""
Links = set[tuple[int, int]]


@dataclass(frozen=True, slots=True)
class Prepared:
    """A made text with the similarities of its candidates."""

    made: MadeText
    plan: TextPlan
    similarities: Sequence[float]

    def blocks(self, gains: Gains) -> tuple[BlockPlan, ...]:
        """Return the blocks that tokalign finds."""
        return self.plan.decide(self.similarities, gains)


def links_of(blocks: Iterable[BlockPlan | MadeBlock]) -> Links:
    """Return the pairs of sentences that share a block."""
    return {(i, j) for each in blocks for i in each.old for j in each.new}


def ratios(found: Iterable[set], wanted: Iterable[set]) -> tuple[float, float, float]:  # type: ignore[type-arg]
    """Return precision, recall and F1 over all texts; NaN where nothing is found or wanted."""
    pairs = list(zip(found, wanted, strict=True))
    right = sum(len(mine & gold) for mine, gold in pairs)
    n_found, n_wanted = (sum(map(len, side)) for side in zip(*pairs, strict=True))
    precision = right / n_found if n_found else float("nan")
    recall = right / n_wanted if n_wanted else float("nan")
    return precision, recall, 2 * right / max(1, n_found + n_wanted)


def overlap_links(text: Prepared, threshold: float) -> Links:
    """Return the sentences that share most with one another."""
    old, new, weights = words_of(
        [each.text for each in text.plan.old], [each.text for each in text.plan.new]
    )
    n_old, n_new = len(text.plan.old), len(text.plan.new)
    first = []
    for sides, n, n_other in (((old, new), n_old, n_new), ((new, old), n_new, n_old)):
        ranges = np.tile(np.array([0, n_other], np.int32), (n, 1))
        partners, scores = best_partners(*sides, weights, ranges, n_old + n_new, 1)
        first.append((partners[:, 0].tolist(), scores[:, 0].tolist()))
    (to_new, scores), (to_old, _) = first
    return {
        (i, j)
        for i, (j, score) in enumerate(zip(to_new, scores, strict=True))
        if j >= 0 and to_old[j] == i and score >= threshold
    }


def difflib_links(text: Prepared) -> Links:
    """Return equal sentences, and those between them by their places."""
    matcher = difflib.SequenceMatcher(
        None, [each.text for each in text.plan.old], [each.text for each in text.plan.new], False
    )
    return {
        pair
        for tag, i0, i1, j0, j1 in matcher.get_opcodes()
        if tag in ("equal", "replace")
        for pair in zip(range(i0, i1), range(j0, j1), strict=False)
    }


def prepare(aligner: Aligner, made: MadeText) -> Prepared:
    """Return a text whose candidates are compared."""
    plan = TextPlan.of(made.old, made.new)
    compared = aligner.pipe(plan.pairs(), comparing(aligner))
    return Prepared(made, plan, [each.similarity for each in compared])


def mean_f1(
    kinds: Mapping[tuple[str, str], Sequence[Prepared]],
    find: Callable[[Prepared], Links],
    without: str,
) -> float:
    """Return the mean F1 of the kinds of all corpora but one."""
    return fmean(
        ratios(map(find, texts), (links_of(each.made.blocks) for each in texts))[2]
        for (corpus, _), texts in kinds.items()
        if corpus != without
    )


def rows(kinds: Mapping[tuple[str, str], Sequence[Prepared]]) -> Iterator[dict[str, object]]:
    """Yield the figures of each corpus, kind and system."""
    for (corpus, kind), texts in kinds.items():
        gold = [links_of(each.made.blocks) for each in texts]
        for name, own in (("tokalign", GAINS), ("crossed", _chosen_gains(kinds, corpus))):
            blocks = [each.blocks(own) for each in texts]
            yield _row(corpus, kind, name, map(links_of, blocks), gold) | _moved(blocks, texts)
        threshold = _chosen_threshold(kinds, corpus)
        found = (overlap_links(each, threshold) for each in texts)
        yield _row(corpus, kind, "overlap", found, gold)
        yield _row(corpus, kind, "difflib", map(difflib_links, texts), gold)


def _chosen_gains(kinds: Mapping[tuple[str, str], Sequence[Prepared]], without: str) -> Gains:
    """Return the gains of the best mean F1 on all corpora but one."""
    return max(
        GRID,
        key=lambda gains: mean_f1(kinds, lambda each: links_of(each.blocks(gains)), without),
    )


def _chosen_threshold(kinds: Mapping[tuple[str, str], Sequence[Prepared]], without: str) -> float:
    """Return the threshold of the overlap that is best so."""
    return max(
        THRESHOLDS,
        key=lambda least: mean_f1(kinds, lambda each: overlap_links(each, least), without),
    )


def _row(
    corpus: str, kind: str, system: str, found: Iterable[Links], gold: Sequence[Links]
) -> dict[str, object]:
    precision, recall, f1 = ratios(found, gold)
    row = {"corpus": corpus, "kind": kind, "system": system, "texts": len(gold)}
    return row | {"links": sum(map(len, gold)), "precision": precision, "recall": recall, "f1": f1}


def _moved(found: Sequence[Sequence[BlockPlan]], texts: Sequence[Prepared]) -> dict[str, object]:
    sides = [
        [{(tuple(each.old), tuple(each.new)) for each in blocks if each.moved} for blocks in every]
        for every in (found, [text.made.blocks for text in texts])
    ]
    precision, recall, _ = ratios(*sides)
    n_moved = sum(map(len, sides[1]))
    return {"moved": n_moved, "moved_precision": precision, "moved_recall": recall}


def timed(aligner: Aligner, texts: Sequence[MadeText]) -> dict[str, float]:
    """Return processor seconds for two texts of about N_TIMED sentences, joined from others."""
    taken: list[MadeText] = []
    for each in texts:
        if sum(text.n_old for text in taken) < N_TIMED:
            taken.append(each)
    old, new = ("\n\n".join(getattr(each, side) for each in taken) for side in ("old", "new"))
    aligner.align_texts(old[:10_000], new[:10_000])
    return {
        "old_sentences": sum(text.n_old for text in taken),
        "new_sentences": sum(text.n_new for text in taken),
        "seconds": cpu_s(lambda: aligner.align_texts(old, new)),
        "plan_seconds": cpu_s(lambda: TextPlan.of(old, new)),
    }


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the command's options."""
    add_data(parser)
    parser.add_argument("--seed", type=int, default=1, help="of the made texts")


def run(arguments: argparse.Namespace) -> None:
    """Print a row for each corpus, kind and system, and one of seconds."""
    aligner = Aligner.load("en")
    every = make_texts(arguments.data, seed=arguments.seed)
    kinds = {key: [prepare(aligner, made) for made in texts] for key, texts in every.items()}
    joined: dict[tuple[str, str], list[Prepared]] = {}
    for (corpus, kind), texts in kinds.items():  # both parts of arXivEdits are one corpus
        joined.setdefault((corpus.partition("-")[0], kind), []).extend(texts)
    for row in rows(joined):
        print_row(row)
    print_row({"texts": "asset, rewritten"}, timed(aligner, every["asset", "rewritten"]))
