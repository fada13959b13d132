"""Queries of several sentences, and candidates that are questions."""

from __future__ import annotations

import pytest
from tokalign import Aligner
from tokalign.ranking.passages import asked_part

ALIGNER = Aligner("en")


@pytest.mark.parametrize(
    ("query", "part"),
    [
        ("Who built it?", "Who built it?"),
        ("Hello! Who built it? Thank you for your help.", "Who built it?"),
        (
            "The mill is old. Who built it? I need this for school.",
            "The mill is old. Who built it?",
        ),
        ("Hi there. Who built it? And when?", "Who built it? And when?"),
        ("Who bakes? A baker in the rain.", "Who bakes? A baker in the rain."),
        ("The mill is old. It stands.", "The mill is old. It stands."),
        ("Thanks for nothing", "Thanks for nothing"),
    ],
)
def test_the_part_of_a_query_that_asks(query, part):
    assert asked_part(query) == part


@pytest.mark.parametrize(
    "query",
    [
        "Hello! Who founded the bakery? Thank you for your help.",
        "There is a bakery on the square. Who founded it? I need this for school.",
        "Who founded the bakery?",
    ],
)
def test_a_courtesy_or_a_question_answers_nothing(query):
    candidates = [
        "Thank you for your help.",
        "Who founded the bakery?",
        "There is a bakery on the square.",
        "Ilse Brandt founded the bakery on the square.",
    ]
    ranked = ALIGNER.rank(query, candidates, explain=True)
    assert ranked[0].index == 3
    (asking,) = (each for each in ranked if each.index == 1)
    assert "asks" in {piece.name for piece in asking.judgement.evidence}
