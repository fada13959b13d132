"""A value of an answer counts with its sentence, and its words share its support."""

from __future__ import annotations

import math

import pytest
from tokalign import Aligner
from tokalign.types.grounding import WordKind

ALIGNER = Aligner("en")
FIRM = (
    "Norrby Mills had a turnover of 1.5 million euros in 2020 and was opened on 3 May 1987 in "
    "Lund. It has 1,200 workers, 25 percent of them part-time. A reel weighs 2 kg and costs $40."
)

TOWNS = """
| town | people | area | mayor |
| ---- | ------ | ---- | ----- |
| Ulm | 128 | 30 | Otto Berg |
| Graz | 290 | 50 | Anna Wolf |
| Bonn | 330 | 141 | Eva Klein |
"""


def unsupported(answer, *passages):
    found = ALIGNER.ground(answer, passages)
    return [answer[each.start : each.end] for s in found.sentences for each in s.unsupported]


@pytest.mark.parametrize(
    "answer",
    [
        "A reel weighs 2 kilograms.",
        "A reel weighs 2kg.",
        "A reel costs 40 dollars.",
        "A reel costs 40 USD.",
        "It was opened on the 3rd of May, 1987.",
        "Twenty-five percent of them are part-time.",
        "It has twelve hundred workers.",
        "The turnover was EUR 1.5 million in 2020.",
    ],
)
def test_a_value_in_another_form_is_supported_in_all_its_words(answer):
    assert unsupported(answer, FIRM) == []


@pytest.mark.parametrize(
    ("answer", "passages", "wrong"),
    [
        ("The museum opens at 9.", ["The library opens at 9. The museum opens at 10."], "9"),
        ("Ann was born in 1950.", ["Ann was born in 1960.", "Bob was born in 1950."], "1950"),
        ("The red lamp costs 5 pounds.",
         ["The red lamp costs 8 pounds. The blue lamp costs 5 pounds."], "5 pounds"),
        ("Trains leave at 7 on Sunday.",
         ["Trains leave at 7 on Monday. Trains leave at 9 on Sunday."], "7"),
        ("It takes 3-5 days to arrive.", ["It takes 3-4 days to arrive."], "3-5 days"),
        ("Brazil won the cup in 1998.",
         ["France won the cup in 1998. Brazil won it in 2002."], "Brazil"),
        ("Clara Blum designed the bridge.",
         ["Peter Weiss designed the bridge. Clara Blum built the tower."], "bridge"),
        ("Graz has 330 people.", [TOWNS], "330"),
        ("In Bonn there are 128 people.", [TOWNS], "128"),
        ("A reel weighs 3 kg.", [FIRM], "3 kg"),
    ],
)  # fmt: skip
def test_a_value_of_another_sentence_is_not_borrowed(answer, passages, wrong):
    assert wrong in unsupported(answer, *passages)[-1]  # behind a name in conflict


@pytest.mark.parametrize(
    ("answer", "passage", "conflict"),
    [
        ("Graz has 45 mills.", "Ulm has 45 mills. Graz has 54 mills.", ("45", "54")),
        ("Otto was born in 1960.", "Anna was born in 1960. Otto was born in 1975.",
         ("1960", "1975")),
        ("Brazil won the cup in 1998.", "France won the cup in 1998. Brazil won it in 2002.",
         ("Brazil", "France")),
    ],
)  # fmt: skip
def test_a_value_of_another_sentence_is_in_conflict(answer, passage, conflict):
    ((found,),) = (each.conflicts for each in ALIGNER.ground(answer, [passage]).sentences)
    there = passage[found.passage_start : found.passage_end]
    assert (answer[found.start : found.end], there) == conflict


@pytest.mark.parametrize(
    "answer",
    ["Graz has 290 people.", "Ulm has 128 people and Graz has 290.",
     "Ulm has 128 people and an area of 30.", "Anna Wolf is the mayor of Graz."],
)  # fmt: skip
def test_what_rows_say_together_is_supported(answer):
    (sentence,) = ALIGNER.ground(answer, [TOWNS]).sentences
    assert not sentence.unsupported and not sentence.conflicts


@pytest.mark.parametrize(
    "passage",
    [TOWNS, '[{"town": "Graz", "mayor": "Anna Wolf"}, {"town": "Bonn", "mayor": "Eva Klein"}]'],
)
@pytest.mark.parametrize(
    "answer",
    [
        "Anna Wolf is the mayor of Graz.",
        "Eva Klein is mayor of Bonn",
        "Bonn has a mayor, Eva Klein",
    ],
)
def test_a_name_that_a_row_says_with_the_rest_is_supported(passage, answer):
    (sentence,) = ALIGNER.ground(answer, [passage]).sentences
    names = [word.support for word in sentence.words if word.kind is WordKind.NAME]
    assert len(names) == 3
    assert min(names) > 0.6


def test_a_value_that_one_passage_states_is_not_denied_by_another():
    stated, denied = "The museum opens at 9.", "The museum opens at 10."
    assert unsupported("The museum opens at 9.", stated, denied) == []


def test_explanations_sum_to_the_support():
    for answer, passage in (
        ("The museum opens at 9.", "The library opens at 9. The museum opens at 10."),
        ("A reel costs 40 dollars.", FIRM),
    ):
        (sentence,) = ALIGNER.ground(answer, [passage], explain=True).sentences
        names = {piece.name for word in sentence.words for piece in word.evidence}
        assert "value-in-its-sentence" in names
        for word in sentence.words:
            odds = sum(piece.value * piece.weight for piece in word.evidence)
            assert 1 / (1 + math.exp(-odds)) == pytest.approx(word.support, abs=1e-4)


@pytest.mark.parametrize(
    ("answer", "flagged"),
    [
        ("Alpha costs 10.", []),
        ("Alpha costs 12.", ["12"]),
        ("Beta costs 15.", ["15"]),
        ("The red one costs 10.", []),
    ],
)
def test_a_value_of_another_row_has_no_support(answer, flagged):
    prices = "name,colour,price\nAlpha,red,10\nBeta,blue,12\nGamma,red,15"
    assert unsupported(answer, prices) == flagged


@pytest.mark.parametrize(
    ("answer", "flagged"),
    [
        ("The single room costs 60.", []),
        ("The single room costs 90.", ["90"]),
        ("The double room costs 60.", ["60"]),
        ("A single room costs 60 and a double one 90.", []),
        ("Rooms cost 60 or 90.", []),
    ],
)
def test_the_name_of_a_row_counts_where_the_verb_is_another_one(answer, flagged):
    rooms = "| Room | Price |\n| --- | --- |\n| Single | 60 |\n| Double | 90 |"
    assert unsupported(answer, rooms) == flagged


def conflicts(answer, *passages):
    (sentence,) = ALIGNER.ground(answer, passages).sentences
    return [(each.passage, answer[each.start : each.end]) for each in sentence.conflicts]


@pytest.mark.parametrize(
    ("answer", "other", "wrong"),
    [
        ("The shop opens at 9 a.m.", "The shop opens at 10 a.m.", "9 a.m"),
        ("The pump weighs 12 kg.", "The pump weighs 14 kg.", "12 kg"),
        ("Ann Lee was born in 1950.", "Ann Lee was born in 1960.", "1950"),
        ("Brazil won the cup in 1998.", "France won the cup in 1998.", "Brazil"),
        ("The licence costs 40 euros a year.", "The licence costs 45 euros a year.", "40 euros"),
    ],
)
def test_a_conflict_is_told_where_another_passage_agrees(answer, other, wrong):
    for passages in ((answer, other), (other, answer)):
        ((passage, said),) = conflicts(answer, *passages)
        assert passages[int(passage)] == other
        assert wrong in said
    assert conflicts(answer, answer, answer) == []


@pytest.mark.parametrize(
    ("answer", "passages"),
    [
        ("The pump weighs 12 kg.", ["The pump weighs 12 kg.", "The motor weighs 14 kg."]),
        ("The pump weighs 12 kg.", ["The pump weighs 12 kg. The old pump weighs 14 kg."]),
        ("Sales rose by 3% in 2020.", ["Sales rose by 3% in 2020.", "Sales rose by 5% in 2021."]),
        ("Ann was born in 1950.", ["Ann was born in 1950.", "Bob was born in 1960."]),
    ],
)
def test_what_is_said_of_something_else_disputes_nothing(answer, passages):
    assert conflicts(answer, *passages) == []


@pytest.mark.parametrize("value", ["false", "no"])
def test_data_that_deny_support_a_denial(value):
    for passage in (f'{{"name": "lamp", "waterproof": {value}}}', f"waterproof: {value}"):
        assert conflicts("The lamp is not waterproof.", passage) == []
