"""Values as values: written in any way, equal ones never conflict and unequal ones always do."""

from __future__ import annotations

from itertools import combinations

import pytest
from tokalign import Aligner
from tokalign.texts.diff.summary import summarize

ALIGNER = Aligner("en")
WAYS = {
    "10 euros": ["€10", "10€", "€ 10", "EUR 10", "10 EUR", "10 euros", "ten euros", "10.00 euros"],
    "20 euros": ["€20", "20€", "EUR 20", "20 euros", "twenty euros"],
    "10 dollars": ["$10", "10 USD", "10 dollars", "US$10"],
    "2 kilograms": ["2kg", "2 kg", "2 kilograms", "two kilograms", "2,000 g", "2000 grams"],
    "3 kilograms": ["3kg", "3 kg", "3 kilograms"],
    "5 milligrams": ["5mg", "5 mg", "0.005 g", "5 milligrams"],
    "5 grams": ["5g", "5 g", "5 grams"],
    "2.5 milligrams": ["2.5mg", "2.5 mg"],
    "5 million": ["5 million", "5m", "5,000,000", "five million"],
    "5 billion": ["5 billion", "5bn", "five billion"],
    "half": ["50%", "50 percent", "fifty per cent"],
    "a quarter": ["25%", "25 percent"],
    "nine in the morning": ["9 am", "9:00 a.m.", "9 a.m."],
    "nine at night": ["9 pm", "9:00 p.m.", "21:00"],
    "third of May": ["3 May", "May 3", "3rd of May", "May 3rd"],
    "fourth of May": ["4 May", "May 4"],
    "an hour and a half": [
        "an hour and a half", "90 minutes", "1.5 hours", "1h30", "1:30 hours", "1 hour 30 minutes",
        "one and a half hours", "1 h 30 min",
    ],
    "two hours and twenty minutes": ["2h 20m", "2h20m", "2 hours and 20 minutes", "140 minutes"],
    "three years and two months": ["3 years and 2 months", "3 years, 2 months", "38 months"],
    "six feet two": ["6 ft 2 in", "6 feet 2 inches", "six feet two", "74 inches", "188 cm"],
    "five pounds and four ounces": ["5 lb 4 oz", "5 pounds 4 ounces", "84 oz", "2.38 kg"],
    "five dollars and fifty cents": ["5 dollars and 50 cents", "$5.50"],
    "a quarter of an hour": ["a quarter of an hour", "15 minutes"],
}  # fmt: skip
SAME = [pair for ways in WAYS.values() for pair in combinations(ways, 2)]
UNLIKE = [
    ("€10", "€20"), ("10€", "20€"), ("EUR 10", "EUR 20"), ("£750", "£950"), ("€10", "$10"),
    ("EUR 10", "GBP 10"), ("¥300", "¥500"), ("GBP 210,000", "GBP 240,000"), ("5mg", "50mg"),
    ("5 mg", "5 g"), ("5mg", "5g"), ("2.5 mg", "25 mg"), ("2 kg", "3kg"), ("10 miles", "10 km"),
    ("20°C", "25°C"), ("10°C", "10°F"), ("16GB", "32GB"), ("5 million", "5 billion"),
    ("9 am", "9 pm"), ("3 May", "4 May"), ("3 May", "3 June"), ("50%", "25%"), ("-5%", "5%"),
    ("3-4 days", "3-6 days"), ("10-year", "15-year"), ("1990", "1991"), ("-$5", "$5"),
    ("2 hours", "90 minutes"), ("10 miles", "20 km"), ("67 days", "69 days"),
    ("3 weeks", "20 days"), ("A123", "A124"), ("BA117", "BA171"), ("555-0101", "555-0102"),
    ("v1.1", "v1.2"), ("2 hours 20 minutes", "3 hours"), ("2h20m", "2h30m"),
    ("an hour and a half", "2 hours"), ("an hour and a half", "80 minutes"),
    ("1:30 hours", "1:30 minutes"), ("5m30s", "5 minutes 40 seconds"),
    ("a mile and a half", "2 miles"),
    ("3 years and 2 months", "3 years and 8 months"), ("2 years", "20 months"),
    ("6 ft 2 in", "6 ft 4 in"), ("6 feet 2 inches", "170 cm"), ("5 ft 10", "5 ft 11"),
    ("5 lb 4 oz", "5 lb 14 oz"), ("5 lb 4 oz", "3 kg"), ("1 kg 200 g", "1 kg 500 g"),
    ("5 dollars and 50 cents", "$6.50"), ("2 hours 20 minutes", "2 hours 20 seconds"),
    ("a quarter", "20%"), ("two thirds", "50%"),
]  # fmt: skip


def conflicts(source, target):
    found = ALIGNER.align(f"The total was {source} here.", f"The total was {target} here.")
    return [each.kind.value for each in found.conflicts]


@pytest.mark.parametrize(("one", "other"), SAME)
def test_equal_values_never_conflict(one, other):
    assert conflicts(one, other) == [] and conflicts(other, one) == []


@pytest.mark.parametrize(("one", "other"), UNLIKE)
def test_unequal_values_conflict_in_every_task(one, other):
    is_code = one in ("A123", "BA117", "555-0101")
    assert conflicts(one, other) == ["code" if is_code else "value"]
    old, new = f"The total was {one} here.", f"The total was {other} here."
    (alarm,) = summarize(ALIGNER.diff(old, new)).alarms
    assert alarm.change == ("code" if is_code else "number")
    assert ALIGNER.similarity(old, new) < 0.9


@pytest.mark.parametrize(
    ("one", "other", "wrong"),
    [("2 hours and 20 minutes", "140 minutes", "150 minutes"),
     ("6 feet 2 inches", "188 cm", "170 cm"),
     ("an hour and a half", "90 minutes", "80 minutes"), ("5 lb 4 oz", "84 oz", "94 oz")],
)  # fmt: skip
def test_an_answer_may_have_another_unit(one, other, wrong):
    def told(value):
        found = ALIGNER.ground(f"The total was {value} here.", [f"The total was {one} here."])
        return [each.kind.value for sentence in found.sentences for each in sentence.conflicts]

    assert told(other) == [] and told(wrong) == ["value"]


@pytest.mark.parametrize(
    ("source", "target"),
    [
        ("The red lamp costs 5 pounds.", "The red lamp costs 5 pounds, the blue one 8."),
        ("It has 3 rooms and 2 floors.", "It has 2 floors and 3 rooms."),
        ("World War II began.", "World War 2 began."),
        ("He walked 10 miles.", "He walked 16 km."),
        ("It takes 2 hours.", "It takes 120 minutes."),
        ("It lasts 2 h 30 min.", "It lasts 150 minutes."),
        ("He is 5 ft 10 tall.", "He is 178 cm tall."),
        ("It lasts 2 hours, 30 minutes.", "It lasts 150 minutes."),
        ("The ISO 8601 format is used.", "The ISO-8601 format is used."),
        ("May 2021 was wet.", "3 May 2021 was wet."),
        ("Up to 1,500 people came.", "Up to 1500 people came."),
        ("In 1800 the city had 300 houses.", "The city had 300 houses in 1800."),
        ("Add 2 eggs and 2 cups of milk.", "Add 2 cups of milk and 2 eggs."),
        ("The 10:00 train stops at 10 stations.", "The train of 10:00 stops at ten stations."),
        ("He sat in the Sun.", "He sat in the sun."),
        ("Sun published the source.", "The source was published by Sun."),
    ],
)
def test_what_is_said_of_another_thing_or_less_exactly_is_no_conflict(source, target):
    assert ALIGNER.align(source, target).conflicts == ()


HOURS = {
    "at 10:00": ["at 10", "at ten", "at 10 o'clock", "at 10 am", "at 10 p.m.", "at 22:00"],
    "until 17:00": ["until 5", "until five", "until 5 pm", "until 17:00"],
}
DAYS = {
    "Monday to Friday": ["Mon to Fri", "Mon-Fri", "Monday-Friday", "Mon – Fri", "Monday to Friday"],
    "on Saturdays and Sundays": ["on Sat and Sun", "on Saturday and Sunday", "Sat, Sun"],
    "every Tuesday": ["every Tue", "every Tues", "on Tuesdays"],
    "on Wed": ["on Wednesday", "on Wednesdays"],
}


@pytest.mark.parametrize("one", [*HOURS, *DAYS])
def test_hours_and_days_are_compared_however_they_are_written(one):
    def told(there, here):
        found = ALIGNER.align(f"The shop is open {there}.", f"The shop is open {here}.")
        return [each.kind.value for each in found.conflicts]

    for other in {**HOURS, **DAYS}[one]:
        assert told(one, other) == told(other, one) == []
    unlike = {
        "at 10:00": ["at 9", "at nine", "at 9 o'clock", "at 11 pm", "at 10:30", "at 23:00"],
        "until 17:00": ["until 6", "until six", "until 4 pm", "until 5:30"],
        "Monday to Friday": ["Tuesday to Friday", "Tue-Fri", "Mon-Sat", "Mon to Thu"],
        "on Saturdays and Sundays": ["on Fri and Sun", "on Saturdays and Mondays"],
        "every Tuesday": ["every Wed", "every Thu", "on Fridays"],
        "on Wed": ["on Thu", "on Friday"],
    }
    for other in unlike[one]:
        assert told(one, other) == told(other, one) == ["value"]


@pytest.mark.parametrize(
    ("source", "target"),
    [
        ("The town has 2000 inhabitants.", "The town has 500 inhabitants."),
        ("The limit is 2048 levels.", "The limit is 1024 levels."),
        ("The server accepts 1500 connections.", "The server accepts 150 connections."),
        ("It has 2 rooms and 2 doors.", "It has 3 rooms and 2 doors."),
        ("The fee is 5 euros for 5 days.", "The fee is 6 euros for 5 days."),
        ("It is open from 9:00 to 17:00.", "It is open from 9 to 6."),
    ],
)
def test_a_number_like_a_year_and_one_of_several_equal_ones_are_values(source, target):
    for pair in ((source, target), (target, source)):
        assert [each.kind.value for each in ALIGNER.align(*pair).conflicts] == ["value"]


def test_a_word_between_two_quantities_parts_them():
    dog = "Give a 30 kg dog {} g a day."
    (found,) = ALIGNER.align(dog.format(320), dog.format(230)).conflicts
    assert (found.kind, found.source, found.target) == ("value", 5, 5)


@pytest.mark.parametrize(
    ("word", "other"), [("first", "second"), ("all", "none"), ("one", "two"), ("A1", "A2")]
)
def test_every_word_may_be_in_several_conflicts(word, other):
    n = 250
    found = ALIGNER.align([word] * n, [other] * n, related=True)
    assert len(found.conflicts) <= 2 * n + 24
    assert {each.source for each in found.conflicts} <= set(range(n))
    mixed = ALIGNER.align([word, "1st", "2"] * 80, [other, "2nd", "3"] * 80, related=True)
    assert {each.target for each in mixed.conflicts} <= set(range(240))
