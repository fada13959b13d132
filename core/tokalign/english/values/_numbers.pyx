"""Cardinal and ordinal numbers in digits and words.

An amount is::

    amount     [minus] (digits | words | "half" ["a"] scale) ["and a half" [scale]]
    digits     DIGITS (GROUP)* [fraction] [scale | hundred]
    words      (chunk | "a" scale) ([and] chunk scale)* [[and] chunk]       scales fall
               chunk ["point" digit+] [scale]
    chunk      (below100 | "a") hundred [[and] below100] | below100
    below100   TEN [-] ONE | TEN | TEEN | ONE

Each function gets the pieces of a sentence, behind which stands an empty one, and returns the piece
behind what it read, or where it began if there is nothing to read.
"""

from tokalign.english.values.found cimport *

cdef enum:
    MOST_WORDS = 24

cdef double LARGEST = 1e18


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
    """Whether a piece multiplies; letters that are units too do so only of money."""
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
    """Read "point two five" behind a number."""
    cdef double place = 1.0
    cdef double rest = 0.0
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
    """Read digits with groups of three behind them (1 000), or a fraction (2 1/2, 2½)."""
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


cdef bint read_amount(const Piece *p, int at, bint is_money, Amount *out) noexcept nogil:
    """Read an amount; whether there is one."""
    cdef double value = 0.0
    cdef double scale = 1.0
    cdef double sign = 1.0
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


cdef void mark_amount(Found *out, const Piece *p, int first, int stop) noexcept nogil:
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
