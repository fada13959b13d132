from tokalign.values.found cimport Found
from tokalign.values.pieces cimport Piece

cdef int read_date(const Piece *p, int at, Found *out) noexcept nogil
cdef int read_time(const Piece *p, int at, Found *out) noexcept nogil
