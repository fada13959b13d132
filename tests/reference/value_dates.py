"""Dates and times of a sentence by regular expressions over its pieces."""

from __future__ import annotations

from tokalign.english.values import Kind, Part, Role

from reference.value_pieces import (
    BELOW,
    DAY,
    END_YEAR,
    HALF_DAY,
    MEASURED,
    ORDINAL,
    WEEKDAYS,
    YEAR,
    Pieces,
    Said,
    below,
    measured,
)


def date_key(year=0, period=1, month=0, day=0, weekday=0, quarter=0) -> str:
    if period == 100:
        return f"C{year // 100 + 1}"
    if period == 10:
        return f"{year}s"
    if quarter:
        return f"{year}-Q{quarter}" if year else f"Q{quarter}"
    parts = [str(year) if year else "-", f"{month:02}" if month else "", f"{day:02}"]
    date = "-".join(parts[: 3 if day else 2]) if month or day else str(year) if year else ""
    return f"{date} {WEEKDAYS[weekday]}".strip()


def year_of(p: Pieces, span: tuple[int, int]) -> int:
    first, stop = span
    if p.may_be(first, Part.YEAR):
        return p.fields(first)[0]
    return int(100 * p.number(first) + below(p, first + 1, stop))


def date(p: Pieces, spans, **said) -> Said:
    return p.said(Kind.DATE, date_key(**said), spans, date=said)


def ordinal(p: Pieces, first: int, stop: int) -> int:
    return int(below(p, first, stop))


def dates(p: Pieces, at: int) -> list[Said]:
    before: list[tuple[int, int, Role]] = []
    said: dict[str, int] = {}
    first = at
    if p.may_be(at, Part.WEEKDAY):
        first = p.match("{WEEKDAY}{COMMA}?", at).end()
        before = [(at, at + 1, Role.WEEKDAY), (at + 1, first, Role.JOINT)]
        said["weekday"] = p.fields(at)[0]
    if p.may_be(first, Part.DATE):
        year, *orders = p.fields(first)
        roles = [*before, (first, first + 1, Role.YEAR | Role.MONTH | Role.DAY)]
        return [
            date(p, roles, year=year, month=month, day=day, **said)
            for month, day in (orders[:2], orders[2:])
            if month
        ]
    after = first
    if before and p.may_be(first, Part.THE):
        after += 1
        before.append((first, after, Role.JOINT))
    if found := day_and_month(p, after, before, said):
        return [found]
    if before:
        if match := p.match("{DAY_ORDINAL}|{TEN_TO_31}{DASH}?{ORDINAL_WORD}", after):
            day = ordinal(p, *match.span())
            if day <= 31:
                return [date(p, [*before, (*match.span(), Role.DAY)], day=day, **said)]
        return [date(p, before[:1], **said)] if may_be_alone(p, at) else []
    return month_alone(p, at) or periods(p, at) or years(p, at)


def day_and_month(p, at, before, said) -> Said | None:
    match = p.match(f"(?P<month>{{MONTH}})(?P<the>{{THE}}?)(?P<day>{DAY})", at)
    if match and match["day_digits"] and p.match(MEASURED, match.end()):
        return None
    if not match:
        if p.may_be(at, Part.MONTH):
            return None
        match = p.match(f"(?P<day>{DAY})(?P<the>{{OF}}?)(?P<month>{{MONTH}})", at)
    if not match or ordinal(p, *match.span("day")) > 31:
        return None
    end = p.match(END_YEAR, match.end())
    roles = {
        match.start("month"): (*match.span("month"), Role.MONTH),
        match.start("day"): (*match.span("day"), Role.DAY),
    }
    if match["the"]:
        roles[match.start("the")] = (*match.span("the"), Role.JOINT)
    spans = [*before, *(roles[k] for k in sorted(roles))]
    is_weak = p.may_be(match.start("month"), Part.WEAK)
    if match.start("month") != at and match["the"]:
        is_weak = False
    said = dict(said, month=p.fields(match.start("month"))[0])
    said["day"] = ordinal(p, *match.span("day"))
    if end["year"]:
        said["year"] = year_of(p, end.span("year"))
        spans += [(match.end(), end.start("year"), Role.JOINT), (*end.span("year"), Role.YEAR)]
    return None if is_weak and not end["year"] else date(p, spans, **said)


def with_year(p: Pieces, at: int, spans, said) -> Said:
    if match := p.match(f"(?:{{OF}}|{{COMMA}})?(?P<year>{YEAR})", at):
        joint = (at, match.start("year"), Role.JOINT)
        said = dict(said, year=year_of(p, match.span("year")))
        return date(p, [*spans, joint, (*match.span("year"), Role.YEAR)], **said)
    return date(p, spans, **said)


def month_alone(p: Pieces, at: int) -> list[Said]:
    if not p.may_be(at, Part.MONTH):
        return []
    found = with_year(p, at + 1, [(at, at + 1, Role.MONTH)], {"month": p.fields(at)[0]})
    return [found] if may_be_alone(p, at) or "year" in found.facts["date"] else []


def may_be_alone(p: Pieces, at: int) -> bool:
    """Whether a month or weekday needs nothing else of a date."""
    is_first = p.may_be(at, Part.NOT_FIRST) and p.items[at][1] == 0
    if p.may_be(at, Part.ALONE) and not is_first:
        return True
    joint = "(?:{TO}|{DASH}|{AND}|{COMMA}|{SLASH})"
    behind = p.match(
        f"{{DAY_NAME}}{joint}*(?P<clock>{{CLOCK}})|{{DAY_NAME}}{joint}+{{DAY_NAME}}", at
    )
    starts = range(at) if p.match("{DAY_NAME}", at) else ()
    before = (p.match(f"{{DAY_NAME}}{joint}+{{DAY_NAME}}", k) for k in starts)
    return bool(behind) or any(found and found.end() == at + 1 for found in before)


def periods(p: Pieces, at: int) -> list[Said]:
    here = (at, at + 1)
    if p.may_be(at, Part.MONTH):
        return []
    if p.may_be(at, Part.DECADE):
        year, period = p.fields(at)
        found = [date(p, [(*here, Role.YEAR)], year=year, period=period)]
        if p.may_be(at, Part.UNIT):
            roles = [(*here, Role.NUMBER | Role.UNIT)]
            code = p.items[at][0].unit
            found.append(measured(p, Kind.QUANTITY, p.number(at), code, 0, roles))
        return found
    if p.may_be(at, Part.QUARTER):
        quarter = p.fields(at)[0]
        return [with_year(p, at + 1, [(*here, Role.QUARTER)], {"quarter": quarter})]
    match = p.match(
        f"(?P<n>{ORDINAL})(?:(?P<century>{{CENTURY}})|(?P<quarter>{{QUARTER_WORD}}))", at
    )
    if not match:
        return []
    n = ordinal(p, *match.span("n"))
    if match["century"] and 2 <= n <= 21:
        return [date(p, [(*match.span(), Role.YEAR)], year=100 * (n - 1), period=100)]
    if match["quarter"] and n <= 4:
        return [with_year(p, match.end(), [(*match.span(), Role.QUARTER)], {"quarter": n})]
    return []


def years(p: Pieces, at: int) -> list[Said]:
    match = p.match(YEAR, at)
    if not match or p.may_be(at, Part.MONTH):
        return []
    found = [date(p, [(*match.span(), Role.YEAR)], year=year_of(p, match.span()))]
    if p.may_be(at, Part.DIGITS):
        found.append(measured(p, Kind.NUMBER, p.number(at), -1, 0, [(at, at + 1, Role.NUMBER)]))
    return found


def time(p: Pieces, spans, hour: int, minute=0, second=0) -> Said:
    key = f"{hour:02}:{minute:02}" + (f":{second:02}" if second else "")
    return p.said(Kind.TIME, key, spans, time=(hour, minute, second))


def finish(p: Pieces, at: int, spans, hour: int, minute=0, second=0) -> list[Said]:
    """Return the readings of a time of twelve hours, with the half of the day behind it."""
    if match := p.match(HALF_DAY, at):
        half = match.end() - 1
        spans = [*spans, (at, half, Role.JOINT), (half, half + 1, Role.HALF_DAY)]
        return [time(p, spans, hour % 12 + 12 * p.fields(half)[0], minute, second)]
    return [time(p, spans, each, minute, second) for each in (hour, (hour + 12) % 24)]


def times(p: Pieces, at: int) -> list[Said]:
    here = (at, at + 1, Role.CLOCK)
    whole = (at, at + 1, Role.CLOCK | Role.HALF_DAY)
    if p.may_be(at, Part.CLOCK):
        hour, minute, second, is_whole = p.fields(at)
        if is_whole:
            return [time(p, [whole], hour, minute, second)]
        return finish(p, at + 1, [here], hour, minute, second)
    if p.may_be(at, Part.NOON):
        return [time(p, [whole], p.fields(at)[0])]
    if p.may_be(at, Part.DIGITS) and len(p.fields(at)) == 3 and p.match(HALF_DAY, at + 1):
        hour, minute, places = p.fields(at)
        if places == 2 and 1 <= hour <= 12 and minute < 60:
            return finish(p, at + 1, [here], hour, minute)
    if match := p.match("{HOUR}(?:{OCLOCK}|{NOON})", at):
        if p.may_be(at + 1, Part.OCLOCK):
            return finish(p, at + 2, [(*match.span(), Role.CLOCK)], int(p.number(at)))
        if p.number(at) != 12:
            return []
        roles = [here, (at + 1, at + 2, Role.CLOCK | Role.HALF_DAY)]
        return [time(p, roles, p.fields(at + 1)[0])]
    if p.match("{HOUR}" + HALF_DAY, at):
        return finish(p, at + 1, [here], int(p.number(at)))
    if match := p.match("{A}?{QUARTER_WORD}(?P<way>{PAST}|{TO})(?P<hour>{HOUR})", at):
        minutes = 15
    elif match := p.match("(?!{QUARTER_WORD}){HALF}(?P<way>{PAST})(?P<hour>{HOUR})", at):
        minutes = 30
    else:
        count = f"(?P<n>{{PLAIN}}|(?!{{PLAIN}}){BELOW})"
        match = p.match(f"(?!{{HALF}}){count}(?:{{UNIT}}?)(?P<way>{{PAST}})(?P<hour>{{HOUR}})", at)
        if not match:
            return []
        minutes = int(below(p, *match.span("n")))
        if not 0 < minutes < 60 or (minutes == 30 and p.may_be(match.end("n"), Part.UNIT)):
            return []
    hour = int(p.number(match.start("hour")))
    if not p.may_be(match.start("way"), Part.PAST):
        hour, minutes = (hour - 2) % 12 + 1, 60 - minutes
    return finish(p, match.end(), [(*match.span(), Role.CLOCK)], hour, minutes)
