"""Words and signs of values, from data/value-words.tsv, which says what its tables hold.

Currencies have the codes of ISO 4217, units the symbols of the SI.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from tokalign.files.shipped import data_dir

T = TypeVar("T")


def _tables() -> dict[str, list[tuple[str, list[str]]]]:
    """Return the rows of each table: a value, and its words."""
    found: dict[str, list[tuple[str, list[str]]]] = {}
    for line in (data_dir() / "value-words.tsv").read_text(encoding="utf-8").splitlines():
        if not line.startswith("#"):
            table, value, words = line.split("\t")
            found.setdefault(table, []).append((value, words.split()))
    return found


_TABLES = _tables()


def _words(table: str) -> tuple[str, ...]:
    return tuple(word for _, words in _TABLES[table] for word in words)


def _values(table: str, read: Callable[[str], T]) -> dict[str, T]:
    """Return the value of each word of a table."""
    return {word: read(value) for value, words in _TABLES[table] for word in words}


def _fraction(value: str) -> tuple[int, int]:
    numerator, denominator = map(int, value.split("/"))
    return numerator, denominator


def _sign(value: str) -> tuple[str, str]:
    code, stands = value.split()
    return code, stands


NUMBERS = _values("numbers", int)
ORDINALS = _values("ordinals", int)
DENOMINATORS = _values("denominators", int)
VULGAR = _values("vulgar", _fraction)
SCALES = _values("scales", int)
SCALE_LETTERS = _values("scale-letters", int)
PERCENTS = _words("percents")
PERCENTAGES = _words("percentages")
NUMBER_SIGNS = _words("number-signs")
VERSION_WORDS = _words("version-words")
CONNECTORS = _values("connectors", str)
IGNORED_TAILS = frozenset(_words("ignored-tails"))

MONTHS = _values("months", int)
WEAK_MONTHS = frozenset(_words("weak-months"))
WEEKDAYS = _values("weekdays", int)
WEAK_WEEKDAYS = frozenset(_words("weak-weekdays"))
DECADES = _values("decades", int)
CENTURIES = _words("centuries")
DAY_HALVES = _values("day-halves", int)
DAY_PARTS = _values("day-parts", int)
NOONS = _values("noons", int)
OCLOCKS = _words("oclocks")

CODES = _words("codes")
CURRENCY_SIGNS = _values("currency-signs", _sign)
"""Sign -> currency, and whether it stands before or after its number, or both."""
CURRENCY_NAMES = _values("currency-names", str)
CENTS = _values("cents", str)
GLUED_CENTS = _values("glued-cents", str)
DOLLARS = frozenset(_words("dollars"))
NATIONS = _values("nations", str)

SIZES = {
    dimension: {unit: float(size) for unit, size in (word.split("=") for word in words)}
    for dimension, words in _TABLES["sizes"]
}
"""Dimension -> size of its units."""
COMPOUNDS = {(unit, per): both for both, (unit, per) in _TABLES["compounds"]}
"""Unit and unit that it is measured per -> one unit."""
POWERS = {(unit, int(power)): both for both, (unit, power) in _TABLES["powers"]}
"""Length and power -> unit: square metres."""
GLUED_UNITS = _values("glued-units", str)
CASED_UNITS = _values("cased-units", str)
NOT_ALONE = frozenset(_words("not-alone"))


def _units() -> dict[str, tuple[str, int]]:
    """Return for every symbol, and for every name in lower case, its base unit and power of ten."""
    found: dict[str, tuple[str, int]] = {}
    short = _words("short-units")
    for base, names in _TABLES["bases"]:
        for name in (base, *names):
            found[name] = (base, 0)
        for row, takers in _TABLES["prefixes"]:
            prefix, word, exponent = row.split()
            if base[0] in takers:
                found[prefix + base] = (base, int(exponent))
                for name in names:
                    if name not in short:
                        found[word + name] = (base, int(exponent))
    for base, names in _TABLES["others"]:
        for name in (base, *names):
            found[name] = (base, 0)
    for name in ("kilo", "kilos"):
        found[name] = ("g", 3)
    for name, symbol in (_values("written", str) | CASED_UNITS).items():
        found[name] = found[symbol]
    for name in _words("any-case"):
        found[name.upper()] = found[name.capitalize()] = found[name]
    return found


UNITS = _units()
"""Symbol as written, or name in lower case -> base unit and power of ten."""

UNIT_BASES = sorted({base for base, _ in UNITS.values()})
"""Base units; a reading holds the index."""
