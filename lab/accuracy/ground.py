"""Evidence for answers: support of words and citations, beside what aligns nothing.

- words: of the claims of WiCE's training and development part, cross-validated as the docstring of
  lab.recipes.support says: the support, and by the same regressions the overlap of lemmas.
- citations: of its development claims that have supporting sentences, the share in which the first
  sentence that is cited, and one of the first three, is a supporting one; beside BM25 and the
  library's score of all sentences. `passage` has a claim's evidence as one passage, `sentences` has
  each sentence as a passage of its own. How words are weighed was chosen on these claims.
- corpus: of the claims of the development part of the project's corpus, each beside its evidence:
  the share of claims with an error in which a wrong word is flagged, of right values, names and
  content words that are flagged, of supported claims and of claims with a conflict that have a
  conflict told.
- documents: of answers over real documents; see lab.accuracy.grounded_documents.
"""

from __future__ import annotations

import argparse
import json
from bisect import bisect_right
from collections.abc import Callable, Iterable, Sequence
from itertools import accumulate
from pathlib import Path
from typing import Any

import numpy as np
from tokalign.aligner import Aligner
from tokalign.grounding.answer_words import SUPPORTABLE
from tokalign.types.options import GroundOptions

from bench.program import add_data, print_row
from lab.accuracy.grounded_documents import print_documents
from lab.recipes.corpora import own_marks
from lab.recipes.rankings import bm25
from lab.recipes.support import SYSTEMS, claims, cross_validated

PARTS = ("documents", "corpus", "words", "citations")
Claim = dict[str, Any]
Order = Callable[[Claim], Sequence[int]]
LEAST = GroundOptions().threshold
GAP = "\n\n"
"""Between sentences of a passage: a blank line ends a sentence."""


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the command's options."""
    add_data(parser)
    parser.add_argument("--model", default="en")
    parser.add_argument("--part", choices=PARTS, help="by default all")


def run(arguments: argparse.Namespace) -> None:
    """Print a row for each system and set."""
    aligner = Aligner.load(arguments.model)
    if arguments.part in (None, "documents"):
        print_documents(aligner)
    if arguments.part in (None, "corpus"):
        print_row({"part": "corpus"}, of_corpus(aligner))
    if arguments.part in (None, "words"):
        for row in cross_validated(list(claims(arguments.data, aligner)), SYSTEMS):
            figures = {key: value for key, value in row.items() if isinstance(value, float)}
            print_row({"part": "words", "system": row["system"], "words": row["words"]}, figures)
    if arguments.part in (None, "citations"):
        for name, order in orders(aligner).items():
            print_row({"part": "citations", "system": name}, cited(arguments.data, order))


def of_corpus(aligner: Aligner) -> dict[str, float]:
    """Return how often errors of the corpus's claims are flagged, and what is right."""
    found: list[bool] = []
    right: list[bool] = []
    told: dict[str, list[bool]] = {"supported": [], "conflict": []}
    for gold, marks in own_marks("dev", with_ewt=True):
        if marks["task"] != "claim":
            continue
        grounding = aligner.ground(gold.target.text, [gold.source.text])
        offsets = marks["target"]["offsets"]
        wrong = [offsets[at] for at in marks["unsupported"]]
        is_found = False
        for word in (word for sentence in grounding.sentences for word in sentence.words):
            is_flagged = word.support < LEAST and word.kind in SUPPORTABLE
            if any(start < word.end and word.start < end for start, end in wrong):
                is_found = is_found or is_flagged
            elif word.kind in SUPPORTABLE:
                right.append(is_flagged)
        if wrong:
            found.append(is_found)
        is_told = any(sentence.conflicts for sentence in grounding.sentences)
        if marks["verdict"] == "supported":
            told["supported"].append(is_told)
        if marks["conflicts"]:
            told["conflict"].append(is_told)
    return {
        "errors_found": float(np.mean(found)),
        "right_flagged": float(np.mean(right)),
        "told_of_supported": float(np.mean(told["supported"])),
        "told_of_conflict": float(np.mean(told["conflict"])),
    }


def cited(data: Path, order: Order) -> dict[str, float]:
    """Return how often an order of sentences begins with a supporting one."""
    first = three = n_claims = 0
    with (data / "wice" / "claims-dev.jsonl").open(encoding="utf-8") as lines:
        for line in lines:
            claim = json.loads(line)
            right = {number for each in claim["supporting_sentences"] for number in each}
            if right:
                found = order(claim)[:3]
                n_claims += 1
                first += bool(set(found[:1]) & right)
                three += bool(set(found) & right)
    return {"first": first / n_claims, "three": three / n_claims, "claims": n_claims}


def orders(aligner: Aligner) -> dict[str, Order]:
    """Return every way to order the sentences of a claim's evidence, the best first."""

    def by_passage(claim: Claim) -> list[int]:
        evidence = claim["evidence"]
        starts = list(accumulate((len(each) + len(GAP) for each in evidence), initial=0))
        found = aligner.ground(claim["claim"], [GAP.join(evidence)])
        return _distinct(
            bisect_right(starts, citation.start) - 1
            for sentence in found.sentences
            for citation in sentence.citations
        )

    def by_sentences(claim: Claim) -> list[int]:
        found = aligner.ground(claim["claim"], claim["evidence"])
        return _distinct(
            int(citation.passage) for sentence in found.sentences for citation in sentence.citations
        )

    def by_bm25(claim: Claim) -> list[int]:
        query, *rest = aligner.annotate([claim["claim"], *_filled(claim)])
        return list(map(int, np.argsort(-bm25(query, rest), kind="stable")))

    def by_score(claim: Claim) -> list[int]:
        pairs = ((each, claim["claim"]) for each in _filled(claim))
        scores = [each.score for each in aligner.pipe(pairs)]
        return list(map(int, np.argsort(-np.array(scores), kind="stable")))

    return {
        "passage": by_passage,
        "sentences": by_sentences,
        "bm25": by_bm25,
        "score": by_score,
    }


def _filled(claim: Claim) -> list[str]:
    """Return the evidence; a mark stands for what is blank."""
    return [each if each.strip() else "." for each in claim["evidence"]]


def _distinct(numbers: Iterable[int]) -> list[int]:
    return list(dict.fromkeys(numbers))
