"""Finds the values of a sentence from left to right.

Wherever a value may begin, all readers try; the longest value wins, ties go to the first reader.
Values do not overlap. A value with several readings is listed once for each, the likeliest first. A
version is::

    version    v2.0 | 1.2.3 | "version" number

An amount may go on in smaller units of one dimension, and is one value::

    whole      (amount unit | "a" unit) part* ["and" fraction]      2 h 20 min, an hour and a half
               amount ("feet") number                               5 ft 10
               clock (hours | minutes)                              1:30 hours
               amount currency ["and"] amount cents
    part       [,] ["and"] amount unit                              less than one of the unit before

Two values are equal even if they are written in other units; see `value_agreement.pxd` for tokens.
"""

from libc.math cimport fabs, floor, pow
from libc.stdlib cimport free, malloc
from libc.string cimport memset

from tokalign.english.values._amounts cimport *
from tokalign.english.values.dates_and_times cimport measures, read_date, read_time
from tokalign.english.values.value_agreement cimport equal, same, share_of
from tokalign.english.values.value_structs cimport *

from tokalign.english.values.kinds import Kind, Role
from tokalign.english.values.token_readings import CASED, LOWER, readings
from tokalign.english.values.value import CODES, SIZES, UNIT_BASES, Facts, Value, key_of
from tokalign.errors import InputError, quoted

cdef enum:
    N_READERS = 6
    MOST_UNITS = 128

ctypedef int (*Reader)(const Piece *, int, Found *) noexcept nogil

cdef Reader[N_READERS] READERS = [
    read_date, read_time, read_fraction, read_ordinal, _read_version, _read_whole
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

cdef int32_t METRE = UNIT_BASES.index("m"), SECOND = UNIT_BASES.index("s")
cdef int32_t MINUTE = UNIT_BASES.index("min"), HOUR = UNIT_BASES.index("h")
cdef int32_t FOOT = UNIT_BASES.index("ft"), INCH = UNIT_BASES.index("inch")
cdef int32_t DOLLAR = CODES.index("USD")

# What goes on behind a number that is no number of inches.
cdef uint64_t GOES_ON = measures() | PART_DASH | PART_TO | PART_PER | PART_SLASH | PART_POINT


cdef double _size(const Found *value) noexcept nogil:
    """Return the size of a value's unit as written, in its dimension."""
    cdef double size = SIZE[value.code] if value.kind == KIND_QUANTITY else 1.0
    return size * value.amount / value.number


cdef bint _is_list(const Piece *p, const Found *part) noexcept nogil:
    """Whether a unit as large as that of a part follows, or how often: 2 days, 5 hours a day."""
    cdef Found[MAX_ALIKE] read
    cdef int first = part.stop + has(p + part.stop, PART_COMMA)
    cdef int k
    first += has(p + first, PART_AND)
    if has(p + part.stop, PART_PER | PART_SLASH) or (
        has(p + part.stop, PART_A) and has(p + part.stop + 1, PART_UNIT)
    ):
        return True
    for k in range(read_amounts(p, first, read) if first > part.stop else 0):
        if of_one_dimension(part, read + k) and read[k].number > 0.0 and (
            _size(read + k) >= _size(part)
        ):
            return True
    return False


cdef bint _is_part(
    const Piece *p, Found *whole, Found *part, bint has_comma, bint is_joined
) noexcept nogil:
    """Whether an amount goes on behind a value in smaller units; turns "m" to minutes."""
    cdef bint is_letter = has(p + part.stop - 1, PART_SCALE)
    if part.number <= 0.0 or part.kind != whole.kind:
        return False
    if part.kind == KIND_MONEY:
        return (
            not has_comma and part.amount < 1.0 and _size(part) < 1.0 <= _size(whole)
            and part.code in (whole.code, DOLLAR)
        )
    if part.code == METRE and is_letter and of_one_dimension(whole, part) == 0:
        part.code, part.amount = MINUTE, part.number  # 2h 20m
    elif whole.code == METRE and part.code == SECOND and has(p + whole.stop - 1, PART_SCALE):
        whole.code, whole.amount = MINUTE, whole.number
    return of_one_dimension(whole, part) and _size(part) * max(1.0, part.number) < _size(whole) and (
        not is_joined or (part.code != whole.code and not _is_list(p, part))
    )


cdef bint _is_rest(const Piece *p, Found *whole, Found *part, bint is_joined) noexcept nogil:
    """Whether a number or fraction behind a quantity is of its unit, or counts inches."""
    if whole.kind != KIND_QUANTITY:
        return False
    if part.kind == KIND_FRACTION:
        part.amount *= whole.amount / whole.number
        part.code = whole.code
        return is_joined and part.number < 1.0 and not has(p + part.stop, PART_OF) and not (
            has(p + part.stop - 2, PART_IN)
        )
    if part.kind != KIND_NUMBER or is_joined or whole.code != FOOT:
        return False
    part.code = INCH
    return 0.0 < part.number < 12.0 and part.number == floor(part.number) and not (
        has(p + part.stop, GOES_ON)
    )


cdef int _read_rest(const Piece *p, int at, Found *out) noexcept nogil:
    """Write the readings of what may follow a quantity; return their number."""
    cdef int n
    if has(p + at, PART_DECADE) and has(p + at, PART_UNIT):
        begin(out, KIND_QUANTITY, p, at)  # 5m 30s
        mark(out, p, at, at + 1, ROLE_NUMBER | ROLE_UNIT)
        out.amount = out.number = p[at].number
        out.code = p[at].unit
        return 1
    n = read_fraction(p, at, out)
    if n and out.kind == KIND_FRACTION:
        return 1
    n = read_amounts(p, at, out)
    return 0 if n and out.kind in (KIND_RANGE, KIND_SCORE) else n


cdef bint _add_part(const Piece *p, Found *whole) noexcept nogil:
    """Add what follows in smaller units to a value; return whether there is anything."""
    cdef Found[MAX_ALIKE] read
    cdef Found *part
    cdef bint has_comma = has(p + whole.stop, PART_COMMA)
    cdef int first = whole.stop + has_comma
    cdef int k, m
    cdef bint is_rest
    first += has(p + first, PART_AND)
    for k in range(_read_rest(p, first, read)):
        part = read + k
        is_rest = _is_rest(p, whole, part, first > whole.stop)
        if not is_rest and not _is_part(p, whole, part, has_comma, first > whole.stop):
            continue
        if part.kind == KIND_MONEY:
            whole.amount += part.amount
            whole.number = whole.amount
        else:
            whole.amount = whole.amount * (SIZE[whole.code] / SIZE[part.code]) + part.amount
            whole.number = whole.amount * (part.number / part.amount)
            whole.code = part.code
        for m in range(part.start - whole.start, min(part.end - whole.start, <int>MAX_SPAN)):
            whole.role[m] |= part.role[m - part.start + whole.start]
        whole.end, whole.stop = part.end, part.stop
        return True
    return False


cdef int _read_clock(const Piece *p, int at, Found *out) noexcept nogil:
    """Write hours and minutes, or minutes and seconds, that a unit says are no time of day."""
    cdef const Piece *unit = p + at + 1
    cdef double number = 60.0 * p[at].field[0] + p[at].field[1]
    cdef bint has_seconds = p[at].field[2] != 0
    if p[at].field[3] or p[at].field[0] == 12 or not has(unit, PART_UNIT) or not (
        unit.unit == HOUR or (unit.unit == MINUTE and not has_seconds)
    ):
        return 0
    begin(out, KIND_QUANTITY, p, at)
    mark(out, p, at, at + 1, ROLE_NUMBER)
    mark(out, p, at + 1, at + 2, ROLE_UNIT)
    out.code = MINUTE if unit.unit == HOUR and not has_seconds else SECOND
    out.amount = out.number = 60.0 * number + p[at].field[2] if has_seconds else number
    return 1


cdef int _read_whole(const Piece *p, int at, Found *out) noexcept nogil:
    """Write the readings of an amount in one unit or several; return their number."""
    cdef Found whole
    cdef int n = 0, k
    cdef bint is_one = has(p + at, PART_A) and has(p + at + 1, PART_UNIT)
    if has(p + at, PART_CLOCK):
        return _read_clock(p, at, out)
    if is_one:  # an hour and a half
        begin(out, KIND_QUANTITY, p, at)
        mark(out, p, at, at + 1, ROLE_NUMBER)
        mark(out, p, at + 1, at + 2, ROLE_UNIT)
        out.code, out.number = p[at + 1].unit, 1.0
        out.amount = pow(10.0, p[at + 1].unit_exponent)
    else:
        n = read_amounts(p, at, out)
    for k in range(n + is_one):
        whole = out[k]
        if whole.number <= 0.0 or whole.kind not in (KIND_QUANTITY, KIND_MONEY):
            continue
        while _add_part(p, &whole):
            pass
        if whole.stop > out[k].stop:
            out[0] = whole
            return 1
    return n


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
    return parts != 0 and (parts != PART_A or has(piece + 1, AFTER_ARTICLE | PART_UNIT))


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
        if IS_LOOSE[a.code] != IS_LOOSE[b.code] or (
            IS_LOOSE[a.code] and DIMENSION[a.code] != DIMENSION[HOUR]
        ):
            within = LOOSE  # not of months and years
    elif equal(a.amount * b.number, b.amount * a.number):
        return False  # both in one unit
    return _are_near(one, other, within)


cdef inline bint _are_near(double one, double other, double within) noexcept nogil:
    return fabs(one - other) <= within * max(fabs(one), fabs(other))


cdef inline bint _are_shares(const Found *a, const Found *b) noexcept nogil:
    """Whether two values are a fraction and a percentage: a third, 33%."""
    return KIND_PERCENT in (a.kind, b.kind) and KIND_FRACTION in (a.kind, b.kind) and (
        share_of(a) >= 0.0 and share_of(b) >= 0.0
    )


cdef bint are_equal(const Found *a, const Found *b) noexcept nogil:
    """Whether two values are the same, however they are written; a half is 50%."""
    if a.kind != b.kind:
        return KIND_FRACTION in (a.kind, b.kind) and share_of(a) >= 0.0 and (
            equal(share_of(a), share_of(b))
            or (_are_shares(a, b) and _are_near(share_of(a), share_of(b), CONVERTED))
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
        return _are_shares(a, b) or (
            a.kind in (KIND_RANGE, KIND_SCORE) and b.kind in (KIND_RANGE, KIND_SCORE)
        )
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
