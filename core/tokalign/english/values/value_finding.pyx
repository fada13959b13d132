"""Finds the values of a sentence from left to right, and reads dates and times of day.

Wherever a value may begin, all readers try; the longest value wins, ties go to the first reader.
Values do not overlap. A value with several readings is listed once for each, the likeliest first. A
date is::

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

Without a half of the day a time up to twelve has two readings. A version is::

    version    v2.0 | 1.2.3 | "version" number

Two values are equal even if they are written in other units; see `value_agreement.pxd` for tokens.
"""

from libc.math cimport fabs
from libc.stdlib cimport free, malloc
from libc.string cimport memset

from tokalign.english.values._amounts cimport *
from tokalign.english.values.value_agreement cimport equal, same, share_of
from tokalign.english.values.value_structs cimport *

from tokalign.english.values.kinds import Kind, Role
from tokalign.english.values.token_readings import CASED, LOWER, readings
from tokalign.english.values.value import Facts, Value, key_of
from tokalign.english.values.value import SIZES, UNIT_BASES
from tokalign.errors import InputError, quoted

cdef enum:
    N_READERS = 6
    MOST_UNITS = 128

ctypedef int (*Reader)(const Piece *, int, Found *) noexcept nogil

cdef Reader[N_READERS] READERS = [
    _read_date, _read_time, read_fraction, read_ordinal, _read_version, read_amounts
]

# No value begins with these alone.
cdef uint64_t NEVER_FIRST = (
    PART_GROUP | PART_UNIT | PART_AFTER | PART_PERCENT | PART_PER | PART_CENT | PART_PERCENTAGE
    | PART_POINT | PART_DOLLAR | PART_CENTURY | PART_DAY_HALF | PART_DAY_PART | PART_OCLOCK
    | PART_PAST | PART_AND | PART_OF | PART_TO | PART_DASH | PART_COMMA | PART_IN | PART_THE
    | PART_INCHES | PART_SQUARE | PART_CUBIC | PART_SLASH | PART_SCALE
)

cdef uint64_t AFTER_ARTICLE = (
    PART_HUNDRED | PART_SCALE | PART_DENOMINATOR | PART_DENOMINATORS | PART_QUARTER_WORD
)

# Signs that a number is an amount, not a day.
cdef uint64_t MEASURES = (
    PART_SCALE | PART_HUNDRED | PART_PERCENT | PART_UNIT | PART_AFTER | PART_DAY_HALF
)


cdef int _year(const Piece *p, int at, int32_t *year) noexcept nogil:
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


cdef int _day(const Piece *p, int at, int32_t *day) noexcept nogil:
    cdef double value = 0.0
    cdef int stop = ordinal(p, at, &value)
    if stop == at and has(p + at, PART_PLAIN):
        value = p[at].number
        stop = at + 1
    day[0] = <int32_t>value if value <= 31.0 else 0
    return stop if 1.0 <= value <= 31.0 else at


cdef void _end_with_year(const Piece *p, int at, uint64_t joints, Found *out) noexcept nogil:
    """Read the year after a date, a comma or "of"."""
    cdef int first = at + 1 if has(p + at, joints) else at
    cdef int32_t year = 0
    cdef int stop = _year(p, first, &year)
    if stop > first:
        mark(out, p, at, first, ROLE_JOINT)
        mark(out, p, first, stop, ROLE_YEAR)
        out.field[YEAR] = year
        out.field[PERIOD] = 1


cdef bint _day_and_month(const Piece *p, int at, Found *out) noexcept nogil:
    """Read a day and a month in either order, and the year after them."""
    cdef int month, stop, after
    cdef int32_t day = 0
    cdef bint is_weak
    if has(p + at, PART_MONTH):
        month = at
        after = at + 2 if has(p + at + 1, PART_THE) else at + 1
        stop = _day(p, after, &day)
        if stop == after or (has(p + stop, MEASURES) and has(p + after, PART_DIGITS)):
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


cdef bint _literal(const Piece *p, int at, Found *out, int order) noexcept nogil:
    """Read a date that is one token; order 1 is its other reading."""
    if not has(p + at, PART_DATE) or p[at].field[1 + 2 * order] == 0:
        return False
    mark(out, p, at, at + 1, ROLE_YEAR | ROLE_MONTH | ROLE_DAY)
    out.field[YEAR] = p[at].field[0]
    out.field[PERIOD] = 1
    out.field[MONTH] = p[at].field[1 + 2 * order]
    out.field[DAY] = p[at].field[2 + 2 * order]
    return True


cdef int _with_weekday(const Piece *p, int at, Found *out) noexcept nogil:
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
    return has(p + at, PART_ALONE)


cdef bint _month(const Piece *p, int at, Found *out) noexcept nogil:
    """Read a month with or without a year."""
    mark(out, p, at, at + 1, ROLE_MONTH)
    out.field[MONTH] = p[at].field[0]
    _end_with_year(p, at + 1, PART_OF | PART_COMMA, out)
    if out.field[YEAR]:
        return True
    return has(p + at, PART_ALONE) and not (has(p + at, PART_NOT_FIRST) and p[at].token == 0)


cdef bint _period(const Piece *p, int at, Found *out) noexcept nogil:
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


cdef int _read_date(const Piece *p, int at, Found *out) noexcept nogil:
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


cdef int _hour(const Piece *p, int at) noexcept nogil:
    """Return the hour that a piece may be, 1 to 12, or 0."""
    if not has(p + at, PART_PLAIN | PART_ONE | PART_TEEN) or not 1.0 <= p[at].number <= 12.0:
        return 0
    return <int>p[at].number


cdef int _half_of_day(const Piece *p, int at, int *first) noexcept nogil:
    """Return the piece with the half of the day, or -1; `first` is where it begins."""
    first[0] = at
    if has(p + at, PART_IN) and has(p + at + 1, PART_THE) and has(p + at + 2, PART_DAY_PART):
        return at + 2
    return at if has(p + at, PART_DAY_HALF) and not has(p + at, PART_DAY_PART) else -1


cdef int _finish(const Piece *p, int at, bint is_whole, Found *out) noexcept nogil:
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


cdef int _spoken(const Piece *p, int at, Found *out) noexcept nogil:
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


cdef int _read_time(const Piece *p, int at, Found *out) noexcept nogil:
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


cdef int _read_version(const Piece *p, int at, Found *out) noexcept nogil:
    """Write the readings of the version that begins at a piece; return their number."""
    cdef int first = at + 1 if has(p + at, PART_VERSION_WORD) else at
    cdef bint is_number = first > at and has(p + first, PART_DIGITS) and p[first].n_fields > 0
    cdef int n = 1 if has(p + first, PART_PLAIN) else 2 if is_number else p[first].n_fields
    cdef int k
    if not is_number and not has(p + first, PART_VERSION):
        return 0
    begin(out, KIND_VERSION, p, at)
    mark(out, p, at, first, ROLE_MARK)
    mark(out, p, first, first + 1, ROLE_NUMBER)
    for k in range(n):
        out.field[k] = p[first].field[k]
    return 1


cdef int fill_pieces(str token, Piece *out) except -1:
    """Write the readings of a token; return their number.

    `out` has room for MAX_PIECES. The caller sets the field `token`, since the same pieces serve at
    every position.
    """
    cdef tuple found
    cdef Py_ssize_t k, place
    cdef Piece *piece
    if token.isalpha() and token not in <dict>CASED and token.lower() not in <dict>LOWER:
        return 0  # as most words
    found = readings(token)
    for k in range(len(found)):
        reading = found[k]
        piece = out + k
        piece.parts = reading.parts
        piece.number = reading.number
        piece.factor = reading.factor
        piece.token = 0
        piece.currency = reading.currency
        piece.unit = reading.unit
        piece.currency_exponent = reading.currency_exponent
        piece.unit_exponent = reading.unit_exponent
        piece.n_fields = <int32_t>len(reading.fields)
        for place in range(N_FIELDS):
            piece.field[place] = reading.fields[place] if place < piece.n_fields else 0
    return <int>len(found)


cdef bint may_hold_value(const Piece *pieces, int n) noexcept nogil:
    """Whether any piece is of a kind that every value has."""
    cdef int k
    for k in range(n):
        if pieces[k].parts & (~(NEVER_FIRST | PART_A) | AFTER_ARTICLE):
            return True
    return False


cdef inline bint _may_begin(const Piece *piece) noexcept nogil:
    """Whether a value may begin here; an article only before a word of a number."""
    cdef uint64_t parts = piece.parts & ~NEVER_FIRST
    return parts != 0 and (parts != PART_A or has(piece + 1, AFTER_ARTICLE))


cdef int find(const Piece *pieces, int n, Found *out) noexcept nogil:
    """Write the values of a sentence, in order; return their number."""
    cdef Found[2 * MAX_ALIKE] tried
    cdef Found *best, *other
    cdef int at = 0, n_found = 0, reader, n_best, n_other, k
    while at < n:
        if not _may_begin(pieces + at):
            at += 1
            continue
        best = tried
        other = tried + MAX_ALIKE
        n_best = 0
        for reader in range(N_READERS):
            n_other = READERS[reader](pieces, at, other)
            if n_other and (n_best == 0 or other.stop > best.stop):
                best, other = other, best
                n_best = n_other
        if n_best == 0:
            at += 1
            continue
        if best.end - best.start <= MAX_SPAN:
            for k in range(n_best):
                out[n_found] = best[k]
                out[n_found].rank = <uint8_t>k
                n_found += 1
        at = best.stop
    return n_found


cdef double CONVERTED = 0.04  # by so much a converted amount may be rounded: 10 miles, 16 km
cdef double LOOSE = 0.25      # where units of one name differ by nation, and months by their days
cdef int[<int>MOST_UNITS] DIMENSION   # of a base unit; 0 without one
cdef double[<int>MOST_UNITS] SIZE     # of a base unit, in its dimension
cdef bint[<int>MOST_UNITS] IS_LOOSE

for _unit, _name in enumerate(UNIT_BASES):
    DIMENSION[_unit] = 0
    for _dimension, _sizes in enumerate(SIZES.values(), 1):
        if _name in _sizes:
            DIMENSION[_unit], SIZE[_unit] = _dimension, _sizes[_name]
    IS_LOOSE[_unit] = _name in ("cup", "gal", "month", "pint", "t", "year")


cdef bint of_one_dimension(const Found *a, const Found *b) noexcept nogil:
    """Whether two quantities are times, lengths, masses and so on."""
    return (
        a.kind == KIND_QUANTITY and b.kind == KIND_QUANTITY
        and (a.code == b.code or (DIMENSION[a.code] and DIMENSION[a.code] == DIMENSION[b.code]))
    )


cdef bint _are_converted(const Found *a, const Found *b) noexcept nogil:
    """Whether one quantity is the other in another unit, and rounded: 10 miles, 16 km."""
    cdef double one = a.amount, other = b.amount, within = CONVERTED
    if a.code != b.code:
        one, other = one * SIZE[a.code], other * SIZE[b.code]
        if IS_LOOSE[a.code] or IS_LOOSE[b.code]:
            within = LOOSE
    elif equal(a.amount * b.number, b.amount * a.number):
        return False  # both in one unit
    return fabs(one - other) <= within * max(fabs(one), fabs(other))


cdef bint are_equal(const Found *a, const Found *b) noexcept nogil:
    """Whether two values are the same, however they are written; a half is 50%."""
    if a.kind != b.kind:
        return (
            KIND_FRACTION in (a.kind, b.kind) and share_of(a) >= 0.0 and equal(share_of(a), share_of(b))
        )
    return same(a, b) or (of_one_dimension(a, b) and _are_converted(a, b))


cdef bint _contradict_as_dates(const Found *a, const Found *b) noexcept nogil:
    """Whether two dates differ in a field that both have."""
    cdef int k
    for k in range(N_PARTS):
        if k == PERIOD or (k == YEAR and a.field[PERIOD] != b.field[PERIOD]):
            continue
        if a.field[k] and b.field[k] and a.field[k] != b.field[k]:
            return True
    return False


cdef bint contradict(const Found *a, const Found *b) noexcept nogil:
    """Whether two values in the same place cannot both hold: another amount, or another unit of the
    same number."""
    if a.rank or b.rank or are_equal(a, b):
        return False
    if a.kind != b.kind:
        return a.kind in (KIND_RANGE, KIND_SCORE) and b.kind in (KIND_RANGE, KIND_SCORE)
    if a.kind == KIND_DATE:
        return _contradict_as_dates(a, b)
    if a.kind == KIND_QUANTITY and a.code != b.code:
        return of_one_dimension(a, b) or equal(a.number, b.number)
    return True


cdef int found_in(list tokens, Found **out) except -1:
    """Find the values of a sentence; return their number. The caller frees `out`, which may be
    NULL where there are none."""
    cdef Py_ssize_t n_tokens = len(tokens)
    cdef Piece *pieces = <Piece *>malloc((n_tokens * MAX_PIECES + N_BEHIND) * sizeof(Piece))
    cdef int n = 0, n_of_token, k
    cdef Py_ssize_t i
    if pieces == NULL:
        raise MemoryError(f"pieces of {n_tokens} tokens")
    try:
        for i in range(n_tokens):
            if not isinstance(tokens[i], str):
                raise InputError(f"token {i} is {quoted(tokens[i])}, wanted a str")
            n_of_token = fill_pieces(tokens[i], pieces + n)
            if n_of_token == 0:
                memset(pieces + n, 0, sizeof(Piece))
                n_of_token = 1
            for k in range(n, n + n_of_token):
                pieces[k].token = <int32_t>i
            n += n_of_token
        if not may_hold_value(pieces, n):
            return 0
        memset(pieces + n, 0, N_BEHIND * sizeof(Piece))
        out[0] = <Found *>malloc((n + 1) * MAX_ALIKE * sizeof(Found))
        if out[0] == NULL:
            raise MemoryError(f"values of {n_tokens} tokens")
        return find(pieces, n, out[0])
    finally:
        free(pieces)


def find_values(tokens: Iterable[str]) -> list[Value]:
    """Return the numbers, money, dates and other values of a sentence's tokens, in a normal form.

    They are a list of Value, from left to right. Where a value has several readings ("03/01/2019",
    "3:30") they follow each other, the likeliest first. Raises InputError if a token is not a str.

    Examples
    --------
    >>> for value in find_values(["$", "5", "million", "on", "Jan.", "3", "2019"]):
    ...     print(value.kind.name, value.key, value.start, value.end)
    MONEY USD 5000000 0 3
    DATE 2019-01-03 4 7
    """
    cdef Found *found = NULL
    cdef int k, n_found
    try:
        n_found = found_in(list(tokens), &found)
        return [_value(found + k) for k in range(n_found)]
    finally:
        free(found)


cdef object _value(const Found *found):
    """Return a value as a Python object."""
    cdef int k
    kind = Kind(found.kind)
    facts = Facts(
        found.number_kind, found.code, found.amount, found.high,
        tuple([found.field[k] for k in range(N_PARTS)]),
    )
    roles = tuple([Role(found.role[k]) for k in range(found.end - found.start)])
    return Value(kind, key_of(kind, facts), found.start, found.end, roles, found.rank)


def only_value(tokens: Sequence[str]) -> Value | None:
    """Return the value that some tokens are, if they are one and nothing else, or None."""
    found = [each for each in find_values(tokens) if not each.rank]
    return found[0] if len(found) == 1 and found[0].end - found[0].start == len(tokens) else None


def are_one_value(tokens: Sequence[str], others: Sequence[str]) -> bool:
    """Whether some tokens and others are each one value and nothing else, and the same value.

    Examples
    --------
    >>> are_one_value(["two", "weeks"], ["14", "days"]), are_one_value(["5", "kg"], ["5", "km"])
    (True, False)
    """
    cdef Found *one = NULL
    cdef Found *other = NULL
    cdef int n_one, n_other
    try:
        n_one = found_in(list(tokens), &one)
        n_other = found_in(list(others), &other)
        return (
            _is_whole(one, n_one, len(tokens)) and _is_whole(other, n_other, len(others))
            and bool(are_equal(one, other))
        )
    finally:
        free(one)
        free(other)


cdef bint _is_whole(const Found *found, int n, Py_ssize_t n_tokens):
    """Whether the values of some tokens are one, by its likeliest reading, that holds them all."""
    cdef int k
    for k in range(1, n):
        if not found[k].rank:
            return False
    return n > 0 and found[0].start == 0 and found[0].end == n_tokens
