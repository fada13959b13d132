"""Rewriters: functions that write words of a sentence in another way, as users do."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Callable, Sequence
from functools import cache

from tokalign.english.lexicon.likeness import is_content
from tokalign.english.spelling.spelling_tables import PAIRS, short_forms
from tokalign.english.values.value import table_values

Span = tuple[int, str]
"""How many tokens a piece of text stands for, and the text."""
Rewriter = Callable[[Sequence[str], int, random.Random], Span | None]

MONTHS, NUMBERS = table_values("months", int), table_values("numbers", int)
_DIGITS = {str(number): word for word, number in NUMBERS.items() if word != "fourty"}
_ORDINALS = {
    "first": "1st", "second": "2nd", "third": "3rd", "fourth": "4th", "fifth": "5th",
    "sixth": "6th", "seventh": "7th", "eighth": "8th", "ninth": "9th", "tenth": "10th",
}  # fmt: skip
_SCALES = {
    "thousand": (3, ("k", "K")), "million": (6, ("m", "M", "mn", "mln")),
    "billion": (9, ("bn", "b", "B")), "trillion": (12, ("tn", "trn")),
}  # fmt: skip
_MONEY = {
    "$": ("dollars", "USD"), "£": ("pounds", "GBP"), "€": ("euros", "EUR"), "¥": ("yen", "JPY"),
}  # fmt: skip
_UNITS = {
    "kilometers": "km", "kilometres": "km", "kilometer": "km", "kilometre": "km", "miles": "mi",
    "meters": "m", "metres": "m", "centimeters": "cm", "centimetres": "cm", "feet": "ft",
    "inches": "in", "inch": "in", "kilograms": "kg", "kilogrammes": "kg", "kg": "kilograms",
    "grams": "g", "pounds": "lbs", "tonnes": "t", "litres": "l", "liters": "l", "hours": "hrs",
    "hour": "hr", "minutes": "mins", "minute": "min", "seconds": "secs", "years": "yrs",
    "months": "mths", "weeks": "wks", "degrees": "°", "km": "kilometres", "percent": "%",
    "%": "percent", "per": "pct",
}  # fmt: skip
_DAYS = {
    "monday": "Mon", "tuesday": "Tue", "wednesday": "Wed", "thursday": "Thu", "friday": "Fri",
    "saturday": "Sat", "sunday": "Sun",
}  # fmt: skip
_MONTH_NAMES = tuple(name for name in MONTHS if len(name) > 4 or name in ("may", "june", "july"))
_VARIANTS = dict(PAIRS) | {american: british for british, american in PAIRS}
_ENDINGS = {
    "our": "or", "ours": "ors", "oured": "ored", "ize": "ise", "ized": "ised", "izes": "ises",
    "izing": "ising", "ization": "isation", "tre": "ter", "tres": "ters", "ogue": "og",
}  # fmt: skip
"""Where the other spelling is certain."""
_SMALL = frozenset(("of", "the", "and", "for", "in", "de"))
_NEARBY = dict(zip("qwertyuiopasdfghjklzxcvbnm", "wertyuioplsdfghjkkxcvbnmn", strict=False))


def _is_word(token: str, least: int) -> bool:
    """Whether a token is a content word of at least so many letters."""
    return token.isascii() and token.isalpha() and len(token) >= least and is_content(token)


def _is_amount(token: str) -> bool:
    return token[:1].isdigit() and token.replace(",", "").replace(".", "", 1).isdigit()


def misspelt(tokens: Sequence[str], at: int, rng: random.Random) -> Span | None:
    """Swap, drop, double or replace a letter behind the first."""
    word = tokens[at]
    if not _is_word(word, 5):
        return None
    k = rng.randrange(1, len(word) - 1)
    pairs = {
        "swapped": word[k + 1] + word[k],
        "dropped": word[k + 1],
        "doubled": word[k] * 2 + word[k + 1],
        "replaced": _NEARBY.get(word[k], "e") + word[k + 1],
    }
    written = word[:k] + pairs[rng.choice(list(pairs))] + word[k + 2 :]
    return (1, written) if written != word else None


def lengthened(tokens: Sequence[str], at: int, rng: random.Random) -> Span | None:
    """Repeat a vowel."""
    word = tokens[at]
    vowels = [k for k, letter in enumerate(word) if letter in "aeiouy"]
    if not _is_word(word, 3) or not vowels:
        return None
    k = rng.choice(vowels)
    return 1, word[:k] + word[k] * rng.randrange(3, 6) + word[k + 1 :]


@cache
def _shortened() -> dict[tuple[str, ...], list[str]]:
    """Return the short forms of words, without those that are glued to others."""
    found = defaultdict(list)
    for short, expansions in short_forms().items():
        for expansion in expansions:
            if short[0].isalnum() and "'" not in short:
                found[expansion.words].append(short)
    return dict(found)


def shortened(tokens: Sequence[str], at: int, rng: random.Random) -> Span | None:
    """Put a short form in the place of the words that it stands for."""
    for n in (5, 4, 3, 2, 1):
        words = tuple(token.lower() for token in tokens[at : at + n])
        if len(words) == n and words in _shortened():
            return n, rng.choice(_shortened()[words])
    return None


def varied(tokens: Sequence[str], at: int, rng: random.Random) -> Span | None:
    """Change between British and American spelling."""
    word = tokens[at]
    if word in _VARIANTS:
        return 1, _VARIANTS[word]
    for old, new in _ENDINGS.items():
        if word.endswith(old) and _is_word(word, len(old) + 3):
            return 1, word[: -len(old)] + new
    return None


def counted(tokens: Sequence[str], at: int, rng: random.Random) -> Span | None:
    """Write a number or an ordinal in digits or in words."""
    word = tokens[at].lower()
    if word in NUMBERS:
        return 1, str(NUMBERS[word])
    if word in _DIGITS:
        return 1, _DIGITS[word]
    if word in _ORDINALS:
        return 1, _ORDINALS[word]
    plain = word.replace(",", "")
    if plain != word and plain.isdigit():
        thousands = plain.removesuffix("000")
        return 1, rng.choice((plain, thousands + "k") if len(thousands) < len(plain) else (plain,))
    return None


def scaled(tokens: Sequence[str], at: int, rng: random.Random) -> Span | None:
    """Glue a number to its scale, with a sign of money before it."""
    has_sign = tokens[at] in _MONEY
    first = at + has_sign
    if first + 1 >= len(tokens) or not _is_amount(tokens[first]):
        return None
    exponent, letters = _SCALES.get(tokens[first + 1].lower(), (0, ()))
    if not exponent:
        return None
    sign = tokens[at] if has_sign else ""
    if rng.random() < 0.25 and exponent < 9 and "," not in tokens[first]:
        return has_sign + 2, f"{sign}{round(float(tokens[first]) * 10**exponent):,}"
    return has_sign + 2, sign + tokens[first] + rng.choice(letters)


def paid(tokens: Sequence[str], at: int, rng: random.Random) -> Span | None:
    """Write a currency by its sign, name or code."""
    if at + 1 >= len(tokens):
        return None
    one, other = tokens[at : at + 2]
    if one in _MONEY and _is_amount(other):
        name, code = _MONEY[one]
        if at + 2 < len(tokens) and tokens[at + 2].lower() in _SCALES:
            return 3, f"{other} {tokens[at + 2]} {rng.choice((name, code))}"
        return 2, f"{other} {rng.choice((name, code))}"
    for sign, (name, code) in _MONEY.items():
        if other.lower() == name and _is_amount(one):
            return 2, rng.choice((f"{sign}{one}", f"{code} {one}"))
    return None


def measured(tokens: Sequence[str], at: int, rng: random.Random) -> Span | None:
    """Shorten a unit behind a number, and glue it; or write it in full."""
    if at + 1 >= len(tokens) or not _is_amount(tokens[at]):
        return None
    unit = _UNITS.get(tokens[at + 1].lower())
    if unit is None:
        return None
    n = 2
    if tokens[at + 1].lower() == "per":
        if tokens[at + 2 : at + 3] != ["cent"]:
            return None
        n, unit = 3, rng.choice(("%", " pct"))
    gap = " " if len(unit) > 4 else rng.choice(("", "", " "))
    return n, tokens[at] + gap + unit


def dated(tokens: Sequence[str], at: int, rng: random.Random) -> Span | None:
    """Write a day, month or date in another way."""
    word = tokens[at].lower()
    if word in _DAYS:
        return 1, _DAYS[word]
    if word not in _MONTH_NAMES or (word == "may" and tokens[at] == "may"):
        return None
    month = tokens[at]
    rest = [token for token in tokens[at + 1 : at + 4] if token != ","]
    n_rest = sum(1 for token in tokens[at + 1 : at + 4])
    day = rest[0] if rest and rest[0].isdigit() and 1 <= int(rest[0]) <= 31 else ""
    year = rest[1] if day and len(rest) > 1 and rest[1].isdigit() and len(rest[1]) == 4 else ""
    if year and n_rest == 3 and tokens[at + 2] == ",":
        forms = (
            f"{year}-{MONTHS[word]:02d}-{int(day):02d}", f"{day} {month} {year}",
            f"{MONTHS[word]}/{day}/{year}", f"{month[:3]} {day} {year}",
        )  # fmt: skip
        return 4, rng.choice(forms)
    if day and at + 1 < len(tokens) and tokens[at + 1] == day:
        return 2, rng.choice((f"{day} {month}", f"{month[:3]} {day}", f"{day} {month[:3]}"))
    return (1, month[:3]) if len(month) > 4 else None


def initialled(tokens: Sequence[str], at: int, rng: random.Random) -> Span | None:
    """Put the initials of a name in its place."""
    end, initials = at, ""
    while end < len(tokens) and end - at < 6:
        token = tokens[end]
        if _is_word(token, 2) and token[0].isupper() and not token.isupper():
            initials += token[0]
        elif not (initials and token in _SMALL):
            break
        end += 1
    while end > at and tokens[end - 1] in _SMALL:
        end -= 1
    if len(initials) < 3:
        return None
    return end - at, rng.choice((initials, initials, initials.lower(), ".".join(initials) + "."))


def joined(tokens: Sequence[str], at: int, rng: random.Random) -> Span | None:
    """Write two words as one, or a word with a hyphen as two."""
    word = tokens[at]
    parts = word.split("-")
    if len(parts) == 2 and all(_is_word(part, 3) for part in parts):
        return 1, rng.choice((" ", "")).join(parts)
    some = tokens[at : at + 2]
    if len(some) == 2 and all(_is_word(token, 4) and token.islower() for token in some):
        return 2, rng.choice(("", "-")).join(some)
    return None


def coded(tokens: Sequence[str], at: int, rng: random.Random) -> Span | None:
    """Write words as a name of code."""
    some = tokens[at : at + rng.randrange(2, 4)]
    if len(some) < 2 or not all(_is_word(token, 3) and token.islower() for token in some):
        return None
    first, *rest = some
    return len(some), rng.choice((first + "".join(map(str.capitalize, rest)), "_".join(some)))


REWRITERS: dict[Rewriter, float] = {
    misspelt: 0.5, lengthened: 0.1, shortened: 0.5, varied: 1.0, counted: 1.0, scaled: 1.0,
    paid: 1.0, measured: 1.0, dated: 1.0, initialled: 1.0, joined: 0.3, coded: 0.1,
}  # fmt: skip
"""With how often each is tried: some find a place in every sentence, others in few."""
