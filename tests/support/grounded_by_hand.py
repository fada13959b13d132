"""Evidence made by hand, for tests of what shows it."""

from __future__ import annotations

import json
import re
from pathlib import Path

from tokalign.types import FeatureContribution
from tokalign.types.grounding import (
    Citation,
    CitationLink,
    GroundedSentence,
    GroundedWord,
    Grounding,
    SourceConflict,
    SourcePassage,
    UnsupportedSpan,
    WordKind,
)
from tokalign.types.relations import ConflictKind

SCHEMA = json.loads(
    (Path(__file__).parents[2] / "docs" / "ground.schema.json").read_text(encoding="utf-8")
)
_TOKEN = re.compile(r"\w+|[^\w\s]")


def words_of(answer: str, start: int, end: int) -> list[tuple[int, int]]:
    """Return the ranges of a sentence's tokens: words and signs."""
    return [(each.start(), each.end()) for each in _TOKEN.finditer(answer, start, end)]


def by_hand(answer: str, passages: dict[str, str], *sentences: GroundedSentence) -> Grounding:
    """Return the evidence with these sentences."""
    given = tuple(SourcePassage(*each) for each in passages.items())
    return Grounding(answer, given, sentences, "en", "1.0.0")


def bakery() -> Grounding:
    """Two sentences: one with a wrong year and an unsupported end, one that is all right and cites
    a second passage, too."""
    answer = "Marta founded it in 1989 in Rome.\nIt is small."
    history = "A note.\nMarta founded the\nbakery in 1987. It is small."
    passages = {"history.txt": history, "guide": "The bakery is small."}

    def at(word: str, text: str = answer) -> tuple[int, int]:
        start = text.index(word)
        return start, start + len(word)

    first = (0, 33)
    founded = (8, len("A note.\nMarta founded the\nbakery in 1987."))
    kinds = {"Marta": "name", "founded": "content", "1989": "value", "Rome": "name", ".": "mark"}
    links = [
        CitationLink(0, *at("Marta", history), 0.99),
        CitationLink(1, *at("founded", history), 0.98),
        CitationLink(4, *at("1987", history), 0.4),
    ]
    words = []
    for position, (start, end) in enumerate(words_of(answer, *first)):
        partners = tuple((link.start, link.end) for link in links if link.word == position)
        text = answer[start:end]
        is_bad = text in ("1989", "Rome")
        words.append(
            GroundedWord(
                start,
                end,
                WordKind(kinds.get(text, "function")),
                0.1 if is_bad else 0.95,
                0 if partners else None,
                partners,
                (FeatureContribution("absent", 1.0, -2.5),) if is_bad else (),
            )
        )
    wrong = GroundedSentence(
        *first,
        0.55,
        tuple(words),
        (Citation("history.txt", *founded, 0.7, tuple(links)),),
        (UnsupportedSpan(at("1989")[0], at("Rome")[1], 0.1),),
        (
            SourceConflict(
                ConflictKind.VALUE, *at("1989"), "history.txt", *at("1987", history), 0.9
            ),
        ),
    )
    small = (34, 46)
    there = at("small", passages["guide"])
    right = GroundedSentence(
        *small,
        0.9,
        tuple(
            GroundedWord(start, end, WordKind.CONTENT, 0.9, 0, (there,))
            if answer[start:end] == "small"
            else GroundedWord(start, end, WordKind.FUNCTION, 0.9)
            for start, end in words_of(answer, *small)
        ),
        (
            Citation("guide", 0, 20, 1.0, (CitationLink(2, *there, 0.9),)),
            Citation("history.txt", 42, 54, 0.8, (CitationLink(2, 48, 53, 0.9),)),
        ),
        (),
        (),
    )
    return by_hand(answer, passages, wrong, right)
