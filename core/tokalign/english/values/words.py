"""Words of numbers and of the calendar, in lower case; own tables."""

from __future__ import annotations

CENTURIES = ("cent", "centuries", "century")

CONNECTORS: dict[str, str] = {
    "#": "NUMBER_SIGN", "''": "INCHES", ",": "COMMA", "-": "DASH", "--": "DASH", "/": "SLASH",
    '"': "INCHES", "a": "A", "an": "A", "and": "AND", "cubic": "CUBIC", "in": "IN",
    "minus": "MINUS", "number": "NUMBER_SIGN", "of": "OF", "past": "PAST", "per": "PER",
    "point": "POINT", "points": "POINT", "square": "SQUARE", "the": "THE", "to": "TO",
    "version": "VERSION_WORD", "–": "DASH", "—": "DASH", "−": "DASH", "″": "INCHES",
    "”": "INCHES", "№": "NUMBER_SIGN",
}  # fmt: skip
"""Word or sign -> what it may be."""

DAY_HALVES: dict[str, int] = {"am": 0, "pm": 1}
"""Half of the day -> 1 after noon."""

DAY_PARTS: dict[str, int] = {"afternoon": 1, "evening": 1, "morning": 0}
"""Part of the day -> 1 after noon."""

DECADES: dict[str, int] = {
    "eighties": 1980, "fifties": 1950, "forties": 1940, "nineties": 1990, "seventies": 1970,
    "sixties": 1960, "thirties": 1930, "twenties": 1920,
}  # fmt: skip
"""Decade -> its first year, in the twentieth century."""

DENOMINATORS: dict[str, int] = {
    "eighth": 8, "fifth": 5, "fourth": 4, "half": 2, "hundredth": 100, "ninth": 9, "quarter": 4,
    "seventh": 7, "sixth": 6, "tenth": 10, "third": 3, "twelfth": 12, "twentieth": 20,
}  # fmt: skip
"""Part of one -> how many of them make one. "Second" is none; plurals are made by rule."""

IGNORED_TAILS = frozenset(
    ("deep", "high", "long", "old", "plus", "strong", "tall", "thick", "wide")
)
"""Last parts of hyphenated words that say nothing of the value: a 5-year-old, 100-strong."""

MONTHS: dict[str, int] = {
    "apr": 4, "april": 4, "aug": 8, "august": 8, "dec": 12, "december": 12, "feb": 2,
    "february": 2, "jan": 1, "january": 1, "jul": 7, "july": 7, "jun": 6, "june": 6, "mar": 3,
    "march": 3, "may": 5, "nov": 11, "november": 11, "oct": 10, "october": 10, "sep": 9,
    "sept": 9, "september": 9,
}  # fmt: skip

NOONS: dict[str, int] = {"midday": 12, "midnight": 0, "noon": 12}
"""Word -> hour."""

NUMBER_SIGNS = ("No", "No.", "Nos.", "Nr.", "Nº", "no.", "nr.")
"""As written: "no" is another word."""

NUMBERS: dict[str, int] = {
    "eight": 8, "eighteen": 18, "eighty": 80, "eleven": 11, "fifteen": 15, "fifty": 50, "five": 5,
    "forty": 40, "four": 4, "fourteen": 14, "fourty": 40, "nine": 9, "nineteen": 19, "ninety": 90,
    "one": 1, "seven": 7, "seventeen": 17, "seventy": 70, "six": 6, "sixteen": 16, "sixty": 60,
    "ten": 10, "thirteen": 13, "thirty": 30, "three": 3, "twelve": 12, "twenty": 20, "two": 2,
    "zero": 0,
}  # fmt: skip

OCLOCKS = ("o'clock", "oclock", "o’clock")

ORDINALS: dict[str, int] = {
    "eighteenth": 18, "eighth": 8, "eightieth": 80, "eleventh": 11, "fifteenth": 15, "fifth": 5,
    "fiftieth": 50, "first": 1, "fortieth": 40, "fourteenth": 14, "fourth": 4, "hundredth": 100,
    "nineteenth": 19, "ninetieth": 90, "ninth": 9, "second": 2, "seventeenth": 17, "seventh": 7,
    "seventieth": 70, "sixteenth": 16, "sixth": 6, "sixtieth": 60, "tenth": 10, "third": 3,
    "thirteenth": 13, "thirtieth": 30, "thousandth": 1000, "twelfth": 12, "twentieth": 20,
}  # fmt: skip

PERCENTS = ("%", "pct", "percent", "٪", "％")
PERCENTAGES = ("percentage",)

SCALES: dict[str, int] = {
    "billion": 10**9, "bln": 10**9, "bn": 10**9, "dozen": 12, "grand": 1000, "k": 1000,
    "million": 10**6, "mil": 10**6, "mio": 10**6, "mln": 10**6, "mn": 10**6, "thousand": 1000,
    "tn": 10**12, "trillion": 10**12, "trn": 10**12,
}  # fmt: skip
"""Word or letters -> factor."""

SCALE_LETTERS: dict[str, int] = {"B": 10**9, "M": 10**6, "b": 10**9, "m": 10**6}
"""As written -> factor; "m" is metres too."""

VERSION_WORDS = ("ver", "version")

VULGAR: dict[str, tuple[int, int]] = {
    "¼": (1, 4), "½": (1, 2), "¾": (3, 4), "⅐": (1, 7), "⅑": (1, 9), "⅒": (1, 10), "⅓": (1, 3),
    "⅔": (2, 3), "⅕": (1, 5), "⅖": (2, 5), "⅗": (3, 5), "⅘": (4, 5), "⅙": (1, 6), "⅚": (5, 6),
    "⅛": (1, 8), "⅜": (3, 8), "⅝": (5, 8), "⅞": (7, 8),
}  # fmt: skip

WEAK_MONTHS = frozenset(("mar", "march", "may"))
"""Months that are other words in lower case."""

WEAK_WEEKDAYS = frozenset(("fri", "mon", "sat", "sun", "thu", "wed"))
"""Weekdays that are other words, unless a day stands beside them or a dot behind."""

WEEKDAYS: dict[str, int] = {
    "fri": 5, "friday": 5, "fridays": 5, "mon": 1, "monday": 1, "mondays": 1, "sat": 6,
    "saturday": 6, "saturdays": 6, "sun": 7, "sunday": 7, "sundays": 7, "thu": 4, "thur": 4,
    "thurs": 4, "thursday": 4, "thursdays": 4, "tue": 2, "tues": 2, "tuesday": 2, "tuesdays": 2,
    "wed": 3, "wednesday": 3, "wednesdays": 3,
}  # fmt: skip
"""Weekday -> its number as in ISO 8601, Monday being 1."""
