"""Values by kind, as the documentation lists them."""

from __future__ import annotations

import pytest
from tokalign.english.annotate.tokenizer import tokenize
from tokalign.english.values import Kind, Role, Strength, find_values, readings
from tokalign.errors import InputError

from lab.kernels.doors import same_values

KEYS = {
    Kind.NUMBER: {
        "5": "5",
        "1,000": "1000",
        "1 000 000": "1000000",
        "1\u00a0000": "1 000".replace(" ", ""),
        "1,000,000.50": "1000000.5",
        "1.000,50": "1000.5",
        "1.000.000": "1000000",
        ".5": "0.5",
        "-10": "-10",
        "−5": "-5",
        "minus five": "-5",
        "twenty-one": "21",
        "twenty one": "21",
        "two hundred and five": "205",
        "a hundred": "100",
        "one hundred twenty-three thousand four hundred and fifty-six": "123456",
        "a dozen": "12",
        "two dozen": "24",
        "half a million": "500000",
        "half-dozen": "6",
        "two and a half million": "2500000",
        "a million and a half": "1500000",
        "two point five million": "2500000",
        "zero point two five": "0.25",
        "1.1 million": "1100000",
        "10k": "10000",
        "5bn": "5000000000",
        "12 mln": "12000000",
        "1,000 million": "1000000000",
        "2½": "2.5",
        "2 1/2": "2.5",
        "3x": "3",
        "five grand": "5000",
    },
    Kind.PERCENT: {
        "50%": "50%",
        "2.5 pct": "2.5%",
        "50 per cent": "50%",
        "fifty percent": "50%",
        "50-percent": "50%",
        "5 percentage points": "5 pp",
    },
    Kind.FRACTION: {
        "½": "1/2",
        "half": "1/2",
        "a half": "1/2",
        "two thirds": "2/3",
        "two-thirds": "2/3",
        "2/4": "1/2",
        "three quarters": "3/4",
        "a quarter": "1/4",
        "1 in 10": "1/10",
        "one-in-five": "1/5",
        "two in a": None,
    },
    Kind.ORDINAL: {
        "1st": "1",
        "first": "1",
        "twenty-first": "21",
        "No. 3": "3",
        "#3": "3",
        "number three": "3",
        "second": "2",
    },
    Kind.MONEY: {
        "$5": "USD 5",
        "$5m": "USD 5000000",
        "$ 3.5 million": "USD 3500000",
        "£40k": "GBP 40000",
        "€1,000": "EUR 1000",
        "1,000 euros": "EUR 1000",
        "CHF 500": "CHF 500",
        "500 francs": "CHF 500",
        "$1.5K USD": "USD 1500",
        "A$5": "AUD 5",
        "US$5": "USD 5",
        "5 Canadian dollars": "CAD 5",
        "12 mln euros": "EUR 12000000",
        "5p": "GBP 0.05",
        "five pence": "GBP 0.05",
        "50 cents": "USD 0.5",
        "five bucks": "USD 5",
        "ten quid": "GBP 10",
        "half a million dollars": "USD 500000",
        "5m euros": "EUR 5000000",
        "5 pounds": "GBP 5",
        "5 pounds and 20 pence": "GBP 5.2",
        "3 euros 50 cents": "EUR 3.5",
        "10-dollar": "USD 10",
    },
    Kind.DATE: {
        "Jan. 3, 2019": "2019-01-03",
        "3 January": "--01-03",
        "3rd of January 2019": "2019-01-03",
        "the first of July 2015": None,
        "January the third": "--01-03",
        "2019-01-03": "2019-01-03",
        "13/01/2019": "2019-01-13",
        "Monday": "Mon",
        "Tues": "Tue",
        "Monday, January 3, 2019": "2019-01-03 Mon",
        "Friday the twelfth": "---12 Fri",
        "January 2019": "2019-01",
        "may 2019": "2019-05",
        "January": "--01",
        "'19": "2019",
        "nineteen ninety-nine": "1999",
        "1990s": "1990s",
        "'90s": "1990s",
        "nineties": "1990s",
        "1400s": "C15",
        "15th century": "C15",
        "Q3": "Q3",
        "third quarter of 2019": "2019-Q3",
    },
    Kind.TIME: {
        "3:30pm": "15:30",
        "3:30 p.m": "15:30",
        "15:30": "15:30",
        "4.30pm": "16:30",
        "12 am": "00:00",
        "3 pm": "15:00",
        "noon": "12:00",
        "12 noon": "12:00",
        "midnight": "00:00",
        "quarter past eight in the evening": "20:15",
        "12:00:05 am": "00:00:05",
    },
    Kind.QUANTITY: {
        "5 km": "5000 m",
        "5km": "5000 m",
        "0.75 kg": "750 g",
        "180 cm": "1.8 m",
        "55in": "55 inch",
        "65-inch": "65 inch",
        "2-litre": "2 l",
        "16GB": "16000000000 B",
        "16 gigabytes": "16000000000 B",
        "32 gb": "32000000000 B",
        "60 mph": "60 mph",
        "60 miles per hour": "60 mph",
        "25 kilometres per hour": "25 km/h",
        "40°C": "40 °C",
        "40 degrees Celsius": "40 °C",
        "10 square metres": "10 m2",
        "80gsm": "80 g/m2",
        "half an hour": "0.5 h",
        "5-year-old": "5 year",
        "ten hrs": "10 h",
        "an hour and a half": "1.5 h",
        "two hours and three quarters": "2.75 h",
        "a quarter of an hour": "0.25 h",
        "2 h 20 min": "140 min",
        "2h20m": "140 min",
        "2h 20m": "140 min",
        "1h30": "90 min",
        "1:30 hours": "90 min",
        "2:05 minutes": "125 s",
        "5m 30s": "330 s",
        "1 day, 2 hours and 3 minutes": "1563 min",
        "3 years and 2 months": "38 month",
        "6 ft 2": "74 inch",
        "six feet two": "74 inch",
        "6'2": "74 inch",
        "5 lb 4 oz": "84 ounce",
        "five pounds four ounces": "84 ounce",
        "2 m 30 cm": "2.3 m",
        "2 miles 880 yards": "4400 yard",
    },
    Kind.VERSION: {
        "v2.0": "2",
        "version 2": "2",
        "version 3.10": "3.10",
        "v3.1": "3.1",
        "1.2.3": "1.2.3",
    },
    Kind.SCORE: {"3-1": "3-1", "3–1": "3-1", "2 to 1": "2-1", "0-0": "0-0"},
    Kind.RANGE: {
        "100-150": "100..150",
        "10 to 15 km": "10000..15000 m",
        "$5-10 million": "USD 5000000..10000000",
        "$5m-$10m": "USD 5000000..10000000",
        "-10 to 40 C": "-10..40 °C",
        "10–15%": "10..15%",
        "1990-95": "1990..1995",
    },
}


def whole(text: str) -> list[tuple[Kind, str]]:
    """Return the first readings of a text's values, each with whether it is all of the text."""
    tokens = [text] if "\u00a0" in text else tokenize(text)[0]
    found = [value for value in find_values(tokens) if value.rank == 0]
    return [
        (value.kind, value.key) for value in found if (value.start, value.end) == (0, len(tokens))
    ]


@pytest.mark.parametrize("kind", KEYS, ids=lambda kind: kind.name)
def test_keys_are_as_listed(kind):
    wanted = {text: [(kind, key)] if key else [] for text, key in KEYS[kind].items()}
    assert {text: whole(text) for text in wanted} == wanted


def test_values_with_several_readings_list_them():
    several = {
        "03/01/2019": ["2019-03-01", "2019-01-03"],
        "half past three": ["03:30", "15:30"],
        "3 o'clock": ["03:00", "15:00"],
        "quarter to one": ["12:45", "00:45"],
        "2019": ["2019", "2019"],
        "2.0": ["2", "2"],
        "5m": ["5 m", "5000000"],
        "30s": ["1930s", "30 s"],
        "9/11": ["9/11", "--09-11", "--11-09"],
        "5 pounds": ["GBP 5", "5 lb"],
        "10-15": ["10..15", "10", "15", "10-15"],
        "5 to 10 km": ["5000..10000 m", "5000 m", "10000 m"],
        "a third": ["1/3", "3"],
        "second half": ["2"],
        "40 degrees": ["40 °", "40 °C", "40 °F"],
        "20.15": ["20.15", "20.15", "20:15"],
        '55"': ["55", "55 inch"],
    }
    found = {text: find_values(tokenize(text)[0]) for text in several}
    assert {text: [value.key for value in values] for text, values in found.items()} == several
    assert all([v.rank for v in values] == list(range(len(values))) for values in found.values())


@pytest.mark.parametrize(
    "text",
    [
        "555-123-4567", "123-4567", "007", "978-3-16-148410-0", "A4", "x86", "e-mail", "may",
        "march on", "a", "the", "million", "no", "sun", "well-known", "1234567890123456", "mp3",
        "31/31/2019", "25:00", "in the morning", "", "🙂", "hundreds",
    ],
)  # fmt: skip
def test_what_is_no_value_is_left_alone(text):
    assert find_values(text.split() or [text]) == []


def test_roles_say_what_each_token_is():
    roles = {
        "$ 5 million": (Role.CURRENCY, Role.NUMBER, Role.SCALE),
        "16GB": (Role.NUMBER | Role.UNIT,),
        "Jan. 3 , 2019": (Role.MONTH, Role.DAY, Role.JOINT, Role.YEAR),
        "5 to 10 km": (Role.LOW, Role.JOINT, Role.HIGH, Role.UNIT),
        "3:30 pm": (Role.CLOCK, Role.HALF_DAY),
        "No. 3": (Role.MARK, Role.NUMBER),
        "1 in 10": (Role.NUMBER, Role.JOINT, Role.DENOMINATOR),
    }
    assert {text: find_values(text.split())[0].roles for text in roles} == roles


def test_words_beside_a_value_are_no_part_of_it():
    found = find_values(
        ["He", "paid", "$", "5", "million", "on", "Jan.", "3", "2019", "for", "two", "dogs", "."]
    )
    first = [(v.kind, v.key, v.start, v.end) for v in found if v.rank == 0]
    assert first == [
        (Kind.MONEY, "USD 5000000", 2, 5),
        (Kind.DATE, "2019-01-03", 6, 9),
        (Kind.NUMBER, "2", 10, 11),
    ]


def test_scales_of_one_number_fall():
    apart = {
        "a dozen twenty": ["12", "20"],
        "two thousand five million": ["2000", "5000000"],
        "two million five thousand": ["2005000"],
        "a hundred a hundred": ["100", "100"],
        "five thousand and a dozen": ["5000", "12"],
    }
    found = {text: [value.key for value in find_values(text.split())] for text in apart}
    assert found == apart


def test_lists_and_rates_are_no_sum():
    apart = {
        "1 day , 7 days": ["1 day", "7 day"],
        "2 hours , 30 minutes and 20 minutes": ["2 h", "30 min", "20 min"],
        "3 weeks , 5 days a week": ["3 week", "5 day"],
        "1 kg and 500 g": ["1000 g", "500 g"],
        "1 hour 90 minutes": ["1 h", "90 min"],
        "2 hours 20 to 30 minutes": ["2 h", "20..30 min"],
        "15:30 hours": ["15:30"],
        "a hour": [],
        "6 feet 10 metres": ["6 ft", "10 m"],
    }
    found = {
        text: [value.key for value in find_values(text.split()) if not value.rank] for text in apart
    }
    assert found == apart


@pytest.mark.parametrize(
    ("text", "days"),
    [
        ("open Mon to Fri", "Mon Fri"), ("open Mon-Fri , not Sat - Sun", "Mon Fri Sat Sun"),
        ("Mon : closed", ""), ("closed on Wed", "Wed"), ("Sat and Sun 9:00", "Sat Sun"),
        ("Sat 9:00 to 12:00", "Sat"), ("He was Sat by the Sun", ""), ("the Sun and the moon", ""),
        ("mon to fri , sat , sun", ""), ("Wed to Fri", "Wed Fri"), ("Monday-Friday", "Mon Fri"),
        ("Mon , Wed , and Sun", "Mon Wed Sun"), ("mid-Wed", ""),
    ],
)  # fmt: skip
def test_short_weekdays_are_days_inside_a_sentence_or_by_other_days(text, days):
    found = find_values(text.split())
    assert " ".join(each.key for each in found if each.kind == Kind.DATE) == days


def test_a_number_too_long_for_a_value_is_left_alone():
    text = "nine hundred and ninety nine billion nine hundred and ninety nine million"
    short = text.split()
    assert [value.key for value in find_values(short)] == ["999999000000"]
    assert find_values([*short, *short[:5], "thousand"]) == []


AGREE = {
    ("16GB", "16 gigabytes"): {(0, 0): "SAME_VALUE", (0, 1): "SAME_VALUE"},
    ("$ 3.5m", "3.5 million dollars"): {
        (0, 2): "SAME_VALUE",
        (1, 0): "SAME_VALUE",
        (1, 1): "SAME_VALUE",
    },
    ("5,000,000", "5 million"): {(0, 0): "SAME_VALUE", (0, 1): "SAME_VALUE"},
    ("Half", "50 %"): {(0, 0): "SAME_VALUE", (0, 1): "SAME_VALUE"},
    ("3:30", "15:30"): {(0, 0): "SAME_VALUE"},
    ("1,500 people", "1500 people"): {(0, 0): "SAME_VALUE"},
    ("03/01/2019", "3 January 2019"): {(0, k): "SAME_VALUE" for k in range(3)},
    ("January 3", "January 3 2019"): {(0, 0): "SAME_PART", (1, 1): "SAME_PART"},
    ("May 2019", "June 2019"): {(0, 0): "DIFFERENT", (1, 1): "SAME_PART"},
    ("5 km", "5"): {(0, 0): "SAME_NUMBER"},
    ("5 km", "7 km"): {(0, 0): "DIFFERENT", (1, 1): "SAME_UNIT"},
    ("5 percent", "5 per cent"): {(0, 0): "SAME_VALUE", (1, 1): "SAME_VALUE", (1, 2): "SAME_VALUE"},
    ("5 per cent", "5 per cent"): {(k, k): "SAME_VALUE" for k in range(3)},
    ("from €800 to €1,000", "€1,000"): {(1, 0): "SAME_UNIT", (3, 0): "SAME_VALUE"},
    ("3-pin", "three pins"): {(0, 0): "SAME_VALUE"},
    ("5 km", "7 kg"): {},
    ("5 km", "5 kg"): {(0, 0): "SAME_NUMBER"},
    ("5 euros", "5 dollars"): {(0, 0): "SAME_NUMBER", (1, 1): "DIFFERENT"},
    ("45", "54"): {(0, 0): "DIFFERENT"},
    ("3-1", "3-2"): {(0, 0): "DIFFERENT"},
    ("1990s", "1994"): {},
    ("the 12th", "Friday 12"): {(1, 1): "SAME_NUMBER"},
    ("the 12th", "Friday 12th"): {(1, 1): "SAME_NUMBER"},
    ("2019", "5 dogs"): {},
    ("5 percent", "5 percentage points"): {(0, 0): "SAME_NUMBER"},
}  # fmt: skip


def test_tokens_agree_as_listed():
    found = {}
    for pair in AGREE:
        source, target = (text.split() for text in pair)
        found[pair] = {(i, j): strength.name for i, j, strength in same_values(source, target)}
    assert found == AGREE


def test_a_range_agrees_end_by_end():
    cells = same_values(["10-15"], ["10", "to", "20"])
    assert {(i, j): s for i, j, s in cells} == {
        (0, 0): Strength.SAME_VALUE,
        (0, 2): Strength.DIFFERENT,
    }


def test_readings_are_of_single_pieces():
    assert [piece.text for piece in readings("£5m-£10m")] == ["£", "5", "m", "-", "£", "10", "m"]
    assert readings("word") == readings("") == readings("1" * 41) == ()


def test_what_is_no_token_is_refused():
    with pytest.raises(InputError, match="token 1 is 5, wanted a str"):
        find_values(["a", 5])
