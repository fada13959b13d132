from tokalign.english.values.value_structs cimport Found, Piece

cdef enum:
    N_BEHIND = 3        # empty pieces after the last of a sentence

cdef bint may_hold_value(
    const Piece *pieces,    # [n] of a token or of a sentence
    int n,
) noexcept nogil

cdef int find(
    const Piece *pieces,    # [n + N_BEHIND] of a sentence; those after it are all zeros
    int n,
    Found *out,             # room for MAX_ALIKE of every piece, and MAX_ALIKE more
) noexcept nogil

cdef int found_in(list tokens, Found **out) except -1
cdef int fill_pieces(str token, Piece *out) except -1

cdef bint are_equal(const Found *a, const Found *b) noexcept nogil
cdef bint contradict(const Found *a, const Found *b) noexcept nogil
cdef bint of_one_dimension(const Found *a, const Found *b) noexcept nogil
