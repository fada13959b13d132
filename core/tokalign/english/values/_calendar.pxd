from tokalign.english.values.found cimport Found
from tokalign.english.values.pieces cimport Piece

cdef int read_date(const Piece *p, int at, Found *out) noexcept nogil
cdef int read_time(const Piece *p, int at, Found *out) noexcept nogil
