"""Numbers, money, percentages, quantities, ranges, scores, fractions, ordinals and versions.

::

    plain      [currency] amount [measure]
    range      [currency] amount (- | "to") [currency] amount [measure]     the second is larger
    score      number - number | number "to" number                         it is not
    fraction   half | ½ | 1/2 | (a | number) denominator | number "in" number
               ... ["a"] measure                                            half an hour
    ordinal    3rd | third | twenty-first | sign number                     No. 3
    version    v2.0 | 1.2.3 | "version" number

A measure is a currency, percent sign or unit.
"""

from libc.math cimport floor
from libc.stdint cimport int32_t

from tokalign.english.values._measures cimport *
from tokalign.english.values._numbers cimport Amount, mark_amount, ordinal, read_amount
from tokalign.english.values.found cimport *

cdef enum:
    MOST_POINTS = 199       # of a side in a game
    MOST_OF_ALL = 1000000   # in "1 in 1000"


cdef void _count(Found *out, const Measure *measure, double value) noexcept nogil:
    """Give a value its kind and amount by what it counts."""
    out.kind = measure.kind
    out.number = value
    out.code = -1 if measure.kind == KIND_NUMBER else measure.code
    out.amount = value if measure.kind in (KIND_NUMBER, KIND_PERCENT) else scaled(
        value, measure.exponent
    )


cdef int _without_measure(const Piece *p, int at, const Amount *amount, Found *out) noexcept nogil:
    """Write other readings of digits with a point: a version, and a time as in 20.15."""
    cdef int32_t hour = p[at].field[0]
    cdef int32_t minute = p[at].field[1]
    if not has(p + at, PART_DIGITS) or p[at].n_fields != 3 or amount.stop != at + 1:
        return 0
    begin(out, KIND_VERSION, p, at)
    mark(out, p, at, at + 1, ROLE_NUMBER)
    out.field[0], out.field[1] = hour, minute
    if p[at].field[2] != 2 or hour > 23 or minute > 59:
        return 1
    begin(out + 1, KIND_TIME, p, at)
    mark(out + 1, p, at, at + 1, ROLE_CLOCK | ROLE_HALF_DAY)
    out[1].field[0], out[1].field[1] = hour, minute
    if not 1 <= hour <= 12:
        return 2
    out[1].role[0] = ROLE_CLOCK
    out[2] = out[1]
    out[2].field[0] = (hour + 12) % 24
    return 3


cdef int read_amounts(const Piece *p, int at, Found *out) noexcept nogil:
    """Write the readings of the amount that begins at a piece, and return how many."""
    cdef int32_t currency = -1
    cdef int first = read_currency(p, at, &currency)
    cdef bint is_any_dollar = first == at + 1 and has(p + at, PART_DOLLAR)
    cdef Amount amount
    cdef Measure[MOST_MEASURES] measure
    cdef int n, k
    if first == at:
        currency = -1
    if not read_amount(p, first, currency >= 0, &amount):
        return 0
    n = _range(p, at, first, currency, is_any_dollar, &amount, out)
    if n:
        return n
    n = read_measures(p, amount.stop, currency, is_any_dollar, measure)
    for k in range(n):
        begin(out + k, 0, p, at)
        mark(out + k, p, at, first, ROLE_CURRENCY)
        mark_amount(out + k, p, first, amount.stop)
        mark_measure(out + k, p, measure + k)
        _count(out + k, measure + k, amount.value)
        if k and measure[k].kind == KIND_NUMBER:  # "5m" as five million
            out[k].amount = out[k].number = amount.value * p[measure[k].stop - 1].factor
    if n == 1 and measure[0].kind == KIND_NUMBER:
        n += _without_measure(p, first, &amount, out + 1)
    return n


cdef inline bint _is_small(const Amount *amount) noexcept nogil:
    return amount.is_small and 0.0 <= amount.value <= MOST_POINTS


# Long, as a range has two amounts, each with a currency, and one measure.
cdef int _range(
    const Piece *p, int at, int first, int32_t currency, bint is_any_dollar,
    const Amount *low, Found *out
) noexcept nogil:
    """Write the range or score that begins with an amount, and return how many readings it has."""
    cdef int joint = low.stop
    cdef int second = joint + 1
    cdef int32_t other = -1
    cdef Amount high
    cdef Measure[MOST_MEASURES] measure
    cdef double bottom = low.value
    cdef bint is_other
    cdef int k
    if not has(p + joint, PART_DASH | PART_TO):
        return 0
    if currency >= 0 and read_currency(p, second, &other) > second:
        if other != currency:
            return 0
        second = read_currency(p, second, &other)
    if not read_amount(p, second, currency >= 0, &high):
        return 0
    if (
        has(p + first, PART_YEAR) and has(p + second, PART_PLAIN) and joint == first + 1
        and high.stop == second + 1 and p[second].token == p[first].token
        and bottom - 100.0 * floor(bottom / 100.0) < high.value < 100.0 and high.value >= 10.0
    ):
        high.value += 100.0 * floor(bottom / 100.0)  # 1990-95
    if low.scale == 1.0 and high.scale > 1.0 and bottom < high.value / high.scale:
        bottom *= high.scale
    if bottom >= high.value:
        if currency >= 0 or not _is_small(low) or not _is_small(&high):
            return 0
        return _score(p, first, joint, second, out)
    read_measures(p, high.stop, currency, is_any_dollar, measure)
    for k in range(3):  # the range, its low end, its high end
        begin(out + k, KIND_RANGE, p, at)
        is_other = k == 2 and second > joint + 1  # each end has its currency
        mark(out + k, p, at, first, ROLE_JOINT if is_other else ROLE_CURRENCY)
        mark(
            out + k, p, first, joint,
            ROLE_LOW if k == 0 else ROLE_NUMBER if k == 1 else ROLE_JOINT,
        )
        mark(out + k, p, joint, joint + 1, ROLE_JOINT)
        mark(out + k, p, joint + 1, second, ROLE_JOINT if k == 1 else ROLE_CURRENCY)
        mark(
            out + k, p, second, high.stop,
            ROLE_HIGH if k == 0 else ROLE_JOINT if k == 1 else ROLE_NUMBER,
        )
        mark_measure(out + k, p, measure)
        _count(out + k, measure, high.value if k == 2 else bottom)
    out.high = out[2].amount
    out.number_kind = out.kind
    out.kind = KIND_RANGE
    if out.number_kind == KIND_NUMBER and _is_small(low) and _is_small(&high):
        return 3 + _score(p, first, joint, second, out + 3)
    return 3


cdef int _score(const Piece *p, int first, int joint, int second, Found *out) noexcept nogil:
    begin(out, KIND_SCORE, p, first)
    mark(out, p, first, first + 1, ROLE_LOW)
    mark(out, p, joint, joint + 1, ROLE_JOINT)
    mark(out, p, second, second + 1, ROLE_HIGH)
    out.field[0] = <int32_t>p[first].number
    out.field[1] = <int32_t>p[second].number
    return 1


cdef int _parts(const Piece *p, int at, Found *out) noexcept nogil:
    """Read a fraction into the first two fields, and return the piece behind it."""
    cdef Amount whole
    cdef bint is_count = has(p + at, PART_ONE | PART_TEEN) or (
        has(p + at, PART_PLAIN) and p[at].number <= 99.0
    )
    cdef double count = p[at].number if is_count else 1.0
    if has(p + at, PART_VULGAR) or (
        has(p + at, PART_SLASHED) and 1 <= p[at].field[0] <= 100 and 1 <= p[at].field[1] <= 100
    ):
        out.field[0], out.field[1] = p[at].field[0], p[at].field[1]
        mark(out, p, at, at + 1, ROLE_NUMBER | ROLE_DENOMINATOR)
        return at + 1
    if (is_count or has(p + at, PART_A)) and count >= 1.0 and has(
        p + at + 1, PART_DENOMINATOR if count == 1.0 else PART_DENOMINATORS
    ):
        out.field[0] = <int32_t>count
        out.field[1] = <int32_t>p[at + 1].number
        mark(out, p, at, at + 1, ROLE_NUMBER)
        if count == 1.0:
            mark(out, p, at + 1, at + 2, ROLE_NUMBER)
        mark(out, p, at + 1, at + 2, ROLE_DENOMINATOR)
        return at + 2
    if has(p + at, PART_HALF) and not (at > 0 and has(p + at - 1, PART_ORDINAL)):  # second half
        out.field[0], out.field[1] = 1, 2
        mark(out, p, at, at + 1, ROLE_NUMBER | ROLE_DENOMINATOR)
        return at + 1
    if (
        is_count and count >= 1.0 and has(p + at + 1, PART_IN)
        and read_amount(p, at + 2, False, &whole) and count < whole.value <= MOST_OF_ALL
        and whole.value == floor(whole.value)
        and not has(p + at + 2, PART_YEAR | PART_MINUS | PART_A)
    ):
        out.field[0], out.field[1] = <int32_t>count, <int32_t>whole.value
        mark(out, p, at, at + 1, ROLE_NUMBER)
        mark(out, p, at + 1, at + 2, ROLE_JOINT)
        mark(out, p, at + 2, whole.stop, ROLE_DENOMINATOR)
        return whole.stop
    return at


cdef void _reduce(Found *out) noexcept nogil:
    """Divide numerator and denominator by what divides both."""
    cdef int32_t a = out.field[0]
    cdef int32_t b = out.field[1]
    while b:
        a, b = b, a % b
    out.field[0] //= a
    out.field[1] //= a
    out.amount = out.number = <double>out.field[0] / out.field[1]


cdef int read_fraction(const Piece *p, int at, Found *out) noexcept nogil:
    """Write the readings of the fraction that begins at a piece, and return how many."""
    cdef Measure[MOST_MEASURES] measure
    cdef int stop, after, n, k
    begin(out, KIND_FRACTION, p, at)
    stop = _parts(p, at, out)
    if stop == at:
        return 0
    _reduce(out)
    after = stop + 1 if has(p + stop, PART_A) else stop
    n = 0 if has(p + at + 1, PART_IN) else read_measures(p, after, -1, False, measure)
    if n and measure[0].kind != KIND_NUMBER:
        n = 1 if n > 1 and measure[1].kind == KIND_NUMBER else n
        out[1] = out[2] = out[0]
        for k in range(n):
            mark(out + k, p, stop, after, ROLE_JOINT)
            mark_measure(out + k, p, measure + k)
            _count(out + k, measure + k, out[k].amount)
            out[k].field[0] = out[k].field[1] = 0
        return n
    n = 1
    if has(p + at, PART_A) and has(p + at + 1, PART_ORDINAL):  # a third time
        return 1 + read_ordinal(p, at + 1, out + 1)
    if has(p + at, PART_SLASHED):
        n += _day_of_month(p, at, p[at].field[0], p[at].field[1], out + n)
        if p[at].field[0] != p[at].field[1]:
            n += _day_of_month(p, at, p[at].field[1], p[at].field[0], out + n)
    return n


cdef int _day_of_month(
    const Piece *p, int at, int32_t month, int32_t day, Found *out
) noexcept nogil:
    """Write a date without a year, as 9/11 may be one."""
    if not (1 <= month <= 12 and 1 <= day <= 31):
        return 0
    begin(out, KIND_DATE, p, at)
    mark(out, p, at, at + 1, ROLE_MONTH | ROLE_DAY)
    out.field[MONTH], out.field[DAY] = month, day
    return 1


cdef int read_ordinal(const Piece *p, int at, Found *out) noexcept nogil:
    """Write the ordinal that begins at a piece, and return how many readings it has."""
    cdef Amount amount
    cdef double value = 0.0
    cdef int stop = ordinal(p, at, &value)
    begin(out, KIND_ORDINAL, p, at)
    if stop > at:
        mark(out, p, at, stop, ROLE_NUMBER)
    elif has(p + at, PART_NUMBER_SIGN) and read_amount(p, at + 1, False, &amount):
        if not amount.is_small:
            return 0
        value = amount.value
        mark(out, p, at, at + 1, ROLE_MARK)
        mark(out, p, at + 1, at + 2, ROLE_NUMBER)
    else:
        return 0
    out.amount = out.number = value
    return 1


cdef int read_version(const Piece *p, int at, Found *out) noexcept nogil:
    """Write the version that begins at a piece, and return how many readings it has."""
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
