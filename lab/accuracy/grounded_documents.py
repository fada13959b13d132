"""Answers over real documents, of which half have an error: what is found, flagged and cited.

`corpus/documents.jsonl` has excerpts of ten documents and four answers on each. Two are right; in
the others some words are wrong, by a kind of error. Nothing was fitted or chosen on them.

- found: errors with a wrong word that is flagged, or in a conflict.
- right_flagged: of the right values, names and content words of all answers, the flagged ones.
- alarmed: right answers with a flagged word or a conflict.
- first: answers whose first citation is of the sentence that they rest on.

`lemmas` flags each word whose lemma the document lacks, and cites the sentence that holds most of
an answer's lemmas; `bm25` flags nothing.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from tokalign.aligner import Aligner
from tokalign.grounding.answer_words import SUPPORTABLE
from tokalign.texts.split_text import split_text
from tokalign.types import Sentence
from tokalign.types.grounding import GroundedWord, Grounding
from tokalign.types.options import GroundOptions

from bench.program import print_row
from lab.recipes.rankings import bm25

DOCUMENTS = Path(__file__).parents[2] / "corpus" / "documents.jsonl"
LEAST = GroundOptions().threshold
Range = tuple[int, int]


class Shown(NamedTuple):
    """What a system says of an answer: flagged words, places of conflicts, the first citation."""

    flagged: list[Range]
    conflicts: list[Range]
    cited: Range | None


System = Callable[[str, Grounding], Shown]


def answers() -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the text of each document with each of its answers."""
    with DOCUMENTS.open(encoding="utf-8") as lines:
        for document in map(json.loads, lines):
            for answer in document["answers"]:
                yield document["text"], answer


def print_documents(aligner: Aligner) -> None:
    """Print a row for each system, and one for its errors by kind."""
    for name, show in systems(aligner).items():
        figures, kinds = judged(aligner, show)
        print_row({"part": "documents", "system": name}, figures)
        if name != "bm25":
            print_row({"part": "documents", "system": name, "errors": "by kind"} | kinds, {})


def judged(aligner: Aligner, show: System) -> tuple[dict[str, float], dict[str, str]]:
    """Return a system's figures, and of how many errors of each kind it found how many."""
    n_of, n_found = Counter[str](), Counter[str]()
    right, alarmed, first = [], [], []
    for text, answer in answers():
        grounding = aligner.ground(answer["answer"], [text])
        shown = show(text, grounding)
        told = [*shown.flagged, *shown.conflicts]
        if answer["error"]:
            n_of[answer["error"]] += 1
            n_found[answer["error"]] += any(_meet(one, told) for one in answer["wrong"])
        else:
            alarmed.append(bool(told))
        right += [
            (word.start, word.end) in shown.flagged
            for word in supportable(grounding)
            if not _meet((word.start, word.end), answer["wrong"])
        ]
        first.append(shown.cited is not None and _meet(shown.cited, [answer["cited"]]))
    figures = {
        "found": n_found.total() / n_of.total(),
        "right_flagged": float(np.mean(right)),
        "alarmed": float(np.mean(alarmed)),
        "first": float(np.mean(first)),
    }
    return figures, {kind: f"{n_found[kind]} of {n}" for kind, n in sorted(n_of.items())}


def systems(aligner: Aligner) -> dict[str, System]:
    """Return what flags the words of an answer and cites sentences."""

    def ground(text: str, found: Grounding) -> Shown:
        words = [(each.start, each.end) for each in supportable(found) if each.support < LEAST]
        conflicts = [(each.start, each.end) for s in found.sentences for each in s.conflicts]
        citations = [each for sentence in found.sentences for each in sentence.citations]
        return Shown(
            words, conflicts, (citations[0].start, citations[0].end) if citations else None
        )

    def ordered(text: str, found: Grounding, of_overlap: bool) -> Shown:
        spans = split_text(text)
        answer, *sentences = aligner.annotate([found.answer, *(each.text for each in spans)])
        held = [set(_lemmas(each)) for each in sentences]
        every = set[str]().union(*held)
        if of_overlap:
            scores = np.array([len(each & set(_lemmas(answer))) for each in held])
        else:
            scores = bm25(answer, sentences)
        best = spans[int(scores.argmax())]
        checked = {(each.start, each.end) for each in supportable(found)}
        places = zip(answer.starts, answer.ends, strict=True)
        absent = [
            place
            for place, lemma in zip(places, _lemmas(answer), strict=True)
            if place in checked and lemma not in every
        ]
        return Shown(absent if of_overlap else [], [], (best.start, best.end))

    return {
        "ground": ground,
        "lemmas": lambda text, found: ordered(text, found, True),
        "bm25": lambda text, found: ordered(text, found, False),
    }


def supportable(found: Grounding) -> list[GroundedWord]:
    """Return the values, names and content words of an answer."""
    return [word for s in found.sentences for word in s.words if word.kind in SUPPORTABLE]


def _lemmas(sentence: Sentence) -> list[str]:
    return [lemma.lower() for lemma in sentence.lemmas or ()]


def _meet(one: Range, others: list[Range]) -> bool:
    """Whether a range shares a place with any of others."""
    return any(start < one[1] and one[0] < end for start, end in others)
