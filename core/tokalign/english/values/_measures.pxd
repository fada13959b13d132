from libc.stdint cimport int32_t

from tokalign.english.values.found cimport Found
from tokalign.english.values.pieces cimport Piece

cdef enum:
    MOST_MEASURES = 3

cdef struct Measure:
    # What a number counts.
    int kind            # KIND_NUMBER if nothing is said
    int first           # piece where it begins
    int stop            # piece behind it
    int32_t code        # of the currency or unit; 1 for percentage points; or -1
    int exponent        # power of ten

cdef int read_currency(const Piece *p, int at, int32_t *code) noexcept nogil
cdef int read_measures(
    const Piece *p, int at, int32_t currency, bint is_any_dollar, Measure *out
) noexcept nogil
cdef void mark_measure(Found *out, const Piece *p, const Measure *measure) noexcept nogil
cdef double scaled(double value, int exponent) noexcept nogil
