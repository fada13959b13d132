from tokalign.english.values.value_structs cimport Found, Piece

cdef int below_hundred(const Piece *p, int at, double *value) noexcept nogil
cdef int ordinal(const Piece *p, int at, double *value) noexcept nogil
cdef int read_amounts(const Piece *p, int at, Found *out) noexcept nogil
cdef int read_fraction(const Piece *p, int at, Found *out) noexcept nogil
cdef int read_ordinal(const Piece *p, int at, Found *out) noexcept nogil
