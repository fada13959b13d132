"""Rankings with a caller's own scores, and of the candidates that share most with the question."""

from __future__ import annotations

import math
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tokalign.aligner import Aligner
from tokalign.errors import InputError
from tokalign.ranking.judge import UNREPEATED, shipped_weights
from tokalign.ranking.passages import shortlist
from tokalign.types import Sentence

DATA = Path(__file__).parents[1] / "data"
QUESTION = "Who founded the bakery?"
CANDIDATES = [
    "It rained all day.",
    "Marta Lindqvist founded the bakery in 1908.",
    "The bakery sells bread.",
    "Otto Brandt founded a mill.",
]
MANY = st.lists(st.lists(st.sampled_from("abcdef"), max_size=4).map(" ".join))


@pytest.fixture(scope="module")
def aligner():
    return Aligner.load()


def order(ranking):
    return [each.index for each in ranking]


def test_a_prior_moves_a_candidate_up(aligner):
    plain = aligner.rank(QUESTION, CANDIDATES)
    assert order(plain)[0] == 1
    moved = aligner.rank(QUESTION, CANDIDATES, priors=[0.0, 0.0, 9.0, 0.0])
    scores = {each.index: each.judgement.score for each in plain}
    for each in moved:
        assert (each.judgement.score > scores[each.index]) == (each.index == 2)


@pytest.mark.parametrize(
    ("question", "right", "wrong"),
    [
        ("What colours does the paint come in?", "You can get it in red, blue and white.",
         ["The paint dries fast.", "The paint comes in tins of two litres."]),
        ("What colour should I paint the door?", "A warm grey would go well with the brick.",
         ["You should sand the door first.", "Doors should be painted twice a decade."]),
        ("Which colors can I choose for the case?", "Black, teal and orange are on offer.",
         ["You can choose between two sizes.", "The case protects your phone."]),
        ("Where can I park?", "There is a garage behind the station.",
         ["You can park for two hours.", "Parking costs two euros."]),
        ("What does membership cost?", "Students pay 20 pounds a year.",
         ["Membership has its benefits.", "The membership committee meets in March."]),
        ("How tall was the wave?", "The water rose to nearly 20 feet.",
         ["The wave hit at dawn.", "The wave killed 12 people."]),
        ("How long did the siege of the town go on?", "Its people held out for eleven months.",
         ["The siege of the town began in 1644.", "The town had a wall two miles long."]),
        ("How long does the battery of the lamp last?",
         "Expect some nine hours of light from one charge.",
         ["The battery of the lamp lasts long.", "The lamp is 30 centimetres long."]),
        ("What is meant by a quorum?", "It is the number of members who must be present.",
         ["A quorum is needed on Monday.", "The quorum was reached at noon."]),
    ],
)  # fmt: skip
def test_what_fits_the_question_stands_above_its_words(aligner, question, right, wrong):
    assert order(aligner.rank(question, [*wrong, right]))[0] == len(wrong)


@pytest.mark.parametrize("query", [QUESTION, "The bakery was founded by Marta."])
@pytest.mark.parametrize("by", ["auto", "answer", "score", "similarity"])
def test_a_prior_is_evidence_in_the_unit_of_its_deviation(aligner, query, by):
    plain = aligner.rank(query, CANDIDATES, by=by)
    found = aligner.rank(query, CANDIDATES, by=by, priors=[-20, 10, None, 10], explain=True)
    scores = {each.index: each.judgement.score for each in plain}
    for each in found:
        pieces = {piece.name: piece.value for piece in each.judgement.evidence}
        expected = {0: -math.sqrt(2), 1: math.sqrt(0.5), 3: math.sqrt(0.5)}.get(each.index)
        assert pieces.get("prior") == (expected and pytest.approx(expected))
        odds = [
            math.log(score / (1 - score)) for score in (each.judgement.score, scores[each.index])
        ]
        added = shipped_weights().prior * (expected or 0.0)
        assert odds[0] - odds[1] == pytest.approx(added, abs=1e-5)


CLOCK = "Who repaired the clock in the town hall?"
CLOCKS = [
    "The clock in the town hall was repaired last spring.",
    "Repairing the clock in the town hall was costly.",
    "Marta Lindqvist, a retired watchmaker.",
    "It rained.",
]


def scores(ranking):
    return {(each.text, each.judgement.score) for each in ranking}


def test_where_most_repeat_the_question_other_words_stand_above_it(aligner):
    found = aligner.rank(CLOCK, CLOCKS, explain=True)
    assert order(found)[0] == 2
    raised = {
        each.index: sum(p.value * p.weight for p in each.judgement.evidence if p.name == UNREPEATED)
        for each in found
    }
    assert raised == {0: 0, 1: 0, 2: 2.0, 3: 2.0}
    for each in found:
        odds = sum(piece.value * piece.weight for piece in each.judgement.evidence)
        assert each.judgement.score == pytest.approx(1 / (1 + math.exp(-odds)), abs=1e-6)
    # Of passages of several sentences, claims and scores of an alignment nothing is known.
    passages = [f"{text} Nobody else came." for text in CLOCKS]
    for ranking in (
        aligner.rank(CLOCK, passages, passages=True, explain=True),
        aligner.rank(CLOCK, CLOCKS, by="score"),
        aligner.rank("She repaired the clock in the town hall.", CLOCKS, explain=True, by="answer"),
    ):
        assert UNREPEATED not in {p.name for each in ranking for p in each.judgement.evidence}
    one = aligner.rank(CLOCK, CLOCKS, passages=True)
    assert order(one)[:2] == order(found)[:2]


@settings(max_examples=20, deadline=None)
@given(st.permutations(CLOCKS), st.lists(st.sampled_from(CLOCKS), max_size=3))
def test_neither_order_nor_copies_part_equal_candidates(candidates, copies):
    aligner = Aligner.load()
    found = aligner.rank(CLOCK, [*candidates, *copies])
    assert len(scores(found)) == len(CLOCKS)
    assert scores(found) == scores(aligner.rank(CLOCK, [*copies, *candidates[::-1]]))


LISTS = [line.split(" | ") for line in (DATA / "question-lists.txt").read_text().splitlines()]


@pytest.mark.parametrize(
    ("kind", "least"),
    [("chosen", 30), ("held", 25), ("same", 15), ("forms", 40), ("later", 30), ("polar", 16)],
)
def test_right_answers_of_lists_stand_first(aligner, kind, least):
    own = [texts for of, *texts in LISTS if of == kind]
    assert sum(order(aligner.rank(asked, texts))[0] == 0 for asked, *texts in own) >= least


def test_neither_scale_nor_origin_of_priors_matters(aligner):
    priors = [0.1, 0.7, 0.4, 0.2]
    moved = [1000 * prior - 5 for prior in priors]
    plain = aligner.rank(QUESTION, CANDIDATES, priors=priors)
    assert [
        (each.index, pytest.approx(each.judgement.score))
        for each in aligner.rank(QUESTION, CANDIDATES, priors=moved)
    ] == [(each.index, each.judgement.score) for each in plain]


def test_all_sentences_of_a_passage_have_its_prior(aligner):
    passages = ["It rained. Marta founded the bakery.", "Otto came. He founded a mill."]
    plain = aligner.rank(QUESTION, passages, passages=True)
    found = aligner.rank(QUESTION, passages, passages=True, priors=[0, 1])
    assert {each.index: each.sentence for each in plain} == {
        each.index: each.sentence for each in found
    }


@pytest.mark.parametrize(
    ("priors", "message", "field"),
    [
        ([1.0], "1 priors for 4 candidates; wanted one for each", "priors"),
        ([0, 1, math.nan, 2], "priors\\[2\\] is nan; wanted a finite number", "priors[2]"),
        ([0, 1, 2, math.inf], "priors\\[3\\] is inf", "priors[3]"),
        ([0, "1", 2, 3], "priors\\[1\\] is '1'", "priors[1]"),
        ([0, True, 2, 3], "priors\\[1\\] is True", "priors[1]"),
    ],
)
def test_priors_that_are_no_numbers_are_refused(aligner, priors, message, field):
    with pytest.raises(InputError, match=message) as raised:
        aligner.rank(QUESTION, CANDIDATES, priors=priors)
    assert raised.value.field == field


def test_a_shortlist_leaves_out_what_shares_least(aligner):
    found = aligner.rank(QUESTION, CANDIDATES, shortlist=2)
    assert order(found) == [1, 2]
    assert found[0].judgement == aligner.rank(QUESTION, CANDIDATES)[0].judgement
    everything = aligner.rank(QUESTION, CANDIDATES)
    assert order(aligner.rank(QUESTION, CANDIDATES, shortlist=9)) == order(everything)


def test_priors_and_a_shortlist_belong_to_the_same_candidates(aligner):
    found = aligner.rank(QUESTION, CANDIDATES, shortlist=2, priors=[9, 1, 2, 9], explain=True)
    assert {
        each.index: piece.value
        for each in found
        for piece in each.judgement.evidence
        if piece.name == "prior"
    } == pytest.approx({1: -1.0, 2: 1.0})


def test_tokens_sentences_and_what_is_no_sentence_are_shortlisted(aligner):
    candidates = [
        "It rains.", ["Marta", "founded", "the", "bakery", "."], 7,
        Sentence.from_tokens(["A", "bakery"]),
    ]  # fmt: skip
    assert order(aligner.rank(QUESTION, candidates, shortlist=2)) == [1, 3]


@pytest.mark.parametrize("name", ["top_k", "shortlist"])
def test_numbers_of_candidates_below_0_are_refused(aligner, name):
    with pytest.raises(InputError, match=f"{name} is -1; wanted 0") as raised:
        aligner.rank(QUESTION, CANDIDATES, **{name: -1})
    assert raised.value.field == name


def test_a_shortlist_reads_words_in_any_form():
    texts = ["BREAD, of course!", "bread-baking", "breadless", "the who what"]
    assert shortlist("Who bakes the breads?", texts, 2) == [0, 1]


@given(MANY, st.integers(1, 5))
def test_a_shortlist_is_that_of_its_definition(candidates, n):
    found = shortlist("what a c f", candidates, n)
    holding = {word: [k for k, text in enumerate(candidates) if word in text.split()]
               for word in "cf"}  # fmt: skip

    def overlap(k):
        n_all = len(candidates)
        return math.fsum(
            math.log(1 + (n_all - len(own) + 0.5) / (len(own) + 0.5))
            for own in holding.values()
            if k in own
        )

    expected = sorted(range(len(candidates)), key=lambda k: (-overlap(k), k))[:n]
    assert found == sorted(expected)


def spans_of(ranked, candidates):
    text = candidates[ranked.index]
    return [text[each.start : each.end] for each in ranked.highlights]


def test_highlights_are_what_matches_and_join_over_function_words(aligner):
    candidates = [
        "In Leeds Marta founded the bakery.",
        "Bread is sold in the shop of an old bakery.",
    ]
    found = aligner.rank(QUESTION, candidates, highlights=True)
    assert [spans_of(each, candidates) for each in found] == [["founded the bakery"], ["bakery"]]
    for each in found:
        assert all(0 < span.confidence <= 1 for span in each.highlights)
    assert not any(each.highlights for each in aligner.rank(QUESTION, candidates))


def test_highlights_of_a_passage_are_those_of_all_its_sentences(aligner):
    candidates = ["The bakery is old.  Marta founded the bakery.", " "]
    found = aligner.rank(QUESTION, candidates, passages=True, highlights=True)
    assert spans_of(found[0], candidates) == ["bakery", "founded the bakery"]
    assert found[1].error and not found[1].highlights


def test_words_that_ask_are_no_match(aligner):
    candidates = ["Who is there?"]
    assert aligner.rank("Who is there?", candidates, highlights=True)[0].highlights == ()


def test_highlights_count_in_the_unit_that_is_asked_for(aligner):
    candidates = ["\N{DOG}\u00e9! Marta founded the bakery."]
    for passages in (False, True):
        (found,) = aligner.rank(
            QUESTION, candidates, passages=passages, highlights=True, offsets="utf-8"
        )
        data = candidates[0].encode()
        texts = [data[span.start : span.end].decode() for span in found.highlights]
        assert texts == ["founded the bakery"]
