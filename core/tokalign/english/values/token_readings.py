"""Readings of single tokens, without their context.

A token glued from several pieces ("$5m", "10-15", "65-inch") has one reading for each, so that
"16GB" and "16 GB" are the same in later steps.
"""

import re
from functools import lru_cache
from typing import Any, NamedTuple

from tokalign.english.values.kinds import Part
from tokalign.english.values.value import CODES, UNIT_BASES, UNITS, table_values, table_words
from tokalign.types.patterns import regex

MAX_READINGS = 8
"""Most pieces of a token; "£1m-£2m" has seven."""
MAX_CHARACTERS = 40
"""Longer tokens have no reading."""

_DIGIT = frozenset("0123456789")
_SPACES = "\u00a0\u2009\u202f"
_DASHES = "-–—"
_MINUS = "-−–"
_DIGITS = (
    rf"[0-9]{{1,3}}(?:[,{_SPACES}][0-9]{{3}})+(?:\.[0-9]+)?"  # 1,000.5
    r"|[0-9]{1,3}(?:\.[0-9]{3})+(?:,[0-9]{1,2}|(?<=\.[0-9]{3}\.[0-9]{3}))"  # 1.000,50; 1.000.000
    r"|[0-9]+,[0-9]{1,2}(?![0-9])"  # 1,5
    r"|[0-9]*\.[0-9]+"
    r"|[0-9]+"
)
_ELEMENT = regex(
    rf"(?P<sign>[-+−–~≈]?)(?P<currency>[^\W\d_]{{0,2}}[$£€¥₩₪₴₹₺₽￥฿]|)"
    rf"(?:(?P<clock>[0-9]{{1,2}}:[0-9]{{2}}(?::[0-9]{{2}})?)|(?P<number>{_DIGITS}))"
    r"(?P<vulgar>[¼-¾⅐-⅞]?)(?P<tail>(?:[^\W\d_]|[%°$£€¥¢٪％℃℉+×\"″”']).*|)"
)
_COMPOUND = regex(
    r"(?:[0-9]{1,4}d)?(?:[0-9]{1,4}(?:hrs?|h))?(?:[0-9]{1,4}(?:mins?|m))?(?:[0-9]{1,4}(?:secs?|s))?"
    r"|[0-9]{1,3}h[0-9]{2}"
    r"|[0-9]{1,2}(?:ft|['′’])[0-9]{1,2}(?:in|''|[\"″”])?"
    r"|[0-9]{1,3}lbs?[0-9]{1,2}oz"
)
_PART = regex(r"([0-9]+)([^0-9]*)")
_PART_UNITS = {"d": "day", "m": "min", "": "min"}
_LENGTH_MARKS = frozenset("'′’f")
_DATE = regex(r"([0-9]{4})([-/.])([0-9]{1,2})\2([0-9]{1,2})")
_LOCAL_DATE = regex(r"([0-9]{1,2})([-/.])([0-9]{1,2})\2([0-9]{4}|(?<=[-/])[0-9]{2})")
_SLASHED = regex(r"([0-9]{1,4})/([0-9]{1,4})")
_VERSION = regex(r"[vV]([0-9]{1,6}(?:\.[0-9]{1,6}){0,3})|([0-9]{1,6}(?:\.[0-9]{1,6}){2,3})")
_GROUPED = regex(r"[0-9]{1,3}(?:\.[0-9]{3})+")
_DECADE = regex(r"((?:1[1-9]|20)[0-9]|['’]?[2-9])0['’]?s")
_SHORT_YEAR = regex(r"['’]([0-9]{2})")
_ORDINAL = regex(r"([0-9]{1,6})(?:st|nd|rd|th|ST|ND|RD|TH)")
_NUMBERED = regex(r"(#|№|No\.|no\.)([0-9]{1,9})")
_QUARTER = regex(r"[qQ]([1-4])")
_TELEPHONE = regex(r"[0-9]{3}[-–][0-9]{4}")


class Reading(NamedTuple):
    """Reading of a token or a piece of a glued one, without its context.

    `parts` are all Parts that it may be; they decide which other fields are set. `fields` are, of
    literals, hour and minute; year, month and day; numerator and denominator; the parts of a
    version; and of words the number of a month or weekday, the first year of a decade.
    """

    text: str
    parts: int
    number: float = 0.0  # of digits, number words, ordinals, denominators and one-sign fractions
    factor: float = 1.0  # of scale words and letters
    currency: int = -1  # index among the codes
    unit: int = -1  # index among the base units
    currency_exponent: int = 0  # of cents -2
    unit_exponent: int = 0  # of kilometres 3
    fields: tuple[int, ...] = ()


CURRENCY = {code: index for index, code in enumerate(CODES)}
UNIT = {base: index for index, base in enumerate(UNIT_BASES)}
_NOT_ALONE = frozenset(table_words("not-alone"))
_IGNORED_TAILS = frozenset(table_words("ignored-tails"))
_STANDS = {"before": Part.BEFORE, "after": Part.AFTER, "both": Part.BEFORE | Part.AFTER}


class _Table(dict[str, Reading]):
    """Readings by word; adding to a word extends its reading."""

    def add(self, word: str, parts: int, **fields: Any) -> None:
        known = self.get(word)
        if known is None:
            self[word] = Reading(word, parts, **fields)  # half the work of adding to nothing
        else:
            self[word] = known._replace(parts=known.parts | parts, **fields)

    def add_unit(self, word: str) -> None:
        base, exponent = UNITS[word]
        self.add(word, Part.UNIT, unit=UNIT[base], unit_exponent=exponent)

    def add_currency(self, word: str, code: str, parts: int, exponent: int = 0) -> None:
        self.add(word, parts, currency=CURRENCY[code], currency_exponent=exponent)


def _add_numbers(lower: _Table) -> None:
    for word, value in table_values("numbers", int).items():
        is_ten = value >= 20
        is_one = 1 <= value <= 9
        part = Part.TEN if is_ten else Part.ONE if is_one else Part.TEEN
        lower.add(word, part, number=float(value))
    lower.add("hundred", Part.HUNDRED, factor=100.0)
    for word, factor in table_values("scales", float).items():
        lower.add(word, Part.SCALE, factor=factor)
    for word, value in table_values("ordinals", int).items():
        is_spelt = Part.ORDINAL_WORD if value <= 9 else 0
        lower.add(word, Part.ORDINAL | is_spelt, number=float(value))
    for word, denominator in table_values("denominators", float).items():
        lower.add(word, Part.DENOMINATOR, number=denominator)
        plural = "halves" if word == "half" else f"{word}s"
        lower.add(plural, Part.DENOMINATORS, number=denominator)
    lower.add("half", Part.HALF)
    lower.add("quarter", Part.QUARTER_WORD)
    for sign, fraction in table_values("vulgar", str).items():
        above, below = fields = tuple(map(int, fraction.split("/")))
        lower.add(sign, Part.VULGAR, number=above / below, fields=fields)


def _add_calendar(lower: _Table, cased: _Table) -> None:
    weak_months, weak_weekdays = table_words("weak-months"), table_words("weak-weekdays")
    for word, month in table_values("months", int).items():
        weak = word in weak_months
        lower.add(word, Part.MONTH | (Part.WEAK if weak else Part.ALONE), fields=(month,))
        if weak:
            alone = 0 if word == "mar" else Part.ALONE | Part.NOT_FIRST
            cased.add(word.capitalize(), Part.MONTH | alone, fields=(month,))
            cased.add(word.upper(), Part.MONTH, fields=(month,))
            cased.add(f"{word.capitalize()}.", Part.MONTH | Part.ALONE, fields=(month,))
    for word, weekday in table_values("weekdays", int).items():
        weak = word in weak_weekdays
        lower.add(word, Part.WEEKDAY | (0 if weak else Part.ALONE), fields=(weekday,))
        if weak:
            alone = Part.WEAK if word in ("sat", "sun") else Part.ALONE | Part.NOT_FIRST
            cased.add(word.capitalize(), Part.WEEKDAY | alone, fields=(weekday,))
            cased.add(f"{word.capitalize()}.", Part.WEEKDAY | Part.ALONE, fields=(weekday,))
    for word, year in table_values("decades", int).items():
        lower.add(word, Part.DECADE, fields=(year, 10))
    for word in table_words("centuries"):
        lower.add(word, Part.CENTURY)
    for word, half in table_values("day-halves", int).items():
        lower.add(word, Part.DAY_HALF, fields=(half,))
    for word, half in table_values("day-parts", int).items():
        lower.add(word, Part.DAY_HALF | Part.DAY_PART, fields=(half,))
    for word, hour in table_values("noons", int).items():
        lower.add(word, Part.NOON, fields=(hour,))
    for word in table_words("oclocks"):
        lower.add(word, Part.OCLOCK)


def _add_units(lower: _Table, cased: _Table) -> None:
    for word in UNITS:
        if word not in _NOT_ALONE:
            table = lower if len(word) > 3 and word == word.lower() else cased
            table.add_unit(word)
    for code in CODES:
        cased.add_currency(code, code, Part.BEFORE | Part.AFTER)
    for sign, value in table_values("currency-signs", str).items():
        code, stands = value.split()  # before or after its number, or both
        cased.add_currency(sign, code, _STANDS[stands])
    for word, code in table_values("currency-names", str).items():
        lower.add_currency(word, code, Part.AFTER)
    for word, code in table_values("cents", str).items():
        lower.add_currency(word, code, Part.AFTER, exponent=-2)
    for word in table_words("dollars"):
        (cased if word in cased else lower).add(word, Part.DOLLAR)
    for word, code in table_values("nations", str).items():
        cased.add_currency(word, code, Part.NATION)


def _lexicon() -> tuple[dict[str, Reading], dict[str, Reading]]:
    """Return the readings by word in lower case, and by word as written."""
    lower, cased = _Table(), _Table()
    _add_numbers(lower)
    _add_calendar(lower, cased)
    _add_units(lower, cased)
    for word, name in table_values("connectors", str).items():
        lower.add(word, Part[name])
    for word in table_words("version-words"):
        lower.add(word, Part.VERSION_WORD)
    for word in table_words("number-signs"):
        cased.add(word, Part.NUMBER_SIGN)
    for word in table_words("percents"):
        lower.add(word, Part.PERCENT)
    for word in table_words("percentages"):
        lower.add(word, Part.PERCENTAGE)
    lower.add("cent", Part.CENT)
    for letter, factor in table_values("scale-letters", float).items():
        cased.add(letter, Part.SCALE, factor=factor)
    cased["A"] = cased["A"]._replace(parts=cased["A"].parts | Part.A)
    return dict(lower), dict(cased)


LOWER, CASED = _lexicon()


def _tails() -> dict[str, Reading]:
    """Return the endings that may follow a number only inside its token."""
    tails = _Table()
    for letters, symbol in table_values("glued-units", str).items():
        base, exponent = UNITS[symbol]
        tails.add(letters, Part.UNIT, unit=UNIT[base], unit_exponent=exponent)
    for word in _NOT_ALONE:
        tails.add_unit(word)
    tails["B"] = tails["B"]._replace(parts=Part.UNIT | Part.SCALE, factor=1e9)
    for letter, code in table_values("glued-cents", str).items():
        tails.add_currency(letter, code, Part.AFTER, exponent=-2)
    return tails


TAILS = _tails()

_DASH = LOWER["-"]
_SLASH = LOWER["/"]
_NUMERAL = Part.ONE | Part.TEEN | Part.TEN | Part.HUNDRED | Part.SCALE | Part.HALF | Part.DIGITS
_COUNTS = Part.ONE | Part.TEEN | Part.TEN | Part.DIGITS
_STARTS = _NUMERAL | Part.ORDINAL | Part.DECADE | Part.YEAR | Part.BEFORE | Part.PER
_AFTER = Part.SCALE | Part.UNIT | Part.PERCENT | Part.AFTER | Part.DAY_HALF | Part.INCHES
_EARLY = ("early", "late", "mid")
_DAYS = (31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)


def readings(token: str) -> tuple[Reading, ...]:
    """Return the readings of any string as a token, one for each piece.

    There is mostly one, and at most 8; there is none for words outside values, telephone numbers
    and other identifiers.

    Examples
    --------
    >>> for piece in readings("16GB"):
    ...     print(piece.text, *(part.name for part in Part if piece.parts & part))
    16 DIGITS PLAIN
    GB UNIT
    >>> readings("word")
    ()
    """
    if len(token) > MAX_CHARACTERS:
        return ()
    if token.isalpha():
        found = _word(token)
        return () if found is None else (found,)
    pieces = _pieces(token)
    return pieces if len(pieces) <= MAX_READINGS else ()


def _word(word: str) -> Reading | None:
    """Return the reading of a word or sign, as written or in lower case without dots."""
    found = CASED.get(word)
    if found is None:
        lower = word.lower()
        found = LOWER.get(lower)
        if found is None and "." in word:
            plain = lower.replace(".", "")
            if len(plain) > 1:
                found = LOWER.get(plain) or CASED.get(plain)
    return found


@lru_cache(4096)
def _pieces(token: str) -> tuple[Reading, ...]:
    """Return the readings of a token that is not a plain word."""
    found = _word(token)
    if found is not None:
        return (found,)
    if not _DIGIT.isdisjoint(token):
        literal = _literal(token)
        return (literal,) if literal is not None else tuple(_with_digits(token))
    return tuple(_hyphenated(token))


def _literal(token: str) -> Reading | None:
    """Return the reading of digits that are not, or not only, a number."""
    if token.replace(",", "").replace(".", "", 1).isdigit():
        return None  # as most
    if match := _DATE.fullmatch(token):
        year, month, day = int(match[1]), int(match[3]), int(match[4])
        return _date(token, year, (month, day), is_local=False)
    if match := _LOCAL_DATE.fullmatch(token):
        year = int(match[4]) if len(match[4]) == 4 else _century(int(match[4]))
        return _date(token, year, (int(match[1]), int(match[3])), is_local=True)
    if match := _SLASHED.fullmatch(token):
        numerator, denominator = int(match[1]), int(match[2])
        return Reading(token, Part.SLASHED, fields=(numerator, denominator))
    if (match := _VERSION.fullmatch(token)) and not _GROUPED.fullmatch(token):
        fields = tuple(map(int, (match[1] or match[2]).split(".")))
        return Reading(token, Part.VERSION, fields=fields)
    if match := _DECADE.fullmatch(token):
        digits = match[1].lstrip("'’")
        first = 10 * int(digits) + (1900 if len(digits) == 1 else 0)
        period = 100 if len(digits) == 3 and first % 100 == 0 and first < 2000 else 10
        decade = Reading(token, Part.DECADE, fields=(first, period))
        if len(token) > 3:
            return decade
        seconds = CASED["s"]  # "30s"
        return decade._replace(
            parts=Part.DECADE | Part.UNIT, number=10.0 * int(digits), unit=seconds.unit
        )
    if match := _SHORT_YEAR.fullmatch(token):
        return Reading(token, Part.YEAR, fields=(_century(int(match[1])),))
    if match := _ORDINAL.fullmatch(token):
        return Reading(token, Part.ORDINAL, number=float(match[1]))
    if match := _QUARTER.fullmatch(token):
        return Reading(token, Part.QUARTER, fields=(int(match[1]),))
    return None


def _century(year: int) -> int:
    """Return the year of two digits: 1936 to 2035."""
    return 2000 + year if year <= 35 else 1900 + year


def _date(token: str, year: int, rest: tuple[int, int], *, is_local: bool) -> Reading | None:
    """Return the reading of a date; in a local one the month may be first or second."""
    first, second = rest
    orders = {(first, second): None}  # month and day
    if is_local:
        orders[second, first] = None
    found = [
        (month, day) for month, day in orders if 1 <= month <= 12 and 1 <= day <= _DAYS[month - 1]
    ]
    if not found or not 1000 <= year <= 2999:
        return None
    other = found[1] if len(found) > 1 else (0, 0)
    return Reading(token, Part.DATE, fields=(year, *found[0], *other))


def _with_digits(token: str) -> list[Reading]:
    """Return the readings of a glued token; empty if a piece is unknown."""
    if _TELEPHONE.fullmatch(token):
        return []
    if match := _NUMBERED.fullmatch(token):
        sign, digits = readings(match[1]), readings(match[2])
        return [*sign, *digits]
    if token[-1] in _DASHES:  # "5-" before "$", which the Treebank cuts off
        found = _element(token[:-1])
        return [*found, _DASH] if found else []
    return _element(token) or _compound(token) or _joined(token) or _hyphenated(token)


def _compound(token: str) -> list[Reading]:
    """Return the readings of an amount in several units that is one token: 2h20m, 6'2."""
    parts = _PART.findall(token) if _COMPOUND.fullmatch(token) else ()
    if len(parts) < 2:
        return []
    is_length = not _LENGTH_MARKS.isdisjoint(token)
    found = []
    for index, (digits, letters) in enumerate(parts):
        unit = ("inch" if index else "ft") if is_length else _PART_UNITS.get(letters, letters)
        base, exponent = UNITS[unit]
        number = _number(digits, "", is_alone=False)  # none of "05"
        found.append(number or Reading(digits, Part.DIGITS, number=float(digits)))
        found.append(Reading(letters, Part.UNIT, unit=UNIT[base], unit_exponent=exponent))
    return found


def _joined(token: str) -> list[Reading]:
    """Return the readings of two numbers with a dash between them, or with units and a slash."""
    for separator in ("/", *_DASHES):
        at = token.find(separator, 1)
        if at < 0:
            continue
        first, second = _element(token[:at]), _element(token[at + 1 :])
        if first and second and (separator != "/" or len(first) > 1 < len(second)):
            return [*first, _SLASH if separator == "/" else _DASH, *second]
    return []


def _hyphenated(token: str) -> list[Reading]:
    """Return the readings of number words and units joined by hyphens, or an empty list."""
    parts = re.split("[-–]", token)
    if parts[0].lower() in _EARLY and len(parts) > 1:
        parts = parts[1:]
    while len(parts) > 1 and parts[-1].lower() in _IGNORED_TAILS:
        parts.pop()
    days = [day for part in parts if (day := _word(part)) and Part.WEEKDAY & day.parts]
    if len(days) == len(parts) == 2 and all(day.parts > Part.WEEKDAY for day in days):
        return [days[0], _DASH, days[1]]  # Mon-Fri
    found: list[Reading] = []
    for index, part in enumerate(parts):
        pieces = _part(part, is_first=index == 0)
        if not pieces:
            # "3-pin", "five-door": a number of something.
            is_number = index > 0 and found[0].parts & _COUNTS and len(part) > 1
            return found if is_number and all(map(str.isalpha, parts[index:])) else []
        found += pieces
    return found if found[0].parts & _STARTS else []


def _part(part: str, *, is_first: bool) -> list[Reading]:
    found = _word(part) if part else None
    if found is not None:
        return [found]
    if not is_first or _DIGIT.isdisjoint(part):
        return []
    literal = _literal(part)
    return _element(part) if literal is None else [literal]


def _element(text: str) -> list[Reading]:
    """Return the readings of a number and the pieces glued to it; empty if unknown."""
    if text.isdigit() and text.isascii():
        number = _number(text, "", is_alone=True)
        return [] if number is None else [number]  # most numbers need no pattern
    match = _ELEMENT.fullmatch(text)
    if match is None:
        return []
    currency, tail = match["currency"], match["tail"].rstrip("+")
    if tail in ("x", "×"):  # 3x
        tail = ""
    before = CASED.get(currency)
    if currency and before is None:
        return []
    digits = match["number"]
    number = (
        _clock(match) if digits is None else _number(digits, match["sign"], is_alone=digits == text)
    )
    if number is None:
        return []
    found = [number] if before is None else [before, number]
    if match["vulgar"]:
        found.append(LOWER[match["vulgar"]])
    if tail:
        after = TAILS.get(tail) or _word(tail)
        if after is None or not after.parts & _AFTER:
            return []
        found.append(after)
    return found


def _clock(match: re.Match[str]) -> Reading | None:
    """Return the reading of hours and minutes; the last field says whether the day is whole."""
    text = match["clock"]
    hour, minute, second = map(int, [*text.split(":"), "0"][:3])
    if match["sign"] or match["currency"] or hour > 24 or minute > 59 or second > 59:
        return None
    is_whole = hour > 12 or hour == 0 or text[0] == "0"
    return Reading(text, Part.CLOCK, fields=(hour % 24, minute, second, int(is_whole)))


def _number(text: str, sign: str, *, is_alone: bool) -> Reading | None:
    """Return the reading of digits; None for identifiers, such as those with leading zeros.

    `is_alone`: whether there is no more to their token.
    """
    digits = _plain(text)
    whole, _, rest = digits.partition(".")
    if len(whole) > 15 or len(rest) > 15:
        return None
    value = -float(digits) if sign and sign in _MINUS else float(digits)
    parts = int(Part.DIGITS)
    fields: tuple[int, ...] = ()
    if text.isdigit():
        if len(text) == 3 and is_alone:
            parts |= Part.GROUP
        if text[0] == "0" and len(text) > 1:
            return Reading(text, Part.GROUP) if parts & Part.GROUP else None
        if not sign:
            parts |= Part.PLAIN
            fields = (int(whole),) if len(whole) <= 9 else ()
        if is_alone and len(text) == 4 and 1100 <= int(text) <= 2099:
            parts |= Part.YEAR
    elif text == digits and whole and not sign and len(rest) <= 6 and len(whole) <= 6:
        fields = (int(whole), int(rest), len(rest))
    return Reading(sign + text, parts, number=value, fields=fields)


def _plain(text: str) -> str:
    """Return digits without separators, with a point before the decimals."""
    if text.isdigit():
        return text
    if re.fullmatch(r"[0-9]+,[0-9]{1,2}", text):  # 1,5
        return text.replace(",", ".")
    if "," in text and text.rfind(",") > text.rfind(".") >= 0:  # 1.000,50
        return text.replace(".", "").replace(",", ".")
    if text.count(".") > 1:  # 1.000.000
        return text.replace(".", "")
    return re.sub(f"[,{_SPACES}]", "", text)
