"""Words and signs of values, from data/value-words.tsv, which says what its tables hold.

Currencies have the codes of ISO 4217, units the symbols of the SI.
"""

from tokalign.files.shipped import VALUE_WORDS

table_words, table_values = VALUE_WORDS.words, VALUE_WORDS.values

CODES = table_words("codes")
SIZES = {
    dimension: {unit: float(size) for unit, size in (word.split("=") for word in words)}
    for dimension, words in VALUE_WORDS.rows["sizes"]
}
"""Dimension -> size of its units."""
COMPOUNDS = {(unit, per): both for both, (unit, per) in VALUE_WORDS.rows["compounds"]}
"""Unit and unit that it is measured per -> one unit."""
POWERS = {(unit, int(power)): both for both, (unit, power) in VALUE_WORDS.rows["powers"]}
"""Length and power -> unit: square metres."""


def _units() -> dict[str, tuple[str, int]]:
    """Return for every symbol, and for every name in lower case, its base unit and power of ten."""
    found: dict[str, tuple[str, int]] = {}
    short = table_words("short-units")
    for base, names in VALUE_WORDS.rows["bases"]:
        for name in (base, *names):
            found[name] = (base, 0)
        for row, takers in VALUE_WORDS.rows["prefixes"]:
            prefix, word, exponent = row.split()
            if base[0] in takers:
                found[prefix + base] = (base, int(exponent))
                for name in names:
                    if name not in short:
                        found[word + name] = (base, int(exponent))
    for base, names in VALUE_WORDS.rows["others"]:
        for name in (base, *names):
            found[name] = (base, 0)
    for name in ("kilo", "kilos"):
        found[name] = ("g", 3)
    for name, symbol in (table_values("written", str) | table_values("cased-units", str)).items():
        found[name] = found[symbol]
    for name in table_words("any-case"):
        found[name.upper()] = found[name.capitalize()] = found[name]
    return found


UNITS = _units()
"""Symbol as written, or name in lower case -> base unit and power of ten."""

UNIT_BASES = sorted({base for base, _ in UNITS.values()})
"""Base units; a reading holds the index."""
