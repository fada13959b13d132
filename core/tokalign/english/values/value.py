"""Values as Python objects, with their keys, and the words and signs of values.

data/value-words.tsv says what its tables hold. Currencies have the codes of ISO 4217, units the
symbols of the SI.
"""

from decimal import Decimal
from typing import NamedTuple

from tokalign.english.values.kinds import Kind, Role
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


_WEEKDAYS = ("", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")


class Facts(NamedTuple):
    """The kernel's fields that make a key; see `value_structs.pxd`."""

    number_kind: int
    code: int
    amount: float
    high: float
    fields: tuple[int, ...]


class Value(NamedTuple):
    """A number, date or other value of a run of tokens.

    Attributes
    ----------
    kind : Kind
    key : str
        Equal for equal values of one kind: ``5000000``, ``50%``, ``5 pp`` (percentage points),
        ``1/2``, ``USD 5000000``, ``2019-01-03``, ``--01-03`` (no year), ``---12`` (a day alone),
        ``2019-Q3``, ``1990s``, ``C15`` (century), ``Mon``, ``15:30``, ``5000 m``, ``2.1``, ``3-1``,
        ``10..15``.
    start, end : int
        Half-open range of tokens.
    roles : tuple of Role
        Role of each token; ``Role.JOINT`` if it has no other.
    rank : int
        0 for the likeliest reading; other readings of the same value follow it, counted from 1.
    """

    kind: Kind
    key: str
    start: int
    end: int
    roles: tuple[Role, ...]
    rank: int = 0


def key_of(kind: Kind, facts: Facts) -> str:
    """Return the key of a value."""
    fields = facts.fields
    match kind:
        case Kind.DATE:
            return _date(*fields)
        case Kind.TIME:
            hour, minute, second, *_ = fields
            return f"{hour:02}:{minute:02}" + (f":{second:02}" if second else "")
        case Kind.FRACTION | Kind.SCORE:
            return f"{fields[0]}{'/' if kind == Kind.FRACTION else '-'}{fields[1]}"
        case Kind.VERSION:
            used = max((place for place, part in enumerate(fields) if part), default=0)
            return ".".join(map(str, fields[: used + 1]))
        case Kind.RANGE:
            amounts = f"{written(facts.amount)}..{written(facts.high)}"
            return _measured(amounts, facts.number_kind, facts.code)
    return _measured(written(facts.amount), kind, facts.code)


def written(amount: float) -> str:
    """Return a number in digits, without rounding errors.

    >>> written(1.1 * 1e6), written(0.1 + 0.2), written(-2.0)
    ('1100000', '0.3', '-2')
    """
    if amount == round(amount) and abs(amount) < 2**53:
        return str(round(amount))
    return format(Decimal(f"{amount:.13g}"), "f")


def _measured(amount: str, kind: int, code: int) -> str:
    match kind:
        case Kind.PERCENT:
            return f"{amount} pp" if code == 1 else f"{amount}%"
        case Kind.MONEY:
            return f"{CODES[code]} {amount}"
        case Kind.QUANTITY:
            return f"{amount} {UNIT_BASES[code]}"
    return amount


def _date(year: int, period: int, month: int, day: int, weekday: int, quarter: int) -> str:
    if period == 100:
        return f"C{year // 100 + 1}"
    if period == 10:
        return f"{year}s"
    if quarter:
        return f"{year}-Q{quarter}" if year else f"Q{quarter}"
    date = ""
    if month or day:
        date = f"{year or '-'}-{f'{month:02}' if month else ''}" + (f"-{day:02}" if day else "")
    elif year:
        date = str(year)
    return f"{date} {_WEEKDAYS[weekday]}".strip()
