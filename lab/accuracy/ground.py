"""Evidence for answers: support of words and citations, beside what aligns nothing.

- words: of the claims of WiCE's training and development part, cross-validated as the docstring of
  lab.recipes.support says: the support, and by the same regressions the overlap of lemmas.
- citations: of its development claims that have supporting sentences, the share in which the first
  sentence that is cited, and one of the first three, is a supporting one; beside BM25 and the
  library's score of all sentences. `passage` has a claim's evidence as one passage, `sentences` has
  each sentence as a passage of its own. How words are weighed was chosen on these claims.
- corpus: of the claims of the development part of the project's corpus, each beside its evidence:
  the share of claims with an error in which a wrong word is flagged, also where a tenth and a fifth
  of the right words are; of right values, names and content words that are flagged; of supported
  claims and of claims with a conflict that have a conflict told.
- documents: of answers over real documents; see lab.accuracy.grounded_documents.
- encoder: words and citations by a small encoder of sentences, by cosines with a claim's evidence.
  Its words are judged by the same regressions, of the largest cosine of the claim, and of what that
  loses where the word is left out. Only where asked for, with a model that has an encoder.
"""

from __future__ import annotations

import argparse
import json
from bisect import bisect_right
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from itertools import accumulate
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from tokalign.aligner import Aligner
from tokalign.grounding.answer_words import AlignedCandidate, AnswerWords
from tokalign.grounding.sources import Sources
from tokalign.grounding.support_inputs import INPUTS, WORD_INPUTS, support_inputs
from tokalign.types.options import GroundOptions

from bench.program import add_data, print_row
from lab.accuracy.grounded_documents import print_documents, supportable
from lab.recipes.corpora import own_marks
from lab.recipes.rankings import bm25
from lab.recipes.support import SYSTEMS, WordSystem, claims, cross_validated

PARTS = ("documents", "corpus", "words", "citations", "encoder")
Claim = dict[str, Any]
Order = Callable[[Claim], Sequence[int]]
Encode = Callable[[Sequence[str]], NDArray[np.float32]]
"""Returns the vectors of texts, of length 1."""
LEAST = GroundOptions().threshold
GAP = "\n\n"
"""Between sentences of a passage: a blank line ends a sentence."""


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the command's options."""
    add_data(parser)
    parser.add_argument("--model", default="en")
    parser.add_argument("--part", choices=PARTS, help="by default all but the encoder")


def run(arguments: argparse.Namespace) -> None:
    """Print a row for each system and set."""
    aligner = Aligner.load(arguments.model)
    if arguments.part in (None, "documents"):
        print_documents(aligner)
    if arguments.part in (None, "corpus"):
        print_row({"part": "corpus"}, of_corpus(aligner))
    if arguments.part in (None, "words"):
        _print_words(cross_validated(list(claims(arguments.data, aligner)), SYSTEMS))
    if arguments.part in (None, "citations"):
        _print_cited(arguments.data, orders(aligner))
    if arguments.part == "encoder":
        encode = remembered_vectors(aligner)
        every = list(claims(arguments.data, aligner, partial(encoded_inputs, encode)))
        _print_words(cross_validated(every, [WordSystem("encoder", (*WORD_INPUTS, *ENCODED))]))
        _print_cited(arguments.data, {"encoder": partial(by_cosine, encode)})


def _print_words(rows: Iterable[dict[str, object]]) -> None:
    for row in rows:
        figures = {key: value for key, value in row.items() if isinstance(value, float)}
        print_row({"part": "words", "system": row["system"], "words": row["words"]}, figures)


def _print_cited(data: Path, every: dict[str, Order]) -> None:
    for name, order in every.items():
        print_row({"part": "citations", "system": name}, cited(data, order))


def of_corpus(aligner: Aligner) -> dict[str, float]:
    """Return how often errors of the corpus's claims are flagged, and what is right."""
    least: list[float] = []  # support of the wrong words of each claim that has some
    right: list[float] = []
    told: dict[str, list[bool]] = {"supported": [], "conflict": []}
    for gold, marks in own_marks("dev", with_ewt=True):
        if marks["task"] != "claim":
            continue
        grounding = aligner.ground(gold.target.text, [gold.source.text])
        offsets = marks["target"]["offsets"]
        wrong = [offsets[at] for at in marks["unsupported"]]
        supports: dict[bool, list[float]] = {True: [], False: []}
        for word in supportable(grounding):
            is_wrong = any(start < word.end and word.start < end for start, end in wrong)
            supports[is_wrong].append(word.support)
        right += supports[False]
        if wrong:
            least.append(min(supports[True], default=1.0))
        is_told = any(sentence.conflicts for sentence in grounding.sentences)
        if marks["verdict"] == "supported":
            told["supported"].append(is_told)
        if marks["conflicts"]:
            told["conflict"].append(is_told)
    return {
        "errors_found": float(np.mean(np.array(least) < LEAST)),
        "errors_found_at_10": float(np.mean(np.array(least) < np.quantile(right, 0.1))),
        "errors_found_at_20": float(np.mean(np.array(least) < np.quantile(right, 0.2))),
        "right_flagged": float(np.mean(np.array(right) < LEAST)),
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


ENCODED = ("union-cover", "best-mass")
"""Inputs in whose place an encoder's figures stand: of the claim, and of the word in it."""


def remembered_vectors(aligner: Aligner) -> Encode:
    """Return what encodes texts, each once."""
    known: dict[str, NDArray[np.float32]] = {}

    def encode(texts: Sequence[str]) -> NDArray[np.float32]:
        new = [text for text in dict.fromkeys(texts) if text not in known]
        if new:
            known.update(zip(new, aligner.sentence_vectors(new), strict=True))
        return np.stack([known[text] for text in texts])

    return encode


def encoded_inputs(
    encode: Encode, words: AnswerWords, _: Sequence[AlignedCandidate], sources: Sources
) -> NDArray[np.float32]:
    """Return the inputs of each word with an encoder's figures in place of all evidence."""
    inputs = support_inputs(words, [], sources)
    evidence = encode([each.span.text for each in sources.sentences])
    text = words.sentence.text
    without = [
        text[:start] + text[end:]
        for start, end in zip(words.sentence.starts, words.sentence.ends, strict=True)
    ]
    cosines = encode([text, *(each if each.strip() else "." for each in without)]) @ evidence.T
    whole, *others = cosines.max(axis=1)
    inputs[:, INPUTS.index(ENCODED[0])] = whole
    inputs[:, INPUTS.index(ENCODED[1])] = whole - np.array(others)
    return inputs


def by_cosine(encode: Encode, claim: Claim) -> list[int]:
    """Return the sentences of a claim's evidence, the most similar first."""
    own, *rest = encode([claim["claim"], *_filled(claim)])
    return list(map(int, np.argsort(-(np.array(rest) @ own), kind="stable")))


def _filled(claim: Claim) -> list[str]:
    """Return the evidence; a mark stands for what is blank."""
    return [each if each.strip() else "." for each in claim["evidence"]]


def _distinct(numbers: Iterable[int]) -> list[int]:
    return list(dict.fromkeys(numbers))
