from tokalign.english.values.found cimport Found
from tokalign.english.values.pieces cimport Piece

cdef int read_amounts(const Piece *p, int at, Found *out) noexcept nogil
cdef int read_fraction(const Piece *p, int at, Found *out) noexcept nogil
cdef int read_ordinal(const Piece *p, int at, Found *out) noexcept nogil
cdef int read_version(const Piece *p, int at, Found *out) noexcept nogil
