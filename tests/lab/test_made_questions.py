"""Questions made from claims, how the candidates of a question weigh, and the corpus' questions."""

from __future__ import annotations

import json

import numpy as np
import pytest
from tokalign.types import Sentence

from lab.recipes.made_questions import phrases, question_for
from lab.recipes.question_weights import own_figures, shares
from lab.recipes.rankings import QueryEvidence, corpus


def tagged(text):
    pairs = [each.rsplit("/", 1) for each in text.split()]
    return Sentence.from_tokens([word for word, _ in pairs], tags=[tag for _, tag in pairs])


@pytest.mark.parametrize(
    ("claim", "questions"),
    [
        (
            "Ada/NNP Smith/NNP sold/VBD it/PRP in/IN 1907/CD ,/, and/CC left/VBD two/CD sons/NNS",
            ["who sold it in 1907 ?", "when Ada Smith sold it ?", "how many sons Ada Smith left ?"],
        ),
        (
            "The/DT old/JJ mill/NN burnt/VBD down/RB in/IN Ulm/NNP",
            ["what burnt down in Ulm ?", "where The old mill burnt down ?"],
        ),
        ("He/PRP left/VBD on/IN May/NNP 3/CD ,/, 1907/CD", []),
    ],
)
def test_questions_made_of_a_claim(claim, questions):
    sentence = tagged(claim)
    made = [" ".join(question_for(sentence, each)) for each in phrases(sentence)]
    assert [each for each in made if each] == questions


def query(kinds, evidence=()):
    right = np.array([kind == "yes" for kind in kinds])
    return QueryEvidence(np.array(evidence), {}, right, "", kinds)


def test_shares_of_an_own_question():
    own = query(["yes", "half", "no", "other yes", "other no"])
    assert shares(own, 0.4).tolist() == pytest.approx([0.5, 0.0, 0.2, 0.15, 0.15])
    without = query(["yes", "other yes", "other no"])
    assert shares(without, 0.4).tolist() == [0.5, 0.25, 0.25]


def test_figures_of_own_questions():
    own = query(["yes", "no", "other yes", "other no"])
    assert own_figures([own], [np.array([2.0, 1.0, 3.0, 0.0])]) == {
        "above": 1.0,
        "mined": 0.5,
        "mean_reciprocal_rank": 0.5,
    }


def test_candidates_are_the_answers_of_the_genre(tmp_path):
    rows = [
        ("a", "x", "Q?", "yes", "A."),
        ("a", "x", "Q?", "no", "B."),
        ("a", "y", "R?", "half", "C."),
        ("b", "z", "S?", "yes", "D."),
    ]
    lines = [
        {"genre": genre, "topic": topic, "task": "answer", "verdict": verdict,
         "source": {"text": question}, "target": {"text": answer}}
        for genre, topic, question, verdict, answer in rows
    ]  # fmt: skip
    (tmp_path / "train.jsonl").write_text("\n".join(map(json.dumps, lines)))
    first = next(corpus(folder=tmp_path))
    assert (first.text, first.candidates, first.group) == ("Q?", ["A.", "B.", "C."], "a/x")
    assert list(first.kinds) == ["yes", "no", "other half"]
    assert first.is_right.tolist() == [True, False, False]
