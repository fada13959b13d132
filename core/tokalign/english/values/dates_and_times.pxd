"""Dates and times of day. A date is::

    date       [weekday [,]] (literal | [the] day ["of"] month [[,] year]
                              | month ["the"] day [[,] year])
               month [of | ,] year | month | weekday | weekday [,] ["the"] ordinal
               year | decade | ordinal "century" | quarter [of | ,] [year]
    year       four digits | '19 | nineteen ninety-nine
    quarter    Q3 | ordinal "quarter"

A time is::

    time       (clock | hour.minutes) [half] | hour (half | "o'clock" [half]) | noon | midnight
               (half | [a] quarter | minutes ["minutes"]) "past" hour [half]
               [a] quarter "to" hour [half]
    half       a.m. | p.m. | in the (morning | afternoon | evening)

Without a half of the day a time up to twelve has two readings.
"""

from libc.stdint cimport int32_t, uint64_t

from tokalign.english.values._amounts cimport below_hundred, ordinal
from tokalign.english.values.value_structs cimport *


cdef inline uint64_t measures() noexcept nogil:
    """Return the signs that a number is an amount, not a day."""
    return PART_SCALE | PART_HUNDRED | PART_PERCENT | PART_UNIT | PART_AFTER | PART_DAY_HALF


cdef inline int _year(const Piece *p, int at, int32_t *year) noexcept nogil:
    cdef double first = 0.0, last = 0.0
    cdef int stop
    if has(p + at, PART_YEAR):
        year[0] = p[at].field[0]
        return at + 1
    if has(p + at, PART_TEEN | PART_TEN) and 13.0 <= p[at].number <= 20.0:
        stop = below_hundred(p, at + 1, &last)
        if stop > at + 1 and last >= 10.0 and not has(p + stop, PART_HUNDRED | PART_SCALE):
            year[0] = <int32_t>(100.0 * p[at].number + last)
            return stop
    return at


cdef inline int _day(const Piece *p, int at, int32_t *day) noexcept nogil:
    cdef double value = 0.0
    cdef int stop = ordinal(p, at, &value)
    if stop == at and has(p + at, PART_PLAIN):
        value = p[at].number
        stop = at + 1
    day[0] = <int32_t>value if value <= 31.0 else 0
    return stop if 1.0 <= value <= 31.0 else at


cdef inline void _end_with_year(const Piece *p, int at, uint64_t joints, Found *out) noexcept nogil:
    """Read the year after a date, a comma or "of"."""
    cdef int first = at + 1 if has(p + at, joints) else at
    cdef int32_t year = 0
    cdef int stop = _year(p, first, &year)
    if stop > first:
        mark(out, p, at, first, ROLE_JOINT)
        mark(out, p, first, stop, ROLE_YEAR)
        out.field[YEAR] = year
        out.field[PERIOD] = 1


cdef inline bint _day_and_month(const Piece *p, int at, Found *out) noexcept nogil:
    """Read a day and a month in either order, and the year after them."""
    cdef int month, stop, after
    cdef int32_t day = 0
    cdef bint is_weak
    if has(p + at, PART_MONTH):
        month = at
        after = at + 2 if has(p + at + 1, PART_THE) else at + 1
        stop = _day(p, after, &day)
        if stop == after or (has(p + stop, measures()) and has(p + after, PART_DIGITS)):
            return False
        mark(out, p, at + 1, after, ROLE_JOINT)
        mark(out, p, after, stop, ROLE_DAY)
        is_weak = has(p + at, PART_WEAK)
    else:
        stop = _day(p, at, &day)
        month = stop + 1 if has(p + stop, PART_OF) else stop
        if stop == at or not has(p + month, PART_MONTH):
            return False
        mark(out, p, at, stop, ROLE_DAY)
        mark(out, p, stop, month, ROLE_JOINT)
        is_weak = has(p + month, PART_WEAK) and month == stop
        stop = month + 1
    mark(out, p, month, month + 1, ROLE_MONTH)
    out.field[MONTH] = p[month].field[0]
    out.field[DAY] = day
    _end_with_year(p, stop, PART_COMMA, out)
    return out.field[YEAR] != 0 or not is_weak


cdef inline bint _literal(const Piece *p, int at, Found *out, int order) noexcept nogil:
    """Read a date that is one token; order 1 is its other reading."""
    if not has(p + at, PART_DATE) or p[at].field[1 + 2 * order] == 0:
        return False
    mark(out, p, at, at + 1, ROLE_YEAR | ROLE_MONTH | ROLE_DAY)
    out.field[YEAR] = p[at].field[0]
    out.field[PERIOD] = 1
    out.field[MONTH] = p[at].field[1 + 2 * order]
    out.field[DAY] = p[at].field[2 + 2 * order]
    return True


cdef inline bint _is_weekday(const Piece *piece) noexcept nogil:
    return has(piece, PART_WEEKDAY) and has(piece, PART_ALONE | PART_WEAK)


cdef inline bint _may_be_alone(const Piece *p, int at) noexcept nogil:
    """Whether a month or weekday needs no date: May, not first; Sat and Sun by another day or a time."""
    cdef uint64_t joints = PART_TO | PART_DASH | PART_AND | PART_COMMA | PART_SLASH
    cdef int k = at - 1, m = at + 1
    if has(p + at, PART_ALONE) and not (has(p + at, PART_NOT_FIRST) and p[at].token == 0):
        return True
    while k > 0 and has(p + k, joints):
        k -= 1
    while has(p + m, joints):
        m += 1
    return _is_weekday(p + at) and (
        has(p + m, PART_CLOCK) or (k < at - 1 and _is_weekday(p + k))
        or (m > at + 1 and _is_weekday(p + m))
    )


cdef inline int _with_weekday(const Piece *p, int at, Found *out) noexcept nogil:
    cdef int first = at + 2 if has(p + at + 1, PART_COMMA) else at + 1
    cdef int after = first + 1 if has(p + first, PART_THE) else first
    cdef double day = 0.0
    cdef int stop, order
    for order in range(2):
        begin(out + order, KIND_DATE, p, at)
        mark(out + order, p, at, at + 1, ROLE_WEEKDAY)
        out[order].field[WEEKDAY] = p[at].field[0]
    if _literal(p, first, out, 0):
        return 1 + _literal(p, first, out + 1, 1)
    out[1] = out[0]
    if _day_and_month(p, after, out):
        return 1
    out[0] = out[1]
    stop = ordinal(p, after, &day)
    if stop > after and 1.0 <= day <= 31.0:
        mark(out, p, after, stop, ROLE_DAY)
        out.field[DAY] = <int32_t>day
        return 1
    return _may_be_alone(p, at)


cdef inline bint _month(const Piece *p, int at, Found *out) noexcept nogil:
    """Read a month with or without a year."""
    mark(out, p, at, at + 1, ROLE_MONTH)
    out.field[MONTH] = p[at].field[0]
    _end_with_year(p, at + 1, PART_OF | PART_COMMA, out)
    if out.field[YEAR]:
        return True
    return _may_be_alone(p, at)


cdef inline bint _period(const Piece *p, int at, Found *out) noexcept nogil:
    """Read a decade, a century or a quarter."""
    cdef double value = 0.0
    cdef int stop = ordinal(p, at, &value)
    if has(p + at, PART_DECADE):
        mark(out, p, at, at + 1, ROLE_YEAR)
        out.field[YEAR] = p[at].field[0]
        out.field[PERIOD] = p[at].field[1]
        return True
    if has(p + at, PART_QUARTER):
        out.field[QUARTER] = p[at].field[0]
        mark(out, p, at, at + 1, ROLE_QUARTER)
        _end_with_year(p, at + 1, PART_OF | PART_COMMA, out)
        return True
    if stop > at and has(p + stop, PART_CENTURY) and 2.0 <= value <= 21.0:
        mark(out, p, at, stop + 1, ROLE_YEAR)
        out.field[YEAR] = <int32_t>(100.0 * (value - 1.0))
        out.field[PERIOD] = 100
        return True
    if stop > at and has(p + stop, PART_QUARTER_WORD) and value <= 4.0:
        mark(out, p, at, stop + 1, ROLE_QUARTER)
        out.field[QUARTER] = <int32_t>value
        _end_with_year(p, stop + 1, PART_OF | PART_COMMA, out)
        return True
    return False


cdef inline int read_date(const Piece *p, int at, Found *out) noexcept nogil:
    """Write the readings of the date that begins at a piece; return their number."""
    cdef int32_t year = 0
    cdef int stop
    if has(p + at, PART_WEEKDAY):
        return _with_weekday(p, at, out)
    begin(out, KIND_DATE, p, at)
    if has(p + at, PART_DATE):
        begin(out + 1, KIND_DATE, p, at)
        _literal(p, at, out, 0)
        return 1 + _literal(p, at, out + 1, 1)
    if _day_and_month(p, at, out):
        return 1
    begin(out, KIND_DATE, p, at)
    if has(p + at, PART_MONTH):
        return _month(p, at, out)
    if _period(p, at, out):
        if not has(p + at, PART_DECADE) or not has(p + at, PART_UNIT):
            return 1
        begin(out + 1, KIND_QUANTITY, p, at)  # 30s
        mark(out + 1, p, at, at + 1, ROLE_NUMBER | ROLE_UNIT)
        out[1].amount = out[1].number = p[at].number
        out[1].code = p[at].unit
        return 2
    stop = _year(p, at, &year)
    if stop == at:
        return 0
    _end_with_year(p, at, 0, out)
    if not has(p + at, PART_DIGITS):
        return 1
    begin(out + 1, KIND_NUMBER, p, at)
    mark(out + 1, p, at, stop, ROLE_NUMBER)
    out[1].amount = out[1].number = p[at].number
    return 2


cdef inline int _hour(const Piece *p, int at) noexcept nogil:
    """Return the hour that a piece may be, 1 to 12, or 0."""
    if not has(p + at, PART_PLAIN | PART_ONE | PART_TEEN) or not 1.0 <= p[at].number <= 12.0:
        return 0
    return <int>p[at].number


cdef inline int _half_of_day(const Piece *p, int at, int *first) noexcept nogil:
    """Return the piece with the half of the day, or -1; `first` is where it begins."""
    first[0] = at
    if has(p + at, PART_IN) and has(p + at + 1, PART_THE) and has(p + at + 2, PART_DAY_PART):
        return at + 2
    return at if has(p + at, PART_DAY_HALF) and not has(p + at, PART_DAY_PART) else -1


cdef inline int _finish(const Piece *p, int at, bint is_whole, Found *out) noexcept nogil:
    """Read the half of the day after a time; return the number of readings."""
    cdef int first = at
    cdef int half = -1 if is_whole else _half_of_day(p, at, &first)
    if is_whole:
        out.role[p[at - 1].token - out.start] |= ROLE_HALF_DAY
        return 1
    if half >= 0:
        mark(out, p, first, half, ROLE_JOINT)
        mark(out, p, half, half + 1, ROLE_HALF_DAY)
        out.field[0] = out.field[0] % 12 + 12 * p[half].field[0]
        return 1
    out[1] = out[0]
    out[1].field[0] = (out.field[0] + 12) % 24
    return 2


cdef inline int _spoken(const Piece *p, int at, Found *out) noexcept nogil:
    """Read half past three, a quarter to three, ten past three."""
    cdef int next = at + 1 if has(p + at, PART_A) and has(p + at + 1, PART_QUARTER_WORD) else at
    cdef double minutes = 0.0
    cdef int hour
    cdef bint is_quarter = has(p + next, PART_QUARTER_WORD)
    if is_quarter:
        minutes = 15.0
        next += 1
    elif has(p + next, PART_HALF):
        minutes = 30.0
        next += 1
    elif has(p + next, PART_PLAIN):
        minutes = p[next].number
        next += 1
    else:
        next = below_hundred(p, next, &minutes)
    if minutes == 0.0 or minutes >= 60.0:
        return 0
    if has(p + next, PART_UNIT) and not is_quarter and minutes != 30.0:
        next += 1
    hour = _hour(p, next + 1)
    if not hour or not (has(p + next, PART_PAST) or (is_quarter and has(p + next, PART_TO))):
        return 0
    mark(out, p, at, next + 2, ROLE_CLOCK)
    out.field[0] = hour if has(p + next, PART_PAST) else (hour + 11 - 1) % 12 + 1
    out.field[1] = <int32_t>(minutes if has(p + next, PART_PAST) else 60.0 - minutes)
    return _finish(p, next + 2, False, out)


cdef inline int read_time(const Piece *p, int at, Found *out) noexcept nogil:
    """Write the readings of the time of day that begins at a piece; return their number."""
    cdef int hour = _hour(p, at)
    cdef int first = 0
    begin(out, KIND_TIME, p, at)
    if has(p + at, PART_CLOCK):
        mark(out, p, at, at + 1, ROLE_CLOCK)
        out.field[0], out.field[1], out.field[2] = p[at].field[0], p[at].field[1], p[at].field[2]
        return _finish(p, at + 1, p[at].field[3] != 0, out)
    if has(p + at, PART_NOON):
        mark(out, p, at, at + 1, ROLE_CLOCK)
        out.field[0] = p[at].field[0]
        return _finish(p, at + 1, True, out)
    if has(p + at, PART_DIGITS) and p[at].n_fields == 3 and _half_of_day(p, at + 1, &first) >= 0:
        if p[at].field[2] == 2 and 1 <= p[at].field[0] <= 12 and p[at].field[1] < 60:  # 4.30 pm
            mark(out, p, at, at + 1, ROLE_CLOCK)
            out.field[0], out.field[1] = p[at].field[0], p[at].field[1]
            return _finish(p, at + 1, False, out)
    if hour and has(p + at + 1, PART_OCLOCK | PART_NOON):
        mark(out, p, at, at + 2, ROLE_CLOCK)
        out.field[0] = hour
        if has(p + at + 1, PART_OCLOCK):
            return _finish(p, at + 2, False, out)
        out.field[0] = p[at + 1].field[0]
        return _finish(p, at + 2, True, out) if hour == 12 else 0
    if hour and _half_of_day(p, at + 1, &first) >= 0:
        mark(out, p, at, at + 1, ROLE_CLOCK)
        out.field[0] = hour
        return _finish(p, at + 1, False, out)
    return _spoken(p, at, out)
