"""Questions, and evidence for candidates."""

import math

import numpy as np
import pytest
from tokalign.questions.evidence import (
    EVIDENCE,
    AnswerScorer,
    AnswerType,
    Evidence,
    evidence,
    expected_answer,
    fits,
    is_question,
)
from tokalign.types import Sentence


def tagged(text):
    """Return a sentence of words written as form/tag; lemmas are the forms in lower case."""
    forms, tags = zip(*(word.rsplit("/", 1) for word in text.split()), strict=True)
    return Sentence.from_tokens(forms, tags=tags, lemmas=[form.lower() for form in forms])


EXPECTED = {
    "Who founded the company ?": AnswerType.PERSON,
    "What actor played the part ?": AnswerType.PERSON,
    "When was it founded ?": AnswerType.DATE,
    "In what year was it founded ?": AnswerType.DATE,
    "Where is it ?": AnswerType.PLACE,
    "What is the capital of France ?": AnswerType.PLACE,
    "Which large U.S. city is it ?": AnswerType.PLACE,
    "How many seats are there ?": AnswerType.NUMBER,
    "What is the population of the town ?": AnswerType.NUMBER,
    "What record company is it ?": AnswerType.NAME,
    "What does a prion do ?": AnswerType.THING,
    "Why is the tale famous ?": AnswerType.OTHER,
}


def test_the_expected_answer():
    found = {text: expected_answer(Sentence.from_tokens(text.split())) for text in EXPECTED}
    assert found == EXPECTED


@pytest.mark.parametrize(
    ("text", "asks"),
    [("Who is it", True), ("In what year", True), ("Is it so ?", True), ("Name it .", False),
     ("The man who came", False)],
)  # fmt: skip
def test_questions_are_recognised(text, asks):
    assert is_question(Sentence.from_tokens(text.split())) is asks


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        (AnswerType.PERSON, [1.0, 1.0, 0.0, 0.0, 0.5, 0.0, 0.0]),
        (AnswerType.PLACE, [0.5, 0.5, 0.0, 0.0, 1.0, 0.0, 0.0]),
        (AnswerType.DATE, [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0]),
        (AnswerType.NUMBER, [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.5]),
        (AnswerType.THING, [1.0, 1.0, 0.0, 0.0, 1.0, 0.0, 0.0]),
        (AnswerType.OTHER, [0.5, 0.5, 0.5, 0.0, 0.5, 0.0, 0.5]),
    ],
)
def test_how_words_fit_a_type(answer, expected):
    words = tagged("Ada/NNP Smith/NNP worked/VBD in/IN Ulm/NNP in/IN 1908/CD")
    assert fits(words, answer) == expected


def found(question, candidate, links):
    posterior = np.zeros((len(candidate), len(question)))
    for i, j in links:
        posterior[i, j] = 1.0
    return evidence(question, candidate, posterior, lambda _: 0.5)


QUESTION = tagged("Who/WP founded/VBD Acme/NNP ?/.")


def test_evidence_of_an_answer():
    candidate = tagged("Acme/NNP was/VBD founded/VBN by/IN Ada/NNP Smith/NNP ./.")
    seen = found(QUESTION, candidate, [(0, 2), (2, 1)])
    assert (seen.covered, seen.names, seen.verbs, seen.missing) == (1.0, 1.0, 1.0, 0.0)
    assert seen.repeated == 1.0
    assert seen.typed == 1.0  # Ada Smith
    assert seen.by_verb == pytest.approx(6 / 8)  # "Ada" is two tokens from "founded"
    # of "Ada" the partners are 2 and 4 tokens away; "Smith" is farther from both
    assert seen.density == seen.fitting == pytest.approx((6 / 8 + 6 / 10) / 2)


def test_words_of_the_question_are_no_answers():
    seen = found(QUESTION, tagged("Acme/NNP grew/VBD ./."), [(0, 2)])
    assert (seen.typed, seen.density, seen.choices) == (0.0, 0.0, 0.0)
    assert (seen.covered, seen.verbs, seen.missing) == (0.5, 0.0, 0.5)


def test_evidence_is_within_its_range():
    rng = np.random.default_rng(3)
    candidate = tagged("Ada/NNP saw/VBD 7/CD dogs/NNS of/IN Acme/NNP in/IN May/NNP ./.")
    for question in (QUESTION, tagged("?/."), tagged("how/WRB many/JJ dogs/NNS")):
        seen = evidence(
            question, candidate, rng.random((len(candidate), len(question))), lambda _: rng.random()
        )
        assert all(0 <= getattr(seen, name) <= 1 for name in EVIDENCE)


def test_the_score_is_the_sigmoid_of_what_is_explained():
    scorer = AnswerScorer(-1.0, (2.0, *(0.0 for _ in EVIDENCE[1:])))
    seen = Evidence(*(0.5 for _ in EVIDENCE))
    assert [(each.name, each.value, each.weight) for each in scorer.explain(seen)[:2]] == [
        ("bias", 1.0, -1.0),
        ("covered", 0.5, 2.0),
    ]
    assert scorer.score(seen) == pytest.approx(0.5)
    assert AnswerScorer(0.0, (math.log(3), *scorer.weights[1:])).score(
        Evidence(*(1.0 for _ in EVIDENCE))
    ) == pytest.approx(0.75)


def test_the_shipped_regression_prefers_an_answer_to_a_repetition():
    scorer = AnswerScorer.open_shipped()
    answer = tagged("Acme/NNP was/VBD founded/VBN by/IN Ada/NNP Smith/NNP ./.")
    repetition = tagged("Acme/NNP was/VBD founded/VBN ./.")
    links = [(0, 2), (2, 1)]
    assert scorer.score(found(QUESTION, answer, links)) > scorer.score(
        found(QUESTION, repetition, links)
    )
