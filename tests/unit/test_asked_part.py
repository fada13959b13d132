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


@pytest.mark.parametrize("query", ["May I sell copies?", "Who sells copies?"])
@pytest.mark.parametrize("fragment", ["The", "For", "Of the", "...", "and this"])
def test_a_fragment_answers_nothing(query, fragment):
    candidates = [fragment, "It rains.", f"{fragment} You may sell copies."]
    ranked = ALIGNER.rank(query, candidates, explain=True)
    assert (ranked[0].index, ranked[-1].index) == (2, 0)
    assert "fragment" in {piece.name for piece in ranked[-1].judgement.evidence}


@pytest.mark.parametrize("answer", ["He did.", "She can't.", "Yes.", "Not really", "Me."])
def test_a_short_answer_is_no_fragment(answer):
    (ranked,) = ALIGNER.rank("Did he sell it?", [answer], explain=True)
    assert "fragment" not in {piece.name for piece in ranked.judgement.evidence}
