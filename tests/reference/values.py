"""Values of a sentence by regular expressions over its pieces, slow and obvious.

What a single token may be is taken from `readings`; how pieces combine is written anew. Every piece
becomes one character, and everything that a piece may be a class of characters, so that the grammar
can be read off the expressions. Numbers are exact fractions.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from tokalign.english.values import Kind, Part, Role
from tokalign.english.values.value import CODES, COMPOUNDS, POWERS, SIZES, UNIT_BASES, UNITS

from reference.agreement import of_one_dimension
from reference.value_dates import date, dates, time, times
from reference.value_pieces import (
    CURRENCY,
    MAX_SPAN,
    MEASURED,
    ORDINAL,
    Pieces,
    Said,
    amount,
    amount_roles,
    below,
    measured,
    measured_key,
    written,
)


def unit(p: Pieces, at: int) -> tuple[int, int, int] | None:
    """Return where a unit stops, its base and its power of ten."""
    if match := p.match("(?:(?P<two>{SQUARE})|{CUBIC}){UNIT}", at):
        reading = p.items[at + 1][0]
        for (name, power), both in POWERS.items():
            is_it = UNITS[name] == (UNIT_BASES[reading.unit], reading.unit_exponent)
            if is_it and power == (2 if match["two"] else 3):
                return at + 2, UNIT_BASES.index(both), 0
        return None
    if p.may_be(at, Part.SQUARE | Part.CUBIC) or not p.match("{UNIT_ALONE}", at):
        return None
    reading = p.items[at][0]
    here = (UNIT_BASES[reading.unit], reading.unit_exponent)
    if p.match("(?:{PER}|{SLASH}){UNIT}", at + 1):
        other = p.items[at + 2][0]
        for (first, second), both in COMPOUNDS.items():
            behind = (UNIT_BASES[other.unit], other.unit_exponent)
            if (UNITS[first], UNITS[second]) == (here, behind):
                return at + 3, UNIT_BASES.index(both), 0
    elif here[0] == "°" and p.may_be(at + 1, Part.UNIT):
        degrees = p.items[at + 1][0].unit
        if UNIT_BASES[degrees] in ("°C", "°F"):
            return at + 2, degrees, reading.unit_exponent
    return at + 1, reading.unit, reading.unit_exponent


ROLE_OF = {Kind.PERCENT: Role.PERCENT, Kind.MONEY: Role.CURRENCY, Kind.QUANTITY: Role.UNIT}


@dataclass
class Measure:
    kind: Kind
    first: int
    stop: int
    code: int = -1
    exponent: int = 0
    factor: Fraction = Fraction(1)

    def spans(self, p: Pieces) -> list[tuple[int, int, Role]]:
        role = ROLE_OF.get(self.kind, Role.SCALE)
        if p.may_be(self.first, Part.DASH) and self.stop > self.first:
            return [(self.first, self.first + 1, Role.JOINT), (self.first + 1, self.stop, role)]
        return [(self.first, self.stop, role)]


def money_behind(p: Pieces, at: int, before: int, any_dollar: bool) -> tuple[int, int, int] | None:
    match = p.match("(?P<nation>{NATION}(?={AFTER}))?(?P<name>{AFTER})", at)
    if not match:
        return None
    name = p.items[match.start("name")][0]
    code = name.currency
    if name.parts & Part.DOLLAR:
        if match["nation"]:
            code = p.items[at][0].currency
        elif before >= 0:
            code = before
    if before >= 0 and before != code and not any_dollar:
        return None
    return match.end(), code, name.currency_exponent


def measures(p: Pieces, at: int, currency: int, any_dollar: bool) -> list[Measure]:
    first = at + 1 if p.may_be(at, Part.DASH) else at
    money = money_behind(p, first, currency, any_dollar)
    if currency >= 0:
        if money and money[2] == 0:
            return [Measure(Kind.MONEY, at, *money)]
        return [Measure(Kind.MONEY, at, at, currency)]
    if match := p.match("{PERCENT}(?P<points>{POINT})?|{PER}{CENT}", first):
        return [Measure(Kind.PERCENT, at, match.end(), 1 if match["points"] else -1)]
    if match := p.match("{PERCENTAGE}{POINT}", first):
        return [Measure(Kind.PERCENT, at, match.end(), 1)]
    found = [Measure(Kind.MONEY, at, *money)] if money else []
    if of := unit(p, first):
        found.append(Measure(Kind.QUANTITY, at, *of))
        if UNIT_BASES[of[1]] == "°" and not money:
            temperatures = map(UNIT_BASES.index, ("°C", "°F"))
            return found + [Measure(Kind.QUANTITY, at, of[0], each) for each in temperatures]
        if not money and p.may_be(first, Part.SCALE):
            factor = Fraction(p.items[first][0].factor)
            found.append(Measure(Kind.NUMBER, at, first + 1, factor=factor))
    if found:
        return found
    found = [Measure(Kind.NUMBER, at, at)]
    if p.may_be(at, Part.INCHES):
        found.append(Measure(Kind.QUANTITY, at, at + 1, UNIT_BASES.index("inch")))
    return found


def currency_before(p: Pieces, at: int) -> tuple[int, int, bool]:
    """Return where the currency before a number stops, which it is, and if it is any dollar."""
    match = p.match(CURRENCY, at)
    if not match:
        return at, -1, False
    any_dollar = match.end() == at + 1 and p.may_be(at, Part.DOLLAR)
    return match.end(), p.items[at][0].currency, any_dollar


def amounts(p: Pieces, at: int) -> list[Said]:
    first, currency, any_dollar = currency_before(p, at)
    found = amount(p, first, currency >= 0)
    if not found:
        return []
    if in_range := ranges(p, at, first, currency, any_dollar, found):
        return in_range
    said = []
    for measure in measures(p, found.stop, currency, any_dollar):
        spans = [(at, first, Role.CURRENCY), *amount_roles(p, first, found.stop)]
        spans += measure.spans(p)
        said.append(
            measured(
                p, measure.kind, found.value, measure.code, measure.exponent, spans,
                factor=measure.factor,
            )
        )  # fmt: skip
    if [each.kind for each in said] == [Kind.NUMBER] and found.stop == first + 1:
        said += without_measure(p, first)
    return said


def without_measure(p: Pieces, at: int) -> list[Said]:
    if not p.may_be(at, Part.DIGITS) or len(p.fields(at)) != 3:
        return []
    whole, rest, places = p.fields(at)
    said = [version(p, [(at, at + 1, Role.NUMBER)], (whole, rest))]
    if places != 2 or whole > 23 or rest > 59:
        return said
    if 1 <= whole <= 12:
        here = [(at, at + 1, Role.CLOCK)]
        return said + [time(p, here, each, rest) for each in (whole, (whole + 12) % 24)]
    return [*said, time(p, [(at, at + 1, Role.CLOCK | Role.HALF_DAY)], whole, rest)]


def ranges(p, at, first, currency, any_dollar, low) -> list[Said]:
    joint = low.stop
    second = joint + 1
    if not p.may_be(joint, Part.DASH | Part.TO):
        return []
    if currency >= 0:
        behind, other, _ = currency_before(p, second)
        if behind > second and other != currency:
            return []
        second = behind
    high = amount(p, second, currency >= 0)
    if not high:
        return []
    bottom, top = low.value, high.value
    if (
        p.may_be(first, Part.YEAR) and p.may_be(second, Part.PLAIN) and joint == first + 1
        and high.stop == second + 1 and p.items[first][1] == p.items[second][1]
        and max(bottom % 100 + Fraction(1, 9), 10) <= top <= 99
    ):  # fmt: skip
        top += bottom - bottom % 100
    if low.scale == 1 < high.scale and bottom < top / high.scale:
        bottom *= high.scale
    small = low.is_small and high.is_small and 0 <= low.value <= 199 and 0 <= high.value <= 199
    score = []
    if small:
        key = f"{low.value}-{high.value}"
        spans = [(first, joint, Role.LOW), (joint, second, Role.JOINT)]
        spans.append((second, high.stop, Role.HIGH))
        score = [p.said(Kind.SCORE, key, spans, score=(low.value, high.value))]
    if bottom >= top:
        return score if currency < 0 else []
    measure = measures(p, high.stop, currency, any_dollar)[0]
    exponent = measure.exponent if measure.kind in (Kind.MONEY, Kind.QUANTITY) else 0
    ends = [each * Fraction(10) ** exponent for each in (bottom, top)]
    text = "..".join(map(written, ends))
    spans = [
        (at, first, Role.CURRENCY), (first, joint, Role.LOW), (joint, joint + 1, Role.JOINT),
        (joint + 1, second, Role.CURRENCY), (second, high.stop, Role.HIGH), *measure.spans(p),
    ]  # fmt: skip
    facts = {"ends": ends, "code": measure.code, "of": measure.kind}
    said = [p.said(Kind.RANGE, measured_key(text, measure.kind, measure.code), spans, **facts)]
    own = joint + 1, second, Role.JOINT if second == joint + 1 else Role.CURRENCY
    shared = at, first, Role.CURRENCY if second == joint + 1 else Role.JOINT
    low_end = [spans[0], (first, joint, Role.NUMBER), (joint, high.stop, Role.JOINT)]
    high_end = [shared, (first, joint + 1, Role.JOINT), own, (second, high.stop, Role.NUMBER)]
    for value, end in ((bottom, low_end), (top, high_end)):
        end += measure.spans(p)
        said.append(measured(p, measure.kind, value, measure.code, exponent, end))
    return said + (score if measure.kind == Kind.NUMBER else [])


def fractions(p: Pieces, at: int) -> list[Said]:
    both = Role.NUMBER | Role.DENOMINATOR
    in_all = False
    is_count = p.may_be(at, Part.ONE | Part.TEEN) or (
        p.may_be(at, Part.PLAIN) and p.number(at) <= 99
    )
    count = p.number(at) if is_count else Fraction(1)
    wanted = Part.DENOMINATOR if count == 1 else Part.DENOMINATORS
    is_part = (is_count or p.may_be(at, Part.A)) and count >= 1 and p.may_be(at + 1, wanted)
    spans = [(at, at + 1, both)]
    if p.may_be(at, Part.VULGAR):
        value = p.number(at)
    elif p.may_be(at, Part.SLASHED) and all(1 <= each <= 100 for each in p.fields(at)):
        value = Fraction(*p.fields(at))
    elif is_part:
        value = count / p.number(at + 1)
        last = both if count == 1 else Role.DENOMINATOR
        spans = [(at, at + 1, Role.NUMBER), (at + 1, at + 2, last)]
    elif p.may_be(at, Part.HALF) and not (at and p.may_be(at - 1, Part.ORDINAL)):
        value = Fraction(1, 2)
    elif is_count and count >= 1 and p.match("{IN}(?!{YEAR}|{MINUS}|{A})", at + 1):
        whole = amount(p, at + 2, False)
        if not whole or whole.value.denominator != 1 or not count < whole.value <= 10**6:
            return []
        value, in_all = count / whole.value, True
        spans = [(at, at + 1, Role.NUMBER), (at + 1, at + 2, Role.JOINT)]
        spans.append((at + 2, whole.stop, Role.DENOMINATOR))
    else:
        return []
    stop = spans[-1][1]
    after = p.match("(?:{OF}(?={A}{UNIT}))?{A}?", stop).end()
    found = [] if in_all else measures(p, after, -1, False)
    if found and found[0].kind != Kind.NUMBER:
        return [
            measured(p, each.kind, value, each.code, each.exponent,
                     [*spans, (stop, after, Role.JOINT), *each.spans(p)])
            for each in found
            if each.kind != Kind.NUMBER
        ]  # fmt: skip
    key = f"{value.numerator}/{value.denominator}"
    said = [p.said(Kind.FRACTION, key, spans, number=value, amount=value, code=-1)]
    if p.may_be(at, Part.A) and p.may_be(at + 1, Part.ORDINAL):
        return said + ordinals(p, at + 1)
    if p.may_be(at, Part.SLASHED):
        for month, day in dict.fromkeys((p.fields(at), p.fields(at)[::-1])):
            if 1 <= month <= 12 and 1 <= day <= 31:
                said.append(date(p, [(at, at + 1, Role.MONTH | Role.DAY)], month=month, day=day))
    return said


def ordinals(p: Pieces, at: int) -> list[Said]:
    if match := p.match(ORDINAL, at):
        value, spans = below(p, *match.span()), [(*match.span(), Role.NUMBER)]
    elif p.may_be(at, Part.NUMBER_SIGN):
        found = amount(p, at + 1, False)
        if not found or not found.is_small:
            return []
        value, spans = found.value, [(at, at + 1, Role.MARK), (at + 1, at + 2, Role.NUMBER)]
    else:
        return []
    return [p.said(Kind.ORDINAL, written(value), spans, number=value, amount=value, code=-1)]


def version(p: Pieces, spans, parts: tuple[int, ...]) -> Said:
    while len(parts) > 1 and parts[-1] == 0:
        parts = parts[:-1]
    return p.said(Kind.VERSION, ".".join(map(str, parts)), spans, version=parts)


def versions(p: Pieces, at: int) -> list[Said]:
    first = at + 1 if p.may_be(at, Part.VERSION_WORD) else at
    spans = [(at, first, Role.MARK), (first, first + 1, Role.NUMBER)]
    if p.may_be(first, Part.VERSION):
        return [version(p, spans, p.fields(first))]
    if first > at and p.may_be(first, Part.DIGITS) and p.fields(first):
        return [version(p, spans, p.fields(first)[:2])]
    return []


# Amounts in several units.

UNIT_SIZES = {unit: Fraction(str(size)) for sizes in SIZES.values() for unit, size in sizes.items()}
HOUR, MINUTE, SECOND, METRE, FOOT, INCH = map(
    UNIT_BASES.index, ("h", "min", "s", "m", "ft", "inch")
)
GOES_ON = "(?:" + MEASURED + "|{DASH}|{TO}|{PER}|{SLASH}|{POINT})"


def size(said: Said) -> Fraction:
    """Return the size of a value's unit as written, in its dimension; 0 without one."""
    unit = UNIT_BASES[said.facts["code"]] if said.kind == Kind.QUANTITY else None
    base = UNIT_SIZES.get(unit, Fraction()) if unit else Fraction(1)
    return base * said.facts["amount"] / said.facts["number"]


def clock_amount(p: Pieces, at: int) -> list[Said]:
    """Read 1:30 hours."""
    hours, minutes, seconds, is_whole = p.fields(at)
    if is_whole or hours == 12 or not p.may_be(at + 1, Part.UNIT):
        return []
    unit = p.items[at + 1][0].unit
    if unit not in (HOUR, MINUTE) or (unit == MINUTE and seconds):
        return []
    number = Fraction(60 * hours + minutes)
    code = MINUTE if unit == HOUR else SECOND
    if seconds:
        number, code = 60 * number + seconds, SECOND
    spans = [(at, at + 1, Role.NUMBER), (at + 1, at + 2, Role.UNIT)]
    return [measured(p, Kind.QUANTITY, number, code, 0, spans)]


def one(p: Pieces, at: int) -> Said:
    """Read "an hour"."""
    unit = p.items[at + 1][0]
    spans = [(at, at + 1, Role.NUMBER), (at + 1, at + 2, Role.UNIT)]
    return measured(p, Kind.QUANTITY, Fraction(1), unit.unit, unit.unit_exponent, spans)


def is_list(p: Pieces, part: Said) -> bool:
    if p.match("{PER}|{SLASH}|{A}{UNIT}", part.stop):
        return True
    first = p.match("{COMMA}?{AND}?", part.stop).end()
    behind = amounts(p, first) if first > part.stop and first < len(p.items) else []
    return any(
        of_one_dimension(part, each) and each.facts["number"] > 0 and size(each) >= size(part)
        for each in behind
    )


def looks_like_metres(p: Pieces, said: Said) -> bool:
    return said.facts["code"] == METRE and p.may_be(said.stop - 1, Part.SCALE)


def part_behind(p: Pieces, whole: Said) -> Said | None:
    """Return what an amount goes on with, in its unit or a smaller one; turns metres to minutes."""
    comma = p.may_be(whole.stop, Part.COMMA)
    first = p.match("{COMMA}?{AND}?", whole.stop).end()
    joined = first > whole.stop
    if first >= len(p.items):
        return None
    if p.may_be(first, Part.DECADE) and p.may_be(first, Part.UNIT):
        roles = [(first, first + 1, Role.NUMBER | Role.UNIT)]
        read = [measured(p, Kind.QUANTITY, p.number(first), p.items[first][0].unit, 0, roles)]
    else:
        read = fractions(p, first)[:1]
        if not read or read[0].kind != Kind.FRACTION:
            read = amounts(p, first)
            if read and read[0].kind in (Kind.RANGE, Kind.SCORE):
                read = []
    for part in read:
        number = part.facts.get("number", Fraction())
        if whole.kind == Kind.QUANTITY and part.kind == Kind.FRACTION:
            part.facts |= {"amount": number * whole.facts["amount"] / whole.facts["number"]}
            part.facts |= {"code": whole.facts["code"]}
            is_in = p.may_be(part.stop - 2, Part.IN)
            if joined and number < 1 and not p.may_be(part.stop, Part.OF) and not is_in:
                return part
        elif whole.kind == Kind.QUANTITY and part.kind == Kind.NUMBER:
            is_inches = whole.facts["code"] == FOOT and not joined and number.denominator == 1
            if is_inches and 0 < number < 12 and not p.match(GOES_ON, part.stop):
                part.facts |= {"amount": number, "code": INCH}
                return part
        elif part.kind != whole.kind or number <= 0:
            continue
        elif part.kind == Kind.MONEY:
            is_cents = part.facts["amount"] < 1 and size(part) < 1 <= size(whole)
            codes = whole.facts["code"], CODES.index("USD")
            if is_cents and not comma and part.facts["code"] in codes:
                return part
        else:
            if looks_like_metres(p, part) and not of_one_dimension(whole, part):
                part.facts |= {"code": MINUTE, "amount": number}
            elif looks_like_metres(p, whole) and part.facts["code"] == SECOND:
                whole.facts |= {"code": MINUTE, "amount": whole.facts["number"]}
            if not of_one_dimension(whole, part) or not size(part) < size(whole):
                continue
            if number * size(part) >= size(whole):
                continue
            if not joined or not (part.facts["code"] == whole.facts["code"] or is_list(p, part)):
                return part
    return None


def with_part(whole: Said, part: Said) -> Said:
    """Return an amount and what it goes on with as one."""
    facts = dict(part.facts, amount=whole.facts["amount"] + part.facts["amount"])
    if whole.kind == Kind.MONEY:
        facts |= {"number": facts["amount"], "code": whole.facts["code"]}
    else:
        sizes = (UNIT_SIZES.get(UNIT_BASES[each.facts["code"]]) for each in (whole, part))
        larger, smaller = sizes
        ratio = larger / smaller if larger else Fraction(1)
        facts["amount"] = whole.facts["amount"] * ratio + part.facts["amount"]
        facts["number"] = facts["amount"] * part.facts["number"] / part.facts["amount"]
    key = measured_key(written(facts["amount"]), whole.kind, facts["code"])
    roles = dict(enumerate(whole.roles, whole.start))
    for at, role in enumerate(part.roles, part.start):
        roles[at] = roles.get(at, Role(0)) | role
    end = part.start + len(part.roles)
    told = tuple(roles.get(at, Role(0)) for at in range(whole.start, end))
    return Said(whole.kind, key, whole.start, end, told, part.stop, facts=facts)


def wholes(p: Pieces, at: int) -> list[Said]:
    """Read an amount in one unit or several."""
    if p.may_be(at, Part.CLOCK):
        return clock_amount(p, at)
    is_one = bool(p.match("{A}{UNIT}", at))
    found = [one(p, at)] if is_one else amounts(p, at)
    for said in found:
        if said.kind not in (Kind.QUANTITY, Kind.MONEY) or said.facts["number"] <= 0:
            continue
        whole = Said(**{**vars(said), "facts": dict(said.facts)})
        while part := part_behind(p, whole):
            whole = with_part(whole, part)
        if whole.stop > said.stop:
            return [whole]
    return [] if is_one else found


READERS = (dates, times, fractions, ordinals, versions, wholes)


def find_values(tokens: Sequence[str]) -> list[Said]:
    """Return the values of a sentence as the documentation says."""
    p = Pieces(tokens)
    found: list[Said] = []
    at = 0
    while at < len(p.items):
        tried = [said for reader in READERS if p.items[at][0] and (said := reader(p, at))]
        best = max(tried, key=lambda said: said[0].stop, default=None)
        if best is None:
            at += 1
            continue
        if best[0].end - best[0].start <= MAX_SPAN:
            for rank, said in enumerate(best):
                said.rank = rank
                found.append(said)
        at = best[0].stop
    return found
