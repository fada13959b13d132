"""Words and signs with what each may be, merged from the tables."""

from __future__ import annotations

from typing import Any, NamedTuple

from tokalign.english.values import _units, words
from tokalign.english.values.kinds import Part


class Reading(NamedTuple):
    """What a token, or a piece of a glued one, may be, whatever stands beside it.

    Attributes
    ----------
    text : str
        The piece.
    parts : Part
        Everything that it may be; the other fields belong to these.
    number : float
        Of digits, number words, ordinals, denominators and fractions in one character.
    factor : float
        Of scale words and letters.
    currency, unit : int
        Index among the codes of currencies and among the base units, or -1.
    currency_exponent, unit_exponent : int
        Power of ten: of cents -2, of kilometres 3.
    fields : tuple of int
        Of literals: hour and minute; year, month and day; numerator and denominator; the parts of
        a version; of words: the number of a month or weekday, the first year of a decade.
    """

    text: str
    parts: Part
    number: float = 0.0
    factor: float = 1.0
    currency: int = -1
    unit: int = -1
    currency_exponent: int = 0
    unit_exponent: int = 0
    fields: tuple[int, ...] = ()


CURRENCY = {code: index for index, code in enumerate(_units.CODES)}
UNIT = {base: index for index, base in enumerate(_units.UNIT_BASES)}
_STANDS = {
    _units.BEFORE: Part.BEFORE,
    _units.AFTER: Part.AFTER,
    _units.BOTH: Part.BEFORE | Part.AFTER,
}


class _Table(dict[str, Reading]):
    """Readings by word; what is added to a word joins what it has."""

    def add(self, word: str, parts: Part, **fields: Any) -> None:
        known = self.get(word, Reading(word, Part(0)))
        self[word] = known._replace(parts=known.parts | parts, **fields)

    def add_unit(self, word: str) -> None:
        base, exponent = _units.UNITS[word]
        self.add(word, Part.UNIT, unit=UNIT[base], unit_exponent=exponent)

    def add_currency(self, word: str, code: str, parts: Part, exponent: int = 0) -> None:
        self.add(word, parts, currency=CURRENCY[code], currency_exponent=exponent)


def _add_numbers(lower: _Table) -> None:
    for word, value in words.NUMBERS.items():
        is_ten = value >= 20
        is_one = 1 <= value <= 9
        part = Part.TEN if is_ten else Part.ONE if is_one else Part.TEEN
        lower.add(word, part, number=float(value))
    lower.add("hundred", Part.HUNDRED, factor=100.0)
    for word, factor in words.SCALES.items():
        lower.add(word, Part.SCALE, factor=float(factor))
    for word, value in words.ORDINALS.items():
        part = Part.ORDINAL | (Part.ORDINAL_WORD if value <= 9 else Part(0))
        lower.add(word, part, number=float(value))
    for word, value in words.DENOMINATORS.items():
        lower.add(word, Part.DENOMINATOR, number=float(value))
        plural = "halves" if word == "half" else f"{word}s"
        lower.add(plural, Part.DENOMINATORS, number=float(value))
    lower.add("half", Part.HALF)
    lower.add("quarter", Part.QUARTER_WORD)
    for sign, (numerator, denominator) in words.VULGAR.items():
        fields = (numerator, denominator)
        lower.add(sign, Part.VULGAR, number=numerator / denominator, fields=fields)


def _add_calendar(lower: _Table, cased: _Table) -> None:
    for word, month in words.MONTHS.items():
        weak = word in words.WEAK_MONTHS
        lower.add(word, Part.MONTH | (Part.WEAK if weak else Part.ALONE), fields=(month,))
        if weak:
            alone = Part(0) if word == "mar" else Part.ALONE | Part.NOT_FIRST
            cased.add(word.capitalize(), Part.MONTH | alone, fields=(month,))
            cased.add(word.upper(), Part.MONTH, fields=(month,))
            cased.add(f"{word.capitalize()}.", Part.MONTH | Part.ALONE, fields=(month,))
    for word, weekday in words.WEEKDAYS.items():
        weak = word in words.WEAK_WEEKDAYS
        lower.add(word, Part.WEEKDAY | (Part(0) if weak else Part.ALONE), fields=(weekday,))
        if weak:
            cased.add(f"{word.capitalize()}.", Part.WEEKDAY | Part.ALONE, fields=(weekday,))
    for word, year in words.DECADES.items():
        lower.add(word, Part.DECADE, fields=(year, 10))
    for word in words.CENTURIES:
        lower.add(word, Part.CENTURY)
    for word, half in words.DAY_HALVES.items():
        lower.add(word, Part.DAY_HALF, fields=(half,))
    for word, half in words.DAY_PARTS.items():
        lower.add(word, Part.DAY_HALF | Part.DAY_PART, fields=(half,))
    for word, hour in words.NOONS.items():
        lower.add(word, Part.NOON, fields=(hour,))
    for word in words.OCLOCKS:
        lower.add(word, Part.OCLOCK)


def _add_units(lower: _Table, cased: _Table) -> None:
    for word in _units.UNITS:
        if word not in _units.NOT_ALONE:
            table = lower if len(word) > 3 and word == word.lower() else cased
            table.add_unit(word)
    for code in _units.CODES:
        cased.add_currency(code, code, Part.BEFORE | Part.AFTER)
    for sign, (code, stands) in _units.CURRENCY_SIGNS.items():
        cased.add_currency(sign, code, _STANDS[stands])
    for word, code in _units.CURRENCY_NAMES.items():
        lower.add_currency(word, code, Part.AFTER)
    for word, code in _units.CENTS.items():
        lower.add_currency(word, code, Part.AFTER, exponent=-2)
    for word in _units.DOLLARS:
        (cased if word in cased else lower).add(word, Part.DOLLAR)
    for word, code in _units.NATIONS.items():
        cased.add_currency(word, code, Part.NATION)


def _lexicon() -> tuple[_Table, _Table]:
    """Return the readings by word in lower case, and by word as written."""
    lower, cased = _Table(), _Table()
    _add_numbers(lower)
    _add_calendar(lower, cased)
    _add_units(lower, cased)
    for word, name in words.CONNECTORS.items():
        lower.add(word, Part[name])
    for word in words.VERSION_WORDS:
        lower.add(word, Part.VERSION_WORD)
    for word in words.NUMBER_SIGNS:
        cased.add(word, Part.NUMBER_SIGN)
    for word in words.PERCENTS:
        lower.add(word, Part.PERCENT)
    for word in words.PERCENTAGES:
        lower.add(word, Part.PERCENTAGE)
    lower.add("cent", Part.CENT)
    for letter, factor in words.SCALE_LETTERS.items():
        cased.add(letter, Part.SCALE, factor=float(factor))
    cased["A"] = cased["A"]._replace(parts=cased["A"].parts | Part.A)
    return lower, cased


LOWER, CASED = _lexicon()


def _tails() -> dict[str, Reading]:
    """Return what may follow a number in its token, beyond what may follow it apart."""
    tails = _Table()
    for letters, symbol in _units.GLUED_UNITS.items():
        base, exponent = _units.UNITS[symbol]
        tails.add(letters, Part.UNIT, unit=UNIT[base], unit_exponent=exponent)
    for word in _units.NOT_ALONE:
        tails.add_unit(word)
    tails["B"] = tails["B"]._replace(parts=Part.UNIT | Part.SCALE, factor=1e9)
    for letter, code in _units.GLUED_CENTS.items():
        tails.add_currency(letter, code, Part.AFTER, exponent=-2)
    return tails


TAILS = _tails()
