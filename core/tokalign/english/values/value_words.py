"""Words and signs of values: numbers, the calendar, currencies and units. Written for tokalign.

Words are in lower case unless a table says otherwise. Currencies have the codes of ISO 4217, units
the symbols of the SI.
"""

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
"""Word or sign -> its readings."""

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
"""Fraction word -> denominator, without "second"; plurals follow by rule."""

IGNORED_TAILS = frozenset(
    ("deep", "high", "long", "old", "plus", "strong", "tall", "thick", "wide")
)
"""Last parts of hyphenated words that do not belong to the value: a 5-year-old, 100-strong."""

MONTHS: dict[str, int] = {
    "apr": 4, "april": 4, "aug": 8, "august": 8, "dec": 12, "december": 12, "feb": 2,
    "february": 2, "jan": 1, "january": 1, "jul": 7, "july": 7, "jun": 6, "june": 6, "mar": 3,
    "march": 3, "may": 5, "nov": 11, "november": 11, "oct": 10, "october": 10, "sep": 9,
    "sept": 9, "september": 9,
}  # fmt: skip

NOONS: dict[str, int] = {"midday": 12, "midnight": 0, "noon": 12}
"""Word -> hour."""

NUMBER_SIGNS = ("No", "No.", "Nos.", "Nr.", "Nº", "no.", "nr.")
"""Case-sensitive: "no" is another word."""

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
"""Months that are other words when in lower case."""

WEAK_WEEKDAYS = frozenset(("fri", "mon", "sat", "sun", "thu", "wed"))
"""Weekdays that are other words, unless next to a day or before a dot."""

WEEKDAYS: dict[str, int] = {
    "fri": 5, "friday": 5, "fridays": 5, "mon": 1, "monday": 1, "mondays": 1, "sat": 6,
    "saturday": 6, "saturdays": 6, "sun": 7, "sunday": 7, "sundays": 7, "thu": 4, "thur": 4,
    "thurs": 4, "thursday": 4, "thursdays": 4, "tue": 2, "tues": 2, "tuesday": 2, "tuesdays": 2,
    "wed": 3, "wednesday": 3, "wednesdays": 3,
}  # fmt: skip
"""Weekday -> its number as in ISO 8601, Monday being 1."""

BEFORE, AFTER, BOTH = 1, 2, 3

CODES = (
    "AED", "AUD", "BRL", "CAD", "CHF", "CNY", "CZK", "DKK", "EUR", "GBP", "HKD", "HUF", "ILS",
    "INR", "JPY", "KRW", "MXN", "NOK", "NZD", "PLN", "RUB", "SEK", "SGD", "THB", "TRY", "UAH",
    "USD", "ZAR",
)  # fmt: skip
"""Known currencies. Each code may stand before or after its number."""

CURRENCY_SIGNS: dict[str, tuple[str, int]] = {
    "$": ("USD", BOTH), "A$": ("AUD", BOTH), "AU$": ("AUD", BOTH), "C$": ("CAD", BOTH),
    "CA$": ("CAD", BOTH), "HK$": ("HKD", BOTH), "NZ$": ("NZD", BOTH), "R$": ("BRL", BEFORE),
    "RMB": ("CNY", BOTH), "Rs": ("INR", BEFORE), "Rs.": ("INR", BEFORE), "S$": ("SGD", BOTH),
    "US$": ("USD", BOTH), "Yen": ("JPY", AFTER), "£": ("GBP", BOTH), "¥": ("JPY", BOTH),
    "฿": ("THB", BOTH), "₩": ("KRW", BOTH), "₪": ("ILS", BOTH), "€": ("EUR", BOTH),
    "₴": ("UAH", BOTH), "₹": ("INR", BOTH), "₺": ("TRY", BOTH), "₽": ("RUB", BOTH),
    "￥": ("JPY", BOTH),
}  # fmt: skip
"""Sign, as written -> currency and where it stands. A bare dollar is the American."""

CURRENCY_NAMES: dict[str, str] = {
    "baht": "THB", "buck": "USD", "bucks": "USD", "dirham": "AED", "dirhams": "AED",
    "dollar": "USD", "dollars": "USD", "euro": "EUR", "euros": "EUR", "forint": "HUF",
    "franc": "CHF", "francs": "CHF", "hryvnia": "UAH", "koruna": "CZK", "krona": "SEK",
    "krone": "NOK", "kroner": "NOK", "kronor": "SEK", "lira": "TRY", "peso": "MXN",
    "pesos": "MXN", "pound": "GBP", "pounds": "GBP", "quid": "GBP", "rand": "ZAR", "reais": "BRL",
    "rouble": "RUB", "roubles": "RUB", "ruble": "RUB", "rubles": "RUB",
    "rupee": "INR", "rupees": "INR", "shekel": "ILS", "shekels": "ILS", "sterling": "GBP",
    "yen": "JPY", "yuan": "CNY", "zloty": "PLN", "zlotys": "PLN",
}  # fmt: skip
"""Name, in lower case -> currency; it stands after its number."""

CENTS: dict[str, str] = {
    "cent": "USD", "cents": "USD", "pence": "GBP", "penny": "GBP", "¢": "USD",
}  # fmt: skip
"""A hundredth -> currency."""

GLUED_CENTS: dict[str, str] = {"c": "USD", "p": "GBP"}
"""A hundredth that must be glued to its number: 5p."""

DOLLARS = frozenset(("$", "buck", "bucks", "dollar", "dollars"))
"""Currency names used by several nations."""

NATIONS: dict[str, str] = {
    "A": "AUD", "AU": "AUD", "American": "USD", "Australian": "AUD", "C": "CAD", "CA": "CAD",
    "Canadian": "CAD", "HK": "HKD", "NZ": "NZD", "R": "BRL", "S": "SGD", "Singapore": "SGD",
    "U.S.": "USD", "US": "USD",
}  # fmt: skip
"""Nation, as written before a dollar -> currency."""

_BASES: dict[str, tuple[str, ...]] = {
    "A": ("amp", "amps", "ampere", "amperes"), "Ah": (),
    "B": ("byte", "bytes"), "Hz": ("hertz",), "J": ("joule", "joules"),
    "N": ("newton", "newtons"), "Pa": ("pascal", "pascals"), "V": ("volt", "volts"),
    "W": ("watt", "watts"), "Wh": (), "bit": ("bits",), "bit/s": (),
    "cal": ("calorie", "calories"), "g": ("gram", "grams", "gramme", "grammes"),
    "l": ("liter", "liters", "litre", "litres"), "m": ("meter", "meters", "metre", "metres"),
    "s": ("sec", "second", "seconds", "secs"),
    "t": ("ton", "tonne", "tonnes", "tons"),
}  # fmt: skip
"""Base unit that takes metric prefixes -> its names."""

_PREFIXES: dict[str, tuple[str, int, str]] = {
    "G": ("giga", 9, "BHJWbV"), "M": ("mega", 6, "BHJNPWbgVt"), "P": ("peta", 15, "B"),
    "T": ("tera", 12, "BHWb"), "c": ("centi", -2, "glm"), "d": ("deci", -1, "lm"),
    "h": ("hecto", 2, "Plg"), "k": ("kilo", 3, "ABHJNPVWbcglmt"), "m": ("milli", -3, "AVWglms"),
    "n": ("nano", -9, "gms"), "µ": ("micro", -6, "AVglms"),
}  # fmt: skip
"""Prefix -> its name, its exponent of ten, and the first letters of the units that take it."""

_OTHERS: dict[str, tuple[str, ...]] = {
    "GiB": ("gib", "gibibyte", "gibibytes"), "KiB": ("kib", "kibibyte", "kibibytes"),
    "MiB": ("mebibyte", "mebibytes", "mib"), "TiB": ("tebibyte", "tebibytes", "tib"),
    "acre": ("acres",), "bar": (), "carat": ("carats",), "cm2": ("cm²", "sqcm"),
    "cm3": ("cc", "cm³"), "cup": ("cups",), "day": ("days",),
    "dB": ("db", "decibel", "decibels"), "dpi": (), "fortnight": ("fortnights",), "fps": (),
    "ft": ("feet", "foot"), "ft2": ("ft²", "sqft"), "g/m2": ("g/m²", "gsm"),
    "gal": ("gallon", "gallons"), "h": ("hour", "hours", "hr", "hrs"),
    "ha": ("hectare", "hectares"), "hp": ("horsepower",), "inch": ("inches",),
    "km/h": ("kmh", "kmph", "kph"), "km2": ("km²", "sqkm"), "knot": ("knots",),
    "lb": ("lbs", "pound", "pounds"), "m/s": (),
    "m2": ("m²", "sqm"), "m3": ("m³",), "mi": ("mile", "miles"), "mi2": ("mi²",),
    "min": ("mins", "minute", "minutes"), "month": ("mo", "months", "mth", "mths"),
    "mpg": (), "mph": (), "ounce": ("ounces", "oz"), "pint": ("pints",),
    "ppm": (), "psi": (), "px": ("pixel", "pixels"), "rpm": (),
    "stone": (), "tbsp": ("tablespoon", "tablespoons"), "tsp": ("teaspoon", "teaspoons"),
    "week": ("weeks", "wk", "wks"), "yard": ("yards", "yd", "yds"),
    "year": ("years", "yr", "yrs"), "°": ("deg", "degree", "degrees"),
    "°C": ("celsius", "centigrade", "℃"), "°F": ("fahrenheit", "℉"),
}  # fmt: skip
"""Unit without prefixes -> other ways to write it, in lower case."""

SIZES: dict[str, dict[str, float]] = {
    "time": {
        "s": 1, "min": 60, "h": 3600, "day": 86400, "week": 604800, "fortnight": 1209600,
        "month": 2629800, "year": 31557600,
    },
    "length": {"m": 1, "inch": 0.0254, "ft": 0.3048, "yard": 0.9144, "mi": 1609.344},
    "mass": {"g": 1, "ounce": 28.35, "lb": 453.6, "stone": 6350, "t": 1e6},
    "area": {
        "m2": 1, "cm2": 1e-4, "ft2": 0.0929, "acre": 4047, "ha": 1e4, "km2": 1e6, "mi2": 2.59e6,
    },
    "volume": {
        "l": 1, "m3": 1000, "cm3": 1e-3, "tsp": 0.005, "tbsp": 0.015, "cup": 0.24, "pint": 0.5,
        "gal": 4,
    },
    "speed": {"m/s": 1, "km/h": 0.2778, "mph": 0.447, "knot": 0.5144},
}  # fmt: skip
"""Size of units of one dimension; British and American ones of one name lie between the two."""

COMPOUNDS: dict[tuple[str, str], str] = {
    ("g", "m2"): "g/m2", ("km", "h"): "km/h", ("m", "s"): "m/s", ("mi", "gal"): "mpg",
    ("mi", "h"): "mph",
}  # fmt: skip
"""Unit and unit that it is measured per -> one unit."""

POWERS: dict[tuple[str, int], str] = {
    ("cm", 2): "cm2", ("cm", 3): "cm3", ("ft", 2): "ft2", ("km", 2): "km2", ("m", 2): "m2",
    ("m", 3): "m3", ("mi", 2): "mi2",
}  # fmt: skip
"""Length and power -> unit: square metres."""

GLUED_UNITS: dict[str, str] = {"d": "day", "in": "inch", "y": "year"}
"""Letters that are a unit only when glued to the number: 55in."""

CASED_UNITS: dict[str, str] = {"C": "°C", "F": "°F", "L": "l", "Mbps": "Mbit/s", "μm": "µm"}
"""As written -> unit."""

_SHORT = ("sec", "secs")  # take no prefix

# Letters in any case, if they nearly always mean one unit.
_ANY_CASE = (
    "cl", "cm", "fps", "gb", "ghz", "hz", "kb", "kbps", "kcal", "kg", "khz", "km", "kw", "kwh",
    "mah", "mb", "mbps", "mhz", "mj", "ml", "mm", "mpg", "mph", "pb", "rpm", "tb",
)  # fmt: skip
_WRITTEN = {
    "gb": "GB", "gbps": "Gbit/s", "ghz": "GHz", "hz": "Hz", "kb": "kB", "kbps": "kbit/s",
    "khz": "kHz", "kw": "kW", "kwh": "kWh", "mah": "mAh", "mb": "MB", "mbps": "Mbit/s",
    "mhz": "MHz", "mj": "MJ", "pb": "PB", "tb": "TB",
}  # fmt: skip


def _units() -> dict[str, tuple[str, int]]:
    """Return for every symbol, and for every name in lower case, its base unit and power of ten."""
    found: dict[str, tuple[str, int]] = {}
    for base, names in _BASES.items():
        for name in (base, *names):
            found[name] = (base, 0)
        for prefix, (word, exponent, takers) in _PREFIXES.items():
            if base[0] in takers:
                found[prefix + base] = (base, exponent)
                for name in names:
                    if name not in _SHORT:
                        found[word + name] = (base, exponent)
    for base, names in _OTHERS.items():
        for name in (base, *names):
            found[name] = (base, 0)
    for name in ("kilo", "kilos"):
        found[name] = ("g", 3)
    for name, symbol in (_WRITTEN | CASED_UNITS).items():
        found[name] = found[symbol]
    for name in _ANY_CASE:
        found[name.upper()] = found[name.capitalize()] = found[name]
    return found


UNITS = _units()
"""Symbol as written, or name in lower case -> base unit and power of ten."""

UNIT_BASES = sorted({base for base, _ in UNITS.values()})
"""Base units; a reading holds the index."""

NOT_ALONE = frozenset(("A", "B", "N", "bar", "stone"))
"""Units only when glued to their number; apart from it they are mostly other words."""
