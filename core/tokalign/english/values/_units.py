"""Currencies and units; own tables, with the codes of ISO 4217 and the symbols of the SI."""

from __future__ import annotations

BEFORE, AFTER, BOTH = 1, 2, 3

CODES = (
    "AED", "AUD", "BRL", "CAD", "CHF", "CNY", "CZK", "DKK", "EUR", "GBP", "HKD", "HUF", "ILS",
    "INR", "JPY", "KRW", "MXN", "NOK", "NZD", "PLN", "RUB", "SEK", "SGD", "THB", "TRY", "UAH",
    "USD", "ZAR",
)  # fmt: skip
"""The currencies that are told apart. Each code is written before or after its number."""

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
"""A hundredth that stands at its number only: 5p."""

DOLLARS = frozenset(("$", "buck", "bucks", "dollar", "dollars"))
"""These may be of any nation."""

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
"""Letters that are a unit only at its number: 55in."""

CASED_UNITS: dict[str, str] = {"C": "°C", "F": "°F", "L": "l", "Mbps": "Mbit/s", "μm": "µm"}
"""As written -> unit."""

_SHORT = ("sec", "secs")  # take no prefix

# Letters in any case, where one unit is meant nearly always.
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
"""Units that are units only at their number: apart from it they are other words more often."""
