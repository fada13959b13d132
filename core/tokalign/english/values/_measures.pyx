"""Currencies, percent signs and units beside a number.

Behind a number, perhaps after a dash, may stand::

    percent    "%" ["points"] | "per" "cent" | "percentage" "points"
    currency   [nation] currency
    unit       ["square" | "cubic"] unit [("per" | "/") unit]
"""

from tokalign.english.values.found cimport *

from tokalign.english.values._units import COMPOUNDS, POWERS, UNIT_BASES

cdef enum:
    MOST_PAIRS = 32

cdef struct UnitPair:
    int32_t unit
    int32_t other   # unit that it is measured per, or the negative power
    int32_t both
    int32_t exponent        # power of ten that the unit must have
    int32_t other_exponent

cdef UnitPair[MOST_PAIRS] PAIRS
cdef int N_PAIRS = 0


cdef int _fill_pairs() except -1:
    """Copy the tables of units made of units to where they are read without the interpreter."""
    global N_PAIRS
    from tokalign.english.values._units import UNITS

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


cdef double scaled(double value, int exponent) noexcept nogil:
    """Return a value times a power of ten; dividing is exact where multiplying is not."""
    cdef double power = 1.0
    cdef int k
    for k in range(abs(exponent)):
        power *= 10.0
    return value * power if exponent >= 0 else value / power


cdef int read_currency(const Piece *p, int at, int32_t *code) noexcept nogil:
    """Read the currency before a number; the piece behind it."""
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
    out.kind = KIND_PERCENT
    out.code = -1
    out.exponent = 0
    if has(p + at, PART_PERCENT):
        out.stop = at + 1
        if has(p + at + 1, PART_POINT):
            out.code = 1
            out.stop = at + 2
        return True
    if has(p + at, PART_PER) and has(p + at + 1, PART_CENT):
        out.stop = at + 2
        return True
    if has(p + at, PART_PERCENTAGE) and has(p + at + 1, PART_POINT):
        out.code = 1
        out.stop = at + 2
        return True
    return False


cdef bint _currency(
    const Piece *p, int at, int32_t before, bint is_any_dollar, Measure *out
) noexcept nogil:
    """Read the currency behind a number; of one that stands before it too, only the same."""
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


cdef int read_measures(
    const Piece *p, int at, int32_t currency, bint is_any_dollar, Measure *out
) noexcept nogil:
    """Write what the number before a piece counts, in one or more readings, and return how many.

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


cdef void mark_measure(Found *out, const Piece *p, const Measure *measure) noexcept nogil:
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
