from tokalign.english.values.found cimport Found
from tokalign.english.values.pieces cimport Piece

cdef struct Amount:
    int stop            # piece behind it
    double value
    double scale        # the last scale word or letter in it, or 1
    bint is_small       # a single piece in plain digits or a word up to nineteen

cdef int below_hundred(const Piece *p, int at, double *value) noexcept nogil
cdef bint read_amount(const Piece *p, int at, bint is_money, Amount *out) noexcept nogil
cdef void mark_amount(Found *out, const Piece *p, int first, int stop) noexcept nogil
cdef int ordinal(const Piece *p, int at, double *value) noexcept nogil
