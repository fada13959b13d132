"""Tokens of two sentences that state the same value, or another value of the same kind.

Every value of one sentence is compared with every value of the other. Their comparison decides how
strongly tokens agree that share a role; if several values meet in a cell, the strongest relation
counts. Readings other than the first can only agree.
"""

from libc.math cimport fabs
from libc.stdint cimport uint8_t, uint32_t

from tokalign.english.values.value_structs cimport *

cdef enum:
    ANY_ROLE = 0x1FFFF
    OF_MEASURE = ROLE_CURRENCY | ROLE_UNIT | ROLE_PERCENT
    OF_NUMBER = ROLE_NUMBER | ROLE_SCALE


cdef inline bint equal(double a, double b) noexcept nogil:
    # Tolerance for the rounding of a few products by factors of units; integers up to 10**14 still
    # differ.
    return fabs(a - b) <= 1e-14 * max(fabs(a), fabs(b))


cdef inline uint32_t _role(const Found *value, int k) noexcept nogil:
    """Return the role of a token; without a scale word, the number has the scale's role too."""
    cdef uint32_t role = value.role[k]
    cdef int other
    if not role & ROLE_NUMBER:
        return role
    for other in range(value.end - value.start):
        if value.role[other] & ROLE_SCALE:
            return role
    return role | ROLE_SCALE


cdef struct Grid:
    uint8_t *cells
    Py_ssize_t n_target
    const Found *source
    const Found *target


cdef inline void _cross(
    const Grid *grid, uint32_t source_roles, uint32_t target_roles, bint is_crossed, int relation
) noexcept nogil:
    """Write a relation for tokens of these roles; unless crossed, only if they share one."""
    cdef int i, j
    cdef uint32_t role, other
    cdef uint8_t *cell
    for i in range(grid.source.end - grid.source.start):
        role = _role(grid.source, i) & source_roles
        if not role:
            continue
        cell = grid.cells + (grid.source.start + i) * grid.n_target + grid.target.start
        for j in range(grid.target.end - grid.target.start):
            other = _role(grid.target, j) & target_roles
            if role & other or (is_crossed and other):
                cell[j] = max(cell[j], <uint8_t>relation)


cdef inline void _put(const Grid *grid, uint32_t roles, int relation) noexcept nogil:
    _cross(grid, roles, roles, False, relation)


cdef inline void _put_same(const Grid *grid) noexcept nogil:
    """Write the agreement of equal values: token by token if both have the same roles in order."""
    cdef int k
    cdef int n = grid.source.end - grid.source.start
    cdef bint is_alike = n == grid.target.end - grid.target.start
    cdef uint8_t *cell
    for k in range(n if is_alike else 0):
        is_alike = is_alike and grid.source.role[k] == grid.target.role[k]
    if not is_alike:
        _put(grid, ANY_ROLE, RELATION_SAME_VALUE)
        return
    for k in range(n):
        if grid.source.role[k]:
            cell = grid.cells + (grid.source.start + k) * grid.n_target + grid.target.start + k
            cell[0] = RELATION_SAME_VALUE


cdef inline bint _same_fields(const Found *a, const Found *b) noexcept nogil:
    cdef int k
    for k in range(N_PARTS):
        if a.field[k] != b.field[k]:
            return False
    return True


cdef inline void _compare_dates(const Grid *grid, bint may_differ) noexcept nogil:
    """Compare two dates field by field."""
    cdef const Found *a = grid.source
    cdef const Found *b = grid.target
    cdef int k
    cdef uint32_t role
    for k in range(N_PARTS):
        if not a.field[k] or not b.field[k] or k == PERIOD:
            continue
        if k == YEAR and a.field[PERIOD] != b.field[PERIOD]:
            continue
        role = (
            ROLE_YEAR if k == YEAR else ROLE_MONTH if k == MONTH else ROLE_DAY if k == DAY
            else ROLE_WEEKDAY if k == WEEKDAY else ROLE_QUARTER
        )
        if a.field[k] == b.field[k]:
            _put(grid, role, RELATION_SAME_PART)
        elif may_differ:
            _put(grid, role, RELATION_DIFFERENT)


cdef inline void _compare_measured(const Grid *grid, bint may_differ) noexcept nogil:
    """Compare two unequal amounts of money, quantities, percentages or ranges."""
    cdef const Found *a = grid.source
    cdef const Found *b = grid.target
    cdef bint same_code = a.code == b.code and a.number_kind == b.number_kind
    cdef bint comparable = same_code or a.kind == KIND_MONEY
    if a.kind == KIND_RANGE:
        _compare_ends(grid, ROLE_LOW, equal(a.amount, b.amount), may_differ and comparable)
        _compare_ends(grid, ROLE_HIGH, equal(a.high, b.high), may_differ and comparable)
    else:
        _compare_ends(grid, OF_NUMBER, equal(a.number, b.number), may_differ and comparable)
    if same_code:
        _put(grid, OF_MEASURE, RELATION_SAME_UNIT)
    elif comparable and may_differ:
        _put(grid, OF_MEASURE, RELATION_DIFFERENT)


cdef inline void _compare_ends(
    const Grid *grid, uint32_t roles, bint is_same, bint may_differ
) noexcept nogil:
    if is_same:
        _put(grid, roles, RELATION_SAME_NUMBER)
    elif may_differ:
        _put(grid, roles, RELATION_DIFFERENT)


cdef inline bint same(const Found *a, const Found *b) noexcept nogil:
    """Whether two values of one kind are equal."""
    return (
        a.code == b.code and a.number_kind == b.number_kind and equal(a.amount, b.amount)
        and equal(a.high, b.high) and _same_fields(a, b)
    )


cdef inline double share_of(const Found *value) noexcept nogil:
    """Return a value as a fraction of one, or -1."""
    if value.kind == KIND_PERCENT and value.code < 0:
        return value.amount / 100.0
    return value.amount if value.kind in (KIND_FRACTION, KIND_NUMBER) else -1.0


cdef inline uint32_t _number_of(const Found *value, double *number) noexcept nogil:
    """Write the number of a value; return the roles of its tokens, or 0."""
    number[0] = value.number
    if value.kind == KIND_DATE and value.field[DAY]:
        number[0] = value.field[DAY]
        return ROLE_DAY
    if value.kind in (
        KIND_NUMBER, KIND_PERCENT, KIND_FRACTION, KIND_ORDINAL, KIND_MONEY, KIND_QUANTITY
    ):
        return OF_NUMBER | ROLE_DENOMINATOR
    return 0


cdef inline void _compare_kinds(const Grid *grid) noexcept nogil:
    """Compare two values of unlike kinds."""
    cdef const Found *a = grid.source
    cdef const Found *b = grid.target
    cdef double number = 0.0
    cdef double other_number = 0.0
    cdef uint32_t roles, other_roles
    if KIND_FRACTION in (a.kind, b.kind) and share_of(a) >= 0.0 and equal(share_of(a), share_of(b)):
        _cross(grid, ANY_ROLE, ANY_ROLE, True, RELATION_SAME_VALUE)
        return
    roles = _number_of(a, &number)
    other_roles = _number_of(b, &other_number)
    if roles and other_roles and equal(number, other_number):
        if (roles | other_roles) & ROLE_DAY:
            _cross(grid, roles, other_roles, True, RELATION_SAME_NUMBER)
        else:
            _put(grid, OF_NUMBER, RELATION_SAME_NUMBER)


cdef inline void _compare(const Grid *grid) noexcept nogil:
    cdef const Found *a = grid.source
    cdef const Found *b = grid.target
    cdef bint may_differ = a.rank == 0 and b.rank == 0
    if a.kind != b.kind:
        _compare_kinds(grid)
    elif same(a, b):
        _put_same(grid)
    elif a.kind == KIND_DATE:
        _compare_dates(grid, may_differ)
    elif a.kind in (KIND_MONEY, KIND_QUANTITY, KIND_PERCENT, KIND_RANGE):
        _compare_measured(grid, may_differ)
    elif may_differ:
        _put(grid, ANY_ROLE & ~ROLE_MARK, RELATION_DIFFERENT)


cdef inline void agree(
    const Found *source, int n_source_values, const Found *target, int n_target_values,
    Py_ssize_t n_target, uint8_t *cells
) noexcept nogil:
    """Write the agreement of the tokens of two sentences' values."""
    cdef Grid grid
    cdef int i, j
    grid.cells = cells
    grid.n_target = n_target
    for i in range(n_source_values):
        for j in range(n_target_values):
            grid.source = source + i
            grid.target = target + j
            _compare(&grid)
