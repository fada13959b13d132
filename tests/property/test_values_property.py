"""The values that the kernel finds against those of the reference, on sentences of value tokens."""

from __future__ import annotations

from datetime import date

from hypothesis import example, given, settings
from hypothesis import strategies as st
from reference import agreement
from reference import values as reference
from tokalign.english.annotate.tokenizer import tokenize
from tokalign.english.values import Kind, find_values, readings
from tokalign.english.values.token_readings import CASED, LOWER

from lab.kernels.doors import same_values

WORDS = ("the", "dog", "on", "e-mail", "well-known", "x86", "and/or", "n't", "...", "№5", "word")
GLUED = (
    "$5m", "£40k", "5p", "16GB", "3:30pm", "15:30", "10-15", "3-1", "1990-95", "2019-01-03",
    "03/01/2019", "1/2", "9/11", "2½", "1990s", "30s", "'19", "'90s", "v2.0", "1.2.3",
    "2.4GHz/5GHz", "65-inch", "5-year-old", "twenty-one", "two-thirds", "one-in-five", "£5m-£10m",
    "10am-5pm", "1,000", "1.5", "20.15", "4.30", "4.30pm", "1st", "3rd", "21st", "#3", "Q3",
    "-10", "2019", "1500", "000", "100", "12", "7", "31", "-10°C", "5km", "55in", "50%", "US$5",
    "5€", "3x", "mid-1990s", "21st-century", "555-123-4567", "123-4567", "007", "2019/20", "0.5",
    "30", "2h20m", "1h30", "6'2", "5lb4oz", "1:30", "20m", "30s",
)  # fmt: skip
tokens = (
    st.sampled_from(WORDS)
    | st.sampled_from(GLUED)
    | st.sampled_from(sorted(LOWER))
    | st.sampled_from(sorted(CASED))
    | st.integers(0, 10**7).map(str)
)
NUMERALS = (
    "one", "two", "five", "twelve", "twenty", "ninety", "hundred", "thousand", "million", "and",
    "a", "half", "point", "dozen", "quarter", "third", "thirds", "past", "to", "in", "minus", "5",
    "10", "2019", "May", "may", "january", "of", "the", ",", "first", "%", "$", "dollars", "km",
    "per", "hour", "minutes", "ft", "inches", "lb", "oz", "years", "months", "cents",
    "m", "s", "-", "pm", "second", "3:30", "Monday",
)  # fmt: skip
dense = st.lists(st.sampled_from(NUMERALS), max_size=12)


def told(found) -> list[tuple]:
    return [(v.kind.name, v.key, v.start, v.end, v.roles, v.rank) for v in found]


@settings(max_examples=400)
@given(st.lists(tokens, max_size=12) | dense)
def test_the_kernel_finds_what_the_reference_finds(sentence):
    assert told(find_values(sentence)) == told(reference.find_values(sentence))


@settings(max_examples=400)
@given(st.lists(tokens, max_size=8) | dense, st.lists(tokens, max_size=8) | dense)
@example(["1234567890"], ["1234567891"])
@example(["5.1", "feet"], ["61.2", "inches"])
def test_the_kernel_compares_as_the_reference_does(source, target):
    cells = same_values(source, target)
    wanted = agreement.same_values(reference.find_values(source), reference.find_values(target))
    assert {(i, j): strength for i, j, strength in cells} == wanted
    assert cells == sorted(cells)


@given(dense, dense)
def test_exchanged_sentences_have_the_mirrored_cells(source, target):
    mirrored = [(j, i, strength) for i, j, strength in same_values(source, target)]
    assert sorted(mirrored) == same_values(target, source)


@given(st.lists(st.text(max_size=50), max_size=12))
def test_any_strings_are_read(sentence):
    for value in find_values(sentence):
        assert 0 <= value.start < value.end <= len(sentence)
        assert len(value.roles) == value.end - value.start


@given(st.text(alphabet="0123456789.,-–/:$£€%'kmbn stndrhpGVv½°\u00a0²٣", max_size=12))
def test_no_token_of_digits_and_signs_is_a_surprise(token):
    assert len(readings(token)) <= 8
    assert told(find_values([token])) == told(reference.find_values([token]))


ONES = (
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven",
    "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen",
)  # fmt: skip
TENS = ["_", "_", "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"]


def spelled(number: int) -> str:
    """Return a number below 10**12 in words."""
    for scale, name in ((10**9, "billion"), (10**6, "million"), (1000, "thousand")):
        if number >= scale:
            rest = f" {spelled(number % scale)}" if number % scale else ""
            return f"{spelled(number // scale)} {name}{rest}"
    if number >= 100:
        rest = f" and {spelled(number % 100)}" if number % 100 else ""
        return f"{spelled(number // 100)} hundred{rest}"
    if number >= 20:
        return TENS[number // 10] + (f"-{ONES[number % 10]}" if number % 10 else "")
    return ONES[number]


def only(text: str):
    """Return the keys of the readings of a text that is one value, by kind."""
    tokens = tokenize(text)[0]
    found = find_values(tokens)
    assert found and all((v.start, v.end) == (0, len(tokens)) for v in found), found
    return {(v.kind, v.key) for v in found}


@given(st.integers(0, 10**9 - 1))
def test_a_number_is_the_same_in_digits_and_words(number):
    words = spelled(number)
    assert only(words) == {(Kind.NUMBER, str(number))}
    assert only(f"{number:,}") & only(words)
    assert only(f"${number:,}") & only(f"{words} dollars")


@given(st.dates(min_value=date(1900, 1, 1), max_value=date(2099, 12, 31)))
def test_a_date_is_the_same_in_every_order(day):
    wanted = (Kind.DATE, day.isoformat())
    for text in (
        f"{day:%B} {day.day}, {day.year}",
        f"{day.day} {day:%b} {day.year}",
        f"{day.day}th of {day:%B}, {day.year}",
        f"{day:%d/%m/%Y}",
        f"{day:%m/%d/%Y}",
        day.isoformat(),
    ):
        assert wanted in only(text)


@given(st.times())
def test_a_time_is_the_same_with_12_and_with_24_hours(moment):
    hour = moment.hour % 12 or 12
    half = "am" if moment.hour < 12 else "pm"
    wanted = (Kind.TIME, f"{moment:%H:%M}")
    for text in (f"{hour}:{moment:%M}{half}", f"{hour}.{moment:%M} {half}", f"{moment:%H:%M}"):
        assert wanted in only(text)
