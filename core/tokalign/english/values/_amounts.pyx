"""Numbers, money, percentages, quantities, ranges, scores, fractions and ordinals.

A cardinal number in digits and words is::

    amount     [minus] (digits | words | "half" ["a"] scale) ["and a half" [scale]]
    digits     DIGITS (GROUP)* [fraction] [scale | hundred]
    words      (chunk | "a" scale) ([and] chunk scale)* [[and] chunk]       scales fall
               chunk ["point" digit+] [scale]
    chunk      (below100 | "a") hundred [[and] below100] | below100
    below100   TEN [-] ONE | TEN | TEEN | ONE

A measure may follow it, perhaps after a dash::

    percent    "%" ["points"] | "per" "cent" | "percentage" "points"
    currency   [nation] currency
    unit       ["square" | "cubic"] unit [("per" | "/") unit]

These make the values::

    plain      [currency] amount [measure]
    range      [currency] amount (- | "to") [currency] amount [measure]     the second is larger
    score      number - number | number "to" number                         it is not
    fraction   half | ½ | 1/2 | (a | number) denominator | number "in" number
               ... [["of"] "a"] measure                                     half an hour
    ordinal    3rd | third | twenty-first | sign number                     No. 3

Each function gets the pieces of a sentence, followed by an empty one, and returns the piece after
what it read, or the piece where it began if it read nothing.
"""

from libc.math cimport floor

from tokalign.english.values.value_structs cimport *

from tokalign.english.values.value import COMPOUNDS, POWERS, UNIT_BASES, UNITS

cdef enum:
    MOST_WORDS = 24
    MOST_MEASURES = 3
    MOST_PAIRS = 32
    MOST_POINTS = 199       # of a side in a game
    MOST_OF_ALL = 1000000   # in "1 in 1000"

cdef double LARGEST = 1e18

cdef struct Amount:
    int stop            # piece after it
    double value
    double scale        # the last scale word or letter in it, or 1
    bint is_small       # a single piece in plain digits or a word up to nineteen

cdef struct Measure:
    # The measure of a number.
    int kind            # KIND_NUMBER without a measure
    int first           # piece where it begins
    int stop            # piece after it
    int32_t code        # of the currency or unit; 1 for percentage points; or -1
    int exponent        # power of ten

cdef struct UnitPair:
    int32_t unit
    int32_t other   # unit after "per", or the negative power
    int32_t both
    int32_t exponent        # the unit's power of ten
    int32_t other_exponent

cdef UnitPair[MOST_PAIRS] PAIRS
cdef int N_PAIRS = 0


cdef int _fill_pairs() except -1:
    """Copy the tables of compound units to C arrays, which are read without the GIL."""
    global N_PAIRS
    rows = [(first, second, both) for (first, second), both in COMPOUNDS.items()]
    rows += [(first, power, both) for (first, power), both in POWERS.items()]
    assert len(rows) <= MOST_PAIRS
    for first, second, both in rows:
        base, exponent = UNITS[first]
        PAIRS[N_PAIRS].unit = UNIT_BASES.index(base)
        PAIRS[N_PAIRS].exponent = exponent
        PAIRS[N_PAIRS].both = UNIT_BASES.index(both)
        PAIRS[N_PAIRS].other_exponent = 0
        if isinstance(second, int):
            PAIRS[N_PAIRS].other = -second
        else:
            base, exponent = UNITS[second]
            PAIRS[N_PAIRS].other = UNIT_BASES.index(base)
            PAIRS[N_PAIRS].other_exponent = exponent
        N_PAIRS += 1
    return 0


_fill_pairs()

cdef int32_t DEGREES = UNIT_BASES.index("°")
cdef int32_t CELSIUS = UNIT_BASES.index("°C")
cdef int32_t FAHRENHEIT = UNIT_BASES.index("°F")
cdef int32_t INCH = UNIT_BASES.index("inch")


cdef int below_hundred(const Piece *p, int at, double *value) noexcept nogil:
    cdef int stop
    if has(p + at, PART_TEN):
        value[0] = p[at].number
        stop = at + 1
        if has(p + stop, PART_DASH) and has(p + stop + 1, PART_ONE):
            stop += 1
        if has(p + stop, PART_ONE):
            value[0] += p[stop].number
            return stop + 1
        return at + 1
    if has(p + at, PART_ONE | PART_TEEN):
        value[0] = p[at].number
        return at + 1
    return at


cdef int _chunk(const Piece *p, int at, double *value) noexcept nogil:
    cdef double rest = 0.0
    cdef int stop = below_hundred(p, at, value)
    cdef int after, behind
    if stop == at:
        if not (has(p + at, PART_A) and has(p + at + 1, PART_HUNDRED)):
            return at
        value[0] = 1.0
        stop = at + 1
    if has(p + stop, PART_HUNDRED):
        value[0] *= 100.0
        stop += 1
        after = stop + 1 if has(p + stop, PART_AND) else stop
        behind = below_hundred(p, after, &rest)
        if behind > after:
            value[0] += rest
            stop = behind
    return stop


cdef inline bint _is_scale(const Piece *p, int at, bint is_money) noexcept nogil:
    """Whether a piece is a factor; letters that are units too are factors only of money."""
    return has(p + at, PART_SCALE) and (
        not has(p + at, PART_UNIT) or is_money or has(p + at + 1, PART_AFTER)
    )


cdef int _words(const Piece *p, int at, bint is_money, double *total, double *scale) noexcept nogil:
    cdef double value = 0.0
    cdef int stop, after, behind, turn
    if has(p + at, PART_A) and _is_scale(p, at + 1, is_money):
        value = 1.0
        stop = at + 1
    else:
        stop = _chunk(p, at, &value)
        if stop == at:
            return at
    total[0] = value
    if not _is_scale(p, stop, is_money):
        return stop
    scale[0] = p[stop].factor
    total[0] *= scale[0]
    stop += 1
    for turn in range(MOST_WORDS):
        after = stop + 1 if has(p + stop, PART_AND) else stop
        if has(p + after, PART_A):
            break
        behind = _chunk(p, after, &value)
        if behind == after:
            break
        if not _is_scale(p, behind, is_money):
            if value < scale[0]:
                total[0] += value
                scale[0] = 1.0
                stop = behind
            break
        if p[behind].factor >= scale[0]:
            break
        scale[0] = p[behind].factor
        total[0] += value * scale[0]
        stop = behind + 1
    return stop


cdef int _decimals(const Piece *p, int at, double *value) noexcept nogil:
    """Read "point two five" after a number."""
    cdef double place = 1.0, rest = 0.0
    cdef int stop = at + 1
    if not has(p + at, PART_POINT):
        return at
    while has(p + stop, PART_ONE | PART_TEEN) and p[stop].number < 10.0 and place < 1e12:
        rest = 10.0 * rest + p[stop].number
        place *= 10.0
        stop += 1
    if place == 1.0:
        return at
    value[0] += rest / place
    return stop


cdef int _digits(const Piece *p, int at, double *value) noexcept nogil:
    """Read digits followed by groups of three (1 000), or by a fraction (2 1/2, 2½)."""
    cdef int stop = at + 1
    cdef const Piece *next = p + stop
    value[0] = p[at].number
    if not has(p + at, PART_PLAIN):
        return stop
    if 1.0 <= value[0] <= 999.0:
        while has(p + stop, PART_GROUP) and p[stop].token != p[stop - 1].token and value[0] < 1e12:
            value[0] = 1000.0 * value[0] + p[stop].number
            stop += 1
        if stop > at + 1:
            return stop
    if has(next, PART_VULGAR):
        value[0] += next.number
        return stop + 1
    if has(next, PART_SLASHED) and 0 < next.field[0] < next.field[1] <= 100:
        value[0] += <double>next.field[0] / next.field[1]
        return stop + 1
    return stop


cdef bint _read_amount(const Piece *p, int at, bint is_money, Amount *out) noexcept nogil:
    """Read an amount; return whether there is one."""
    cdef double value = 0.0, scale = 1.0, sign = 1.0
    cdef int first = at + 1 if has(p + at, PART_MINUS) else at
    cdef int after = first + 2 if has(p + first + 1, PART_A) else first + 1
    cdef int stop
    if first > at:
        sign = -1.0
    if has(p + first, PART_DIGITS):
        stop = _digits(p, first, &value)
        if _is_scale(p, stop, is_money) or has(p + stop, PART_HUNDRED):
            scale = p[stop].factor
            value *= scale
            stop += 1
    elif has(p + first, PART_HALF) and (
        _is_scale(p, after, is_money) or has(p + after, PART_HUNDRED)
    ):
        scale = p[after].factor
        value = 0.5 * scale
        stop = after + 1
    else:
        stop = _words(p, first, is_money, &value, &scale)
        if stop == first:
            return False
        if scale == 1.0:
            after = _decimals(p, stop, &value)
            if after > stop and _is_scale(p, after, is_money):
                scale = p[after].factor
                value *= scale
                after += 1
            stop = after
    out.is_small = stop == at + 1 and has(p + at, PART_PLAIN | PART_ONE | PART_TEEN)
    if has(p + stop, PART_AND) and has(p + stop + 1, PART_A) and has(p + stop + 2, PART_HALF):
        value += 0.5 * scale
        stop += 3
        if scale == 1.0 and _is_scale(p, stop, is_money):
            scale = p[stop].factor
            value *= scale
            stop += 1
    out.stop = stop
    out.value = sign * value
    out.scale = scale
    return value < LARGEST


cdef void _mark_amount(Found *out, const Piece *p, int first, int stop) noexcept nogil:
    """Give the pieces of an amount their roles."""
    cdef int k
    for k in range(first, stop):
        mark(
            out, p, k, k + 1,
            ROLE_JOINT if has(p + k, PART_AND | PART_DASH)
            else ROLE_SCALE if has(p + k, PART_SCALE)
            else ROLE_NUMBER
        )


cdef int ordinal(const Piece *p, int at, double *value) noexcept nogil:
    """Read an ordinal: 3rd, third, twenty-first."""
    cdef int next = at + 1
    if has(p + at, PART_TEN):
        if has(p + next, PART_DASH) and has(p + next + 1, PART_ORDINAL_WORD):
            next += 1
        if has(p + next, PART_ORDINAL_WORD):
            value[0] = p[at].number + p[next].number
            return next + 1
        return at
    value[0] = p[at].number
    return next if has(p + at, PART_ORDINAL) else at


cdef double _scaled(double value, int exponent) noexcept nogil:
    """Return a value times a power of ten; dividing is exact where multiplying is not."""
    cdef double power = 1.0
    cdef int k
    for k in range(abs(exponent)):
        power *= 10.0
    return value * power if exponent >= 0 else value / power


cdef int _read_currency(const Piece *p, int at, int32_t *code) noexcept nogil:
    """Read the currency before a number; return the piece after it."""
    if has(p + at, PART_NATION) and has(p + at + 1, PART_DOLLAR) and has(p + at + 1, PART_BEFORE):
        code[0] = p[at].currency
        return at + 2
    code[0] = p[at].currency
    return at + 1 if has(p + at, PART_BEFORE) else at


cdef int _combined(const Piece *p, int first, int other, int other_exponent) noexcept nogil:
    cdef int k
    for k in range(N_PAIRS):
        if (
            PAIRS[k].unit == p[first].unit and PAIRS[k].exponent == p[first].unit_exponent
            and PAIRS[k].other == other and PAIRS[k].other_exponent == other_exponent
        ):
            return PAIRS[k].both
    return -1


cdef bint _unit(const Piece *p, int at, Measure *out) noexcept nogil:
    cdef int next = at + 1
    cdef int both
    cdef int power = 2 if has(p + at, PART_SQUARE) else 3 if has(p + at, PART_CUBIC) else 0
    out.kind = KIND_QUANTITY
    out.exponent = 0
    if power:
        out.stop = at + 2
        out.code = _combined(p, at + 1, -power, 0) if has(p + at + 1, PART_UNIT) else -1
        return out.code >= 0
    if not has(p + at, PART_UNIT) or has(p + at, PART_DECADE):
        return False
    out.code = p[at].unit
    out.exponent = p[at].unit_exponent
    out.stop = next
    if has(p + next, PART_PER | PART_SLASH) and has(p + next + 1, PART_UNIT):
        both = _combined(p, at, p[next + 1].unit, p[next + 1].unit_exponent)
        if both >= 0:
            out.code = both
            out.exponent = 0
            out.stop = next + 2
    elif out.code == DEGREES and has(p + next, PART_UNIT) and p[next].unit in (CELSIUS, FAHRENHEIT):
        out.code = p[next].unit
        out.stop = next + 1
    return True


cdef bint _percent(const Piece *p, int at, Measure *out) noexcept nogil:
    cdef bint has_points = has(p + at + 1, PART_POINT)
    out.kind = KIND_PERCENT
    out.exponent = 0
    out.code = 1 if has_points else -1
    out.stop = at + 2
    if has(p + at, PART_PERCENT):
        out.stop -= not has_points
        return True
    if has(p + at, PART_PERCENTAGE) and has_points:
        return True
    out.code = -1
    return has(p + at, PART_PER) and has(p + at + 1, PART_CENT)


cdef bint _currency(
    const Piece *p, int at, int32_t before, bint is_any_dollar, Measure *out
) noexcept nogil:
    """Read the currency after a number; if another stands before it, only the same one."""
    cdef int last = at + 1 if has(p + at, PART_NATION) and has(p + at + 1, PART_AFTER) else at
    cdef int32_t code
    if not has(p + last, PART_AFTER):
        return False
    code = p[last].currency
    if last > at and has(p + last, PART_DOLLAR):
        code = p[at].currency
    elif has(p + last, PART_DOLLAR) and before >= 0:
        code = before
    if before >= 0 and before != code and not is_any_dollar:
        return False
    out.kind = KIND_MONEY
    out.code = code
    out.exponent = p[last].currency_exponent
    out.stop = last + 1
    return True


cdef int _read_measures(
    const Piece *p, int at, int32_t currency, bint is_any_dollar, Measure *out
) noexcept nogil:
    """Write the readings of the measure at a piece, after a number; return their number.

    `currency` is the one before the number, or -1. `out` has room for MOST_MEASURES.
    """
    cdef int first = at + 1 if has(p + at, PART_DASH) else at
    out[0].first = out[1].first = out[2].first = at
    if currency >= 0:
        if not _currency(p, first, currency, is_any_dollar, out) or out.exponent:
            out.kind = KIND_MONEY
            out.code = currency
            out.exponent = 0
            out.stop = at
        return 1
    if _percent(p, first, out):
        return 1
    if _currency(p, first, -1, False, out):
        return 1 + _unit(p, first, out + 1)
    if _unit(p, first, out):
        if out.code == DEGREES:
            out[1] = out[2] = out[0]
            out[1].code = CELSIUS
            out[2].code = FAHRENHEIT
            return 3
        out[1].kind = KIND_NUMBER
        out[1].stop = first + 1
        return 1 + has(p + first, PART_SCALE)
    out.kind = KIND_NUMBER
    out.code = -1
    out.exponent = 0
    out.stop = at
    if not has(p + at, PART_INCHES):
        return 1
    out[1].kind = KIND_QUANTITY
    out[1].code = INCH
    out[1].exponent = 0
    out[1].stop = at + 1
    return 2


cdef void _mark_measure(Found *out, const Piece *p, const Measure *measure) noexcept nogil:
    """Give the pieces of a measure their role."""
    cdef int k
    for k in range(measure.first, measure.stop):
        mark(
            out, p, k, k + 1,
            ROLE_JOINT if has(p + k, PART_DASH)
            else ROLE_PERCENT if measure.kind == KIND_PERCENT
            else ROLE_CURRENCY if measure.kind == KIND_MONEY
            else ROLE_SCALE if measure.kind == KIND_NUMBER
            else ROLE_UNIT
        )


cdef void _count(Found *out, const Measure *measure, double value) noexcept nogil:
    """Set the kind and amount of a value from its measure."""
    out.kind = measure.kind
    out.number = value
    out.code = -1 if measure.kind == KIND_NUMBER else measure.code
    out.amount = value if measure.kind in (KIND_NUMBER, KIND_PERCENT) else _scaled(
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
    """Write the readings of the amount that begins at a piece; return their number."""
    cdef int32_t currency = -1
    cdef int first = _read_currency(p, at, &currency)
    cdef bint is_any_dollar = first == at + 1 and has(p + at, PART_DOLLAR)
    cdef Amount amount
    cdef Measure[MOST_MEASURES] measure
    cdef int n, k
    if first == at:
        currency = -1
    if not _read_amount(p, first, currency >= 0, &amount):
        return 0
    n = _range(p, at, first, currency, is_any_dollar, &amount, out)
    if n:
        return n
    n = _read_measures(p, amount.stop, currency, is_any_dollar, measure)
    for k in range(n):
        begin(out + k, 0, p, at)
        mark(out + k, p, at, first, ROLE_CURRENCY)
        _mark_amount(out + k, p, first, amount.stop)
        _mark_measure(out + k, p, measure + k)
        _count(out + k, measure + k, amount.value)
        if k and measure[k].kind == KIND_NUMBER:  # "5m" as five million
            out[k].amount = out[k].number = amount.value * p[measure[k].stop - 1].factor
    if n == 1 and measure[0].kind == KIND_NUMBER:
        n += _without_measure(p, first, &amount, out + 1)
    return n


cdef inline bint _is_small(const Amount *amount) noexcept nogil:
    return amount.is_small and 0.0 <= amount.value <= MOST_POINTS


# Long, because a range has two amounts, each with a currency, and one measure.
cdef int _range(
    const Piece *p, int at, int first, int32_t currency, bint is_any_dollar,
    const Amount *low, Found *out
) noexcept nogil:
    """Write the readings of the range or score that begins with an amount; return their number."""
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
    if currency >= 0 and _read_currency(p, second, &other) > second:
        if other != currency:
            return 0
        second = _read_currency(p, second, &other)
    if not _read_amount(p, second, currency >= 0, &high):
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
    _read_measures(p, high.stop, currency, is_any_dollar, measure)
    for k in range(3):  # the range, its low end, its high end
        begin(out + k, KIND_RANGE, p, at)
        is_other = k == 2 and second > joint + 1  # each end has its currency
        mark(out + k, p, at, first, ROLE_JOINT if is_other else ROLE_CURRENCY)
        mark(
            out + k, p, first, joint, ROLE_LOW if k == 0 else ROLE_NUMBER if k == 1 else ROLE_JOINT
        )
        mark(out + k, p, joint, joint + 1, ROLE_JOINT)
        mark(out + k, p, joint + 1, second, ROLE_JOINT if k == 1 else ROLE_CURRENCY)
        mark(
            out + k, p, second, high.stop,
            ROLE_HIGH if k == 0 else ROLE_JOINT if k == 1 else ROLE_NUMBER,
        )
        _mark_measure(out + k, p, measure)
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
    """Read a fraction into the first two fields; return the piece after it."""
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
        and _read_amount(p, at + 2, False, &whole) and count < whole.value <= MOST_OF_ALL
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
    """Divide numerator and denominator by their greatest common divisor."""
    cdef int32_t a = out.field[0]
    cdef int32_t b = out.field[1]
    while b:
        a, b = b, a % b
    out.field[0] //= a
    out.field[1] //= a
    out.amount = out.number = <double>out.field[0] / out.field[1]


cdef int read_fraction(const Piece *p, int at, Found *out) noexcept nogil:
    """Write the readings of the fraction that begins at a piece; return their number."""
    cdef Measure[MOST_MEASURES] measure
    cdef int stop, after, n, k
    begin(out, KIND_FRACTION, p, at)
    stop = _parts(p, at, out)
    if stop == at:
        return 0
    _reduce(out)
    after = stop + (has(p + stop, PART_OF) and has(p + stop + 1, PART_A) and has(p + stop + 2, PART_UNIT))
    after += has(p + after, PART_A)
    n = 0 if has(p + at + 1, PART_IN) else _read_measures(p, after, -1, False, measure)
    if n and measure[0].kind != KIND_NUMBER:
        n = 1 if n > 1 and measure[1].kind == KIND_NUMBER else n
        out[1] = out[2] = out[0]
        for k in range(n):
            mark(out + k, p, stop, after, ROLE_JOINT)
            _mark_measure(out + k, p, measure + k)
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
    """Write the readings of the ordinal that begins at a piece; return their number."""
    cdef Amount amount
    cdef double value = 0.0
    cdef int stop = ordinal(p, at, &value)
    begin(out, KIND_ORDINAL, p, at)
    if stop > at:
        mark(out, p, at, stop, ROLE_NUMBER)
    elif has(p + at, PART_NUMBER_SIGN) and _read_amount(p, at + 1, False, &amount):
        if not amount.is_small:
            return 0
        value = amount.value
        mark(out, p, at, at + 1, ROLE_MARK)
        mark(out, p, at + 1, at + 2, ROLE_NUMBER)
    else:
        return 0
    out.amount = out.number = value
    return 1
