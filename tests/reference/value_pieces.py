"""The pieces of a sentence, and the numbers in them, by regular expressions.

What a single token may be is taken from `readings`; how pieces combine is written anew. Every piece
becomes one character, and everything that a piece may be a class of characters, so that the grammar
can be read off the expressions. Numbers are exact fractions.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction

from tokalign.english.values import Kind, Part, Role, readings
from tokalign.english.values.value import CODES, UNIT_BASES

BELOW = "(?>{TEN}(?:{DASH}?{ONE})?|{ONE}|{TEEN})"
CHUNK = f"(?>(?:{BELOW}|{{A}}(?={{HUNDRED}}))(?:{{HUNDRED}}(?:{{AND}}?{BELOW})?)?)"
SCALE = {True: "{SCALE}", False: "(?:{ONLY_SCALE}|{SCALE}(?={AFTER}))"}
ORDINAL = "(?:{TEN}{DASH}?{ORDINAL_WORD}|(?!{TEN}){ORDINAL})"
YEAR = "(?:{YEAR}|{HUNDREDS}(?>{TEN}(?:{DASH}?{ONE})?|{TEEN_OR_MORE})(?!{HUNDRED}|{SCALE}))"
DAY = "(?:(?P<day_digits>{DAY_DIGITS})|{DAY_ORDINAL}|{TEN_TO_31}{DASH}?{ORDINAL_WORD})"
MEASURED = "(?:{SCALE}|{HUNDRED}|{PERCENT}|{UNIT}|{AFTER}|{DAY_HALF})"
END_YEAR = f"(?:{{COMMA}}?(?P<year>{YEAR}))?"
HALF_DAY = "(?:{IN}{THE}(?P<half>{DAY_PART})|(?P<other>{ONLY_DAY_HALF}))"
CURRENCY = "(?:{NATION}{DOLLAR_BEFORE}|{BEFORE})"
WEEKDAYS = ("", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
MAX_SPAN = 16


@dataclass
class Said:
    """A value that the reference found."""

    kind: Kind
    key: str
    start: int
    end: int
    roles: tuple[Role, ...]
    stop: int
    rank: int = 0
    facts: dict[str, object] = field(default_factory=dict)


def written(number: Fraction) -> str:
    if number.denominator == 1 and abs(number) < 2**53:
        return str(number)
    return format(Decimal(f"{float(number):.13g}"), "f")


class Pieces:
    """The pieces of a sentence as characters, with a class for everything that they may be."""

    def __init__(self, tokens: Sequence[str]) -> None:
        self.items = [(r, i) for i, token in enumerate(tokens) for r in readings(token) or (None,)]
        self.text = "".join(chr(0x4E00 + k) for k in range(len(self.items)))
        self.classes = {
            part.name: self._class(lambda r, part=part: r.parts & part) for part in Part
        }
        small = Part.PLAIN | Part.ONE | Part.TEEN
        more = {
            "HOUR": lambda r: r.parts & small and 1 <= r.number <= 12,
            "DAY_DIGITS": lambda r: r.parts & Part.PLAIN and 1 <= r.number <= 31,
            "DAY_ORDINAL": lambda r: r.parts & Part.ORDINAL and 1 <= r.number <= 31,
            "TEN_TO_31": lambda r: r.parts & Part.TEN and r.number <= 30,
            "HUNDREDS": lambda r: r.parts & (Part.TEEN | Part.TEN) and 13 <= r.number <= 20,
            "TEEN_OR_MORE": lambda r: r.parts & Part.TEEN and r.number >= 10,
            "DIGIT_WORD": lambda r: r.parts & (Part.ONE | Part.TEEN) and r.number < 10,
            "ONLY_SCALE": lambda r: r.parts & Part.SCALE and not r.parts & Part.UNIT,
            "ONLY_DAY_HALF": lambda r: r.parts & Part.DAY_HALF and not r.parts & Part.DAY_PART,
            "DOLLAR_BEFORE": lambda r: r.parts & Part.DOLLAR and r.parts & Part.BEFORE,
            "DAY_NAME": lambda r: r.parts & Part.WEEKDAY and r.parts & (Part.ALONE | Part.WEAK),
            "SPOKEN_UNIT": lambda r: r.parts & Part.UNIT,
            "UNIT_ALONE": lambda r: r.parts & Part.UNIT and not r.parts & Part.DECADE,
        }
        self.classes |= {name: self._class(test) for name, test in more.items()}

    def _class(self, test) -> str:
        found = "".join(c for c, (r, _) in zip(self.text, self.items, strict=True) if r and test(r))
        return f"[{found}]" if found else "(?!)"

    def match(self, pattern: str, at: int) -> re.Match[str] | None:
        return re.compile(pattern.format(**self.classes)).match(self.text, at)

    def may_be(self, at: int, part: Part) -> bool:
        return at < len(self.items) and bool(self.items[at][0] and self.items[at][0].parts & part)

    def number(self, at: int) -> Fraction:
        reading = self.items[at][0]
        if reading.parts & Part.VULGAR:
            return Fraction(*reading.fields)
        return Fraction(str(reading.number))

    def fields(self, at: int) -> tuple[int, ...]:
        return self.items[at][0].fields

    def said(self, kind: Kind, key: str, spans: Sequence[tuple[int, int, Role]], **facts) -> Said:
        """Return a value whose pieces have the roles of these spans, which follow each other."""
        spans = [(first, stop, role) for first, stop, role in spans if first < stop]
        start = self.items[spans[0][0]][1]
        stop = spans[-1][1]
        roles = [Role(0)] * (self.items[stop - 1][1] + 1 - start)
        for first, last, role in spans:
            for k in range(first, last):
                roles[self.items[k][1] - start] |= role
        return Said(kind, key, start, start + len(roles), tuple(roles), stop, facts=facts)


# Numbers: each function returns where it stops and the number.


def below(p: Pieces, at: int, stop: int) -> Fraction:
    return sum((p.number(k) for k in range(at, stop) if not p.may_be(k, Part.DASH)), Fraction())


def chunk(p: Pieces, at: int) -> tuple[int, Fraction] | None:
    match = p.match(CHUNK, at)
    if not match:
        return None
    hundred = p.match(f"(?:{BELOW}|{{A}})?(?P<hundred>{{HUNDRED}}){{AND}}?", at)
    if not hundred or hundred.end("hundred") > match.end():
        return match.end(), below(p, at, match.end())
    place = hundred.start("hundred")
    hundreds = Fraction(1) if p.may_be(at, Part.A) else below(p, at, place)
    rest = min(hundred.end(), match.end())
    return match.end(), 100 * hundreds + below(p, rest, match.end())


def words(p: Pieces, at: int, money: bool) -> tuple[int, Fraction, Fraction] | None:
    """Return where a number in words stops, the number, and its last scale."""
    scale_at = SCALE[money]
    if p.match(f"{{A}}{scale_at}", at):
        stop, total = at + 1, Fraction(1)
    elif first := chunk(p, at):
        stop, total = first
    else:
        return None
    scale = Fraction(1)
    if not p.match(scale_at, stop):
        return stop, total, scale
    scale = Fraction(p.items[stop][0].factor)
    total *= scale
    stop += 1
    while True:
        after = stop + 1 if p.may_be(stop, Part.AND) else stop
        more = None if p.may_be(after, Part.A) else chunk(p, after)
        if more is None:
            return stop, total, scale
        behind, value = more
        if not p.match(scale_at, behind):
            return (behind, total + value, Fraction(1)) if value < scale else (stop, total, scale)
        factor = Fraction(p.items[behind][0].factor)
        if factor >= scale:
            return stop, total, scale
        stop, total, scale = behind + 1, total + value * factor, factor


def digits(p: Pieces, at: int) -> tuple[int, Fraction]:
    value = p.number(at)
    stop = at + 1
    if not p.may_be(at, Part.PLAIN):
        return stop, value
    while 1 <= p.number(at) <= 999 and p.may_be(stop, Part.GROUP) and value < 10**12:
        if p.items[stop][1] == p.items[stop - 1][1]:
            break
        value = 1000 * value + p.number(stop)
        stop += 1
    if stop > at + 1:
        return stop, value
    if p.may_be(stop, Part.VULGAR):
        return stop + 1, value + p.number(stop)
    if p.may_be(stop, Part.SLASHED):
        a, b = p.fields(stop)
        if 0 < a < b <= 100:
            return stop + 1, value + Fraction(a, b)
    return stop, value


@dataclass
class Amount:
    stop: int
    value: Fraction
    scale: Fraction
    is_small: bool


def amount(p: Pieces, at: int, money: bool) -> Amount | None:
    first = at + 1 if p.may_be(at, Part.MINUS) else at
    scale = Fraction(1)
    if p.may_be(first, Part.DIGITS):
        stop, value = digits(p, first)
        if p.match(f"{SCALE[money]}|{{HUNDRED}}", stop):
            scale = Fraction(p.items[stop][0].factor)
            stop, value = stop + 1, value * scale
    elif half := p.match(f"{{HALF}}{{A}}?(?:{SCALE[money]}|{{HUNDRED}})", first):
        stop = half.end()
        scale = Fraction(p.items[stop - 1][0].factor)
        value = scale / 2
    elif found := words(p, first, money):
        stop, value, scale = found
        point = p.match("{POINT}({DIGIT_WORD}{{1,12}})", stop)
        if scale == 1 and point:
            spoken = "".join(str(p.number(k)) for k in range(*point.span(1)))
            value += Fraction(f"0.{spoken}")
            stop = point.end()
            if p.match(SCALE[money], stop):
                scale = Fraction(p.items[stop][0].factor)
                stop, value = stop + 1, value * scale
    else:
        return None
    small = Part.PLAIN | Part.ONE | Part.TEEN
    is_small = stop == at + 1 and p.may_be(at, small)
    if p.match("{AND}{A}{HALF}", stop):
        value += scale / 2
        stop += 3
        if scale == 1 and p.match(SCALE[money], stop):
            scale = Fraction(p.items[stop][0].factor)
            stop, value = stop + 1, value * scale
    if value >= 10**18:
        return None
    return Amount(stop, -value if first > at else value, scale, is_small)


def amount_roles(p: Pieces, first: int, stop: int) -> list[tuple[int, int, Role]]:
    roles = []
    for k in range(first, stop):
        is_joint = p.may_be(k, Part.AND | Part.DASH)
        role = Role.SCALE if p.may_be(k, Part.SCALE) else Role.NUMBER
        roles.append((k, k + 1, Role.JOINT if is_joint else role))
    return roles


# What numbers count.


def measured(p, kind, value, code, exponent, spans, *, factor=Fraction(1)) -> Said:
    number = value * factor
    base = number * Fraction(10) ** exponent if kind in (Kind.MONEY, Kind.QUANTITY) else number
    facts = {"number": number, "amount": base, "code": code}
    return p.said(kind, measured_key(written(base), kind, code), spans, **facts)


def measured_key(text: str, kind: Kind, code: int) -> str:
    if kind == Kind.PERCENT:
        return f"{text} pp" if code == 1 else f"{text}%"
    if kind == Kind.MONEY:
        return f"{CODES[code]} {text}"
    return f"{text} {UNIT_BASES[code]}" if kind == Kind.QUANTITY else text
