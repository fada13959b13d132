"""The values of a sentence, from left to right.

Where a value may begin every reader tries; the longest value is taken, of equally long ones that of
the first reader. Tokens of a value are part of no other. A value with several readings stands in
the list once for each, the likeliest first.
"""

from cpython.mem cimport PyMem_Free, PyMem_Malloc
from libc.string cimport memset

from tokalign.english.values._amounts cimport *
from tokalign.english.values._calendar cimport *
from tokalign.english.values.found cimport *
from tokalign.english.values.pieces cimport MAX_PIECES, fill_pieces

from tokalign.errors import InputError, quoted
from tokalign.english.values.value import Facts, value_of

cdef enum:
    N_READERS = 6

ctypedef int (*Reader)(const Piece *, int, Found *) noexcept nogil

cdef Reader[N_READERS] READERS = [
    read_date, read_time, read_fraction, read_ordinal, read_version, read_amounts
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


cdef bint may_hold_value(const Piece *pieces, int n) noexcept nogil:
    """Whether any piece is one of those without which there is no value."""
    cdef int k
    for k in range(n):
        if pieces[k].parts & (~(NEVER_FIRST | PART_A) | AFTER_ARTICLE):
            return True
    return False


cdef inline bint _may_begin(const Piece *piece) noexcept nogil:
    """Whether a value may begin here; an article needs a word of a number behind it."""
    cdef uint64_t parts = piece.parts & ~NEVER_FIRST
    return parts != 0 and (parts != PART_A or has(piece + 1, AFTER_ARTICLE))


cdef int find(const Piece *pieces, int n, Found *out) noexcept nogil:
    """Write the values of a sentence, in order, and return how many."""
    cdef Found[2 * MAX_ALIKE] tried
    cdef Found *best
    cdef Found *other
    cdef int at = 0
    cdef int n_found = 0
    cdef int reader, n_best, n_other, k
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


def find_values(tokens):
    """Return the numbers, money, dates and other values that tokens say, in a normal form.

    Parameters
    ----------
    tokens : sequence of str
        Of one sentence, cut by Penn Treebank conventions or in another way.

    Returns
    -------
    list of Value
        From left to right. Where a value has several readings ("03/01/2019", "3:30") they follow
        each other, the likeliest first.

    Raises
    ------
    InputError
        If a token is no string.

    Examples
    --------
    >>> for value in find_values(["$", "5", "million", "on", "Jan.", "3", "2019"]):
    ...     print(value.kind.name, value.key, value.start, value.end)
    MONEY USD 5000000 0 3
    DATE 2019-01-03 4 7
    """
    cdef list words = list(tokens)
    cdef Py_ssize_t n_tokens = len(words)
    cdef Piece *pieces = <Piece *>PyMem_Malloc((n_tokens * MAX_PIECES + N_BEHIND) * sizeof(Piece))
    cdef Found *found = NULL
    cdef int n = 0
    cdef int n_of_token, n_found, k
    cdef Py_ssize_t i
    if pieces == NULL:
        raise MemoryError(f"pieces of {n_tokens} tokens")
    try:
        for i in range(n_tokens):
            if not isinstance(words[i], str):
                raise InputError(f"token {i} is {quoted(words[i])}, wanted a str")
            n_of_token = fill_pieces(words[i], pieces + n)
            if n_of_token == 0:
                memset(pieces + n, 0, sizeof(Piece))
                n_of_token = 1
            for k in range(n, n + n_of_token):
                pieces[k].token = <int32_t>i
            n += n_of_token
        if not may_hold_value(pieces, n):
            return []
        memset(pieces + n, 0, N_BEHIND * sizeof(Piece))
        found = <Found *>PyMem_Malloc((n + 1) * MAX_ALIKE * sizeof(Found))
        if found == NULL:
            raise MemoryError(f"values of {n_tokens} tokens")
        with nogil:
            n_found = find(pieces, n, found)
        return [_value(found + k) for k in range(n_found)]
    finally:
        PyMem_Free(pieces)
        PyMem_Free(found)


cdef object _value(const Found *found):
    """Return a value as Python sees it."""
    cdef int k
    return value_of(
        (found.kind, found.rank, found.start, found.end),
        Facts(
            found.number_kind, found.code, found.amount, found.high, found.number,
            tuple([found.field[k] for k in range(N_PARTS)]),
        ),
        tuple([found.role[k] for k in range(found.end - found.start)]),
    )
